#include "unwind/table.h"

#include <dwarf.h>

#include "tests/unit/build_cfi.h"
#include "tests/unit/suites.h"

/* A table over the .eh_frame of an image whose code is [0x1000, 0x10000). Takes the section. */
struct fixture {
	struct build section;
	struct object object;
	struct unwind_table table;
};

static void fixture_load(struct fixture *fixture, uint64_t entry)
{
	struct build_elf elf = { .entry = entry };

	cfi_into_elf(&elf, &fixture->section);
	elf_open(&elf, &fixture->object);
	unwind_table_init(&fixture->table, &fixture->object, &fixture->object);
}

static void fixture_free(struct fixture *fixture)
{
	unwind_table_fini(&fixture->table);
	object_close(&fixture->object);
}

static enum unwind_rule_kind kind_at(const struct fixture *fixture, uint64_t address)
{
	return unwind_table_rule(&fixture->table, address).kind;
}

static int32_t offset_at(const struct fixture *fixture, uint64_t address)
{
	return unwind_table_rule(&fixture->table, address).offset;
}

/* The rule of a function whose FDE has this program, under a plain CIE. */
static struct unwind_rule packed(const uint8_t *program, size_t size)
{
	struct fixture fixture = { 0 };
	struct unwind_rule rule;

	cfi_fde(&fixture.section, cfi_plain_cie(&fixture.section), 0x2000, 0x10, program, size);
	fixture_load(&fixture, 0);
	rule = unwind_table_rule(&fixture.table, 0x2000);
	fixture_free(&fixture);
	return rule;
}

static void assert_rule(struct unwind_rule rule, enum unwind_rule_kind kind, int32_t offset, int16_t bp, uint8_t detail)
{
	ck_assert_int_eq(rule.kind, kind);
	ck_assert_int_eq(rule.offset, offset);
	ck_assert_int_eq(rule.bp, bp);
	ck_assert_uint_eq(rule.detail, detail);
}

START_TEST(a_cfa_over_rsp_is_packed_with_the_place_of_rbp)
{
	struct unwind_rule rule = packed(BYTES(DW_CFA_def_cfa_offset, 48, DW_CFA_offset | REGISTER_RBP, 2));

	ck_assert_int_eq(rule.kind, RULE_SP);
	ck_assert_int_eq(rule.offset, 48);
	ck_assert_int_eq(rule.bp, -2);
}
END_TEST

START_TEST(a_cfa_over_rbp_is_packed)
{
	struct unwind_rule rule = packed(BYTES(DW_CFA_def_cfa, REGISTER_RBP, 16, DW_CFA_offset | REGISTER_RBP, 2));

	ck_assert_int_eq(rule.kind, RULE_BP);
	ck_assert_int_eq(rule.offset, 16);
	ck_assert_int_eq(rule.bp, -2);
}
END_TEST

START_TEST(a_cfa_over_another_register_is_packed_as_live)
{
	assert_rule(packed(BYTES(DW_CFA_def_cfa, REGISTER_R10, 0)), RULE_LIVE, 0, 0, REGISTER_R10);
	assert_rule(packed(BYTES(DW_CFA_def_cfa, REGISTER_RAX, 8)), RULE_LIVE, 8, 0, REGISTER_RAX);
}
END_TEST

/* gcc's realigned frame: lea 8(%rsp),%r10; and $-32,%rsp; push -8(%r10); push %rbp; mov %rsp,%rbp; push %r10. */
START_TEST(a_realigned_frame_is_packed_as_deref)
{
	assert_rule(packed(BYTES(DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref, DW_CFA_expression,
				 REGISTER_RBP, 2, DW_OP_breg6, 0)),
		    RULE_DEREF_BP, -8, 0, 1);
}
END_TEST

/* The lazy PLT of binutils: cfa = rsp + 8 + ((rip & 15) >= 11) << 3. */
START_TEST(a_plt_entry_is_packed_with_its_limit)
{
	assert_rule(packed(BYTES(DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
				 DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus)),
		    RULE_PLT, 8, 0, 11);
}
END_TEST

START_TEST(an_undefined_return_address_is_a_root)
{
	ck_assert_int_eq(packed(BYTES(DW_CFA_undefined, REGISTER_RIP)).kind, RULE_ROOT);
}
END_TEST

