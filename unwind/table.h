/*
 * The unwind rules of one module, sorted by address: every row of its call-frame information packed into eight bytes
 * and a 32-bit address. Made once per module, shared by all processes. What does not fit the packed form is marked
 * RULE_GENERAL and computed from the full row.
 *
 * In every packed rule the return address is at CFA - 8 (System V psABI, section 3.2.2).
 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include "unwind/row.h"

enum unwind_rule_kind {
	RULE_NONE,		/* no call-frame information */
	RULE_SP,		/* cfa = rsp + offset */
	RULE_BP,		/* cfa = rbp + offset */
	RULE_LIVE,		/* cfa = register `detail` + offset; only while that register is live: in the first frame */
	RULE_DEREF_BP,		/* cfa = *(rbp + offset): a realigned frame (DRAP); detail 1: the caller's rbp is at *rbp */
	RULE_PLT,		/* cfa = rsp + offset + ((rip & 15) >= detail ? 8 : 0): a lazy PLT entry */
	RULE_ROOT,		/* the return address is undefined: nobody called */
	RULE_GENERAL,		/* see unwind_table_row */
};

struct unwind_rule {
	int32_t offset;
	int16_t bp;		/* the caller's rbp is at CFA + 8 * bp; 0: rbp still holds it */
	uint8_t kind;
	uint8_t detail;
};

_Static_assert(sizeof(struct unwind_rule) == 8, "a rule and its address take twelve bytes");

struct unwind_fde {
	uint32_t start, end;	/* from the table's base */
	uint32_t offset;	/* in the section */
	enum cfi_section section;
};

struct unwind_table {
	uint64_t base;		/* dso address that the 32-bit addresses count from */
	uint32_t *starts;	/* sorted; rule i holds from starts[i] to starts[i + 1] */
	struct unwind_rule *rules;
	uint32_t count;
	VEC(struct unwind_fde) fdes;	/* sorted */
	unsigned int malformed;	/* entries passed over */
	struct cfi cfi[2];	/* by enum cfi_section */
};

/*
 * From .eh_frame, and .debug_frame for the code that it does not cover. `debug` is where .debug_frame is, and may be `object`.
 * Empty where the file has no call-frame information. Both are borrowed and must outlive the table.
 */
void unwind_table_init(struct unwind_table *table, struct object *object, struct object *debug);
void unwind_table_fini(struct unwind_table *table);

/* The rule at a dso address; RULE_NONE outside of all FDEs. */
struct unwind_rule unwind_table_rule(const struct unwind_table *table, uint64_t address);

/* The full row at a dso address, computed anew; false outside of all FDEs. */
bool unwind_table_row(struct unwind_table *table, uint64_t address, struct row *row);

#endif
