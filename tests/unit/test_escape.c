#include "base/escape.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"

static void assert_text(const char *text, const char *expected)
{
	char out[256];

	ck_assert_str_eq(escape_text(out, sizeof(out), text), expected);
}

static void assert_json(const char *text, const char *expected)
{
	char *out = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&out, &size);

	escape_json(file, text);
	fclose(file);
	ck_assert_str_eq(out, expected);
	free(out);
}

START_TEST(plain_text_and_utf8_pass)
{
	assert_text("operator<<(std::ostream&)", "operator<<(std::ostream&)");
	assert_text("na\u00efve \u20ac \U0001f600", "na\u00efve \u20ac \U0001f600");
	assert_text("", "");
}
END_TEST

/* What a terminal would act on: ESC, BEL, DEL, and CSI of the C1 set in UTF-8. */
START_TEST(control_characters_are_spelled_out)
{
	assert_text("\033[31mred", "\\x1b[31mred");
	assert_text("a\nb\tc\a", "a\\x0ab\\x09c\\x07");
	assert_text("\x7f", "\\x7f");
	assert_text("\xc2\x9b" "31m", "\\xc2\\x9b31m");
	assert_text("\xc2\xa0", "\xc2\xa0");	/* the first character behind C1 */
}
END_TEST

/* RFC 3629: stray and missing continuation bytes, longer forms than need be, surrogates, beyond U+10FFFF. */
START_TEST(bytes_that_are_not_utf8_are_spelled_out)
{
	assert_text("\x9b", "\\x9b");
	assert_text("a\x80z", "a\\x80z");
	assert_text("\xe2\x82", "\\xe2\\x82");
	assert_text("\xe2\x82" "a", "\\xe2\\x82a");
	assert_text("\xc0\x9b", "\\xc0\\x9b");
	assert_text("\xc1\x81", "\\xc1\\x81");	/* an A in two bytes */
	assert_text("\xe0\x82\x9b", "\\xe0\\x82\\x9b");
	assert_text("\xed\xa0\x80", "\\xed\\xa0\\x80");
	assert_text("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	assert_text("\xff\xfe", "\\xff\\xfe");
}
END_TEST

START_TEST(what_does_not_fit_is_left_out_whole)
{
	char out[8];

	memset(out, 'z', sizeof(out));
	ck_assert_str_eq(escape_text(out, 5, "abcdef"), "abcd");
	ck_assert_int_eq(out[5], 'z');
	ck_assert_str_eq(escape_text(out, 5, "\033\033"), "\\x1b");
	ck_assert_str_eq(escape_text(out, 4, "\033"), "");
	ck_assert_str_eq(escape_text(out, 4, "a\u20ac"), "a");
	ck_assert_str_eq(escape_text(out, 5, "a\u20ac"), "a\u20ac");
	ck_assert_str_eq(escape_text(out, 1, "a"), "");
}
END_TEST

/* RFC 8259, section 7. */
START_TEST(json_strings_escape_quotes_backslashes_and_controls)
{
	assert_json("plain", "\"plain\"");
	assert_json("a\"b\\c", "\"a\\\"b\\\\c\"");
	assert_json("\033\n", "\"\\u001b\\u000a\"");
	assert_json("\x7f\xc2\x9b", "\"\\u007f\\u009b\"");
	assert_json("\u20ac", "\"\u20ac\"");
}
END_TEST

START_TEST(json_strings_are_always_utf8)
{
	assert_json("a\xff" "b", "\"a\\ufffdb\"");
	assert_json("\xe2\x82", "\"\\ufffd\\ufffd\"");
}
END_TEST

Suite *suite_escape(void)
{
	Suite *suite = suite_create("base/escape");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, plain_text_and_utf8_pass);
	tcase_add_test(tc, control_characters_are_spelled_out);
	tcase_add_test(tc, bytes_that_are_not_utf8_are_spelled_out);
	tcase_add_test(tc, what_does_not_fit_is_left_out_whole);
	tcase_add_test(tc, json_strings_escape_quotes_backslashes_and_controls);
	tcase_add_test(tc, json_strings_are_always_utf8);
	suite_add_tcase(suite, tc);
	return suite;
}
