/* The table of a report: one row for each combination of its columns' values. */
#ifndef ANALYSIS_ROWS_H
#define ANALYSIS_ROWS_H

#include "analysis/weights.h"

struct row_sums {
	uint64_t values[COLUMNS_MAX];	/* by the columns' order */
	uint64_t self;		/* weight of samples whose leaf is in the row */
	uint64_t children;	/* weight of samples with the row anywhere in their stack; each counts once */
	uint64_t samples;	/* whose leaf is in the row */
	uint64_t guessed;	/* the part of `children` that is there by a guess only */
};

struct rows {
	VEC(struct row_sums) items;	/* the heaviest first */
};

/* With `children`, rows that are only ever callers are there too, and the order is by their sums. */
void rows_init(struct rows *rows, struct names *names, const struct weights *weights, const struct columns *columns,
	       const struct filter *filter, bool children);
void rows_fini(struct rows *rows);

#endif
