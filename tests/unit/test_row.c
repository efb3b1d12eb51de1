#include "unwind/row.h"

#include <dwarf.h>

#include "tests/unit/build_bytes.h"
#include "tests/unit/suites.h"

/* The rows of one FDE, as they were given. */
struct given {
	struct row rows[32];
	size_t len;
};

static bool given_take(void *context, const struct row *row)
{
	struct given *given = context;

	ck_assert_uint_lt(given->len, 32);
	given->rows[given->len++] = *row;
	return true;
}

static const uint8_t plain[] = { DW_CFA_def_cfa, REGISTER_RSP, 8, DW_CFA_offset | REGISTER_RIP, 1 };

/* An FDE of [0x1000, 0x1100), code alignment 1, data alignment -8: cfa = rsp + 8, the return address at cfa - 8. */
static struct fde fde_of(const uint8_t *program, size_t size)
{
	return (struct fde){
		.start = 0x1000,
		.size = 0x100,
		.cie = {
			.code_align = 1,
			.data_align = -8,
			.return_register = 16,
			.fde_encoding = DW_EH_PE_absptr,
			.program = bytes_of(plain, sizeof(plain), "cie"),
		},
		.program = bytes_of(program, size, "fde"),
		.program_address = 0x9000,
	};
}

static struct given rows_of(const struct fde *fde)
{
	struct given given = { .len = 0 };

	rows_of_fde(fde, given_take, &given);
	return given;
}

static struct given run(const uint8_t *program, size_t size)
{
	struct fde fde = fde_of(program, size);

	return rows_of(&fde);
}

/* The row that holds at the function's end. */
static struct row last_row(const uint8_t *program, size_t size)
{
	struct given given = run(program, size);

	ck_assert_uint_ge(given.len, 1);
	ck_assert_uint_eq(given.rows[given.len - 1].end, 0x1100);
	return given.rows[given.len - 1];
}

static void assert_cfa(const struct row *row, unsigned int number, int64_t offset)
{
	ck_assert_int_eq(row->fault, CFI_FAULT_NONE);
	ck_assert_int_eq(row->cfa.kind, ROW_REGISTER);
	ck_assert_uint_eq(row->cfa.number, number);
	ck_assert_int_eq(row->cfa.offset, offset);
}

static void assert_rule(const struct row *row, unsigned int number, enum row_rule_kind kind, int64_t offset)
{
	ck_assert_int_eq(row->fault, CFI_FAULT_NONE);
	ck_assert_int_eq(row->registers[number].kind, kind);
	ck_assert_int_eq(row->registers[number].offset, offset);
}

static void assert_extent(const struct row *row, uint64_t start, uint64_t end)
{
	ck_assert_uint_eq(row->start, start);
	ck_assert_uint_eq(row->end, end);
}

START_TEST(the_cies_instructions_hold_from_the_first_byte)
{
	struct given given = run(NO_BYTES);

	ck_assert_uint_eq(given.len, 1);
	assert_extent(&given.rows[0], 0x1000, 0x1100);
	assert_cfa(&given.rows[0], REGISTER_RSP, 8);
	assert_rule(&given.rows[0], REGISTER_RIP, ROW_OFFSET, -8);
	assert_rule(&given.rows[0], REGISTER_RBX, ROW_UNSPECIFIED, 0);
}
END_TEST

/* push %rbp; mov %rsp,%rbp */
START_TEST(an_advance_ends_a_row_and_begins_the_next)
{
	struct given given = run(BYTES(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | REGISTER_RBP,
				       2, DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, REGISTER_RBP));

	ck_assert_uint_eq(given.len, 3);
	assert_extent(&given.rows[0], 0x1000, 0x1001);
	assert_cfa(&given.rows[0], REGISTER_RSP, 8);
	assert_extent(&given.rows[1], 0x1001, 0x1004);
	assert_cfa(&given.rows[1], REGISTER_RSP, 16);
	assert_rule(&given.rows[1], REGISTER_RBP, ROW_OFFSET, -16);
	assert_extent(&given.rows[2], 0x1004, 0x1100);
	assert_cfa(&given.rows[2], REGISTER_RBP, 16);
	assert_rule(&given.rows[2], REGISTER_RBP, ROW_OFFSET, -16);
}
END_TEST

