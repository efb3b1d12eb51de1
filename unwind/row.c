#include "unwind/row.h"

#include <dwarf.h>

enum { ROW_REMEMBERED = 16 };

struct row_state {
	struct row row;
	struct row initial;			/* after the CIE's instructions: what DW_CFA_restore goes back to */
	struct row *remembered;			/* ROW_REMEMBERED of them, the first `depth` in use */
	unsigned int depth;
	const struct cie *cie;
	row_fn *give;				/* NULL while the CIE's run */
	void *context;
	bool stopped;
};

static void row_fault(struct row_state *state, enum cfi_fault fault, uint8_t opcode)
{
	if (state->row.fault == CFI_FAULT_NONE) {
		state->row.fault = fault;
		state->row.opcode = opcode;
	}
}

/* The row so far ends at `address`; the next one begins there. */
static void row_advance(struct row_state *state, uint64_t address)
{
	struct row *row = &state->row;
	uint64_t end = row->end;

	if (!state->give || address == row->start)
		return;
	if (address < row->start || address > end) {
		row_fault(state, CFI_FAULT_MALFORMED, 0);
		return;
	}
	row->end = address;
	state->stopped |= !state->give(state->context, row);
	row->end = end;
	row->start = address;
}

/* Offsets are given in units of the CIE's data alignment; the product wraps as the standard's addresses do. */
static int64_t row_scale(const struct row_state *state, uint64_t factored)
{
	return (int64_t)(factored * (uint64_t)state->cie->data_align);
}

/* The rule of a register; registers that we do not keep (vector, x87) get one that nobody reads. */
static struct row_rule *row_register(struct row_state *state, uint64_t number)
{
	static struct row_rule ignored;

	return number < REGISTERS ? &state->row.registers[number] : &ignored;
}

static void row_set(struct row_state *state, uint64_t number, enum row_rule_kind kind, int64_t offset)
{
	struct row_rule rule = { .kind = kind, .offset = offset };

	if (kind == ROW_REGISTER) {
		rule.number = (uint32_t)offset;
		rule.offset = 0;
	}
	*row_register(state, number) = rule;
}

static struct row_rule row_read_expression(struct bytes *from, enum row_rule_kind kind)
{
	struct bytes expression = bytes_split(from, bytes_uleb(from), "expression");

	return (struct row_rule){
		.kind = kind,
		.number = (uint32_t)bytes_left(&expression),
		.expression = expression.start,
	};
}

static void row_restore(struct row_state *state, uint64_t number)
{
	if (number < REGISTERS)
		state->row.registers[number] = state->initial.registers[number];
}

static void row_remember(struct row_state *state)
{
	if (state->depth == ROW_REMEMBERED)
		row_fault(state, CFI_FAULT_MALFORMED, 0);
	else
		state->remembered[state->depth++] = state->row;
}

static void row_recall(struct row_state *state)
{
	struct row *row = &state->row;
	uint64_t start = row->start, end = row->end;

	if (!state->depth) {
		row_fault(state, CFI_FAULT_MALFORMED, 0);
		return;
	}
	*row = state->remembered[--state->depth];
	row->start = start;
	row->end = end;
}

static void row_define_cfa(struct row_state *state, uint64_t number, int64_t offset)
{
	state->row.cfa = (struct row_rule){ .kind = ROW_REGISTER, .number = (uint32_t)number, .offset = offset };
}

/* Half of a CFA rule can be changed only while it is a register and an offset (DWARF 5, 6.4.2.2). */
static void row_change_cfa(struct row_state *state, uint64_t number, int64_t offset)
{
	if (state->row.cfa.kind != ROW_REGISTER)
		row_fault(state, CFI_FAULT_MALFORMED, 0);
	else
		row_define_cfa(state, number, offset);
}

/* DW_CFA_advance_loc and its longer forms; false where the opcode is another. */
static bool row_run_advance(struct row_state *state, uint8_t op, struct bytes *from, uint64_t address)
{
	uint64_t start = state->row.start, align = state->cie->code_align;

	switch (op) {
	case DW_CFA_set_loc:
		row_advance(state, cfi_pointer(from, address, state->cie->fde_encoding));
		return true;
	case DW_CFA_advance_loc1:
		row_advance(state, start + bytes_u8(from) * align);
		return true;
	case DW_CFA_advance_loc2:
		row_advance(state, start + bytes_u16(from) * align);
		return true;
	case DW_CFA_advance_loc4:
		row_advance(state, start + bytes_u32(from) * align);
		return true;
	default:
		return false;
	}
}

