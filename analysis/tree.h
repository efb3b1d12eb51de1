/*
 * The call tree of a report: functions below their callers (rooted at the outermost) or callers below functions (at the
 * leaf).
 */
#ifndef ANALYSIS_TREE_H
#define ANALYSIS_TREE_H

#include "analysis/weights.h"

enum tree_order { TREE_NONE, TREE_CALLER, TREE_CALLEE };

struct tree_node {
	uint32_t function;	/* id of the symbolizer */
	uint32_t parent;
	uint32_t first_child;	/* TREE_END: none. The heaviest first */
	uint32_t next;		/* its next sibling, TREE_END after the last */
	uint64_t total;		/* weight of the stacks that pass through it */
	uint64_t self;		/* of those that end in it */
	bool guessed;		/* a caller that may not be one */
};

#define TREE_END 0

struct tree {
	VEC(struct tree_node) nodes;	/* [0] is above all roots */
};

void tree_init(struct tree *tree, struct names *names, const struct weights *weights, enum tree_order order);
void tree_fini(struct tree *tree);

#endif
