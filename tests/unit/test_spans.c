#include "symbolize/spans.h"

#include "tests/unit/suites.h"

static void add(struct symbols *symbols, uint64_t start, uint64_t end, const char *name, uint8_t rank)
{
	vec_push(&symbols->items, (struct symbol){ .start = start, .end = end, .name = name, .rank = rank });
}

static void build(struct symbols *symbols)
{
	spans_sort(symbols);
	spans_build(symbols);
}

/* The names at 0, 1, 2, …, a letter each; '-' in a gap. */
static void assert_names(const struct symbols *symbols, const char *expected)
{
	char names[64] = { 0 };

	for (size_t at = 0; expected[at]; at++) {
		const struct symbol *symbol = symbols_find(symbols, at);

		names[at] = symbol ? symbol->name[0] : '-';
	}
	ck_assert_str_eq(names, expected);
}

START_TEST(a_symbol_covers_its_bytes_and_no_others)
{
	struct symbols symbols = { 0 };

	add(&symbols, 6, 8, "b", 0);
	add(&symbols, 1, 4, "a", 0);
	build(&symbols);
	assert_names(&symbols, "-aaa--bb--");
	ck_assert_ptr_null(symbols_find(&symbols, UINT64_MAX));
	symbols_fini(&symbols);
}
END_TEST

START_TEST(neighbours_meet_without_a_gap)
{
	struct symbols symbols = { 0 };

	add(&symbols, 0, 3, "a", 0);
	add(&symbols, 3, 5, "b", 0);
	build(&symbols);
	assert_names(&symbols, "aaabb-");
	symbols_fini(&symbols);
}
END_TEST

START_TEST(the_innermost_of_nested_symbols_owns_its_addresses)
{
	struct symbols symbols = { 0 };

	add(&symbols, 0, 12, "a", 0);
	add(&symbols, 2, 9, "b", 0);
	add(&symbols, 3, 5, "c", 0);
	add(&symbols, 5, 6, "d", 0);
	build(&symbols);
	assert_names(&symbols, "aabccdbbbaaa-");
	symbols_fini(&symbols);
}
END_TEST

START_TEST(nested_symbols_may_end_together)
{
	struct symbols symbols = { 0 };

	add(&symbols, 0, 6, "a", 0);
	add(&symbols, 2, 6, "b", 0);
	add(&symbols, 4, 6, "c", 0);
	add(&symbols, 7, 8, "d", 0);
	build(&symbols);
	assert_names(&symbols, "aabbcc-d-");
	symbols_fini(&symbols);
}
END_TEST

START_TEST(of_symbols_that_overlap_the_later_begun_owns_the_rest)
{
	struct symbols symbols = { 0 };

	add(&symbols, 0, 5, "a", 0);
	add(&symbols, 3, 8, "b", 0);
	build(&symbols);
	assert_names(&symbols, "aaabbbbb-");
	symbols_fini(&symbols);
}
END_TEST

START_TEST(symbols_may_overlap_like_roof_tiles)
{
	struct symbols symbols = { 0 };

	add(&symbols, 0, 5, "a", 0);
	add(&symbols, 3, 8, "b", 0);
	add(&symbols, 6, 12, "c", 0);
	add(&symbols, 20, 22, "d", 0);
	build(&symbols);
	assert_names(&symbols, "aaabbbcccccc--------dd-");
	symbols_fini(&symbols);
}
END_TEST

/* malloc rather than __libc_malloc, whichever comes first in the table. */
START_TEST(of_aliases_the_best_name_is_shown)
{
	struct symbols symbols = { 0 };

	add(&symbols, 0, 3, "m", 0);
	add(&symbols, 0, 3, "_", 2);
	build(&symbols);
	assert_names(&symbols, "mmm-");
	symbols_fini(&symbols);
	add(&symbols, 0, 3, "_", 2);
	add(&symbols, 0, 3, "m", 0);
	build(&symbols);
	assert_names(&symbols, "mmm-");
	symbols_fini(&symbols);
}
END_TEST

