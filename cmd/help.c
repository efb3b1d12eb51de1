#include "cmd/command.h"

#include "cmd/man.h"

struct help_arguments {
	bool man;
};

static const struct option help_table[] = {
	{ 0, "man", OPTION_SET, offsetof(struct help_arguments, man), NULL, "print the manual page's source (roff)",
	  NULL },
	OPTION_END,
};

static int run_help(const struct command *command, int argc, char **argv)
{
	struct help_arguments arguments = { 0 };
	const struct command *about;
	int operands, status;

	if (command_parse(command, &arguments, argc, argv, false, &operands, &status))
		return status;
	about = operands ? command_find(argv[1]) : NULL;
	if (operands > 1 || (operands && !about))
		return command_fail(EXIT_USAGE, "unknown command '%s' (see: pmuprof --help)", argv[operands > 1 ? 2 : 1]);
	if (arguments.man && about)
		man_print(stdout, about);
	else if (arguments.man)
		man_print_main(stdout);
	else if (about)
		command_print_help(stdout, about);
	else
		command_print_overview(stdout);
	return command_close_stdout();
}

const struct command command_help = {
	.name = "help",
	.summary = "Explain a command and its options",
	.operands = "[OPTION]… [COMMAND]",
	.options = help_table,
	.run = run_help,
};