START_TEST(what_does_not_fit_the_packed_form_is_general)
{
	/* The return address elsewhere than at cfa - 8. */
	ck_assert_int_eq(packed(BYTES(DW_CFA_offset | REGISTER_RIP, 2)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_register, REGISTER_RIP, REGISTER_RDI)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_same_value, REGISTER_RIP)).kind, RULE_GENERAL);
	/* rsp not the CFA. */
	ck_assert_int_eq(packed(BYTES(DW_CFA_val_offset, REGISTER_RSP, 1)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_offset | REGISTER_RSP, 3)).kind, RULE_GENERAL);
	/* rbp in a register, undefined, by an expression, or at the CFA itself, which the packed form cannot say. */
	ck_assert_int_eq(packed(BYTES(DW_CFA_register, REGISTER_RBP, REGISTER_RBX)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_undefined, REGISTER_RBP)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_expression, REGISTER_RBP, 2, DW_OP_breg6, 0)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_offset | REGISTER_RBP, 0)).kind, RULE_GENERAL);
	/* Expressions of other forms. */
	ck_assert_int_eq(packed(BYTES(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_def_cfa_expression, 4, DW_OP_breg6, 0x78, DW_OP_deref, DW_OP_nop)).kind,
			 RULE_GENERAL);
}
END_TEST

/* offset 2^31 of 32 bits; rbp at 8 * -2^15 - 8 of 16 bits. */
START_TEST(an_offset_too_large_for_the_packed_form_is_general)
{
	ck_assert_int_eq(packed(BYTES(DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x80, 0x08)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 0x07)).kind, RULE_SP);
	ck_assert_int_eq(packed(BYTES(DW_CFA_offset | REGISTER_RBP, 0x81, 0x80, 0x02)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_offset | REGISTER_RBP, 0x80, 0x80, 0x02)).bp, -32768);
}
END_TEST

START_TEST(a_row_that_cannot_be_known_is_general_even_where_it_looks_like_a_root)
{
	ck_assert_int_eq(packed(BYTES(0x26)).kind, RULE_GENERAL);
	ck_assert_int_eq(packed(BYTES(DW_CFA_undefined, REGISTER_RIP, 0x26)).kind, RULE_GENERAL);
}
END_TEST

START_TEST(a_signal_frame_is_general)
{
	struct fixture fixture = { 0 };
	size_t cie = cfi_cie(&fixture.section, "zS", NO_BYTES, BYTES(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));

	cfi_fde(&fixture.section, cie, 0x2000, 0x10, NO_BYTES);
	fixture_load(&fixture, 0);
	ck_assert_int_eq(kind_at(&fixture, 0x2000), RULE_GENERAL);
	fixture_free(&fixture);
}
END_TEST

START_TEST(outside_of_all_fdes_there_is_no_rule)
{
	struct fixture fixture = { 0 };
	size_t cie = cfi_plain_cie(&fixture.section);

	cfi_fde(&fixture.section, cie, 0x2000, 0x10, NO_BYTES);
	cfi_fde(&fixture.section, cie, 0x2020, 0x10, NO_BYTES);
	fixture_load(&fixture, 0);
	ck_assert_int_eq(kind_at(&fixture, 0), RULE_NONE);
	ck_assert_int_eq(kind_at(&fixture, 0x1000), RULE_NONE);
	ck_assert_int_eq(kind_at(&fixture, 0x1fff), RULE_NONE);
	ck_assert_int_eq(kind_at(&fixture, 0x2000), RULE_SP);
	ck_assert_int_eq(kind_at(&fixture, 0x200f), RULE_SP);
	ck_assert_int_eq(kind_at(&fixture, 0x2010), RULE_NONE);
	ck_assert_int_eq(kind_at(&fixture, 0x201f), RULE_NONE);
	ck_assert_int_eq(kind_at(&fixture, 0x2020), RULE_SP);
	ck_assert_int_eq(kind_at(&fixture, 0x2030), RULE_NONE);
	ck_assert_int_eq(kind_at(&fixture, UINT64_MAX), RULE_NONE);
	fixture_free(&fixture);
}
END_TEST

/* Functions of 16 bytes with rows at +1 and +4: cfa = rsp + 8, then 16, then 8 * (number + 3). */
enum { MANY = 37 };

