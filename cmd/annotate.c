#include <string.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "ui/annotate_text.h"

struct annotate_arguments {
	const char *input;
	const char *objdump;
	bool stdio;		/* text is the only form yet; scripts may already ask for it */
	struct filter filter;
	struct annotate_style style;
};

#define FIELD(member) offsetof(struct annotate_arguments, member)

static const struct option annotate_table[] = {
	{ 'i', "input", OPTION_TEXT, FIELD(input), "FILE", "the recording (default: perf.data)", NULL },
	{ 0, "stdio", OPTION_SET, FIELD(stdio), NULL, "print text", NULL },
	{ 0, "raw", OPTION_SET, FIELD(style.bytes), NULL, "show the instructions' bytes", NULL },
	{ 0, "no-source", OPTION_CLEAR, FIELD(style.source), NULL, "show instructions only", NULL },
	{ 'n', "show-nr-samples", OPTION_SET, FIELD(style.samples), NULL, "show the number of samples", NULL },
	{ 0, "show-total-period", OPTION_SET, FIELD(style.weights), NULL, "show the weight: ns for clocks, else events",
	  NULL },
	{ 0, "comm", OPTION_TEXT, FIELD(filter.comm), "NAMES", "only samples of threads with these names", NULL },
	{ 0, "tid", OPTION_PARSED, FIELD(filter.tid), "TIDS", "only samples of these threads", option_parse_numbers },
	{ 0, "dso", OPTION_TEXT, FIELD(filter.dso), "NAME", "the function of this program or library", NULL },
	{ 0, "objdump", OPTION_TEXT, FIELD(objdump), "PATH", "the disassembler (default: objdump)", NULL },
	OPTION_END,
};

/* One event's view of the function. */
static int annotate_event(const struct annotate_arguments *arguments, struct recording *recording,
			  struct sources *sources, uint32_t event, uint32_t function)
{
	struct annotation annotation;
	struct error err;

	if (annotation_init(&annotation, &recording->names, event, function, &arguments->filter, arguments->objdump, &err))
		return recording_fail(recording, err.message);
	annotate_text(stdout, &annotation, &recording->names, sources, &arguments->style);
	annotation_fini(&annotation);
	return EXIT_RESULTS;
}

static int annotate_function(const struct annotate_arguments *arguments, struct recording *recording, const char *wanted)
{
	const struct profile *profile = &recording->profile;
	struct sources sources = { 0 };
	int status = EXIT_RESULTS;
	unsigned int others;
	uint32_t function;
	struct error err;

	if (annotation_find(&recording->names, wanted, &arguments->filter, &function, &others, &err)) {
		error_wrap(&err, "%s", recording->path);
		return recording_fail(recording, err.message);
	}
	if (others && wanted)
		notes_add(&recording->notes,
			  "%u more functions are called %s; this one has the most samples (choose with --dso)", others,
			  wanted);
	for (uint32_t event = 0; event < profile->events.len && !status; event++)
		if (profile->events.items[event].samples)
			status = annotate_event(arguments, recording, &sources, event, function);
	sources_note(&sources, &recording->notes);
	sources_fini(&sources);
	return status;
}

static int run_annotate(const struct command *command, int argc, char **argv)
{
	struct annotate_arguments arguments = {
		.input = "perf.data",
		.objdump = "objdump",
		.style = { .source = true },
	};
	struct recording recording;
	int operands, status;

	if (command_parse(command, &arguments, argc, argv, false, &operands, &status))
		return status;
	if (operands > 1)
		return command_fail(EXIT_USAGE, "annotate: name one function (pmuprof annotate [OPTION]… [FUNCTION])");
	status = recording_open(&recording, arguments.input);
	if (!status)
		status = annotate_function(&arguments, &recording, operands ? argv[1] : NULL);
	return recording_close(&recording, status);
}

const struct command command_annotate = {
	.name = "annotate",
	.summary = "Show the hot instructions of a function with their source lines",
	.operands = "[OPTION]… [FUNCTION]",
	.options = annotate_table,
	.run = run_annotate,
};
