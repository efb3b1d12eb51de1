#include "unwind/status.h"

#include "tests/unit/suites.h"
#include "unwind/registers.h"

static const char *label(enum stack_status status, uint64_t detail, const char *dso)
{
	static char text[128];

	return stack_status_label(text, sizeof(text), status, detail, dso);
}

START_TEST(labels_say_why_a_stack_was_cut)
{
	ck_assert_str_eq(label(STACK_COPY_SHORT, 16384, NULL), "[cut: stack copy of 16 KiB]");
	ck_assert_str_eq(label(STACK_COPY_SHORT, 65528, NULL), "[cut: stack copy of 64 KiB]");
	ck_assert_str_eq(label(STACK_DEPTH_LIMIT, 127, NULL), "[cut: 127 frames]");
	ck_assert_str_eq(label(STACK_NO_CFI, 0, "libX.so"), "[no unwind info: libX.so]");
	ck_assert_str_eq(label(STACK_NO_REGISTER, REGISTER_RAX, NULL), "[register not recorded: rax]");
	ck_assert_str_eq(label(STACK_NO_REGISTER, REGISTER_RIP, NULL), "[register not recorded: rip]");
	ck_assert_str_eq(label(STACK_NO_REGISTER, 99, NULL), "[register not recorded: ?]");
	ck_assert_str_eq(label(STACK_SWITCH, 0, NULL), "[other stack: not captured]");
	ck_assert_str_eq(label(STACK_NO_MAP, 0, NULL), "[unmapped]");
}
END_TEST

START_TEST(bad_unwind_information_is_told_with_its_fault)
{
	ck_assert_str_eq(label(STACK_BAD_CFI, CFI_FAULT_OPCODE | 0x26 << 8, "libX.so"),
			 "[bad unwind info: libX.so: opcode 0x26]");
	ck_assert_str_eq(label(STACK_BAD_CFI, CFI_FAULT_CFA, "libX.so"), "[bad unwind info: libX.so: CFA not growing]");
	ck_assert_str_eq(label(STACK_BAD_CFI, CFI_FAULT_MALFORMED, "a.out"), "[bad unwind info: a.out: malformed]");
	ck_assert_str_eq(label(STACK_BAD_CFI, CFI_FAULT_MEMORY, "a.out"),
			 "[bad unwind info: a.out: needs other memory]");
}
END_TEST

START_TEST(a_label_never_exceeds_its_room)
{
	char text[16];

	memset(text, 'x', sizeof(text));
	stack_status_label(text, 8, STACK_NO_CFI, 0, "a-very-long-name.so");
	ck_assert_str_eq(text, "[no unw");
	ck_assert_int_eq(text[8], 'x');
}
END_TEST

START_TEST(every_status_has_a_key_of_its_own_and_a_meaning)
{
	for (int i = 0; i < STACK_STATUSES; i++) {
		ck_assert_ptr_nonnull(stack_statuses[i].key);
		ck_assert_ptr_nonnull(stack_statuses[i].meaning);
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(stack_statuses[i].key, stack_statuses[j].key);
	}
	ck_assert_str_eq(stack_statuses[STACK_COMPLETE].key, "complete");
	ck_assert_str_eq(stack_statuses[STACK_COPY_SHORT].key, "copy_short");
}
END_TEST

/* System V psABI, figure 3.36. */
START_TEST(registers_have_the_numbers_of_the_psabi)
{
	ck_assert_str_eq(register_name(0), "rax");
	ck_assert_str_eq(register_name(1), "rdx");
	ck_assert_str_eq(register_name(3), "rbx");
	ck_assert_str_eq(register_name(5), "rdi");
	ck_assert_str_eq(register_name(6), "rbp");
	ck_assert_str_eq(register_name(7), "rsp");
	ck_assert_str_eq(register_name(8), "r8");
	ck_assert_str_eq(register_name(15), "r15");
	ck_assert_str_eq(register_name(16), "rip");
}
END_TEST

Suite *suite_status(void)
{
	Suite *suite = suite_create("unwind/status");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, labels_say_why_a_stack_was_cut);
	tcase_add_test(tc, bad_unwind_information_is_told_with_its_fault);
	tcase_add_test(tc, a_label_never_exceeds_its_room);
	tcase_add_test(tc, every_status_has_a_key_of_its_own_and_a_meaning);
	tcase_add_test(tc, registers_have_the_numbers_of_the_psabi);
	suite_add_tcase(suite, tc);
	return suite;
}