START_TEST(every_boundary_is_found)
{
	struct fixture fixture = { 0 };
	size_t cie = cfi_plain_cie(&fixture.section);

	for (unsigned int i = 0; i < MANY; i++)
		cfi_fde(&fixture.section, cie, 0x2000 + 16 * i, 16,
			BYTES(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc | 3,
			      DW_CFA_def_cfa_offset_sf, (uint8_t)(0x80 - (i + 3)) & 0x7f));
	fixture_load(&fixture, 0);
	for (unsigned int i = 0; i < MANY; i++) {
		uint64_t start = 0x2000 + 16 * i;

		ck_assert_int_eq(offset_at(&fixture, start), 8);
		ck_assert_int_eq(offset_at(&fixture, start + 1), 16);
		ck_assert_int_eq(offset_at(&fixture, start + 3), 16);
		ck_assert_int_eq(offset_at(&fixture, start + 4), 8 * ((int32_t)i + 3));
		ck_assert_int_eq(offset_at(&fixture, start + 15), 8 * ((int32_t)i + 3));
	}
	ck_assert_int_eq(kind_at(&fixture, 0x2000 + 16 * MANY), RULE_NONE);
	fixture_free(&fixture);
}
END_TEST

START_TEST(fdes_need_not_be_sorted)
{
	struct fixture fixture = { 0 };
	size_t cie = cfi_plain_cie(&fixture.section);

	cfi_fde(&fixture.section, cie, 0x3000, 0x10, BYTES(DW_CFA_def_cfa_offset, 24));
	cfi_fde(&fixture.section, cie, 0x2000, 0x10, BYTES(DW_CFA_def_cfa_offset, 16));
	cfi_fde(&fixture.section, cie, 0x2800, 0x10, BYTES(DW_CFA_def_cfa_offset, 32));
	fixture_load(&fixture, 0);
	ck_assert_int_eq(offset_at(&fixture, 0x2000), 16);
	ck_assert_int_eq(offset_at(&fixture, 0x2800), 32);
	ck_assert_int_eq(offset_at(&fixture, 0x300f), 24);
	ck_assert_int_eq(kind_at(&fixture, 0x2010), RULE_NONE);
	fixture_free(&fixture);
}
END_TEST

START_TEST(of_fdes_that_overlap_the_one_that_begins_first_keeps_its_addresses)
{
	struct fixture fixture = { 0 };
	size_t cie = cfi_plain_cie(&fixture.section);

	cfi_fde(&fixture.section, cie, 0x2000, 0x20, BYTES(DW_CFA_def_cfa_offset, 16));
	cfi_fde(&fixture.section, cie, 0x2010, 0x20, BYTES(DW_CFA_def_cfa_offset, 24));
	cfi_fde(&fixture.section, cie, 0x2004, 0x04, BYTES(DW_CFA_def_cfa_offset, 32));
	fixture_load(&fixture, 0);
	ck_assert_int_eq(offset_at(&fixture, 0x2000), 16);
	ck_assert_int_eq(offset_at(&fixture, 0x2004), 16);
	ck_assert_int_eq(offset_at(&fixture, 0x201f), 16);
	ck_assert_int_eq(offset_at(&fixture, 0x2020), 24);
	ck_assert_int_eq(offset_at(&fixture, 0x202f), 24);
	ck_assert_int_eq(kind_at(&fixture, 0x2030), RULE_NONE);
	fixture_free(&fixture);
}
END_TEST

START_TEST(the_full_row_is_that_of_the_packed_rule_where_fdes_overlap)
{
	struct fixture fixture = { 0 };
	size_t cie = cfi_plain_cie(&fixture.section);
	struct row row;

	cfi_fde(&fixture.section, cie, 0x2000, 0x20, BYTES(DW_CFA_def_cfa_offset, 16));
	cfi_fde(&fixture.section, cie, 0x2004, 0x04, BYTES(DW_CFA_def_cfa_offset, 32));
	fixture_load(&fixture, 0);
	ck_assert(unwind_table_row(&fixture.table, 0x2005, &row));
	ck_assert_int_eq(row.cfa.offset, 16);
	ck_assert(unwind_table_row(&fixture.table, 0x2010, &row));
	ck_assert_int_eq(row.cfa.offset, 16);
	fixture_free(&fixture);
}
END_TEST

