#include "unwind/expression.h"

#include <dwarf.h>

#include "tests/unit/build_bytes.h"
#include "tests/unit/suites.h"

static const uint64_t memory[] = { 0x1122334455667788, 0xcafe, 0x7010 };
static const struct stack_copy copy = { .bytes = (const uint8_t *)memory, .start = 0x7000, .size = sizeof(memory) };

/* rbp = 0x7000; nothing else is known. */
static bool evaluate(const uint8_t *program, size_t size, const uint64_t *initial, uint64_t *value,
		     struct expression_fault *fault)
{
	struct registers registers = { 0 };

	register_set(&registers, REGISTER_RBP, 0x7000);
	return expression_evaluate(bytes_of(program, size, "expression"), initial, &registers, &copy, value, fault);
}

static uint64_t value_of(const uint8_t *program, size_t size)
{
	struct expression_fault fault;
	uint64_t value = 0;

	ck_assert(evaluate(program, size, NULL, &value, &fault));
	return value;
}

static void assert_fault(const uint8_t *program, size_t size, enum stack_status status, uint64_t detail)
{
	struct expression_fault fault = { 0 };
	uint64_t value;

	ck_assert(!evaluate(program, size, NULL, &value, &fault));
	ck_assert_int_eq(fault.status, status);
	ck_assert_uint_eq(fault.detail, detail);
}

static void assert_malformed(const uint8_t *program, size_t size)
{
	assert_fault(program, size, STACK_BAD_CFI, CFI_FAULT_MALFORMED);
}

START_TEST(literals_are_their_number)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit0)), 0);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit31)), 31);
}
END_TEST

START_TEST(constants_extend_their_sign_only_where_they_have_one)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const1u, 0xff)), 0xff);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const1s, 0xff)), UINT64_MAX);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const2u, 0x00, 0x80)), 0x8000);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const2s, 0x00, 0x80)), (uint64_t)-0x8000);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const4u, 0, 0, 0, 0x80)), 0x80000000);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const4s, 0, 0, 0, 0x80)), 0xffffffff80000000);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const8u, 1, 2, 3, 4, 5, 6, 7, 0x88)), 0x8807060504030201);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const8s, 1, 2, 3, 4, 5, 6, 7, 0x88)), 0x8807060504030201);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_addr, 1, 2, 3, 4, 5, 6, 7, 8)), 0x0807060504030201);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_constu, 0x80, 0x7f)), 0x3f80);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_consts, 0x80, 0x7f)), (uint64_t)-128);
}
END_TEST

START_TEST(registers_are_taken_with_a_signed_offset)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_breg6, 0x78)), 0x6ff8);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_bregx, 6, 8)), 0x7008);
}
END_TEST

START_TEST(a_register_that_is_not_known_is_named)
{
	assert_fault(BYTES(DW_OP_breg0, 0), STACK_NO_REGISTER, REGISTER_RAX);
	assert_fault(BYTES(DW_OP_bregx, 33, 0), STACK_NO_REGISTER, 33);
	assert_fault(BYTES(DW_OP_breg31, 0), STACK_NO_REGISTER, 31);
}
END_TEST

START_TEST(deref_reads_the_copy_to_its_last_word)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_breg6, 0, DW_OP_deref)), 0x1122334455667788);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_breg6, 16, DW_OP_deref)), 0x7010);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_breg6, 4, DW_OP_deref)), 0x0000cafe11223344);
}
END_TEST

START_TEST(deref_outside_of_the_copy_needs_other_memory)
{
	assert_fault(BYTES(DW_OP_breg6, 17, DW_OP_deref), STACK_BAD_CFI, CFI_FAULT_MEMORY);
	assert_fault(BYTES(DW_OP_breg6, 0x7f, DW_OP_deref), STACK_BAD_CFI, CFI_FAULT_MEMORY);
	assert_fault(BYTES(DW_OP_lit0, DW_OP_deref), STACK_BAD_CFI, CFI_FAULT_MEMORY);
	assert_fault(BYTES(DW_OP_const1s, 0xff, DW_OP_deref), STACK_BAD_CFI, CFI_FAULT_MEMORY);
}
END_TEST

START_TEST(deref_size_reads_so_many_bytes)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_breg6, 0, DW_OP_deref_size, 1)), 0x88);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_breg6, 0, DW_OP_deref_size, 4)), 0x55667788);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_breg6, 0, DW_OP_deref_size, 8)), 0x1122334455667788);
	assert_malformed(BYTES(DW_OP_breg6, 0, DW_OP_deref_size, 0));
	assert_malformed(BYTES(DW_OP_breg6, 0, DW_OP_deref_size, 9));
}
END_TEST

START_TEST(deref_size_needs_only_the_bytes_it_reads)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_breg6, 20, DW_OP_deref_size, 4)), 0);
}
END_TEST

