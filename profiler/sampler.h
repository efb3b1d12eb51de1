/*
 * The perf events of one recording: for each CPU the sampled events, which share a ring, and a dummy event that carries
 * the side-band records (mappings, names, forks) in a ring of its own, so that a flood of samples cannot lose a
 * mapping.
 */
#ifndef PROFILER_SAMPLER_H
#define PROFILER_SAMPLER_H

#include "profiler/events.h"
#include "profiler/ring.h"

struct sampler_options {
	struct event_options events;
	uint64_t ring_bytes;	/* for each CPU; 0: as fits */
};

struct sampler_ring {
	struct ring ring;
	uint32_t event;		/* the first of those whose records are in it: they have one layout */
};

struct sampler {
	event_list events;		/* as opened; the last is the dummy */
	VEC(int) fds;			/* by CPU, then event */
	VEC(struct sampler_ring) rings;	/* two for each CPU */
	VEC(int) cpus;
	uint64_t ring_bytes;
};

/*
 * Opens all of it on a process that is about to exec, and counts from then on. What had to be given up for it (no PMU,
 * no permission, smaller rings) is noted. -1 with a message that names the cure where nothing can be sampled.
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
