/*
 * The perf events of one recording: for each CPU the sampled events, which share a ring, and a dummy event that carries the
 * side-band records (mappings, names, forks) in a ring of its own, so that a flood of samples cannot lose a mapping.
 */
#ifndef PROFILER_SAMPLER_H
#define PROFILER_SAMPLER_H

#include <sys/types.h>

#include "base/notes.h"
#include "perfdata/event.h"
#include "profiler/ring.h"

enum sampler_chains {
	SAMPLER_CHAINS_CFI,	/* registers and a copy of the stack, to be unwound */
	SAMPLER_CHAINS_FP,	/* the kernel's walk along frame pointers */
	SAMPLER_CHAINS_NONE,
};

struct sampler_options {
	const char *events;	/* names with commas; NULL: the best of those that work, cycles first */
	uint64_t frequency;	/* samples a second of CPU time; 0: by period */
	uint64_t period;
	enum sampler_chains chains;
	uint64_t stack_bytes;	/* of the copy */
	uint64_t ring_bytes;	/* for each CPU; 0: as fits */
};

/* The copy's size: what perf.data's 16-bit record size leaves, in the kernel's multiples of eight. */
enum { SAMPLER_STACK_DEFAULT = 16384, SAMPLER_STACK_MAX = 65528 };

struct sampler_ring {
	struct ring ring;
	uint32_t event;		/* the first of those whose records are in it: they have one layout */
};

struct sampler {
	VEC(struct event) events;	/* as opened; the last is the dummy */
	VEC(int) fds;			/* by CPU, then event */
	VEC(struct sampler_ring) rings;	/* two for each CPU */
	VEC(int) cpus;
	uint64_t ring_bytes;
};

/*
 * Opens all of it on a process that is about to exec, and counts from then on. What had to be given up for it (no PMU, no
 * permission, smaller rings) is noted. -1 with a message that names the cure where nothing can be sampled.
 */
int sampler_open(struct sampler *sampler, const struct sampler_options *options, pid_t pid, struct notes *notes,
		 struct error *err);
void sampler_close(struct sampler *sampler);

/* Ends the sampling; what is in the rings stays. */
void sampler_disable(struct sampler *sampler);

/* Records of an event that the kernel had no room for, exactly. */
uint64_t sampler_lost(const struct sampler *sampler, uint32_t event);

static inline uint32_t sampler_dummy(const struct sampler *sampler)
{
	return (uint32_t)sampler->events.len - 1;
}

#endif
