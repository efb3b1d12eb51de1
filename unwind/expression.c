#include "unwind/expression.h"

#include <dwarf.h>

enum { EXPRESSION_DEPTH = 64, EXPRESSION_STEPS = 1024 };

struct machine {
	uint64_t stack[EXPRESSION_DEPTH];
	unsigned int depth;
	bool bad;			/* stack over- or underflow, division by zero */
	const struct registers *registers;
	const struct stack_copy *copy;
	struct expression_fault *fault;
};

static void machine_push(struct machine *machine, uint64_t value)
{
	if (machine->depth == EXPRESSION_DEPTH)
		machine->bad = true;
	else
		machine->stack[machine->depth++] = value;
}

static uint64_t machine_pop(struct machine *machine)
{
	if (machine->depth == 0) {
		machine->bad = true;
		return 0;
	}
	return machine->stack[--machine->depth];
}

/* The entry `index` below the top. */
static uint64_t machine_peek(struct machine *machine, uint64_t index)
{
	if (index >= machine->depth) {
		machine->bad = true;
		return 0;
	}
	return machine->stack[machine->depth - 1 - index];
}

static bool machine_fail(struct machine *machine, enum stack_status status, uint64_t detail)
{
	*machine->fault = (struct expression_fault){ .status = status, .detail = detail };
	return false;
}

static bool machine_push_register(struct machine *machine, uint64_t number, int64_t offset)
{
	if (number >= REGISTERS || !register_is_known(machine->registers, (unsigned int)number))
		return machine_fail(machine, STACK_NO_REGISTER, number);
	machine_push(machine, machine->registers->value[number] + (uint64_t)offset);
	return true;
}

static bool machine_deref(struct machine *machine, uint8_t size)
{
	uint64_t word = 0;

	if (size == 0 || size > sizeof(word))
		return machine_fail(machine, STACK_BAD_CFI, CFI_FAULT_MALFORMED);
	if (!stack_copy_bytes(machine->copy, machine_pop(machine), &word, size))
		return machine_fail(machine, STACK_BAD_CFI, CFI_FAULT_MEMORY);
	machine_push(machine, word);
	return true;
}

static void machine_divide(struct machine *machine, bool modulo)
{
	uint64_t divisor = machine_pop(machine);
	uint64_t dividend = machine_pop(machine);

	if (!divisor || (!modulo && dividend == 1ul << 63 && divisor == UINT64_MAX))
		machine->bad = true;
	else
		machine_push(machine, modulo ? dividend % divisor : (uint64_t)((int64_t)dividend / (int64_t)divisor));
}

/* Of two operands, `b` being the topmost; false where the operation is another. Shifts by 64 and more shift all out. */
static bool binary_value(uint8_t op, uint64_t a, uint64_t b, uint64_t *value)
{
	switch (op) {
	case DW_OP_and:   *value = a & b; return true;
	case DW_OP_minus: *value = a - b; return true;
	case DW_OP_mul:   *value = a * b; return true;
	case DW_OP_or:    *value = a | b; return true;
	case DW_OP_plus:  *value = a + b; return true;
	case DW_OP_xor:   *value = a ^ b; return true;
	case DW_OP_shl:   *value = b < 64 ? a << b : 0; return true;
	case DW_OP_shr:   *value = b < 64 ? a >> b : 0; return true;
	case DW_OP_shra:  *value = (uint64_t)((int64_t)a >> (b < 64 ? b : 63)); return true;
	case DW_OP_eq:    *value = a == b; return true;
	case DW_OP_ne:    *value = a != b; return true;
	case DW_OP_ge:    *value = (int64_t)a >= (int64_t)b; return true;
	case DW_OP_gt:    *value = (int64_t)a > (int64_t)b; return true;
	case DW_OP_le:    *value = (int64_t)a <= (int64_t)b; return true;
	case DW_OP_lt:    *value = (int64_t)a < (int64_t)b; return true;
	default:
		return false;
	}
}

static bool machine_binary(struct machine *machine, uint8_t op)
{
	unsigned int depth = machine->depth;
	uint64_t b = depth > 0 ? machine->stack[depth - 1] : 0;
	uint64_t a = depth > 1 ? machine->stack[depth - 2] : 0;
	uint64_t value;

	if (!binary_value(op, a, b, &value))
		return false;
	/* Operands that are missing are found so. */
	machine_pop(machine);
	machine_pop(machine);
	machine_push(machine, value);
	return true;
}

static bool machine_unary(struct machine *machine, uint8_t op)
{
	uint64_t value;

	if (op != DW_OP_abs && op != DW_OP_neg && op != DW_OP_not)
		return false;
	value = machine_pop(machine);
	if (op == DW_OP_not)
		value = ~value;
	else if (op == DW_OP_neg || (int64_t)value < 0)
		value = -value;
	machine_push(machine, value);
	return true;
}

