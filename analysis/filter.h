/*
 * Which samples and which rows of a profile a report is about. Samples are picked by their task, and then the rest do
 * not count; rows are picked by their DSO and function, and percentages stay those of all samples picked.
 */
#ifndef ANALYSIS_FILTER_H
#define ANALYSIS_FILTER_H

#include "analysis/names.h"

struct filter {
	const char *comm;	/* NULL: any; else a list with commas, of which one must be equal */
	const char *tid;	/* likewise, decimal */
	const char *dso;
	const char *sym;	/* one name (they contain commas), equal or, for C++, up to its "(" */
};

bool filter_picks_sample(const struct filter *filter, const struct profile *profile, size_t sample);
bool filter_picks_frame(const struct filter *filter, struct names *names, uint32_t frame);

/* Whether a function is meant by a name as a person types it: the whole name, or a C++ name without its parameters. */
bool filter_names_function(const char *wanted, const char *name);

#endif