START_TEST(arithmetic_has_the_topmost_entry_on_the_right)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit7, DW_OP_lit2, DW_OP_plus)), 9);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit7, DW_OP_lit2, DW_OP_minus)), 5);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit7, DW_OP_lit2, DW_OP_mul)), 14);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit7, DW_OP_lit2, DW_OP_and)), 2);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit5, DW_OP_lit2, DW_OP_or)), 7);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit7, DW_OP_lit2, DW_OP_xor)), 5);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit7, DW_OP_plus_uconst, 0x80, 0x01)), 0x87);
}
END_TEST

/* DWARF 5, 2.5.1.4: div is signed; mod gives a remainder, here of unsigned numbers as gdb and libgcc do. */
START_TEST(division_is_signed_and_modulo_unsigned)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const1s, 0xf9, DW_OP_lit2, DW_OP_div)), (uint64_t)-3);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit7, DW_OP_lit4, DW_OP_mod)), 3);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const1s, 0xff, DW_OP_lit16, DW_OP_mod)), 15);
}
END_TEST

START_TEST(division_that_has_no_result_is_malformed)
{
	assert_malformed(BYTES(DW_OP_lit7, DW_OP_lit0, DW_OP_div));
	assert_malformed(BYTES(DW_OP_lit7, DW_OP_lit0, DW_OP_mod));
	assert_malformed(BYTES(DW_OP_const8u, 0, 0, 0, 0, 0, 0, 0, 0x80, DW_OP_const1s, 0xff, DW_OP_div));
}
END_TEST

START_TEST(shifts_go_by_the_topmost_entry)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit3, DW_OP_lit4, DW_OP_shl)), 0x30);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const1s, 0x80, DW_OP_lit4, DW_OP_shr)), 0x0ffffffffffffff8);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const1s, 0x80, DW_OP_lit4, DW_OP_shra)), (uint64_t)-8);
}
END_TEST

START_TEST(a_shift_by_more_than_there_are_bits_leaves_none)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit3, DW_OP_const1u, 64, DW_OP_shl)), 0);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit3, DW_OP_const1u, 64, DW_OP_shr)), 0);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const1s, 0x80, DW_OP_const1u, 200, DW_OP_shra)), UINT64_MAX);
}
END_TEST

START_TEST(comparisons_are_signed)
{
	static const struct {
		uint8_t op;
		bool less, equal, greater;
	} cases[] = {
		{ DW_OP_eq, 0, 1, 0 }, { DW_OP_ne, 1, 0, 1 }, { DW_OP_lt, 1, 0, 0 },
		{ DW_OP_le, 1, 1, 0 }, { DW_OP_gt, 0, 0, 1 }, { DW_OP_ge, 0, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ck_assert_uint_eq(value_of(BYTES(DW_OP_const1s, 0xff, DW_OP_lit1, cases[i].op)), cases[i].less);
		ck_assert_uint_eq(value_of(BYTES(DW_OP_lit1, DW_OP_lit1, cases[i].op)), cases[i].equal);
		ck_assert_uint_eq(value_of(BYTES(DW_OP_lit1, DW_OP_const1s, 0xff, cases[i].op)), cases[i].greater);
	}
}
END_TEST

START_TEST(unary_operations_change_the_topmost_entry)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_const1s, 0xfb, DW_OP_abs)), 5);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit5, DW_OP_abs)), 5);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit5, DW_OP_neg)), (uint64_t)-5);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit5, DW_OP_not)), ~5ull);
}
END_TEST

/* Each case reads the stack 1 2 3 (3 on top) as a decimal number from the top down: 100 * a + 10 * b + c. */
static uint64_t stack_digits(const uint8_t *shuffle, size_t size)
{
	struct build program = { 0 };
	uint64_t value;

	build_add(&program, BYTES(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3));
	build_add(&program, shuffle, size);
	build_add(&program, BYTES(DW_OP_lit10, DW_OP_mul, DW_OP_plus, DW_OP_lit10, DW_OP_mul, DW_OP_plus));
	value = value_of(program.items, program.len);
	build_free(&program);
	return value;
}

START_TEST(shuffles_move_entries_as_the_standard_says)
{
	ck_assert_uint_eq(stack_digits(BYTES(DW_OP_nop)), 321);
	ck_assert_uint_eq(stack_digits(BYTES(DW_OP_dup)), 332);
	ck_assert_uint_eq(stack_digits(BYTES(DW_OP_over)), 232);
	ck_assert_uint_eq(stack_digits(BYTES(DW_OP_pick, 2)), 132);
	ck_assert_uint_eq(stack_digits(BYTES(DW_OP_swap)), 231);
	ck_assert_uint_eq(stack_digits(BYTES(DW_OP_rot)), 213);
	ck_assert_uint_eq(stack_digits(BYTES(DW_OP_lit4, DW_OP_drop)), 321);
}
END_TEST

START_TEST(one_entry_is_enough_to_be_copied_or_dropped)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit3, DW_OP_dup, DW_OP_mul)), 9);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit3, DW_OP_drop, DW_OP_lit4)), 4);
}
END_TEST

START_TEST(skip_jumps_from_behind_its_operand)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit1, DW_OP_skip, 1, 0, DW_OP_lit2)), 1);
	ck_assert_uint_eq(
		value_of(BYTES(DW_OP_skip, 4, 0, DW_OP_lit2, DW_OP_skip, 4, 0, DW_OP_skip, 0xf9, 0xff, DW_OP_lit9)), 2);
}
END_TEST

