#include "cmd/man.h"

#include <ctype.h>
#include <string.h>

#include "cmd/version.h"

/* Dashes that can be copied and searched for, and no accidental requests (groff_char(7)). */
static void man_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", out);
		else if (*text == '\\')
			fputs("\\e", out);
		else if (!strncmp(text, "…", strlen("…"))) {
			fputs("\\&...", out);
			text += strlen("…") - 1;
		} else
			fputc(*text, out);
	}
}

static void man_option(FILE *out, const struct option *option)
{
	char synopsis[64];

	fputs(".TP\n.B ", out);
	man_text(out, option_synopsis(option, synopsis) + strspn(synopsis, " "));
	fprintf(out, "\n%c", toupper((unsigned char)option->help[0]));
	man_text(out, option->help + 1);
	fputs(".\n", out);
}

void man_print(FILE *out, const struct command *command)
{
	fprintf(out, ".TH PMUPROF\\-%s 1 \"\" \"pmuprof %s\" \"pmuprof manual\"\n", command->name, PMUPROF_VERSION);
	fprintf(out, ".SH NAME\npmuprof\\-%s \\- %c", command->name, tolower((unsigned char)command->summary[0]));
	man_text(out, command->summary + 1);
	fprintf(out, "\n.SH SYNOPSIS\n.B pmuprof %s\n", command->name);
	man_text(out, command->operands);
	fputs("\n.SH OPTIONS\n", out);
	for (const struct option *option = command->options; option && !option_is_end(option); option++)
		man_option(out, option);
	fputs(".TP\n.BR \\-h \", \" \\-\\-help\nPrint a summary of the options.\n", out);
}

void man_print_main(FILE *out)
{
	fprintf(out, ".TH PMUPROF 1 \"\" \"pmuprof %s\" \"pmuprof manual\"\n", PMUPROF_VERSION);
	fputs(".SH NAME\npmuprof \\- a sampling profiler with full call stacks\n"
	      ".SH SYNOPSIS\n.B pmuprof\n.I COMMAND\n\\&[OPTION]\\&... [ARGUMENT]\\&...\n.SH COMMANDS\n",
	      out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, ".TP\n.BR pmuprof\\-%s (1)\n", commands[i]->name);
		man_text(out, commands[i]->summary);
		fputs(".\n", out);
	}
}
