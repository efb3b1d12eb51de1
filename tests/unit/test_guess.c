#include "tests/unit/suites.h"
#include "unwind/guess.h"

/* Intel SDM, volume 2: E8 rel32, and FF /2 with every form of its operand. Seven bytes, of which the call is the end. */
START_TEST(every_form_of_call_is_one)
{
	static const uint8_t calls[][7] = {
		{ 0x90, 0x90, 0xe8, 1, 2, 3, 4 },	      /* call rel32 */
		{ 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0 }, /* call *%rax */
		{ 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x13 }, /* call *(%rbx) */
		{ 0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 8 },    /* call *8(%rax) */
		{ 0x90, 0x90, 0x90, 0x90, 0xff, 0x14, 0xc8 }, /* call *(%rax,%rcx,8) */
		{ 0x90, 0x90, 0x90, 0xff, 0x54, 0x24, 8 },    /* call *8(%rsp) */
		{ 0x90, 0xff, 0x15, 1, 2, 3, 4 },	      /* call *disp(%rip) */
		{ 0x90, 0xff, 0x90, 1, 2, 3, 4 },	      /* call *disp32(%rax) */
		{ 0xff, 0x94, 0xc8, 1, 2, 3, 4 },	      /* call *disp32(%rax,%rcx,8) */
		{ 0xff, 0x14, 0xc5, 1, 2, 3, 4 },	      /* call *disp32(,%rax,8) */
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		ck_assert_msg(guess_is_call(calls[i]), "form %zu", i);
}
END_TEST

START_TEST(what_is_no_call_is_none)
{
	static const uint8_t others[][7] = {
		{ 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 },
		{ 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0 }, /* jmp *%rax: /4 */
		{ 0x90, 0x90, 0xe9, 1, 2, 3, 4 },	      /* jmp rel32 */
		{ 0x90, 0xe8, 1, 2, 3, 4, 0x90 },	      /* a call, and something behind it */
		{ 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50 }, /* call *disp8(%rax), whose displacement is behind the end */
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert_msg(!guess_is_call(others[i]), "form %zu", i);
}
END_TEST

Suite *suite_guess(void)
{
	Suite *suite = suite_create("unwind/guess");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, every_form_of_call_is_one);
	tcase_add_test(tc, what_is_no_call_is_none);
	suite_add_tcase(suite, tc);
	return suite;
}
