#include "cmd/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/escape.h"

const struct command *const commands[] = {
	&command_record, &command_report, &command_annotate, &command_help, NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_line(const char *text)
{
	char escaped[2048];

	fprintf(stderr, "pmuprof: %s\n", escape_text(escaped, sizeof(escaped), text));
}

int command_fail(int status, const char *format, ...)
{
	char message[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	print_line(message);
	return status;
}

void command_print_notes(const struct notes *notes)
{
	const struct strtab *sentences = &notes->sentences;

	for (uint32_t i = 0; i < sentences->strings.len; i++)
		print_line(strtab_string(sentences, i));
	if (notes->dropped)
		fprintf(stderr, "pmuprof: and %u more of this kind\n", notes->dropped);
}

int command_close_stdout(void)
{
	bool failed = ferror(stdout);

	/* A reader that has seen enough (head, less) closes the pipe: no failure of ours. */
	if ((fflush(stdout) || failed) && errno != EPIPE)
		return command_fail(EXIT_FAILED, "standard output: %s", strerror(errno));
	return EXIT_RESULTS;
}

void command_print_help(FILE *out, const struct command *command)
{
	const struct option *option = command->options;
	char text[64];

	fprintf(out, "Usage: pmuprof %s %s\n\n%s.\n", command->name, command->operands, command->summary);
	if (option)
		fputs("\nOptions:\n", out);
	for (; option && !option_is_end(option); option++) {
		option_synopsis(option, text);
		fprintf(out, "  %-32s%s%s\n", text, strlen(text) > 31 ? "\n                                  " : "",
			option->help);
	}
	fprintf(out, "\nMore: man pmuprof-%s\n", command->name);
}

void command_print_overview(FILE *out)
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

static bool asks_for_help(int argc, char **argv, bool stop_at_operand)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
		if (stop_at_operand && argv[i][0] != '-')
			return false;
	}
	return false;
}

int command_parse(const struct command *command, void *fields, int argc, char **argv, bool stop_at_operand,
		  int *operands, int *status)
{
	struct error err;

	if (asks_for_help(argc, argv, stop_at_operand)) {
		command_print_help(stdout, command);
		*status = command_close_stdout();
		return -1;
	}
	if (options_parse(command->options, fields, argc, argv, stop_at_operand, operands, &err)) {
		*status = command_fail(EXIT_USAGE, "%s: %s (see: pmuprof %s --help)", command->name, err.message,
				       command->name);
		return -1;
	}
	return 0;
}
