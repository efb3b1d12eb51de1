#include "cmd/option.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The option called `name`, or the only one that begins so. */
static const struct option *option_by_name(const struct option *options, const char *name, size_t len)
{
	const struct option *found = NULL;

	for (const struct option *option = options; !option_is_end(option); option++) {
		if (!option->name || strncmp(option->name, name, len) != 0)
			continue;
		if (!option->name[len])
			return option;
		if (found)
			return NULL;
		found = option;
	}
	return found;
}

static const struct option *option_by_letter(const struct option *options, char letter)
{
	for (const struct option *option = options; !option_is_end(option); option++)
		if (option->letter == letter)
			return option;
	return NULL;
}

static bool option_argument_is_optional(const struct option *option)
{
	return option->argument && option->argument[0] == '=';
}

static int option_apply(const struct option *option, void *fields, const char *text, struct error *err)
{
	void *field = (char *)fields + option->field;

	switch (option->kind) {
	case OPTION_SET:
	case OPTION_CLEAR:
		*(bool *)field = option->kind == OPTION_SET;
		return 0;
	case OPTION_TEXT:
		*(const char **)field = text;
		return 0;
	default:
		if (!option->parse(field, text, err))
			return 0;
		return option->name ? error_wrap(err, "--%s", option->name) : error_wrap(err, "-%c", option->letter);
	}
}

/* An optional argument may be a word of its own where it is one that the parser takes. */
static bool option_takes(const struct option *option, void *fields, int argc, char **argv, int *at)
{
	if (!option_argument_is_optional(option) || *at + 1 >= argc ||
	    option->parse((char *)fields + option->field, argv[*at + 1], NULL))
		return false;
	++*at;
	return true;
}

/* "--name", "--name=text" or "--name text"; *at moves over a text of its own. */
static int options_parse_long(const struct option *options, void *fields, int argc, char **argv, int *at,
			      struct error *err)
{
	const char *word = argv[*at] + 2;
	size_t len = strcspn(word, "=");
	const char *text = word[len] ? word + len + 1 : NULL;
	const struct option *option = option_by_name(options, word, len);

	if (!option)
		return error_set(err, ERROR_USAGE, "unknown option '--%.*s'", (int)len, word);
	if (!option->argument && text)
		return error_set(err, ERROR_USAGE, "option '--%s' takes no argument", option->name);
	if (!text && option_takes(option, fields, argc, argv, at))
		return 0;
	if (option->argument && !text && !option_argument_is_optional(option)) {
		if (*at + 1 >= argc)
			return error_set(err, ERROR_USAGE, "option '--%s' needs an argument: %s", option->name,
					 option->argument);
		text = argv[++*at];
	}
	return option_apply(option, fields, text, err);
}

/* "-abc", "-s text" or "-stext". An optional text must follow at once. */
static int options_parse_letters(const struct option *options, void *fields, int argc, char **argv, int *at,
				 struct error *err)
{
	for (const char *letter = argv[*at] + 1; *letter; letter++) {
		const struct option *option = option_by_letter(options, *letter);
		const char *text = letter[1] ? letter + 1 : NULL;

		if (!option)
			return error_set(err, ERROR_USAGE, "unknown option '-%c'", *letter);
		if (!text && option_takes(option, fields, argc, argv, at))
			return 0;
		if (option->argument && !text && !option_argument_is_optional(option)) {
			if (*at + 1 >= argc)
				return error_set(err, ERROR_USAGE, "option '-%c' needs an argument: %s", *letter,
						 option->argument);
			text = argv[++*at];
		}
		if (option_apply(option, fields, option->argument ? text : NULL, err))
			return -1;
		if (option->argument)
			break;
	}
	return 0;
}

int options_parse(const struct option *options, void *fields, int argc, char **argv, bool stop_at_operand,
		  int *operands, struct error *err)
{
	bool only_operands = false;

	*operands = 0;
	for (int at = 1; at < argc; at++) {
		if (!only_operands && !strcmp(argv[at], "--")) {
			only_operands = true;
		} else if (only_operands || argv[at][0] != '-' || !argv[at][1]) {
			argv[++*operands] = argv[at];
			only_operands |= stop_at_operand;
		} else if (argv[at][1] == '-') {
			if (options_parse_long(options, fields, argc, argv, &at, err))
				return -1;
		} else if (options_parse_letters(options, fields, argc, argv, &at, err)) {
			return -1;
		}
	}
	argv[*operands + 1] = NULL;
	return 0;
}

char *option_synopsis(const struct option *option, char text[64])
{
	const char *argument = option->argument ? option->argument : "";
	bool optional = option_argument_is_optional(option);
	char letter[4] = { '-', option->letter, '\0' };

	snprintf(text, 64, "%s%s%s%s%s%s%s%s", option->letter ? letter : "    ",
		 option->letter && option->name ? ", " : "", option->name ? "--" : "", option->name ? option->name : "",
		 optional	  ? "[" :
		 option->argument ? option->name ? "=" : " " :
				    "",
		 optional ? "=" : "", optional ? argument + 1 : argument, optional ? "]" : "");
	return text;
}

int option_parse_u64(void *field, const char *text, struct error *err)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end || !isdigit((unsigned char)text[0]) || !value)
		return error_set(err, ERROR_USAGE, "'%s' is not a positive number", text);
	*(uint64_t *)field = value;
	return 0;
}

int option_parse_size(void *field, const char *text, struct error *err)
{
	static const char units[] = "KMG";
	unsigned long long value;
	unsigned int shift = 0;
	const char *unit;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (unit) {
		shift = 10 * (unsigned int)(unit - units + 1);
		end++;
	}
	if (errno || end == text || *end || !isdigit((unsigned char)text[0]) || !value || value > UINT64_MAX >> shift)
		return error_set(err, ERROR_USAGE, "'%s' is not a size (bytes, or with K, M or G)", text);
	*(uint64_t *)field = (uint64_t)value << shift;
	return 0;
}

int option_parse_percent(void *field, const char *text, struct error *err)
{
	double value;
	char *end;

	value = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%") != 0) || !(value >= 0 && value <= 100))
		return error_set(err, ERROR_USAGE, "'%s' is not a percentage", text);
	*(double *)field = value;
	return 0;
}

int option_parse_numbers(void *field, const char *text, struct error *err)
{
	for (const char *at = text; *at || at == text; at++) {
		size_t digits = strspn(at, "0123456789");

		at += digits;
		if (!digits || (*at && *at != ',') || (*at && !at[1]))
			return error_set(err, ERROR_USAGE, "'%s' is not a list of numbers, such as 12,34", text);
		if (!*at)
			break;
	}
	*(const char **)field = text;
	return 0;
}