START_TEST(of_equal_aliases_the_choice_does_not_depend_on_the_tables_order)
{
	struct symbols one = { 0 }, other = { 0 };

	add(&one, 0, 1, "a", 1);
	add(&one, 0, 1, "b", 1);
	add(&other, 0, 1, "b", 1);
	add(&other, 0, 1, "a", 1);
	build(&one);
	build(&other);
	ck_assert_str_eq(symbols_find(&one, 0)->name, symbols_find(&other, 0)->name);
	symbols_fini(&one);
	symbols_fini(&other);
}
END_TEST

START_TEST(a_symbol_of_no_size_covers_nothing)
{
	struct symbols symbols = { 0 };

	add(&symbols, 2, 2, "x", 0);
	add(&symbols, 0, 4, "a", 0);
	add(&symbols, 6, 6, "y", 0);
	build(&symbols);
	assert_names(&symbols, "aaaa----");
	symbols_fini(&symbols);
}
END_TEST

START_TEST(a_symbol_may_reach_the_end_of_memory)
{
	struct symbols symbols = { 0 };

	add(&symbols, UINT64_MAX - 4, UINT64_MAX, "a", 0);
	build(&symbols);
	ck_assert_ptr_nonnull(symbols_find(&symbols, UINT64_MAX - 1));
	symbols_fini(&symbols);
}
END_TEST

START_TEST(gaps_are_filled_and_nothing_else)
{
	struct symbols symbols = { 0 }, more = { 0 };

	add(&symbols, 2, 4, "a", 0);
	add(&symbols, 8, 10, "b", 0);
	add(&more, 0, 3, "x", 0);
	add(&more, 5, 7, "y", 0);
	add(&more, 9, 13, "z", 0);
	build(&symbols);
	build(&more);
	spans_fill_gaps(&symbols, &more);
	assert_names(&symbols, "xxaa-yy-bbzzz-");
	symbols_fini(&symbols);
	symbols_fini(&more);
}
END_TEST

START_TEST(gaps_of_no_symbols_at_all_are_filled)
{
	struct symbols symbols = { 0 }, more = { 0 }, none = { 0 };

	add(&more, 1, 3, "x", 0);
	build(&more);
	spans_fill_gaps(&symbols, &more);
	assert_names(&symbols, "-xx-");
	spans_fill_gaps(&symbols, &none);
	assert_names(&symbols, "-xx-");
	symbols_fini(&symbols);
	symbols_fini(&more);
}
END_TEST

START_TEST(one_filler_may_fill_several_gaps)
{
	struct symbols symbols = { 0 }, more = { 0 };

	add(&symbols, 2, 3, "a", 0);
	add(&symbols, 5, 6, "b", 0);
	add(&more, 0, 9, "x", 0);
	build(&symbols);
	build(&more);
	spans_fill_gaps(&symbols, &more);
	assert_names(&symbols, "xxaxxbxxx-");
	symbols_fini(&symbols);
	symbols_fini(&more);
}
END_TEST

Suite *suite_spans(void)
{
	Suite *suite = suite_create("symbolize/spans");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_symbol_covers_its_bytes_and_no_others);
	tcase_add_test(tc, neighbours_meet_without_a_gap);
	tcase_add_test(tc, the_innermost_of_nested_symbols_owns_its_addresses);
	tcase_add_test(tc, nested_symbols_may_end_together);
	tcase_add_test(tc, of_symbols_that_overlap_the_later_begun_owns_the_rest);
	tcase_add_test(tc, symbols_may_overlap_like_roof_tiles);
	tcase_add_test(tc, of_aliases_the_best_name_is_shown);
	tcase_add_test(tc, of_equal_aliases_the_choice_does_not_depend_on_the_tables_order);
	tcase_add_test(tc, a_symbol_of_no_size_covers_nothing);
	tcase_add_test(tc, a_symbol_may_reach_the_end_of_memory);
	tcase_add_test(tc, gaps_are_filled_and_nothing_else);
	tcase_add_test(tc, gaps_of_no_symbols_at_all_are_filled);
	tcase_add_test(tc, one_filler_may_fill_several_gaps);
	suite_add_tcase(suite, tc);
	return suite;
}
