/*
 * Records in the order of time from a file that is not: a recording is the concatenation of what was drained from each
 * CPU's buffer in turn. Each stretch in which time does not go back is a *run*; a first pass finds them, then they are
 * merged. The order is exact whatever the file's FINISHED_ROUND marks promise, and memory grows with the number of runs
 * only (a file in order is one).
 *
 * Records without a time stay behind the one they follow.
 */
#ifndef PERFDATA_RUNS_H
#define PERFDATA_RUNS_H

#include "base/heap.h"
#include "perfdata/format.h"
#include "perfdata/window.h"

struct run {
	uint64_t at;		/* file offset of its next record */
	uint64_t end;
	uint64_t time;		/* of its next record */
	struct window window;	/* open while it takes part in the merge */
};

struct run_start {
	uint64_t time;
	uint32_t run;
};

/* The time of a record of which `size` bytes are at hand, all of them except for samples; 0: none. */
typedef uint64_t runs_time_fn(const void *context, const uint8_t *record, size_t size);

struct runs {
	int fd;				/* borrowed */
	runs_time_fn *time;
	const void *context;
	VEC(struct run) runs;		/* as they stand in the file: the heap's ids, so that equal times keep that order */
	VEC(struct run_start) starts;	/* the same by their first time */
	size_t begun;			/* of `starts`: those before it are in the heap or done */
	struct heap heap;		/* of those begun, by the time of their next record */
	uint32_t current;		/* the run that gave the last record, to be moved on; INDEX_NONE: none */
	uint64_t damage;		/* file offset where the walk could not go on; 0: it reached the end */
};

/* Walks the records of `data` once. */
void runs_init(struct runs *runs, int fd, struct format_span data, runs_time_fn *time, const void *context);
void runs_fini(struct runs *runs);

/* The next record in time, whole, valid until the next call; NULL at the end. */
const uint8_t *runs_next(struct runs *runs);

#endif
