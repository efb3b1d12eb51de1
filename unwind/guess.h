/*
 * Callers where there is no call-frame information: by the frame pointer, by the word on top of the stack, or by looking for a
 * return address further up. What is found is plausible, not certain: the code before it is a call. Such frames are marked.
 */
#ifndef UNWIND_GUESS_H
#define UNWIND_GUESS_H

#include "unwind/unwind.h"

struct guess_frame {
	uint64_t ip, sp, bp;
};

/*
 * From a frame to its caller. `interrupted`: the frame was stopped at its ip and may not have set up anything yet. False
 * where nothing plausible is found.
 */
bool guess_caller(struct dsos *dsos, const struct unwind_request *request, const struct guess_frame *frame, bool interrupted,
		  struct guess_frame *caller);

/* Whether the bytes before a return address, of which the last seven are given, end in a call instruction (x86-64). */
bool guess_is_call(const uint8_t before[7]);

#endif
