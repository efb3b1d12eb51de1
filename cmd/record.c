#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/version.h"
#include "profiler/recorder.h"

/* Off the timer ticks' beat. */
enum { RECORD_FREQUENCY = 999 };

struct record_arguments {
	const char *output;
	struct sampler_options sampler;
};

/* perf's word for it is dwarf. */
static bool is_cfi(const char *mode, size_t len)
{
	return (len == 3 && !strncmp(mode, "cfi", len)) || (len == 5 && !strncmp(mode, "dwarf", len));
}

/* "cfi", "cfi,BYTES", "fp" or "none"; -g alone means cfi. */
static int parse_chains(void *field, const char *text, struct error *err)
{
	struct event_options *events = field;
	size_t len = strcspn(text, ",");

	if (is_cfi(text, len)) {
		events->chains = EVENT_CHAINS_CFI;
		if (!text[len])
			return 0;
		if (option_parse_size(&events->stack_bytes, text + len + 1, err))
			return -1;
		if (events->stack_bytes > EVENT_STACK_MAX || events->stack_bytes % 8)
			return error_set(err, ERROR_USAGE, "a stack copy is a multiple of 8 up to %d bytes",
					 EVENT_STACK_MAX);
		return 0;
	}
	if (strcmp(text, "fp") != 0 && strcmp(text, "none") != 0)
		return error_set(err, ERROR_USAGE, "'%s' is not one of cfi, cfi,BYTES, fp, none", text);
	events->chains = text[0] == 'f' ? EVENT_CHAINS_FP : EVENT_CHAINS_NONE;
	return 0;
}

static int parse_g(void *field, const char *text, struct error *err)
{
	(void)text;
	return parse_chains(field, "cfi", err);
}

#define FIELD(member) offsetof(struct record_arguments, member)

static const struct option record_table[] = {
	{ 'o', "output", OPTION_TEXT, FIELD(output), "FILE",
	  "where to write (default: perf.data; an earlier one becomes FILE.old)", NULL },
	{ 'e', "event", OPTION_TEXT, FIELD(sampler.events.names), "EVENTS",
	  "what to sample: hardware and software events by name, with :u, :k, :p (default: cycles, else cpu-clock)",
	  NULL },
	{ 'F', "freq", OPTION_PARSED, FIELD(sampler.events.frequency), "HZ",
	  "samples a second of CPU time (default: 999)", option_parse_u64 },
	{ 'c', "count", OPTION_PARSED, FIELD(sampler.events.period), "N", "a sample every N events instead",
	  option_parse_u64 },
	{ 'g', NULL, OPTION_PARSED, FIELD(sampler.events), NULL, "call stacks by unwinding, which is the default",
	  parse_g },
	{ 0, "call-graph", OPTION_PARSED, FIELD(sampler.events), "MODE",
	  "call stacks by cfi[,BYTES]: unwinding a copy of the stack (default, 16384 bytes); fp: frame pointers; or none",
	  parse_chains },
	{ 'm', "mmap-size", OPTION_PARSED, FIELD(sampler.ring_bytes), "SIZE",
	  "ring buffer for each CPU, in bytes or with K, M, G (default: 8M)", option_parse_size },
	OPTION_END,
};

/* The command line as one, for the recording's header. */
static char *join(int argc, char **argv)
{
	VEC(char) line = { 0 };

	vec_reserve(&line, sizeof("pmuprof "));
	memcpy(line.items, "pmuprof ", line.len = strlen("pmuprof "));
	for (int i = 0; i < argc; i++) {
		size_t len = strlen(argv[i]);

		vec_reserve(&line, len + 1);
		memcpy(line.items + line.len, argv[i], len);
		line.len += len;
		line.items[line.len++] = i + 1 < argc ? ' ' : '\0';
	}
	return line.items;
}

/* A file's name as a shell takes it; the caller frees it. */
static char *quote(const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=@%+-";
	VEC(char) quoted = { 0 };

	if (!name[strspn(name, plain)])
		return memory_strdup(name);
	vec_push(&quoted, '\'');
	for (; *name; name++) {
		/* Out of the quotes, an escaped one, and in again. */
		for (const char *at = *name == '\'' ? "'\\'" : ""; *at; at++)
			vec_push(&quoted, *at);
		vec_push(&quoted, *name);
	}
	vec_push(&quoted, '\'');
	vec_push(&quoted, '\0');
	return quoted.items;
}

static void print_summary(const struct recorder_options *options, const struct recorder_result *result)
{
	bool default_name = !strcmp(options->output, "perf.data");
	autofree char *name = quote(options->output);
	char size[32];

	if (result->bytes < 10 << 20)
		snprintf(size, sizeof(size), "%" PRIu64 " KB", (result->bytes + 1023) >> 10);
	else
		snprintf(size, sizeof(size), "%" PRIu64 " MB", result->bytes >> 20);
	command_fail(0, "%" PRIu64 " samples of %s, %" PRIu64 " lost%s; %s in %s; next: pmuprof report%s%s",
		     result->samples, result->events, result->lost, result->lost ? " (larger ring buffers: -m)" : "",
		     size, options->output, default_name ? "" : " -i ", default_name ? "" : name);
	if (result->unwritten)
		command_fail(0, "%" PRIu64 " more samples were not written", result->unwritten);
	if (!result->samples)
		command_fail(
			0, "no samples: the program took too little CPU time (or runs with more rights than you have)");
	if (result->still_running)
		command_fail(0, "the program goes on running");
}

static int check_arguments(struct record_arguments *arguments)
{
	struct event_options *events = &arguments->sampler.events;

	if (events->frequency && events->period)
		return command_fail(EXIT_USAGE, "record: -F samples by time and -c by count: choose one");
	if (!*arguments->output)
		return command_fail(EXIT_USAGE, "record: -o needs the name of a file");
	if (!events->period && !events->frequency)
		events->frequency = RECORD_FREQUENCY;
	return EXIT_RESULTS;
}

static int run_record(const struct command *command, int argc, char **argv)
{
	struct record_arguments arguments = {
		.output = "perf.data",
		.sampler.events = { .chains = EVENT_CHAINS_CFI, .stack_bytes = EVENT_STACK_DEFAULT },
	};
	struct recorder_options options;
	struct recorder_result result;
	struct notes notes = { 0 };
	autofree char *line = NULL;
	struct error err = { 0 };
	int operands, status;
	bool not_run;

	line = join(argc, argv);
	if (command_parse(command, &arguments, argc, argv, true, &operands, &status))
		return status;
	if (!operands)
		return command_fail(EXIT_USAGE, "record: which program? (pmuprof record [OPTION]… PROGRAM [ARGUMENT]…)");
	status = check_arguments(&arguments);
	if (status)
		return status;
	options = (struct recorder_options){
		.sampler = arguments.sampler,
		.output = arguments.output,
		.command_line = line,
		.version = PMUPROF_VERSION,
		.argv = argv + 1,
	};
	if (!recorder_run(&options, &result, &not_run, &notes, &err)) {
		command_print_notes(&notes);
		notes_fini(&notes);
		print_summary(&options, &result);
		return result.exit_status;
	}
	/* What was given up on the way does not matter any more: one line. */
	notes_fini(&notes);
	if (not_run)
		status = err.sys == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE;
	else
		status = err.code == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
	return command_fail(status, "%s", err.message);
}

const struct command command_record = {
	.name = "record",
	.summary = "Run a program and record where it spends its time",
	.operands = "[OPTION]… PROGRAM [ARGUMENT]…",
	.options = record_table,
	.run = run_record,
};