/* The two or three topmost entries change places. */
static void machine_rotate(struct machine *machine, bool three)
{
	uint64_t a = machine_pop(machine);
	uint64_t b = machine_pop(machine);
	uint64_t c = three ? machine_pop(machine) : 0;

	machine_push(machine, a);
	if (three)
		machine_push(machine, c);
	machine_push(machine, b);
}

static bool machine_shuffle(struct machine *machine, uint8_t op)
{
	switch (op) {
	case DW_OP_dup:
		machine_push(machine, machine_peek(machine, 0));
		return true;
	case DW_OP_drop:
		machine_pop(machine);
		return true;
	case DW_OP_over:
		machine_push(machine, machine_peek(machine, 1));
		return true;
	case DW_OP_swap:
	case DW_OP_rot:
		machine_rotate(machine, op == DW_OP_rot);
		return true;
	default:
		return false;
	}
}

/* Constants, whose operand follows the operation. */
static bool machine_constant(struct machine *machine, uint8_t op, struct bytes *from)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		machine_push(machine, op - DW_OP_lit0);
		return true;
	}
	switch (op) {
	case DW_OP_addr:
	case DW_OP_const8u:
	case DW_OP_const8s: machine_push(machine, bytes_u64(from)); return true;
	case DW_OP_const1u: machine_push(machine, bytes_u8(from)); return true;
	case DW_OP_const1s: machine_push(machine, (uint64_t)(int8_t)bytes_u8(from)); return true;
	case DW_OP_const2u: machine_push(machine, bytes_u16(from)); return true;
	case DW_OP_const2s: machine_push(machine, (uint64_t)(int16_t)bytes_u16(from)); return true;
	case DW_OP_const4u: machine_push(machine, bytes_u32(from)); return true;
	case DW_OP_const4s: machine_push(machine, (uint64_t)(int32_t)bytes_u32(from)); return true;
	case DW_OP_constu:  machine_push(machine, bytes_uleb(from)); return true;
	case DW_OP_consts:  machine_push(machine, (uint64_t)bytes_sleb(from)); return true;
	default:
		return false;
	}
}

static void machine_jump(struct machine *machine, uint8_t op, struct bytes *from)
{
	int16_t offset = (int16_t)bytes_u16(from);

	if (op == DW_OP_bra && !machine_pop(machine))
		return;
	if (offset < from->start - from->pos || offset > from->end - from->pos)
		machine->bad = true;
	else
		from->pos += offset;
}

static bool machine_step(struct machine *machine, struct bytes *from)
{
	uint8_t op = bytes_u8(from);
	uint64_t number;

	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return machine_push_register(machine, op - DW_OP_breg0, bytes_sleb(from));
	if (machine_constant(machine, op, from))
		return true;
	switch (op) {
	case DW_OP_nop:
		return true;
	case DW_OP_bregx:
		number = bytes_uleb(from);
		return machine_push_register(machine, number, bytes_sleb(from));
	case DW_OP_deref:
		return machine_deref(machine, 8);
	case DW_OP_deref_size:
		return machine_deref(machine, bytes_u8(from));
	case DW_OP_pick:
		machine_push(machine, machine_peek(machine, bytes_u8(from)));
		return true;
	case DW_OP_plus_uconst:
		machine_push(machine, machine_pop(machine) + bytes_uleb(from));
		return true;
	case DW_OP_div:
	case DW_OP_mod:
		machine_divide(machine, op == DW_OP_mod);
		return true;
	case DW_OP_skip:
	case DW_OP_bra:
		machine_jump(machine, op, from);
		return true;
	default:
		if (machine_binary(machine, op) || machine_unary(machine, op) || machine_shuffle(machine, op))
			return true;
		return machine_fail(machine, STACK_BAD_CFI, CFI_FAULT_OPCODE | (uint64_t)op << 8);
	}
}

bool expression_evaluate(struct bytes program, const uint64_t *initial, const struct registers *registers,
			 const struct stack_copy *copy, uint64_t *value, struct expression_fault *fault)
{
	struct machine machine = { .registers = registers, .copy = copy, .fault = fault };

	if (initial)
		machine_push(&machine, *initial);
	for (unsigned int steps = 0; bytes_left(&program); steps++) {
		if (!machine_step(&machine, &program))
			return false;
		/* Backward branches are legal; going round for ever is not. */
		if (machine.bad || program.bad || steps == EXPRESSION_STEPS)
			return machine_fail(&machine, STACK_BAD_CFI, CFI_FAULT_MALFORMED);
	}
	*value = machine_pop(&machine);
	return machine.bad ? machine_fail(&machine, STACK_BAD_CFI, CFI_FAULT_MALFORMED) : true;
}
