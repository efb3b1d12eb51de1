#include "ui/text.h"

#include <string.h>

#include "tests/unit/suites.h"

static void assert_name(const char *name, size_t width, const char *expected)
{
	char text[TEXT_NAME_MAX];

	ck_assert_str_eq(text_name(text, name, width), expected);
}

START_TEST(a_name_that_fits_stays)
{
	assert_name("main", 10, "main");
	assert_name("main", 4, "main");
	assert_name("", 4, "");
}
END_TEST

START_TEST(a_longer_name_ends_with_dots_at_the_width)
{
	assert_name("std::vector<int>", 8, "std::...");
	assert_name("abcd", 3, "...");
}
END_TEST

/* Each of these characters has two or three bytes and takes one column. */
START_TEST(names_are_cut_between_characters)
{
	assert_name("\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac", 5, "\u20ac\u20ac...");
	assert_name("\u00e9\u00e9\u00e9\u00e9", 4, "\u00e9\u00e9\u00e9\u00e9");
	assert_name("a\u00e9b\u20acc\u00e9d", 6, "a\u00e9b...");
}
END_TEST

START_TEST(names_are_escaped_before_they_are_measured)
{
	assert_name("\033[2J", 7, "\\x1b[2J");
	assert_name("\033[2Jabc", 7, "\\x1b...");
}
END_TEST

START_TEST(a_name_of_any_length_fits)
{
	static char name[10000];
	char text[TEXT_NAME_MAX];

	memset(name, 'x', sizeof(name) - 1);
	ck_assert_uint_lt(strlen(text_name(text, name, 200)), TEXT_NAME_MAX);
	ck_assert_uint_eq(text_width(text), 200);
	for (size_t i = 0; i + 3 < sizeof(name); i += 3)
		memcpy(name + i, "\u20ac", 3);
	ck_assert_uint_lt(strlen(text_name(text, name, 60)), TEXT_NAME_MAX);
	ck_assert_uint_eq(text_width(text), 60);
}
END_TEST

START_TEST(a_character_is_one_column_wide)
{
	ck_assert_uint_eq(text_width(""), 0);
	ck_assert_uint_eq(text_width("abc"), 3);
	ck_assert_uint_eq(text_width("a\u20ac\U0001f600"), 3);
}
END_TEST

START_TEST(weights_have_their_unit)
{
	char text[32];

	ck_assert_str_eq(text_weight(text, 2043000000, true), "2.043 s");
	ck_assert_str_eq(text_weight(text, 2043, false), "2043");
	ck_assert_str_eq(text_weight(text, UINT64_MAX, false), "18446744073709551615");
}
END_TEST

Suite *suite_text(void)
{
	Suite *suite = suite_create("ui/text");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_name_that_fits_stays);
	tcase_add_test(tc, a_longer_name_ends_with_dots_at_the_width);
	tcase_add_test(tc, names_are_cut_between_characters);
	tcase_add_test(tc, names_are_escaped_before_they_are_measured);
	tcase_add_test(tc, a_name_of_any_length_fits);
	tcase_add_test(tc, a_character_is_one_column_wide);
	tcase_add_test(tc, weights_have_their_unit);
	suite_add_tcase(suite, tc);
	return suite;
}
