/*
 * The sort keys: by what rows of a report are told apart, and how each is shown. One table; a column's value of a
 * sample or frame is a number that is equal where the rows are.
 */
#ifndef ANALYSIS_COLUMN_H
#define ANALYSIS_COLUMN_H

#include "base/error.h"
#include "analysis/names.h"

struct column {
	const char *key;	/* as in --sort and in JSON */
	const char *title;
	bool is_number;		/* in JSON */
	/* One of the two: whether it tells samples apart (by their task or CPU) or frames. */
	uint64_t (*of_sample)(const struct profile *profile, size_t sample);
	uint64_t (*of_frame)(struct names *names, uint32_t frame);
	/* The value for people, not escaped. At most `size` bytes; returns a string that may be `text`. */
	const char *(*text)(const struct names *names, uint64_t value, char *text, size_t size);
};

enum { COLUMNS_MAX = 7 };

struct columns {
	const struct column *items[COLUMNS_MAX];
	size_t len;
};

/*
 * From "comm,dso,s": keys may be abbreviated, the table's order decides between several. ERROR_USAGE with the known
 * keys for an unknown, empty or repeated one.
 */
int columns_parse(struct columns *columns, const char *keys, struct error *err);

/* Whether a column of this key is among them. */
bool columns_have(const struct columns *columns, const char *key);

#endif
