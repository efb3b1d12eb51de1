#include "profiler/user_registers.h"

#include "tests/unit/suites.h"

/* enum perf_event_x86_regs: AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8 … R15. */
START_TEST(the_kernels_order_becomes_the_numbers_of_dwarf)
{
	static const uint64_t words[] = {
		0xa, 0xb, 0xc, 0xd, 0x51, 0xd1, 0xb9, 0x59, 0x19, 8, 9, 10, 11, 12, 13, 14, 15,
	};
	struct words from = { (const uint8_t *)words, 17 };
	struct registers registers;

	ck_assert(user_registers(&registers, from, USER_REGISTERS_MASK));
	ck_assert_uint_eq(registers.value[REGISTER_RAX], 0xa);
	ck_assert_uint_eq(registers.value[REGISTER_RBX], 0xb);
	ck_assert_uint_eq(registers.value[REGISTER_RCX], 0xc);
	ck_assert_uint_eq(registers.value[REGISTER_RDX], 0xd);
	ck_assert_uint_eq(registers.value[REGISTER_RSI], 0x51);
	ck_assert_uint_eq(registers.value[REGISTER_RDI], 0xd1);
	ck_assert_uint_eq(registers.value[REGISTER_RBP], 0xb9);
	ck_assert_uint_eq(registers.value[REGISTER_RSP], 0x59);
	ck_assert_uint_eq(registers.value[REGISTER_RIP], 0x19);
	for (unsigned int i = 8; i < 16; i++)
		ck_assert_uint_eq(registers.value[REGISTER_R8 + i - 8], i);
	ck_assert_uint_eq(registers.known, (1u << REGISTERS) - 1);
}
END_TEST

START_TEST(registers_that_were_not_recorded_are_not_known)
{
	static const uint64_t words[] = { 0x59, 0x19 };
	struct words from = { (const uint8_t *)words, 2 };
	struct registers registers;

	ck_assert(user_registers(&registers, from, 1 << 7 | 1 << 8));
	ck_assert_uint_eq(registers.value[REGISTER_RSP], 0x59);
	ck_assert_uint_eq(registers.value[REGISTER_RIP], 0x19);
	ck_assert(!register_is_known(&registers, REGISTER_RBP));
}
END_TEST

START_TEST(registers_without_a_dwarf_number_take_their_place)
{
	static const uint64_t words[] = { 0x59, 0x19, 0xf1a9, 0x33, 8 };
	struct words from = { (const uint8_t *)words, 5 };
	struct registers registers;

	ck_assert(user_registers(&registers, from, 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 16));
	ck_assert_uint_eq(registers.value[REGISTER_R8], 8);
}
END_TEST

START_TEST(without_sp_or_ip_nothing_can_be_unwound)
{
	static const uint64_t words[] = { 1, 2 };
	struct words from = { (const uint8_t *)words, 2 };
	struct registers registers;

	ck_assert(!user_registers(&registers, from, 1 << 0 | 1 << 7));
	ck_assert(!user_registers(&registers, from, 1 << 0 | 1 << 8));
	ck_assert(!user_registers(&registers, (struct words){ 0 }, USER_REGISTERS_MASK));
}
END_TEST

Suite *suite_user_registers(void)
{
	Suite *suite = suite_create("profiler/user_registers");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, the_kernels_order_becomes_the_numbers_of_dwarf);
	tcase_add_test(tc, registers_that_were_not_recorded_are_not_known);
	tcase_add_test(tc, registers_without_a_dwarf_number_take_their_place);
	tcase_add_test(tc, without_sp_or_ip_nothing_can_be_unwound);
	suite_add_tcase(suite, tc);
	return suite;
}
