/* DWARF expressions as call-frame information uses them (DWARF 5, sections 2.5 and 6.4.2), with bounds on all of it. */
#ifndef UNWIND_EXPRESSION_H
#define UNWIND_EXPRESSION_H

#include "base/bytes.h"
#include "unwind/memory.h"
#include "unwind/registers.h"
#include "unwind/status.h"

/* Why an expression has no value: for a stack's status. */
struct expression_fault {
	enum stack_status status;	/* STACK_BAD_CFI, STACK_NO_REGISTER or STACK_COPY_SHORT */
	uint64_t detail;		/* as the status says */
};

/*
 * Evaluates `program` with `initial` (the CFA, for a register's rule) on the stack, or an empty stack where it is NULL.
 * False with *fault where it cannot.
 */
bool expression_evaluate(struct bytes program, const uint64_t *initial, const struct registers *registers,
			 const struct stack_copy *copy, uint64_t *value, struct expression_fault *fault);

#endif
