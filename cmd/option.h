/*
 * The options of a command as a table: parsing, --help, man pages and shell completion are made from it. A target is a
 * field of the command's own struct, so no option has a global.
 */
#ifndef CMD_OPTION_H
#define CMD_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum option_kind {
	OPTION_SET,	/* bool: becomes true */
	OPTION_CLEAR,	/* bool: becomes false */
	OPTION_TEXT,	/* const char * */
	OPTION_PARSED,	/* any type, by `parse` */
};

/* Reads `text` into a field; ERROR_USAGE with what is wrong about it. */
typedef int option_parse_fn(void *field, const char *text, struct error *err);

struct option {
	char letter;		/* 0: none */
	const char *name;	/* without its dashes; NULL: none */
	enum option_kind kind;
	size_t field;		/* offset in the command's struct */
	const char *argument;	/* "FILE"; NULL: none. "=FILE": it may be left out (OPTION_PARSED), and the text is NULL */
	const char *help;
	option_parse_fn *parse;
};

/* The options of several commands end with this. */
#define OPTION_END { .kind = OPTION_SET }

static inline bool option_is_end(const struct option *option)
{
	return !option->letter && !option->name;
}

/*
 * Reads argv[1…] into `fields`. What is no option is moved to argv[1…] and counted in *operands; with `stop_at_operand`
 * the first one and all behind it are operands, as they are behind "--". -1 with ERROR_USAGE.
 */
int options_parse(const struct option *options, void *fields, int argc, char **argv, bool stop_at_operand,
		  int *operands, struct error *err);

/* "-s, --sort=KEYS" for --help; returns `text`. */
char *option_synopsis(const struct option *option, char text[64]);

/* Parsers of common arguments. */
int option_parse_u64(void *field, const char *text, struct error *err);		/* uint64_t, from 1 on */
int option_parse_size(void *field, const char *text, struct error *err);	/* uint64_t: bytes, with K, M or G */
int option_parse_numbers(void *field, const char *text, struct error *err);	/* const char *: "1,22", checked */
int option_parse_percent(void *field, const char *text, struct error *err);	/* double, 0 to 100 */

#endif
