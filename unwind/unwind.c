#include "unwind/unwind.h"

#include "unwind/expression.h"
#include "unwind/guess.h"
#include "unwind/table.h"

enum { CACHE_SLOTS = 16384 };

/* Rules by (space, ip): most samples of a program meet the same few thousand. */
struct cache_slot {
	uint64_t ip;
	struct unwind_rule rule;
	uint32_t space;
};

struct unwinder {
	struct dsos *dsos;
	VEC(struct unwind_table *) tables;	/* by DSO; NULL: not made yet */
	struct cache_slot cache[CACHE_SLOTS];
};

struct unwinder *unwinder_new(struct dsos *dsos)
{
	struct unwinder *unwinder = memory_new(1, sizeof(*unwinder));

	unwinder->dsos = dsos;
	/* Slot 0 of an untouched cache must not answer for (0, 0). */
	for (size_t i = 0; i < CACHE_SLOTS; i++)
		unwinder->cache[i].space = UINT32_MAX;
	return unwinder;
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	for (size_t i = 0; i < unwinder->tables.len; i++)
		if (unwinder->tables.items[i]) {
			unwind_table_fini(unwinder->tables.items[i]);
			free(unwinder->tables.items[i]);
		}
	vec_fini(&unwinder->tables);
	free(unwinder);
}

static struct unwind_table *unwinder_table(struct unwinder *unwinder, uint32_t dso)
{
	struct object *object;

	while (unwinder->tables.len <= dso)
		vec_push(&unwinder->tables, NULL);
	if (!unwinder->tables.items[dso]) {
		unwinder->tables.items[dso] = memory_new(1, sizeof(struct unwind_table));
		object = dsos_object(unwinder->dsos, dso);
		if (object)
			unwind_table_init(unwinder->tables.items[dso], object, dsos_debug_object(unwinder->dsos, dso));
	}
	return unwinder->tables.items[dso];
}

bool unwinder_is_root(struct unwinder *unwinder, struct unwind_place place)
{
	return unwind_table_rule(unwinder_table(unwinder, place.dso), place.address).kind == RULE_ROOT;
}

/* Finds the rule for an ip; false where nothing is mapped. */
static inline bool unwinder_rule(struct unwinder *unwinder, const struct unwind_request *request, uint64_t ip,
				 struct unwind_rule *rule)
{
	size_t at = ((ip ^ (uint64_t)request->space << 20) * 0x9e3779b97f4a7c15u) >> (64 - 14);
	struct cache_slot *slot = &unwinder->cache[at];
	struct unwind_place place;

	if (slot->ip != ip || slot->space != request->space) {
		if (!request->place(request->context, ip, &place))
			return false;
		slot->rule = unwind_table_rule(unwinder_table(unwinder, place.dso), place.address);
		slot->ip = ip;
		slot->space = request->space;
	}
	*rule = slot->rule;
	return true;
}

static void stack_end(struct unwind_stack *stack, enum stack_status status, uint64_t detail)
{
	stack->status = status == STACK_COMPLETE && stack->guessed ? STACK_GUESSED : status;
	stack->detail = detail;
}

/* Whether there is no room for another frame; then that is the stack's end. */
static inline bool stack_is_full(struct unwind_stack *stack)
{
	if (stack->count < UNWIND_FRAMES)
		return false;
	stack_end(stack, STACK_DEPTH_LIMIT, stack->count);
	return true;
}

static inline void stack_push(struct unwind_stack *stack, uint64_t ip, bool is_return)
{
	stack->frames[stack->count++] = (struct unwind_frame){ .ip = ip, .is_return = is_return };
}

static void stack_push_guess(struct unwind_stack *stack, uint64_t ip)
{
	stack->frames[stack->count++] = (struct unwind_frame){ .ip = ip, .is_return = true, .is_guessed = true };
	stack->guessed = true;
}

/* Why a word that ought to be on the stack is not in the copy. */
static void stack_end_unread(struct unwind_stack *stack, const struct unwind_request *request, uint64_t address)
{
	if (address < request->copy.start)
		stack_end(stack, STACK_BAD_CFI, CFI_FAULT_CFA);
	else if (request->copy_is_whole)
		stack_end(stack, STACK_SWITCH, 0);
	else
		stack_end(stack, STACK_COPY_SHORT, request->copy.size);
}

