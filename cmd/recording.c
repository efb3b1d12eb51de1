#include "cmd/recording.h"

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
		return command_fail(EXIT_FAILED, "%s", err.message);
	if (!recording->profile.samples.len)
		return command_fail(EXIT_FAILED, "%s: no samples that could be read", path);
	return EXIT_RESULTS;
}

int recording_close(struct recording *recording, int status)
{
	int written = command_close_stdout();

	command_print_notes(&recording->notes);
	names_fini(&recording->names);
	symbolizer_free(recording->symbolizer);
	profile_fini(&recording->profile);
	notes_fini(&recording->notes);
	return status ? status : written;
}
