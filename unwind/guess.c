#include "unwind/guess.h"

enum { GUESS_SCAN_WORDS = 64 };

/* The length of `ff /2` (call r/m64) by its ModRM byte and what follows it (Intel SDM, volume 2, table 2-2); 0: no such call. */
static unsigned int guess_call_length(uint8_t modrm, uint8_t sib)
{
	unsigned int mod = modrm >> 6, rm = modrm & 7;
	bool has_sib = rm == 4 && mod != 3;

	if ((modrm >> 3 & 7) != 2)
		return 0;
	switch (mod) {
	case 0:
		return rm == 5 || (has_sib && (sib & 7) == 5) ? 6 + has_sib : 2 + has_sib;
	case 1:
		return 3 + has_sib;
	case 2:
		return 6 + has_sib;
	default:
		return 2;
	}
}

bool guess_is_call(const uint8_t before[7])
{
	/* call rel32 */
	if (before[2] == 0xe8)
		return true;
	for (unsigned int length = 2; length <= 7; length++) {
		const uint8_t *at = before + 7 - length;

		if (at[0] == 0xff && guess_call_length(at[1], length > 2 ? at[2] : 0) == length)
			return true;
	}
	return false;
}

enum guess_evidence { GUESS_NO, GUESS_MAPPED, GUESS_CALL };

/* What speaks for a word being a return address. Generated code cannot be looked at: that it is mapped has to do. */
static enum guess_evidence guess_evidence(struct dsos *dsos, const struct unwind_request *request, uint64_t ip)
{
	struct unwind_place place;
	struct object *object;
	uint8_t before[7];

	if (!request->place(request->context, ip - 1, &place))
		return GUESS_NO;
	object = dsos_object(dsos, place.dso);
	if (!object)
		return GUESS_MAPPED;
	return object_read(object, place.address + 1 - sizeof(before), before, sizeof(before)) && guess_is_call(before) ?
		       GUESS_CALL :
		       GUESS_NO;
}

/* The frame that rbp points to: the caller's rbp, and above it the return address. */
static bool guess_by_frame_pointer(struct dsos *dsos, const struct unwind_request *request, const struct guess_frame *frame,
				   struct guess_frame *caller)
{
	if (frame->bp < frame->sp || frame->bp % 8 || !stack_copy_read(&request->copy, frame->bp, &caller->bp) ||
	    !stack_copy_read(&request->copy, frame->bp + 8, &caller->ip))
		return false;
	if (caller->bp && caller->bp <= frame->bp)
		return false;
	caller->sp = frame->bp + 16;
	return guess_evidence(dsos, request, caller->ip) != GUESS_NO;
}

static bool guess_at(struct dsos *dsos, const struct unwind_request *request, const struct guess_frame *frame, uint64_t slot,
		     struct guess_frame *caller)
{
	*caller = (struct guess_frame){ .sp = slot + 8, .bp = frame->bp };
	return stack_copy_read(&request->copy, slot, &caller->ip) &&
	       guess_evidence(dsos, request, caller->ip) == GUESS_CALL;
}

bool guess_caller(struct dsos *dsos, const struct unwind_request *request, const struct guess_frame *frame, bool interrupted,
		  struct guess_frame *caller)
{
	/*
	 * A leaf without a frame of its own, and one that has not set it up yet, have their return address on top, and then
	 * rbp is the caller's.
	 */
	if (interrupted && guess_at(dsos, request, frame, frame->sp, caller))
		return true;
	if (guess_by_frame_pointer(dsos, request, frame, caller))
		return true;
	for (uint64_t slot = frame->sp; slot < frame->sp + 8 * GUESS_SCAN_WORDS; slot += 8)
		if (guess_at(dsos, request, frame, slot, caller))
			return true;
	return false;
}