/* The state of one frame of a general walk. */
struct general_frame {
	struct registers registers;
	bool interrupted;	/* rip is where it was, not where it will return to */
};

/* The value of a caller's register under its rule; false where it is lost, which matters only when it is needed. */
static bool general_register(const struct general_frame *frame, const struct row *row, unsigned int number, uint64_t cfa,
			     const struct stack_copy *copy, uint64_t *value, struct expression_fault *fault)
{
	const struct row_rule *rule = &row->registers[number];
	const struct registers *registers = &frame->registers;
	uint64_t address;

	switch (rule->kind) {
	case ROW_OFFSET:
		address = cfa + (uint64_t)rule->offset;
		/*
		 * In an epilogue the slot may already lie below the stack pointer, where an interrupt may have
		 * written: the register itself has been restored and holds the value.
		 */
		if (address < registers->value[REGISTER_RSP] && register_is_known(registers, number)) {
			*value = registers->value[number];
			return true;
		}
		fault->detail = address;
		return stack_copy_read(copy, address, value);
	case ROW_VAL_OFFSET:
		*value = cfa + (uint64_t)rule->offset;
		return true;
	case ROW_EXPRESSION:
		if (!expression_evaluate(row_expression(rule), &cfa, registers, copy, &address, fault))
			return false;
		fault->detail = address;
		return stack_copy_read(copy, address, value);
	case ROW_VAL_EXPRESSION:
		return expression_evaluate(row_expression(rule), &cfa, registers, copy, value, fault);
	case ROW_REGISTER:
		number = rule->number;
		break;
	case ROW_UNDEFINED:
		fault->status = STACK_NO_REGISTER;
		fault->detail = number;
		return false;
	default:
		break;
	}
	if (number >= REGISTERS || !register_is_known(registers, number)) {
		fault->status = STACK_NO_REGISTER;
		fault->detail = number;
		return false;
	}
	*value = registers->value[number];
	return true;
}

static bool general_cfa(const struct general_frame *frame, const struct row *row, const struct stack_copy *copy,
			uint64_t *cfa, struct expression_fault *fault)
{
	const struct row_rule *rule = &row->cfa;

	if (rule->kind == ROW_VAL_EXPRESSION)
		return expression_evaluate(row_expression(rule), NULL, &frame->registers, copy, cfa, fault);
	if (rule->kind != ROW_REGISTER) {
		*fault = (struct expression_fault){ STACK_BAD_CFI, CFI_FAULT_MALFORMED };
		return false;
	}
	if (rule->number >= REGISTERS || !register_is_known(&frame->registers, rule->number)) {
		*fault = (struct expression_fault){ STACK_NO_REGISTER, rule->number };
		return false;
	}
	*cfa = frame->registers.value[rule->number] + (uint64_t)rule->offset;
	return true;
}

/* From a frame to its caller by the full row. False with the stack's end set. */
static bool general_step(const struct unwind_request *request, struct general_frame *frame, const struct row *row,
			 struct unwind_stack *stack)
{
	struct general_frame caller = { .interrupted = row->signal_frame };
	struct expression_fault fault = { 0 };
	uint64_t sp = frame->registers.value[REGISTER_RSP];
	uint64_t cfa, value;

	if (!general_cfa(frame, row, &request->copy, &cfa, &fault)) {
		stack_end(stack, fault.status, fault.detail);
		return false;
	}
	for (unsigned int number = 0; number < REGISTERS; number++) {
		struct expression_fault lost = { STACK_COPY_SHORT, 0 };

		if (number == REGISTER_RSP && row->registers[number].kind == ROW_UNSPECIFIED)
			register_set(&caller.registers, number, cfa);
		else if (general_register(frame, row, number, cfa, &request->copy, &value, &lost))
			register_set(&caller.registers, number, value);
		if (number == REGISTER_RIP)
			fault = lost;
	}
	if (!register_is_known(&caller.registers, REGISTER_RIP)) {
		if (fault.status == STACK_COPY_SHORT)
			stack_end_unread(stack, request, fault.detail);
		else
			stack_end(stack, fault.status, fault.detail);
		return false;
	}
	if (!register_is_known(&caller.registers, REGISTER_RSP)) {
		stack_end(stack, STACK_NO_REGISTER, REGISTER_RSP);
		return false;
	}
	/*
	 * A signal may have been taken on another stack; any other caller's frame lies higher, or, while a leaf has its
	 * return address in a register (vfork), begins right here.
	 */
	if (caller.registers.value[REGISTER_RSP] < sp + (stack->count > 1)) {
		stack_end(stack, row->signal_frame ? STACK_SWITCH : STACK_BAD_CFI, CFI_FAULT_CFA);
		return false;
	}
	*frame = caller;
	return true;
}

