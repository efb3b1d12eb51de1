#include "cmd/recording.h"

#include <stdio.h>

#include "cmd/command.h"
#include "profiler/session.h"

int recording_open(struct recording *recording, const char *path)
{
	struct error err;

	*recording = (struct recording){ .path = path };
	profile_init(&recording->profile, &recording->notes);
	recording->symbolizer = symbolizer_new(&recording->profile.dsos);
	names_init(&recording->names, &recording->profile, recording->symbolizer);
	if (session_read_file(&recording->profile, path, NULL, NULL, &err))
		return recording_fail(recording, err.message);
	if (!recording->profile.samples.len) {
		error_set(&err, ERROR_CORRUPT, "%s: no samples that could be read", path);
		return recording_fail(recording, err.message);
	}
	return EXIT_RESULTS;
}

int recording_fail(struct recording *recording, const char *message)
{
	const struct strtab *sentences = &recording->notes.sentences;
	char line[1024];
	size_t used = (size_t)snprintf(line, sizeof(line), "%s", message);

	for (uint32_t i = 0; i < sentences->strings.len && used < sizeof(line); i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, "; %s", strtab_string(sentences, i));
	recording->told = true;
	return command_fail(EXIT_FAILED, "%s", line);
}

int recording_close(struct recording *recording, int status)
{
	int written = command_close_stdout();

	if (!recording->told)
		command_print_notes(&recording->notes);
	names_fini(&recording->names);
	symbolizer_free(recording->symbolizer);
	profile_fini(&recording->profile);
	notes_fini(&recording->notes);
	return status ? status : written;
}
