/*
 * A hostile perf.data file, from its header to the report as text and JSON. Without names of functions: to read the kernel's
 * 120,000 symbols for each input would leave ten inputs a second.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/report.h"
#include "export/json.h"
#include "profiler/session.h"
#include "ui/report_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_report(struct profile *profile)
{
	struct report_options options = { .children = true };
	struct symbolizer *symbolizer = symbolizer_new(&profile->dsos);
	FILE *out = fopen("/dev/null", "w");
	struct report report;
	struct names names;

	columns_parse(&options.columns, "comm,pid,tid,dso,cpu", NULL);
	names_init(&names, profile, symbolizer);
	report_init(&report, &names, &options);
	report_text(out, &report);
	json_report(out, &report);
	report_fini(&report);
	names_fini(&names);
	symbolizer_free(symbolizer);
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct notes notes = { 0 };
	struct profile profile;
	int fd = memfd_create("recording", 0);
	char path[32];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	profile_init(&profile, &notes);
	if (!session_read_file(&profile, path, NULL, NULL, NULL))
		fuzz_report(&profile);
	profile_fini(&profile);
	notes_fini(&notes);
	close(fd);
	return 0;
}