/* From a frame without call-frame information to what looks like its caller. False with the stack's end set. */
static bool general_guess(struct unwinder *unwinder, const struct unwind_request *request, struct general_frame *frame,
			  struct unwind_stack *stack)
{
	const struct registers *registers = &frame->registers;
	struct guess_frame here = {
		.ip = registers->value[REGISTER_RIP],
		.sp = registers->value[REGISTER_RSP],
		/* 0, where it is not known, is no frame pointer. */
		.bp = registers->value[REGISTER_RBP],
	};
	struct guess_frame caller;

	if (!guess_caller(unwinder->dsos, request, &here, frame->interrupted, &caller)) {
		stack_end(stack, STACK_NO_CFI, 0);
		return false;
	}
	*frame = (struct general_frame){ .interrupted = false };
	register_set(&frame->registers, REGISTER_RIP, caller.ip);
	register_set(&frame->registers, REGISTER_RSP, caller.sp);
	register_set(&frame->registers, REGISTER_RBP, caller.bp);
	return true;
}

/* From a frame whose ip is mapped at `place` to its caller. False with the stack's end set; *guessed: by a guess. */
static bool general_caller(struct unwinder *unwinder, const struct unwind_request *request, struct unwind_place place,
			   struct general_frame *frame, struct unwind_stack *stack, bool *guessed)
{
	struct unwind_table *table = unwinder_table(unwinder, place.dso);
	struct row row;

	*guessed = false;
	if (unwind_table_rule(table, place.address).kind == RULE_ROOT) {
		stack_end(stack, STACK_COMPLETE, 0);
		return false;
	}
	if (!unwind_table_row(table, place.address, &row)) {
		*guessed = true;
		return general_guess(unwinder, request, frame, stack);
	}
	if (row.fault) {
		stack_end(stack, STACK_BAD_CFI, row.fault | (uint64_t)row.opcode << 8);
		return false;
	}
	/* The kernel made the handler return to the trampoline; no call is before it. */
	if (row.signal_frame)
		stack->frames[stack->count - 1].is_return = false;
	return general_step(request, frame, &row, stack);
}

/* A walk that keeps all registers, for stacks with a rule that the packed form cannot hold. */
static void unwinder_walk_general(struct unwinder *unwinder, const struct unwind_request *request,
				  struct unwind_stack *stack)
{
	struct general_frame frame = { .registers = request->registers, .interrupted = true };
	bool guessed = false;

	stack->count = 0;
	stack->guessed = false;
	for (;;) {
		uint64_t ip = frame.registers.value[REGISTER_RIP];
		struct unwind_place place;

		stack->top = frame.registers.value[REGISTER_RSP];
		if (stack->count && !ip) {
			stack_end(stack, STACK_COMPLETE, 0);
			return;
		}
		if (stack_is_full(stack))
			return;
		if (guessed)
			stack_push_guess(stack, ip);
		else
			stack_push(stack, ip, !frame.interrupted);
		if (!request->place(request->context, ip - !frame.interrupted, &place)) {
			stack_end(stack, STACK_NO_MAP, 0);
			return;
		}
		if (!general_caller(unwinder, request, place, &frame, stack, &guessed))
			return;
	}
}

/* A packed walk keeps of the registers what a guess_frame holds. */
enum packed_result { PACKED_CFA, PACKED_END, PACKED_GUESS, PACKED_GENERAL };

static inline enum packed_result packed_cfa(const struct unwind_request *request, const struct guess_frame *frame,
					    struct unwind_rule rule, struct unwind_stack *stack, uint64_t *cfa)
{
	uint64_t offset = (uint64_t)(int64_t)rule.offset;