static bool row_run_cfa(struct row_state *state, uint8_t op, struct bytes *from)
{
	uint64_t number;

	switch (op) {
	case DW_CFA_def_cfa:
		number = bytes_uleb(from);
		row_define_cfa(state, number, (int64_t)bytes_uleb(from));
		return true;
	case DW_CFA_def_cfa_sf:
		number = bytes_uleb(from);
		row_define_cfa(state, number, row_scale(state, (uint64_t)bytes_sleb(from)));
		return true;
	case DW_CFA_def_cfa_register:
		row_change_cfa(state, bytes_uleb(from), state->row.cfa.offset);
		return true;
	case DW_CFA_def_cfa_offset:
		row_change_cfa(state, state->row.cfa.number, (int64_t)bytes_uleb(from));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		row_change_cfa(state, state->row.cfa.number, row_scale(state, (uint64_t)bytes_sleb(from)));
		return true;
	case DW_CFA_def_cfa_expression:
		state->row.cfa = row_read_expression(from, ROW_VAL_EXPRESSION);
		return true;
	default:
		return false;
	}
}

/* Rules of registers: a register number, then what the opcode needs. */
static bool row_run_register(struct row_state *state, uint8_t op, struct bytes *from)
{
	uint64_t number = bytes_uleb(from);

	switch (op) {
	case DW_CFA_offset_extended:
		row_set(state, number, ROW_OFFSET, row_scale(state, bytes_uleb(from)));
		return true;
	case DW_CFA_offset_extended_sf:
		row_set(state, number, ROW_OFFSET, row_scale(state, (uint64_t)bytes_sleb(from)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		row_set(state, number, ROW_OFFSET, row_scale(state, -bytes_uleb(from)));
		return true;
	case DW_CFA_val_offset:
		row_set(state, number, ROW_VAL_OFFSET, row_scale(state, bytes_uleb(from)));
		return true;
	case DW_CFA_val_offset_sf:
		row_set(state, number, ROW_VAL_OFFSET, row_scale(state, (uint64_t)bytes_sleb(from)));
		return true;
	case DW_CFA_restore_extended:
		row_restore(state, number);
		return true;
	case DW_CFA_undefined:
		row_set(state, number, ROW_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		row_set(state, number, ROW_SAME, 0);
		return true;
	case DW_CFA_register:
		row_set(state, number, ROW_REGISTER, (int64_t)bytes_uleb(from));
		return true;
	case DW_CFA_expression:
		*row_register(state, number) = row_read_expression(from, ROW_EXPRESSION);
		return true;
	case DW_CFA_val_expression:
		*row_register(state, number) = row_read_expression(from, ROW_VAL_EXPRESSION);
		return true;
	default:
		return false;
	}
}

/* The three opcodes whose first operand sits in their low six bits. */
static bool row_run_primary(struct row_state *state, uint8_t op, struct bytes *from)
{
	uint8_t low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		row_advance(state, state->row.start + low * state->cie->code_align);
		return true;
	case DW_CFA_offset:
		row_set(state, low, ROW_OFFSET, row_scale(state, bytes_uleb(from)));
		return true;
	case DW_CFA_restore:
		row_restore(state, low);
		return true;
	default:
		return false;
	}
}

static void row_run_one(struct row_state *state, struct bytes *from, uint64_t address)
{
	uint8_t op = bytes_u8(from);
	struct bytes operands = *from;

	if (row_run_primary(state, op, from) || row_run_advance(state, op, from, address) || row_run_cfa(state, op, from))
		return;
	switch (op) {
	case DW_CFA_nop:
		return;
	case DW_CFA_remember_state:
		row_remember(state);
		return;
	case DW_CFA_restore_state:
		row_recall(state);
		return;
	case DW_CFA_GNU_args_size:
		bytes_uleb(from);
		return;
	default:
		if (row_run_register(state, op, from))
			return;
		*from = operands;
		row_fault(state, CFI_FAULT_OPCODE, op);
	}
}

static void row_run(struct row_state *state, struct bytes program, uint64_t address)
{
	while (bytes_left(&program) && !program.bad && !state->row.fault && !state->stopped)
		row_run_one(state, &program, address);
	if (program.bad)
		row_fault(state, CFI_FAULT_MALFORMED, 0);
}

void rows_of_fde(const struct fde *fde, row_fn *give, void *context)
{
	struct row remembered[ROW_REMEMBERED];
	struct row_state state = {
		.remembered = remembered,
		.row = { .start = fde->start, .end = fde->start + fde->size, .signal_frame = fde->cie.signal_frame },
		.cie = &fde->cie,
		.context = context,
	};

	row_run(&state, fde->cie.program, 0);
	state.initial = state.row;
	state.give = give;
	row_run(&state, fde->program, fde->program_address);
	if (!state.stopped && state.row.start < state.row.end)
		give(context, &state.row);
}