START_TEST(the_longer_advances_take_one_two_and_four_bytes)
{
	struct given given =
		run(BYTES(DW_CFA_advance_loc1, 0x41, DW_CFA_advance_loc2, 0x10, 0, DW_CFA_advance_loc4, 2, 0, 0, 0));

	ck_assert_uint_eq(given.len, 4);
	assert_extent(&given.rows[0], 0x1000, 0x1041);
	assert_extent(&given.rows[1], 0x1041, 0x1051);
	assert_extent(&given.rows[2], 0x1051, 0x1053);
	assert_extent(&given.rows[3], 0x1053, 0x1100);
}
END_TEST

START_TEST(advances_count_in_units_of_the_code_alignment)
{
	struct fde fde = fde_of(BYTES(DW_CFA_advance_loc | 2, DW_CFA_advance_loc1, 3));
	struct given given;

	fde.cie.code_align = 4;
	given = rows_of(&fde);
	ck_assert_uint_eq(given.len, 3);
	assert_extent(&given.rows[1], 0x1008, 0x1014);
}
END_TEST

START_TEST(set_loc_names_the_address_itself)
{
	struct given given = run(BYTES(DW_CFA_set_loc, 0x20, 0x10, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 16));

	ck_assert_uint_eq(given.len, 2);
	assert_extent(&given.rows[0], 0x1000, 0x1020);
	assert_cfa(&given.rows[1], REGISTER_RSP, 16);
}
END_TEST

/* The operand stands at 0x9001: 0x1020 - 0x9001 = -0x7fe1. */
START_TEST(set_loc_has_the_encoding_of_the_fdes_pointers)
{
	struct fde fde = fde_of(BYTES(DW_CFA_set_loc, 0x1f, 0x80, 0xff, 0xff));
	struct given given;

	fde.cie.fde_encoding = DW_EH_PE_pcrel | DW_EH_PE_sdata4;
	given = rows_of(&fde);
	ck_assert_uint_eq(given.len, 2);
	assert_extent(&given.rows[1], 0x1020, 0x1100);
}
END_TEST

START_TEST(set_loc_to_an_earlier_address_is_malformed)
{
	struct row row = last_row(BYTES(DW_CFA_advance_loc | 32, DW_CFA_set_loc, 0x10, 0x10, 0, 0, 0, 0, 0, 0));

	ck_assert_int_eq(row.fault, CFI_FAULT_MALFORMED);
}
END_TEST

START_TEST(an_advance_by_nothing_makes_no_row)
{
	struct given given = run(BYTES(DW_CFA_advance_loc, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc1, 0));

	ck_assert_uint_eq(given.len, 1);
	assert_cfa(&given.rows[0], REGISTER_RSP, 16);
}
END_TEST

START_TEST(an_advance_to_the_end_makes_no_empty_row)
{
	struct given given = run(BYTES(DW_CFA_advance_loc2, 0x00, 0x01));

	ck_assert_uint_eq(given.len, 1);
	assert_extent(&given.rows[0], 0x1000, 0x1100);
	ck_assert_int_eq(given.rows[0].fault, CFI_FAULT_NONE);
}
END_TEST

START_TEST(an_advance_beyond_the_end_is_malformed)
{
	struct given given = run(BYTES(DW_CFA_advance_loc | 4, DW_CFA_advance_loc1, 0xfd));

	ck_assert_uint_eq(given.len, 2);
	ck_assert_int_eq(given.rows[0].fault, CFI_FAULT_NONE);
	assert_extent(&given.rows[1], 0x1004, 0x1100);
	ck_assert_int_eq(given.rows[1].fault, CFI_FAULT_MALFORMED);
}
END_TEST

START_TEST(def_cfa_offsets_are_not_scaled_and_sf_ones_are)
{
	struct row row = last_row(BYTES(DW_CFA_def_cfa, REGISTER_RBP, 0x90, 0x01));

	assert_cfa(&row, REGISTER_RBP, 0x90);
	row = last_row(BYTES(DW_CFA_def_cfa_sf, REGISTER_RBP, 0x7e));	/* -2 * -8 */
	assert_cfa(&row, REGISTER_RBP, 16);
	row = last_row(BYTES(DW_CFA_def_cfa_offset, 24));
	assert_cfa(&row, REGISTER_RSP, 24);
	row = last_row(BYTES(DW_CFA_def_cfa_offset_sf, 0x7d));	/* -3 * -8 */
	assert_cfa(&row, REGISTER_RSP, 24);
}
END_TEST

START_TEST(def_cfa_register_keeps_the_offset_and_def_cfa_offset_the_register)
{
	struct row row = last_row(BYTES(DW_CFA_def_cfa_offset, 32, DW_CFA_def_cfa_register, REGISTER_R10));

	assert_cfa(&row, REGISTER_R10, 32);
	row = last_row(BYTES(DW_CFA_def_cfa_register, REGISTER_R10, DW_CFA_def_cfa_offset, 40));
	assert_cfa(&row, REGISTER_R10, 40);
}
END_TEST