/* A linker that drops a function may leave its FDE, at address 0 or empty. */
START_TEST(fdes_of_dropped_functions_are_passed_over)
{
	struct fixture fixture = { 0 };
	size_t cie = cfi_plain_cie(&fixture.section);

	cfi_fde(&fixture.section, cie, 0, 0x3000, BYTES(DW_CFA_def_cfa_offset, 24));
	cfi_fde(&fixture.section, cie, 0x2000, 0, BYTES(DW_CFA_def_cfa_offset, 24));
	cfi_fde(&fixture.section, cie, 0x2000, 0x10, BYTES(DW_CFA_def_cfa_offset, 16));
	fixture_load(&fixture, 0);
	ck_assert_int_eq(offset_at(&fixture, 0x2000), 16);
	ck_assert_int_eq(kind_at(&fixture, 0x2100), RULE_NONE);
	fixture_free(&fixture);
}
END_TEST

START_TEST(malformed_entries_are_counted_and_do_not_hide_the_others)
{
	struct fixture fixture = { 0 };
	size_t cie = cfi_plain_cie(&fixture.section);
	size_t bad = cfi_fde(&fixture.section, cie, 0x2000, 0x10, NO_BYTES);

	cfi_fde(&fixture.section, cie, 0x2010, 0x10, NO_BYTES);
	build_put(&fixture.section, bad + 4, "\xff\xff\xff\x7f", 4);	/* a CIE before the section */
	fixture_load(&fixture, 0);
	ck_assert_uint_eq(fixture.table.malformed, 1);
	ck_assert_int_eq(kind_at(&fixture, 0x2000), RULE_NONE);
	ck_assert_int_eq(kind_at(&fixture, 0x2010), RULE_SP);
	fixture_free(&fixture);
}
END_TEST

/* ld.so's _start has no call-frame information; nobody called it. */
START_TEST(the_entry_point_without_an_fde_is_a_root)
{
	struct fixture fixture = { 0 };

	cfi_fde(&fixture.section, cfi_plain_cie(&fixture.section), 0x2000, 0x10, NO_BYTES);
	fixture_load(&fixture, 0x3000);
	ck_assert_int_eq(kind_at(&fixture, 0x2fff), RULE_NONE);
	ck_assert_int_eq(kind_at(&fixture, 0x3000), RULE_ROOT);
	ck_assert_int_eq(kind_at(&fixture, 0x3040), RULE_ROOT);
	ck_assert_int_eq(kind_at(&fixture, 0x4000), RULE_NONE);
	fixture_free(&fixture);
}
END_TEST

START_TEST(the_entry_points_root_ends_where_the_next_fde_begins)
{
	struct fixture fixture = { 0 };

	cfi_fde(&fixture.section, cfi_plain_cie(&fixture.section), 0x2010, 0x10, NO_BYTES);
	fixture_load(&fixture, 0x2000);
	ck_assert_int_eq(kind_at(&fixture, 0x200f), RULE_ROOT);
	ck_assert_int_eq(kind_at(&fixture, 0x2010), RULE_SP);
	ck_assert_int_eq(kind_at(&fixture, 0x2020), RULE_NONE);
	fixture_free(&fixture);
}
END_TEST

START_TEST(the_entry_point_with_an_fde_is_what_that_says)
{
	struct fixture fixture = { 0 };

	cfi_fde(&fixture.section, cfi_plain_cie(&fixture.section), 0x2000, 0x10, NO_BYTES);
	fixture_load(&fixture, 0x2000);
	ck_assert_int_eq(kind_at(&fixture, 0x2000), RULE_SP);
	fixture_free(&fixture);
}
END_TEST

/* A program of one assembly file: _start is the first byte of its code segment. */
START_TEST(the_entry_point_may_be_the_first_byte_of_the_code)
{
	struct fixture fixture = { 0 };

	cfi_fde(&fixture.section, cfi_plain_cie(&fixture.section), 0x2000, 0x10, NO_BYTES);
	fixture_load(&fixture, 0x1000);
	ck_assert_int_eq(kind_at(&fixture, 0x1000), RULE_ROOT);
	fixture_free(&fixture);
}
END_TEST

