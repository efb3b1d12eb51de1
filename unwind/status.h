/*
 * How a stack ended: reached its root, or was cut, and then why and what to do about it. The one table of these that
 * text, JSON, screens and docs are made from.
 */
#ifndef UNWIND_STATUS_H
#define UNWIND_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum stack_status {
	STACK_COMPLETE,
	STACK_GUESSED,
	STACK_COPY_SHORT,	/* detail: bytes of the copy */
	STACK_DEPTH_LIMIT,	/* detail: frames */
	STACK_NO_FP,
	STACK_NO_CFI,
	STACK_BAD_CFI,		/* detail: enum cfi_fault, and its opcode << 8 */
	STACK_NO_REGISTER,	/* detail: DWARF register number */
	STACK_SWITCH,
	STACK_NO_MAP,
	STACK_NOT_ASKED,	/* the recording has no call chains */
	STACK_STATUSES,
};

struct stack_status_info {
	const char *key;	/* in JSON */
	const char *meaning;
	const char *cure;	/* NULL: there is none to type */
};

/* Whether the root was reached; else the stack was cut. */
static inline bool stack_status_is_whole(enum stack_status status)
{
	return status == STACK_COMPLETE || status == STACK_GUESSED || status == STACK_NOT_ASKED;
}

extern const struct stack_status_info stack_statuses[STACK_STATUSES];

enum cfi_fault {
	CFI_FAULT_NONE,
	CFI_FAULT_OPCODE,	/* an instruction or operation we do not know */
	CFI_FAULT_MALFORMED,
	CFI_FAULT_CFA,		/* the CFA does not grow from one frame to the next */
	CFI_FAULT_MEMORY,	/* needs memory that is not in the stack copy */
};

/*
 * The frame that a cut stack hangs under, as "[cut: stack copy of 16 KiB]". `dso` is the name of the DSO where it
 * ended, NULL where none did. At most `size` bytes; returns `text`.
 */
char *stack_status_label(char *text, unsigned long size, enum stack_status status, uint64_t detail, const char *dso);

#endif
