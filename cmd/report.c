#include "analysis/report.h"
#include "cmd/command.h"
#include "cmd/recording.h"
#include "export/json.h"
#include "ui/report_text.h"

struct report_arguments {
	const char *input;
	bool stdio;		/* text is the only form yet; scripts may already ask for it */
	bool json;
	const char *sort;
	double percent_limit;
	struct report_options options;
};

#define LIMIT_DEFAULT (-1.0)

/* Text shows a tree without its twigs; JSON is for programs, which can leave out themselves. */
static void apply_limit(struct report_arguments *arguments)
{
	bool given = arguments->percent_limit >= 0;

	arguments->options.row_limit = given ? arguments->percent_limit : 0;
	arguments->options.tree_limit = given ? arguments->percent_limit : arguments->json ? 0 : 0.5;
}

static int parse_order(void *field, const char *text, struct error *err)
{
	static const char *const names[] = {
		[TREE_NONE] = "none", [TREE_CALLER] = "caller", [TREE_CALLEE] = "callee",
	};

	if (!text)
		text = names[TREE_CALLER];
	for (int i = TREE_NONE; i <= TREE_CALLEE; i++)
		if (!strcmp(text, names[i])) {
			*(enum tree_order *)field = (enum tree_order)i;
			return 0;
		}
	return error_set(err, ERROR_USAGE, "'%s' is not one of caller, callee, none", text);
}

#define FIELD(member) offsetof(struct report_arguments, member)

static const struct option report_table[] = {
	{ 'i', "input", OPTION_TEXT, FIELD(input), "FILE", "the recording (default: perf.data)", NULL },
	{ 0, "stdio", OPTION_SET, FIELD(stdio), NULL, "print text", NULL },
	{ 0, "json", OPTION_SET, FIELD(json), NULL, "print JSON", NULL },
	{ 's', "sort", OPTION_TEXT, FIELD(sort), "KEYS",
	  "tell rows apart by: pid, tid, comm, dso, sym, srcline, cpu (default: comm,dso,sym)", NULL },
	{ 'g', "call-graph", OPTION_PARSED, FIELD(options.order), "=ORDER",
	  "show the call tree too: caller (outermost first, default), callee (leaf first), none", parse_order },
	{ 0, "children", OPTION_SET, FIELD(options.children), NULL, "count callers too (default)", NULL },
	{ 0, "no-children", OPTION_CLEAR, FIELD(options.children), NULL, "count each sample for its own function only",
	  NULL },
	{ 0, "percent-limit", OPTION_PARSED, FIELD(percent_limit), "PERCENT",
	  "leave out rows and branches below this (default: rows 0; the tree of a text 0.5)", option_parse_percent },
	{ 0, "comm", OPTION_TEXT, FIELD(options.filter.comm), "NAMES", "only samples of threads with these names", NULL },
	{ 0, "tid", OPTION_PARSED, FIELD(options.filter.tid), "TIDS", "only samples of these threads",
	  option_parse_numbers },
	{ 0, "dso", OPTION_TEXT, FIELD(options.filter.dso), "NAMES", "only rows of these programs and libraries", NULL },
	{ 0, "sym", OPTION_TEXT, FIELD(options.filter.sym), "NAME", "only rows of this function", NULL },
	OPTION_END,
};

static void print_report(const struct report_arguments *arguments, struct names *names)
{
	struct report report;

	report_init(&report, names, &arguments->options);
	if (arguments->json)
		json_report(stdout, &report);
	else
		report_text(stdout, &report);
	report_fini(&report);
}

static int run_report(const struct command *command, int argc, char **argv)
{
	struct report_arguments arguments = {
		.input = "perf.data",
		.sort = "comm,dso,sym",
		.percent_limit = LIMIT_DEFAULT,
		.options = { .children = true, .order = TREE_NONE },
	};
	struct recording recording;
	struct error err;
	int operands, status;

	if (command_parse(command, &arguments, argc, argv, false, &operands, &status))
		return status;
	if (operands)
		return command_fail(EXIT_USAGE, "report: unexpected argument '%s' (a recording is named with -i)",
				    argv[1]);
	if (columns_parse(&arguments.options.columns, arguments.sort, &err))
		return command_fail(EXIT_USAGE, "report: %s", err.message);
	apply_limit(&arguments);
	status = recording_open(&recording, arguments.input);
	if (!status)
		print_report(&arguments, &recording.names);
	return recording_close(&recording, status);
}

const struct command command_report = {
	.name = "report",
	.summary = "Show where a recorded program spent its time",
	.operands = "[OPTION]…",
	.options = report_table,
	.run = run_report,
};