START_TEST(def_cfa_expression_keeps_its_bytes)
{
	struct row row = last_row(BYTES(DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref));

	ck_assert_int_eq(row.cfa.kind, ROW_VAL_EXPRESSION);
	ck_assert_uint_eq(row.cfa.number, 3);
	ck_assert_mem_eq(row.cfa.expression, ((uint8_t[]){ DW_OP_breg6, 0x78, DW_OP_deref }), 3);
}
END_TEST

/* DWARF 5, 6.4.2.2: valid only if the current CFA rule is a register and an offset. */
START_TEST(def_cfa_offset_behind_an_expression_is_malformed)
{
	struct row row = last_row(BYTES(DW_CFA_def_cfa_expression, 1, DW_OP_lit1, DW_CFA_def_cfa_offset, 16));

	ck_assert_int_eq(row.fault, CFI_FAULT_MALFORMED);
	row = last_row(BYTES(DW_CFA_def_cfa_expression, 1, DW_OP_lit1, DW_CFA_def_cfa_offset_sf, 16));
	ck_assert_int_eq(row.fault, CFI_FAULT_MALFORMED);
}
END_TEST

START_TEST(def_cfa_register_behind_an_expression_is_malformed)
{
	struct row row = last_row(BYTES(DW_CFA_def_cfa_expression, 1, DW_OP_lit1, DW_CFA_def_cfa_register, 0xff, 0x7f));

	ck_assert_int_eq(row.fault, CFI_FAULT_MALFORMED);
}
END_TEST

START_TEST(offset_rules_are_scaled_by_the_data_alignment)
{
	struct row row = last_row(BYTES(DW_CFA_offset | REGISTER_RBX, 3, DW_CFA_offset_extended, REGISTER_R12, 4,
					DW_CFA_offset_extended_sf, REGISTER_R13, 0x7f,
					DW_CFA_GNU_negative_offset_extended, REGISTER_R14, 2));

	assert_rule(&row, REGISTER_RBX, ROW_OFFSET, -24);
	assert_rule(&row, REGISTER_R12, ROW_OFFSET, -32);
	assert_rule(&row, REGISTER_R13, ROW_OFFSET, 8);
	assert_rule(&row, REGISTER_R14, ROW_OFFSET, 16);
}
END_TEST

START_TEST(val_offset_rules_are_values_not_places)
{
	struct row row = last_row(BYTES(DW_CFA_val_offset, REGISTER_RSP, 2, DW_CFA_val_offset_sf, REGISTER_RBX, 0x7e));

	assert_rule(&row, REGISTER_RSP, ROW_VAL_OFFSET, -16);
	assert_rule(&row, REGISTER_RBX, ROW_VAL_OFFSET, 16);
}
END_TEST

/* glibc's __vfork keeps its return address in rdi. */
START_TEST(undefined_same_value_and_register_rules)
{
	struct row row = last_row(BYTES(DW_CFA_undefined, REGISTER_RBX, DW_CFA_same_value, REGISTER_RBP,
					DW_CFA_register, REGISTER_RIP, REGISTER_RDI));

	assert_rule(&row, REGISTER_RBX, ROW_UNDEFINED, 0);
	assert_rule(&row, REGISTER_RBP, ROW_SAME, 0);
	ck_assert_int_eq(row.registers[REGISTER_RIP].kind, ROW_REGISTER);
	ck_assert_uint_eq(row.registers[REGISTER_RIP].number, REGISTER_RDI);
}
END_TEST

START_TEST(expression_rules_keep_their_bytes)
{
	struct row row = last_row(BYTES(DW_CFA_expression, REGISTER_RBX, 2, DW_OP_breg6, 0x70, DW_CFA_val_expression,
					REGISTER_R12, 1, DW_OP_lit5));

	ck_assert_int_eq(row.registers[REGISTER_RBX].kind, ROW_EXPRESSION);
	ck_assert_uint_eq(row.registers[REGISTER_RBX].number, 2);
	ck_assert_mem_eq(row.registers[REGISTER_RBX].expression, ((uint8_t[]){ DW_OP_breg6, 0x70 }), 2);
	ck_assert_int_eq(row.registers[REGISTER_R12].kind, ROW_VAL_EXPRESSION);
	ck_assert_uint_eq(row.registers[REGISTER_R12].expression[0], DW_OP_lit5);
	ck_assert_int_eq(row.fault, CFI_FAULT_NONE);
}
END_TEST

