/*
 * The samples of one event that a filter picks, as sums over (group, stack): group 0 unless sort keys tell tasks or
 * CPUs apart. What all folds begin with.
 */
#ifndef ANALYSIS_WEIGHTS_H
#define ANALYSIS_WEIGHTS_H

#include "analysis/column.h"
#include "analysis/filter.h"

struct stack_weight {
	uint32_t group;
	uint32_t stack;
	uint64_t weight;
	uint64_t samples;
};

/* What the samples of one group have in common: a value for each column that tells samples apart. */
struct group {
	uint64_t values[COLUMNS_MAX];	/* by the columns' order; those of frames are 0 */
};

struct weights {
	VEC(struct stack_weight) items;
	VEC(struct group) groups;
	uint64_t weight, samples;	/* of all */
	uint64_t statuses[STACK_STATUSES];	/* samples by how their stack ended */
};

void weights_init(struct weights *weights, const struct profile *profile, uint32_t event, const struct columns *columns,
		  const struct filter *filter);
void weights_fini(struct weights *weights);

#endif
