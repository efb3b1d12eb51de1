/* Manual pages: what the command and option tables say, in roff; tools/man puts the prose of docs/man between. */
#ifndef CMD_MAN_H
#define CMD_MAN_H

#include "cmd/command.h"

/* NAME, SYNOPSIS and OPTIONS of a command. */
void man_print(FILE *out, const struct command *command);

/* NAME, SYNOPSIS and COMMANDS of pmuprof itself. */
void man_print_main(FILE *out);

#endif
