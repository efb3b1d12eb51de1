#include <signal.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/version.h"

static void print_usage(FILE *out)
{
	fputs("Usage: pmuprof COMMAND [OPTION]… [ARGUMENT]…\n"
	      "\n"
	      "A sampling profiler: where a program spends its time, with full call stacks.\n"
	      "\n"
	      "Commands:\n",
	      out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nFirst steps: pmuprof record ./program, then pmuprof report. More: pmuprof help COMMAND\n", out);
}

int main(int argc, char **argv)
{
	const struct command *command;

	/* A closed pipe ends the output, not the program with a signal. */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("pmuprof " PMUPROF_VERSION);
		return command_close_stdout();
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return command_close_stdout();
	}
	command = command_find(argv[1]);
	if (!command)
		return command_fail(EXIT_USAGE, "unknown command '%s' (see: pmuprof --help)", argv[1]);
	return command->run(command, argc - 1, argv + 1);
}