	switch (rule.kind) {
	case RULE_SP:
		*cfa = frame->sp + offset;
		return PACKED_CFA;
	case RULE_BP:
		*cfa = frame->bp + offset;
		return PACKED_CFA;
	case RULE_LIVE:
		if (stack->count != 1 || !register_is_known(&request->registers, rule.detail))
			return PACKED_GENERAL;
		*cfa = request->registers.value[rule.detail] + offset;
		return PACKED_CFA;
	case RULE_DEREF_BP:
		if (stack_copy_read(&request->copy, frame->bp + offset, cfa))
			return PACKED_CFA;
		stack_end_unread(stack, request, frame->bp + offset);
		return PACKED_END;
	case RULE_PLT:
		*cfa = frame->sp + offset + ((frame->ip & 15) >= rule.detail ? 8 : 0);
		return PACKED_CFA;
	case RULE_ROOT:
		stack_end(stack, STACK_COMPLETE, 0);
		return PACKED_END;
	case RULE_NONE:
		return PACKED_GUESS;
	default:
		return PACKED_GENERAL;
	}
}

/* The caller's rbp; false where its slot is not in the copy. */
static inline bool packed_bp(const struct stack_copy *copy, struct guess_frame *frame, struct unwind_rule rule,
			     uint64_t cfa)
{
	uint64_t slot = cfa + 8 * (uint64_t)(int64_t)rule.bp;

	if (rule.kind == RULE_DEREF_BP && rule.detail)
		return stack_copy_read(copy, frame->bp, &frame->bp);
	/* A slot below the stack pointer has been popped already: the register holds its value. */
	if (!rule.bp || slot < frame->sp)
		return true;
	return stack_copy_read(copy, slot, &frame->bp);
}

/* As general_guess. */
static bool packed_guess(struct unwinder *unwinder, const struct unwind_request *request, struct guess_frame *frame,
			 struct unwind_stack *stack)
{
	struct guess_frame here = *frame;

	if (!guess_caller(unwinder->dsos, request, &here, stack->count == 1, frame)) {
		stack_end(stack, STACK_NO_CFI, 0);
		return false;
	}
	if (stack_is_full(stack))
		return false;
	stack_push_guess(stack, frame->ip);
	return true;
}

void unwinder_walk(struct unwinder *unwinder, const struct unwind_request *request, struct unwind_stack *stack)
{
	const struct registers *registers = &request->registers;
	struct guess_frame frame = {
		.ip = registers->value[REGISTER_RIP],
		.sp = registers->value[REGISTER_RSP],
		.bp = registers->value[REGISTER_RBP],
	};
	enum packed_result result;

	stack->count = 0;
	stack->guessed = false;
	if (!register_is_known(registers, REGISTER_RBP)) {
		unwinder_walk_general(unwinder, request, stack);
		return;
	}
	stack_push(stack, frame.ip, false);
	for (;;) {
		struct unwind_rule rule;
		uint64_t cfa, ip;

		stack->top = frame.sp;
		if (!unwinder_rule(unwinder, request, frame.ip - (stack->count > 1), &rule)) {
			stack_end(stack, STACK_NO_MAP, 0);
			return;
		}
		result = packed_cfa(request, &frame, rule, stack, &cfa);
		if (result == PACKED_END)
			return;
		if (result == PACKED_GENERAL)
			break;
		if (result == PACKED_GUESS) {
			if (!packed_guess(unwinder, request, &frame, stack))
				return;
			continue;
		}
		if (cfa <= frame.sp) {
			stack_end(stack, STACK_BAD_CFI, CFI_FAULT_CFA);
			return;
		}
		if (!stack_copy_read(&request->copy, cfa - 8, &ip)) {
			stack_end_unread(stack, request, cfa - 8);
			return;
		}
		if (!packed_bp(&request->copy, &frame, rule, cfa)) {
			stack_end_unread(stack, request, cfa);
			return;
		}
		if (!ip) {
			stack_end(stack, STACK_COMPLETE, 0);
			return;
		}
		if (stack_is_full(stack))
			return;
		frame.ip = ip;
		frame.sp = cfa;
		stack_push(stack, ip, true);
	}
	unwinder_walk_general(unwinder, request, stack);
}
