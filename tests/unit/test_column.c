#include "analysis/column.h"

#include "tests/unit/suites.h"

static void assert_keys(const char *text, const char *expected)
{
	struct columns columns;
	char joined[128] = "";
	struct error err;

	ck_assert_msg(!columns_parse(&columns, text, &err), "%s", text);
	for (size_t i = 0; i < columns.len; i++)
		strcat(strcat(joined, i ? "," : ""), columns.items[i]->key);
	ck_assert_str_eq(joined, expected);
}

static void assert_refused(const char *text, const char *why)
{
	struct columns columns;
	struct error err = { 0 };

	ck_assert_msg(columns_parse(&columns, text, &err) == -1, "%s", text);
	ck_assert_int_eq(err.code, ERROR_USAGE);
	ck_assert_msg(strstr(err.message, why), "%s", err.message);
}

START_TEST(keys_are_kept_in_the_order_given)
{
	assert_keys("sym", "sym");
	assert_keys("comm,dso,sym", "comm,dso,sym");
	assert_keys("sym,dso,comm,pid,tid,srcline,cpu", "sym,dso,comm,pid,tid,srcline,cpu");
}
END_TEST

/* As perf takes them: `-s c,d,s`. */
START_TEST(keys_may_be_abbreviated)
{
	assert_keys("c,d,s", "comm,dso,sym");
	assert_keys("p,t,src,cp", "pid,tid,srcline,cpu");
	assert_keys("symbol", "sym");
}
END_TEST

START_TEST(unknown_empty_and_repeated_keys_are_refused)
{
	assert_refused("nonsense", "unknown sort key 'nonsense'");
	assert_refused("syms", "unknown sort key 'syms'");
	assert_refused("", "unknown sort key ''");
	assert_refused("comm,,sym", "unknown sort key ''");
	assert_refused("comm,", "unknown sort key ''");
	assert_refused("comm,dso,comm", "'comm' given twice");
	assert_refused("s,symbol", "'sym' given twice");
}
END_TEST

START_TEST(columns_know_what_is_among_them)
{
	struct columns columns;
	struct error err;

	ck_assert_int_eq(columns_parse(&columns, "comm,sym", &err), 0);
	ck_assert(columns_have(&columns, "sym"));
	ck_assert(!columns_have(&columns, "dso"));
}
END_TEST

Suite *suite_column(void)
{
	Suite *suite = suite_create("analysis/column");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, keys_are_kept_in_the_order_given);
	tcase_add_test(tc, keys_may_be_abbreviated);
	tcase_add_test(tc, unknown_empty_and_repeated_keys_are_refused);
	tcase_add_test(tc, columns_know_what_is_among_them);
	suite_add_tcase(suite, tc);
	return suite;
}
