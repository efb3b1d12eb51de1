/*
 * One function with what its instructions and source lines cost: the weight of the samples whose leaf is there. The
 * weights of the instructions add up to the function's self weight, to the last one.
 */
#ifndef ANALYSIS_ANNOTATION_H
#define ANALYSIS_ANNOTATION_H

#include "analysis/disassembly.h"
#include "analysis/filter.h"

struct annotated {
	uint64_t weight, samples;
	uint32_t line;		/* index into lines; UINT32_MAX: none is known */
};

struct annotated_line {
	struct line at;
	uint64_t weight, samples;
};

struct annotation {
	struct function function;
	uint32_t event;			/* of the profile */
	uint64_t weight, samples;	/* of the function itself */
	uint64_t event_weight;		/* of all samples of the event that the filter picks */
	struct disassembly code;
	VEC(struct annotated) costs;		/* by instruction */
	VEC(struct annotated_line) lines;	/* in the order in which they come up */
};

int annotation_init(struct annotation *annotation, struct names *names, uint32_t event, uint32_t function,
		    const struct filter *filter, const char *objdump, struct error *err);
void annotation_fini(struct annotation *annotation);

/*
 * The function of that name (NULL: any; and of that DSO, where the filter names one) with the most samples of its own,
 * over all events; -1 with the hottest names where there is none. *others counts further functions of that name.
 */
int annotation_find(struct names *names, const char *wanted, const struct filter *filter, uint32_t *function,
		    unsigned int *others, struct error *err);

#endif
