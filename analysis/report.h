/* A whole report: for each event its table and call tree. Text, JSON and screens show it; none of them adds to it. */
#ifndef ANALYSIS_REPORT_H
#define ANALYSIS_REPORT_H

#include "analysis/rows.h"
#include "analysis/tree.h"

struct report_options {
	struct columns columns;
	struct filter filter;
	enum tree_order order;
	bool children;		/* count callers too */
	double row_limit;	/* leave out rows below this, percent of the event's weight */
	double tree_limit;	/* and branches of the tree below this */
};

struct report_event {
	uint32_t event;		/* of the profile */
	struct weights weights;
	struct rows rows;
	struct tree tree;
};

struct report {
	const struct profile *profile;
	struct names *names;
	struct report_options options;
	VEC(struct report_event) events;
};

/* `names` is borrowed. Events that cannot have samples are left out. */
void report_init(struct report *report, struct names *names, const struct report_options *options);
void report_fini(struct report *report);

/* Sampled CPU time over the CPU time that the program took, 1 is all; negative where that is not known. */
double report_coverage(const struct report *report);

/* Whether a weight reaches a limit of the options. */
bool report_reaches(const struct report_event *event, uint64_t weight, double limit);

static inline double report_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

#endif
