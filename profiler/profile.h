/*
 * What a recording comes down to: a table of samples, column by column, whose stacks are nodes of one trie of frames.
 * All views are folds over these columns. Made by session.h; ids of one profile mean nothing in another.
 */
#ifndef PROFILER_PROFILE_H
#define PROFILER_PROFILE_H

#include "base/strtab.h"
#include "object/dso.h"
#include "unwind/status.h"

#define DSO_NONE UINT32_MAX

enum frame_kind {
	FRAME_EXACT,	/* the sampled ip, or one that a signal interrupted */
	FRAME_RETURN,	/* a return address: the call is the instruction before it */
	FRAME_CUT,	/* not code: where a stack that was cut ends, outside of its last frame */
};

struct frame {
	uint32_t dso;		/* DSO_NONE: unmapped */
	uint8_t kind;
	uint8_t status;		/* of a FRAME_CUT: enum stack_status */
	bool kernel;		/* ran in the kernel's mode */
	bool guessed;		/* a caller that was found without unwind information */
	uint64_t address;	/* dso address; the ip where there is no DSO; of a FRAME_CUT the status's detail */
};

/* Where a frame's code is: return addresses point behind their call. */
static inline uint64_t frame_code(const struct frame *frame)
{
	return frame->address - (frame->kind == FRAME_RETURN);
}

struct stack_node {
	uint32_t parent;	/* the caller's; smaller than its own id */
	uint32_t frame;
};

/* The node outside of all roots: the empty stack. */
#define STACK_EMPTY 0

struct task {
	uint32_t pid, tid;
	uint32_t comm;		/* string id: its name at the time */
};

struct profile_event {
	char *name;
	bool counts_ns;		/* its weights are nanoseconds */
	bool is_dummy;		/* carries side-band records only, never samples */
	uint64_t samples;
	uint64_t lost;		/* samples the kernel had no room for */
};

struct samples {
	size_t len, room;
	uint64_t *time;		/* ns */
	uint64_t *weight;	/* in the event's unit */
	uint32_t *task;
	uint32_t *stack;	/* the leaf's node */
	uint16_t *cpu;
	uint16_t *event;
	uint8_t *status;	/* enum stack_status */
};

struct profile {
	struct dsos dsos;
	struct strtab strings;
	VEC(struct profile_event) events;
	VEC(struct task) tasks;
	struct index task_index;
	VEC(struct frame) frames;
	struct index frame_index;
	VEC(struct stack_node) stacks;
	struct index stack_index;
	struct samples samples;
	uint64_t copy_needed;	/* bytes of stack copy that would have held those that were cut; 0: not known */
	uint64_t consumed_ns;	/* CPU time that the recorded program took; 0: not known */
};

void profile_init(struct profile *profile, struct notes *notes);
void profile_fini(struct profile *profile);

uint32_t profile_task(struct profile *profile, struct task task);
uint32_t profile_frame(struct profile *profile, struct frame frame);

/* The stack that is `parent` with `frame` called from it. */
uint32_t profile_stack(struct profile *profile, uint32_t parent, uint32_t frame);

struct profile_sample {
	uint64_t time, weight;
	uint32_t task, stack;
	uint32_t cpu;
	uint32_t event;
	enum stack_status status;
};

void profile_add(struct profile *profile, const struct profile_sample *sample);

#endif
