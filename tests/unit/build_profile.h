/*
 * Profiles as a test writes them down: one program with the functions main, f, g, h and space::run(int), and stacks as
 * words: "main f g" is g called from f called from main.
 */
#ifndef TESTS_UNIT_BUILD_PROFILE_H
#define TESTS_UNIT_BUILD_PROFILE_H

#include "analysis/names.h"
#include "analysis/weights.h"

struct build_profile {
	struct profile profile;
	struct symbolizer *symbolizer;
	struct names names;
	uint32_t program;	/* DSO: /opt/program */
};

/* One event, called cycles. */
void profile_make(struct build_profile *build);
void profile_free(struct build_profile *build);

/* A sample of that weight. A word may be a function's name or "[cut]". */
void profile_sample(struct build_profile *build, const char *stack, uint64_t weight, const char *comm, uint32_t tid);

/* The weights of all samples that the filter picks, by these sort keys. */
void profile_weights(struct build_profile *build, const char *keys, const struct filter *filter,
		     struct columns *columns, struct weights *weights);

#endif
