#include <signal.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/version.h"

int main(int argc, char **argv)
{
	const struct command *command;

	/* A closed pipe ends the output, not the program with a signal. */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		command_print_overview(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("pmuprof " PMUPROF_VERSION);
		return command_close_stdout();
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		command_print_overview(stdout);
		return command_close_stdout();
	}
	command = command_find(argv[1]);
	if (!command)
		return command_fail(EXIT_USAGE, "unknown command '%s' (see: pmuprof --help)", argv[1]);
	return command->run(command, argc - 1, argv + 1);
}