START_TEST(a_file_without_call_frame_information_has_an_empty_table)
{
	struct build_elf elf = { 0 };
	struct fixture fixture = { 0 };
	struct row row;

	elf_segment(&elf, PT_LOAD, PF_R | PF_X, 0, 0x1000, 0x1000);
	elf_open(&elf, &fixture.object);
	unwind_table_init(&fixture.table, &fixture.object, &fixture.object);
	ck_assert_int_eq(kind_at(&fixture, 0x1000), RULE_NONE);
	ck_assert(!unwind_table_row(&fixture.table, 0x1000, &row));
	fixture_free(&fixture);
}
END_TEST

START_TEST(another_machines_registers_are_not_taken_for_ours)
{
	struct build_elf elf = { .machine = EM_AARCH64 };
	struct fixture fixture = { 0 };

	cfi_fde(&fixture.section, cfi_plain_cie(&fixture.section), 0x2000, 0x10, NO_BYTES);
	cfi_into_elf(&elf, &fixture.section);
	elf_open(&elf, &fixture.object);
	unwind_table_init(&fixture.table, &fixture.object, &fixture.object);
	ck_assert_int_eq(kind_at(&fixture, 0x2000), RULE_NONE);
	fixture_free(&fixture);
}
END_TEST

START_TEST(the_full_row_is_found_at_its_first_and_last_byte)
{
	struct fixture fixture = { 0 };
	struct row row;

	cfi_fde(&fixture.section, cfi_plain_cie(&fixture.section), 0x2000, 0x10,
		BYTES(DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16));
	fixture_load(&fixture, 0);
	ck_assert(!unwind_table_row(&fixture.table, 0x1fff, &row));
	ck_assert(unwind_table_row(&fixture.table, 0x2003, &row));
	ck_assert_int_eq(row.cfa.offset, 8);
	ck_assert(unwind_table_row(&fixture.table, 0x2004, &row));
	ck_assert_int_eq(row.cfa.offset, 16);
	ck_assert(unwind_table_row(&fixture.table, 0x200f, &row));
	ck_assert(!unwind_table_row(&fixture.table, 0x2010, &row));
	fixture_free(&fixture);
}
END_TEST

Suite *suite_table(void)
{
	Suite *suite = suite_create("unwind/table");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_cfa_over_rsp_is_packed_with_the_place_of_rbp);
	tcase_add_test(tc, a_cfa_over_rbp_is_packed);
	tcase_add_test(tc, a_cfa_over_another_register_is_packed_as_live);
	tcase_add_test(tc, a_realigned_frame_is_packed_as_deref);
	tcase_add_test(tc, a_plt_entry_is_packed_with_its_limit);
	tcase_add_test(tc, an_undefined_return_address_is_a_root);
	tcase_add_test(tc, what_does_not_fit_the_packed_form_is_general);
	tcase_add_test(tc, an_offset_too_large_for_the_packed_form_is_general);
	tcase_add_test(tc, a_row_that_cannot_be_known_is_general_even_where_it_looks_like_a_root);
	tcase_add_test(tc, a_signal_frame_is_general);
	tcase_add_test(tc, outside_of_all_fdes_there_is_no_rule);
	tcase_add_test(tc, every_boundary_is_found);
	tcase_add_test(tc, fdes_need_not_be_sorted);
	tcase_add_test(tc, of_fdes_that_overlap_the_one_that_begins_first_keeps_its_addresses);
	tcase_add_test(tc, the_full_row_is_that_of_the_packed_rule_where_fdes_overlap);
	tcase_add_test(tc, fdes_of_dropped_functions_are_passed_over);
	tcase_add_test(tc, malformed_entries_are_counted_and_do_not_hide_the_others);
	tcase_add_test(tc, the_entry_point_without_an_fde_is_a_root);
	tcase_add_test(tc, the_entry_points_root_ends_where_the_next_fde_begins);
	tcase_add_test(tc, the_entry_point_with_an_fde_is_what_that_says);
	tcase_add_test(tc, the_entry_point_may_be_the_first_byte_of_the_code);
	tcase_add_test(tc, a_file_without_call_frame_information_has_an_empty_table);
	tcase_add_test(tc, another_machines_registers_are_not_taken_for_ours);
	tcase_add_test(tc, the_full_row_is_found_at_its_first_and_last_byte);
	suite_add_tcase(suite, tc);
	return suite;
}
