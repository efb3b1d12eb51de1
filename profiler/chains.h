/*
 * From the ips of one sample's stack to a node of the profile's trie. Most stacks have been seen before, and of most
 * others the outer part has: both are found without a look at each frame.
 */
#ifndef PROFILER_CHAINS_H
#define PROFILER_CHAINS_H

#include "profiler/process.h"
#include "profiler/profile.h"

/* PERF_MAX_STACK_DEPTH is 127; kernel.perf_event_max_stack may be higher, but no kernel stack is as deep as this. */
enum { CHAIN_KERNEL_FRAMES = 1024 };

/* One sample's stack, as it was recorded or unwound. */
struct chain {
	struct process *process;
	struct unwind_frame kernel[CHAIN_KERNEL_FRAMES];	/* the leaf first */
	uint32_t kernel_count;
	struct unwind_stack user;	/* outside of the kernel's part; its status is the whole stack's */
};

struct chains;

/* Both are borrowed. */
struct chains *chains_new(struct profile *profile, struct processes *processes);
void chains_free(struct chains *chains);

/* The node of the chain's leaf. A cut one hangs under a FRAME_CUT. The chain must not be empty. */
uint32_t chains_stack(struct chains *chains, const struct chain *chain);

#endif