START_TEST(restore_gives_back_the_rule_of_the_cie)
{
	struct row row =
		last_row(BYTES(DW_CFA_offset | REGISTER_RBX, 3, DW_CFA_offset | REGISTER_RIP, 5, DW_CFA_advance_loc | 1,
			       DW_CFA_restore | REGISTER_RBX, DW_CFA_restore_extended, REGISTER_RIP));

	assert_rule(&row, REGISTER_RBX, ROW_UNSPECIFIED, 0);
	assert_rule(&row, REGISTER_RIP, ROW_OFFSET, -8);
}
END_TEST

/* The epilogue in the middle of a function: pop %rbp; ret; and on with the frame as it was before, CFA and all. */
START_TEST(restore_state_gives_back_registers_and_cfa)
{
	struct row row = last_row(BYTES(DW_CFA_def_cfa, REGISTER_RBP, 16, DW_CFA_offset | REGISTER_RBP, 2,
					DW_CFA_remember_state, DW_CFA_advance_loc | 1, DW_CFA_def_cfa, REGISTER_RSP, 8,
					DW_CFA_restore | REGISTER_RBP, DW_CFA_advance_loc | 1, DW_CFA_restore_state));

	assert_extent(&row, 0x1002, 0x1100);
	assert_cfa(&row, REGISTER_RBP, 16);
	assert_rule(&row, REGISTER_RBP, ROW_OFFSET, -16);
}
END_TEST

START_TEST(remembered_states_nest)
{
	struct given given = run(BYTES(DW_CFA_remember_state, DW_CFA_def_cfa_offset, 16, DW_CFA_remember_state,
				       DW_CFA_def_cfa_offset, 24, DW_CFA_advance_loc | 1, DW_CFA_restore_state,
				       DW_CFA_advance_loc | 1, DW_CFA_restore_state));

	ck_assert_uint_eq(given.len, 3);
	assert_cfa(&given.rows[0], REGISTER_RSP, 24);
	assert_cfa(&given.rows[1], REGISTER_RSP, 16);
	assert_cfa(&given.rows[2], REGISTER_RSP, 8);
}
END_TEST

START_TEST(restore_state_without_a_remembered_one_is_malformed)
{
	struct row row = last_row(BYTES(DW_CFA_restore_state));

	ck_assert_int_eq(row.fault, CFI_FAULT_MALFORMED);
}
END_TEST

START_TEST(endless_remembering_is_malformed)
{
	uint8_t program[4096];
	struct row row;

	memset(program, DW_CFA_remember_state, sizeof(program));
	row = last_row(program, sizeof(program));
	ck_assert_int_eq(row.fault, CFI_FAULT_MALFORMED);
}
END_TEST

/* The operand 0x40 would be an advance if it were left. */
START_TEST(args_size_changes_nothing_but_takes_its_operand)
{
	struct given given = run(BYTES(DW_CFA_GNU_args_size, 0x41, DW_CFA_nop, DW_CFA_def_cfa_offset, 16));

	ck_assert_uint_eq(given.len, 1);
	assert_cfa(&given.rows[0], REGISTER_RSP, 16);
}
END_TEST

START_TEST(registers_that_are_not_kept_take_their_operands)
{
	struct row row = last_row(BYTES(DW_CFA_offset_extended, 33, 4, DW_CFA_offset | 17, 5, DW_CFA_undefined, 0xff,
					0x7f, DW_CFA_restore_extended, 40, DW_CFA_restore | 17, DW_CFA_expression, 20,
					1, DW_OP_lit1, DW_CFA_def_cfa_offset, 48));

	assert_cfa(&row, REGISTER_RSP, 48);
	for (unsigned int number = 0; number < REGISTER_RIP; number++)
		assert_rule(&row, number, ROW_UNSPECIFIED, 0);
}
END_TEST

START_TEST(an_unknown_opcode_is_named_and_spoils_only_what_follows)
{
	struct given given = run(BYTES(DW_CFA_advance_loc | 8, 0x26, DW_CFA_advance_loc | 8));

	ck_assert_uint_eq(given.len, 2);
	assert_cfa(&given.rows[0], REGISTER_RSP, 8);
	assert_extent(&given.rows[1], 0x1008, 0x1100);
	ck_assert_int_eq(given.rows[1].fault, CFI_FAULT_OPCODE);
	ck_assert_uint_eq(given.rows[1].opcode, 0x26);
}
END_TEST

