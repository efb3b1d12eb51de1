/* The commands as a table; each has a file of its own. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "base/notes.h"
#include "cmd/option.h"

/* Exit statuses; record passes on its program's instead. */
enum { EXIT_RESULTS = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NOT_RUNNABLE = 126, EXIT_NOT_FOUND = 127 };

struct command {
	const char *name;
	const char *summary;		/* one line, for lists and man pages */
	const char *operands;		/* for the usage line */
	const struct option *options;	/* NULL: it has none */
	int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command *const commands[];	/* ends with NULL */

/* NULL where there is none of that name. */
const struct command *command_find(const char *name);

extern const struct command command_record, command_report, command_annotate, command_help;

/*
 * Parses a command's arguments; answers --help itself. 0 to go on, else -1 and *status is what to exit with. `fields`
 * must have its defaults.
 */
int command_parse(const struct command *command, void *fields, int argc, char **argv, bool stop_at_operand,
		  int *operands, int *status);

/* "pmuprof: message" on stderr, escaped for a terminal; returns `status`. */
int command_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The notes, one line each, on stderr. */
void command_print_notes(const struct notes *notes);

/* Results may be cut off by a full disk or a closed pipe: EXIT_RESULTS, or EXIT_FAILED with a message. */
int command_close_stdout(void);

void command_print_help(FILE *out, const struct command *command);

/* All commands, a line each. */
void command_print_overview(FILE *out);

#endif
