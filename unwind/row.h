/*
 * The rows of call-frame information: for each stretch of a function's code, how to compute the CFA and where the
 * caller's registers are (DWARF 5, section 6.4.1). Made by running an FDE's instructions; complete and exact. table.h
 * packs the common ones small.
 */
#ifndef UNWIND_ROW_H
#define UNWIND_ROW_H

#include "object/cfi.h"
#include "unwind/registers.h"
#include "unwind/status.h"

enum row_rule_kind {
	ROW_UNSPECIFIED,	/* the ABI's default: callee-saved registers keep their value, rsp is the CFA */
	ROW_SAME,
	ROW_UNDEFINED,
	ROW_OFFSET,		/* at CFA + offset */
	ROW_VAL_OFFSET,		/* is CFA + offset */
	ROW_REGISTER,		/* is in register `number` */
	ROW_EXPRESSION,		/* at the address the expression gives */
	ROW_VAL_EXPRESSION,	/* is what the expression gives */
};

struct row_rule {
	enum row_rule_kind kind;
	uint32_t number;	/* a register, or the length of the expression */
	union {
		int64_t offset;
		const uint8_t *expression;
	};
};

struct row {
	uint64_t start, end;			/* dso addresses */
	struct row_rule cfa;			/* ROW_REGISTER: register `number` + offset; ROW_VAL_EXPRESSION */
	struct row_rule registers[REGISTERS];
	bool signal_frame;
	enum cfi_fault fault;			/* the row cannot be known: what followed makes no sense */
	uint8_t opcode;				/* for CFI_FAULT_OPCODE */
};

/* False ends the run. */
typedef bool row_fn(void *context, const struct row *row);

/* Gives the rows of an FDE in the order of their addresses; empty ones are left out. */
void rows_of_fde(const struct fde *fde, row_fn *give, void *context);

/* The bytes of a rule's expression. */
static inline struct bytes row_expression(const struct row_rule *rule)
{
	return bytes_of(rule->expression, rule->number, "expression");
}

#endif
