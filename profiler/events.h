/*
 * Which events a recording samples, and how: from names and options to attrs that this kernel accepts, with the reasons
 * where one has to make do with less.
 */
#ifndef PROFILER_EVENTS_H
#define PROFILER_EVENTS_H

#include <sys/types.h>

#include "base/notes.h"
#include "perfdata/event.h"

enum event_chains {
	EVENT_CHAINS_CFI,	/* registers and a copy of the stack, to be unwound */
	EVENT_CHAINS_FP,	/* the kernel's walk along frame pointers */
	EVENT_CHAINS_NONE,
};

struct event_options {
	const char *names;	/* with commas; NULL: the best of those that work, cycles first */
	uint64_t frequency;	/* samples a second of CPU time, where there is no period */
	uint64_t period;	/* 0: by frequency */
	enum event_chains chains;
	uint64_t stack_bytes;	/* of the copy */
};

/* The copy's size, and the most that perf.data's 16-bit record size leaves, in the kernel's multiples of eight. */
enum { EVENT_STACK_DEFAULT = 16384, EVENT_STACK_MAX = 65528 };

typedef VEC(struct event) event_list;

/*
 * Appends the events to sample, and last a dummy that carries the side-band records. They are tried on a process that
 * is about to exec, on one CPU, and not kept open. What had to be given up is noted; -1 with a message that names the
 * cure where nothing can be sampled.
 */
int events_choose(event_list *events, const struct event_options *options, pid_t pid, int cpu, struct notes *notes,
		  struct error *err);

/* perf_event_open(2): an fd, or -1 with errno. */
int events_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

/* Why an event could not be opened, with the cure, in one sentence; returns `text`. */
char *events_explain(char *text, size_t size, int error, const struct perf_event_attr *attr);

#endif
