/*
 * Walks a recorded stack: from the registers and the copied stack of one sample to the return addresses, outwards, with
 * the reason where it stopped. It reads nothing but the modules' call-frame information, the registers and the copy,
 * and knows neither functions nor files: modules come from a callback.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "object/dso.h"
#include "unwind/memory.h"
#include "unwind/registers.h"
#include "unwind/status.h"

/* As many as fit into the largest copy (64 KiB) at eight bytes a frame, and one. */
enum { UNWIND_FRAMES = 8193 };

/* Where an ip belongs. */
struct unwind_place {
	uint32_t dso;
	uint64_t address;	/* dso address */
};

/* False where no module is mapped at `ip`. */
typedef bool unwind_place_fn(void *context, uint64_t ip, struct unwind_place *place);

struct unwind_request {
	struct registers registers;	/* rip and rsp must be known */
	struct stack_copy copy;
	bool copy_is_whole;		/* the kernel stopped copying because the stack's memory ended there */
	uint32_t space;			/* names the mapping of ips to modules; a change of mappings needs a new one */
	unwind_place_fn *place;
	void *context;
};

struct unwind_frame {
	uint64_t ip;
	bool is_return;		/* a return address: the call is before it. Else the ip was interrupted there */
	bool is_guessed;	/* found without call-frame information: may not be the caller */
};

static inline bool unwind_frame_equal(const struct unwind_frame *a, const struct unwind_frame *b)
{
	return a->ip == b->ip && a->is_return == b->is_return && a->is_guessed == b->is_guessed;
}

struct unwind_stack {
	struct unwind_frame frames[UNWIND_FRAMES];	/* the leaf first */
	uint32_t count;
	bool guessed;		/* some frame is */
	uint64_t top;		/* the outermost frame's stack pointer: how far up the stack was followed */
	enum stack_status status;
	uint64_t detail;	/* as the status says */
};

struct unwinder;

/* `dsos` is borrowed. */
struct unwinder *unwinder_new(struct dsos *dsos);
void unwinder_free(struct unwinder *unwinder);

/* Fills *stack; the first frame is the register rip. */
void unwinder_walk(struct unwinder *unwinder, const struct unwind_request *request, struct unwind_stack *stack);

/* Whether call-frame information marks the code at a dso address as nobody's callee: _start, a thread's start. */
bool unwinder_is_root(struct unwinder *unwinder, struct unwind_place place);

#endif