START_TEST(bra_jumps_where_the_topmost_entry_is_not_zero)
{
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit7, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit2)), 7);
	ck_assert_uint_eq(value_of(BYTES(DW_OP_lit7, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_lit2)), 2);
}
END_TEST

START_TEST(a_jump_out_of_the_expression_is_malformed)
{
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_skip, 1, 0));
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_skip, 0xfb, 0xff));
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_lit1, DW_OP_bra, 0xff, 0x7f));
}
END_TEST

START_TEST(an_endless_loop_ends)
{
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_skip, 0xfd, 0xff));
}
END_TEST

START_TEST(a_loop_that_pushes_ends_at_the_stacks_depth)
{
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_skip, 0xfc, 0xff));
}
END_TEST

START_TEST(taking_from_an_empty_stack_is_malformed)
{
	assert_malformed(BYTES(DW_OP_drop));
	assert_malformed(BYTES(DW_OP_dup));
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_plus));
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_swap));
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_lit2, DW_OP_rot));
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_pick, 1));
	assert_malformed(BYTES(DW_OP_neg));
	assert_malformed(BYTES(DW_OP_plus_uconst, 1));
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_div));
}
END_TEST

START_TEST(an_expression_without_a_result_is_malformed)
{
	assert_malformed(NO_BYTES);
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_drop));
}
END_TEST

START_TEST(an_operand_that_is_cut_off_is_malformed)
{
	assert_malformed(BYTES(DW_OP_const4u, 1, 2, 3));
	assert_malformed(BYTES(DW_OP_lit1, DW_OP_skip, 0));
	assert_malformed(BYTES(DW_OP_breg6, 0x80));
}
END_TEST

START_TEST(an_operation_we_do_not_know_is_named)
{
	assert_fault(BYTES(DW_OP_call_frame_cfa), STACK_BAD_CFI, CFI_FAULT_OPCODE | DW_OP_call_frame_cfa << 8);
	assert_fault(BYTES(DW_OP_reg0), STACK_BAD_CFI, CFI_FAULT_OPCODE | DW_OP_reg0 << 8);
}
END_TEST

START_TEST(an_initial_value_is_on_the_stack)
{
	struct expression_fault fault;
	uint64_t cfa = 0x7100, value = 0;
	const uint8_t program[] = { DW_OP_lit8, DW_OP_minus };

	ck_assert(evaluate(program, sizeof(program), &cfa, &value, &fault));
	ck_assert_uint_eq(value, 0x70f8);
	ck_assert(evaluate(NULL, 0, &cfa, &value, &fault));
	ck_assert_uint_eq(value, 0x7100);
}
END_TEST

Suite *suite_expression(void)
{
	Suite *suite = suite_create("unwind/expression");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, literals_are_their_number);
	tcase_add_test(tc, constants_extend_their_sign_only_where_they_have_one);
	tcase_add_test(tc, registers_are_taken_with_a_signed_offset);
	tcase_add_test(tc, a_register_that_is_not_known_is_named);
	tcase_add_test(tc, deref_reads_the_copy_to_its_last_word);
	tcase_add_test(tc, deref_outside_of_the_copy_needs_other_memory);
	tcase_add_test(tc, deref_size_reads_so_many_bytes);
	tcase_add_test(tc, deref_size_needs_only_the_bytes_it_reads);
	tcase_add_test(tc, arithmetic_has_the_topmost_entry_on_the_right);
	tcase_add_test(tc, division_is_signed_and_modulo_unsigned);
	tcase_add_test(tc, division_that_has_no_result_is_malformed);
	tcase_add_test(tc, shifts_go_by_the_topmost_entry);
	tcase_add_test(tc, a_shift_by_more_than_there_are_bits_leaves_none);
	tcase_add_test(tc, comparisons_are_signed);
	tcase_add_test(tc, unary_operations_change_the_topmost_entry);
	tcase_add_test(tc, shuffles_move_entries_as_the_standard_says);
	tcase_add_test(tc, one_entry_is_enough_to_be_copied_or_dropped);
	tcase_add_test(tc, skip_jumps_from_behind_its_operand);
	tcase_add_test(tc, bra_jumps_where_the_topmost_entry_is_not_zero);
	tcase_add_test(tc, a_jump_out_of_the_expression_is_malformed);
	tcase_add_test(tc, an_endless_loop_ends);
	tcase_add_test(tc, a_loop_that_pushes_ends_at_the_stacks_depth);
	tcase_add_test(tc, taking_from_an_empty_stack_is_malformed);
	tcase_add_test(tc, an_expression_without_a_result_is_malformed);
	tcase_add_test(tc, an_operand_that_is_cut_off_is_malformed);
	tcase_add_test(tc, an_operation_we_do_not_know_is_named);
	tcase_add_test(tc, an_initial_value_is_on_the_stack);
	suite_add_tcase(suite, tc);
	return suite;
}
