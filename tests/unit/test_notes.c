#include "base/notes.h"

#include <errno.h>

#include "base/error.h"
#include "tests/unit/suites.h"

START_TEST(the_same_sentence_is_kept_once)
{
	struct notes notes = { 0 };

	notes_add(&notes, "%s: changed", "/bin/a");
	notes_add(&notes, "%s: changed", "/bin/b");
	notes_add(&notes, "%s: changed", "/bin/a");
	ck_assert_uint_eq(notes.sentences.strings.len, 2);
	ck_assert_str_eq(strtab_string(&notes.sentences, 1), "/bin/b: changed");
	notes_fini(&notes);
}
END_TEST

START_TEST(what_is_too_much_is_counted)
{
	struct notes notes = { 0 };

	for (int i = 0; i < NOTES_MAX + 3; i++)
		notes_add(&notes, "note %d", i);
	ck_assert_uint_eq(notes.sentences.strings.len, NOTES_MAX);
	ck_assert_uint_eq(notes.dropped, 3);
	notes_fini(&notes);
}
END_TEST

START_TEST(a_full_list_does_not_count_what_it_already_has)
{
	struct notes notes = { 0 };

	for (int i = 0; i < NOTES_MAX; i++)
		notes_add(&notes, "note %d", i);
	notes_add(&notes, "note %d", 0);
	ck_assert_uint_eq(notes.dropped, 0);
	notes_fini(&notes);
}
END_TEST

START_TEST(nobody_need_listen)
{
	notes_add(NULL, "%d", 1);
}
END_TEST

START_TEST(context_comes_in_front_of_an_error)
{
	struct error err;

	ck_assert_int_eq(error_set(&err, ERROR_CORRUPT, "ends %d bytes early", 12), -1);
	ck_assert_int_eq(error_wrap(&err, ".eh_frame"), -1);
	ck_assert_int_eq(error_wrap(&err, "%s", "/lib/libfoo.so"), -1);
	ck_assert_str_eq(err.message, "/lib/libfoo.so: .eh_frame: ends 12 bytes early");
	ck_assert_int_eq(err.code, ERROR_CORRUPT);
}
END_TEST

START_TEST(a_system_error_tells_errno)
{
	struct error err;

	errno = ENOENT;
	ck_assert_int_eq(error_sys(&err, "%s", "/none"), -1);
	ck_assert_str_eq(err.message, "/none: No such file or directory");
	ck_assert_int_eq(err.sys, ENOENT);
	ck_assert_int_eq(error_set(NULL, ERROR_USAGE, "x"), -1);
	ck_assert_int_eq(error_sys(NULL, "x"), -1);
	ck_assert_int_eq(error_wrap(NULL, "x"), -1);
}
END_TEST

Suite *suite_notes(void)
{
	Suite *suite = suite_create("base/notes");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, the_same_sentence_is_kept_once);
	tcase_add_test(tc, what_is_too_much_is_counted);
	tcase_add_test(tc, a_full_list_does_not_count_what_it_already_has);
	tcase_add_test(tc, nobody_need_listen);
	tcase_add_test(tc, context_comes_in_front_of_an_error);
	tcase_add_test(tc, a_system_error_tells_errno);
	suite_add_tcase(suite, tc);
	return suite;
}