START_TEST(an_operand_that_is_cut_off_is_malformed)
{
	struct row row = last_row(BYTES(DW_CFA_offset_extended, REGISTER_RBX));

	ck_assert_int_eq(row.fault, CFI_FAULT_MALFORMED);
	row = last_row(BYTES(DW_CFA_def_cfa_expression, 4, DW_OP_breg6, 0));
	ck_assert_int_eq(row.fault, CFI_FAULT_MALFORMED);
}
END_TEST

START_TEST(a_fault_in_the_cie_spoils_the_whole_function)
{
	struct fde fde = fde_of(BYTES(DW_CFA_advance_loc | 8));
	struct given given;

	fde.cie.program = bytes_of("\x3f", 1, "cie");
	given = rows_of(&fde);
	ck_assert_uint_eq(given.len, 1);
	assert_extent(&given.rows[0], 0x1000, 0x1100);
	ck_assert_int_eq(given.rows[0].fault, CFI_FAULT_OPCODE);
	ck_assert_uint_eq(given.rows[0].opcode, 0x3f);
}
END_TEST

START_TEST(rows_of_a_signal_frame_say_so)
{
	struct fde fde = fde_of(NO_BYTES);

	fde.cie.signal_frame = true;
	ck_assert(rows_of(&fde).rows[0].signal_frame);
	ck_assert(!run(NO_BYTES).rows[0].signal_frame);
}
END_TEST

static bool stop_at_once(void *context, const struct row *row)
{
	(void)row;
	++*(int *)context;
	return false;
}

START_TEST(the_taker_can_end_the_run)
{
	struct fde fde = fde_of(BYTES(DW_CFA_advance_loc | 1, DW_CFA_advance_loc | 1));
	int taken = 0;

	rows_of_fde(&fde, stop_at_once, &taken);
	ck_assert_int_eq(taken, 1);
}
END_TEST

Suite *suite_row(void)
{
	Suite *suite = suite_create("unwind/row");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, the_cies_instructions_hold_from_the_first_byte);
	tcase_add_test(tc, an_advance_ends_a_row_and_begins_the_next);
	tcase_add_test(tc, the_longer_advances_take_one_two_and_four_bytes);
	tcase_add_test(tc, advances_count_in_units_of_the_code_alignment);
	tcase_add_test(tc, set_loc_names_the_address_itself);
	tcase_add_test(tc, set_loc_has_the_encoding_of_the_fdes_pointers);
	tcase_add_test(tc, set_loc_to_an_earlier_address_is_malformed);
	tcase_add_test(tc, an_advance_by_nothing_makes_no_row);
	tcase_add_test(tc, an_advance_to_the_end_makes_no_empty_row);
	tcase_add_test(tc, an_advance_beyond_the_end_is_malformed);
	tcase_add_test(tc, def_cfa_offsets_are_not_scaled_and_sf_ones_are);
	tcase_add_test(tc, def_cfa_register_keeps_the_offset_and_def_cfa_offset_the_register);
	tcase_add_test(tc, def_cfa_expression_keeps_its_bytes);
	tcase_add_test(tc, def_cfa_offset_behind_an_expression_is_malformed);
	tcase_add_test(tc, def_cfa_register_behind_an_expression_is_malformed);
	tcase_add_test(tc, offset_rules_are_scaled_by_the_data_alignment);
	tcase_add_test(tc, val_offset_rules_are_values_not_places);
	tcase_add_test(tc, undefined_same_value_and_register_rules);
	tcase_add_test(tc, expression_rules_keep_their_bytes);
	tcase_add_test(tc, restore_gives_back_the_rule_of_the_cie);
	tcase_add_test(tc, restore_state_gives_back_registers_and_cfa);
	tcase_add_test(tc, remembered_states_nest);
	tcase_add_test(tc, restore_state_without_a_remembered_one_is_malformed);
	tcase_add_test(tc, endless_remembering_is_malformed);
	tcase_add_test(tc, args_size_changes_nothing_but_takes_its_operand);
	tcase_add_test(tc, registers_that_are_not_kept_take_their_operands);
	tcase_add_test(tc, an_unknown_opcode_is_named_and_spoils_only_what_follows);
	tcase_add_test(tc, an_operand_that_is_cut_off_is_malformed);
	tcase_add_test(tc, a_fault_in_the_cie_spoils_the_whole_function);
	tcase_add_test(tc, rows_of_a_signal_frame_say_so);
	tcase_add_test(tc, the_taker_can_end_the_run);
	suite_add_tcase(suite, tc);
	return suite;
}
