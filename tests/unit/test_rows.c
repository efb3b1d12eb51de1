#include "analysis/rows.h"

#include <stdio.h>

#include "tests/unit/build_profile.h"
#include "tests/unit/suites.h"

static const char *column_text(const struct names *names, const struct column *column, uint64_t value)
{
	static char text[64];

	return column->text(names, value, text, sizeof(text));
}

/* A table as lines: the columns' values, then self, children, samples. */
static void assert_table(struct build_profile *build, const char *keys, const struct filter *filter, bool children,
			 const char *expected)
{
	char table[1024] = "", value[64];
	struct columns columns;
	struct weights weights;
	struct rows rows;

	profile_weights(build, keys, filter, &columns, &weights);
	rows_init(&rows, &build->names, &weights, &columns, filter, children);
	for (size_t i = 0; i < rows.items.len; i++) {
		const struct row_sums *row = &rows.items.items[i];

		for (size_t c = 0; c < columns.len; c++)
			strcat(strcat(table, column_text(&build->names, columns.items[c], row->values[c])), " ");
		snprintf(value, sizeof(value), "%u %u %u\n", (unsigned int)row->self, (unsigned int)row->children,
			 (unsigned int)row->samples);
		strcat(table, value);
	}
	ck_assert_str_eq(table, expected);
	rows_fini(&rows);
	weights_fini(&weights);
}

static const struct filter all = { 0 };

/* main 10, main<f 20, main<f<g 30 and again 5. */
static void fill(struct build_profile *build)
{
	profile_make(build);
	profile_sample(build, "main", 10, "prog", 1);
	profile_sample(build, "main f", 20, "prog", 1);
	profile_sample(build, "main f g", 30, "prog", 2);
	profile_sample(build, "main f g", 5, "other", 3);
}

START_TEST(rows_have_what_their_leaves_weigh)
{
	struct build_profile build;

	fill(&build);
	assert_table(&build, "sym", &all, false, "g 35 35 2\nf 20 20 1\nmain 10 10 1\n");
	profile_free(&build);
}
END_TEST

START_TEST(children_have_what_passes_through_them)
{
	struct build_profile build;

	fill(&build);
	assert_table(&build, "sym", &all, true, "main 10 65 1\nf 20 55 1\ng 35 35 2\n");
	profile_free(&build);
}
END_TEST

START_TEST(a_function_that_only_calls_has_a_row_among_the_children)
{
	struct build_profile build;

	profile_make(&build);
	profile_sample(&build, "main f", 7, "prog", 1);
	assert_table(&build, "sym", &all, true, "f 7 7 1\nmain 0 7 0\n");
	assert_table(&build, "sym", &all, false, "f 7 7 1\n");
	profile_free(&build);
}
END_TEST

START_TEST(recursion_counts_each_sample_once)
{
	struct build_profile build;

	profile_make(&build);
	profile_sample(&build, "main f f f", 7, "prog", 1);
	profile_sample(&build, "main f g f", 3, "prog", 1);
	assert_table(&build, "sym", &all, true, "f 10 10 2\nmain 0 10 0\ng 0 3 0\n");
	profile_free(&build);
}
END_TEST

/* All frames of a program are one row by DSO: it too counts each sample once. */
START_TEST(a_row_of_several_functions_counts_each_sample_once)
{
	struct build_profile build;

	fill(&build);
	assert_table(&build, "dso", &all, true, "program 65 65 4\n");
	profile_free(&build);
}
END_TEST

START_TEST(tasks_are_told_apart_where_a_key_asks_for_it)
{
	struct build_profile build;

	fill(&build);
	assert_table(&build, "comm,sym", &all, false,
		     "prog g 30 30 1\nprog f 20 20 1\nprog main 10 10 1\nother g 5 5 1\n");
	assert_table(&build, "comm", &all, true, "prog 60 60 3\nother 5 5 1\n");
	assert_table(&build, "tid", &all, false, "1 30 30 2\n2 30 30 1\n3 5 5 1\n");
	profile_free(&build);
}
END_TEST

START_TEST(a_filter_of_samples_leaves_the_others_out_of_all_sums)
{
	struct filter filter = { .comm = "prog" };
	struct build_profile build;
	struct columns columns;
	struct weights weights;

	fill(&build);
	assert_table(&build, "sym", &filter, true, "main 10 60 1\nf 20 50 1\ng 30 30 1\n");
	profile_weights(&build, "sym", &filter, &columns, &weights);
	ck_assert_uint_eq(weights.weight, 60);
	ck_assert_uint_eq(weights.samples, 3);
	weights_fini(&weights);
	profile_free(&build);
}
END_TEST

START_TEST(a_filter_of_rows_leaves_the_whole_as_it_is)
{
	struct filter filter = { .sym = "f" };
	struct build_profile build;
	struct columns columns;
	struct weights weights;

	fill(&build);
	assert_table(&build, "sym", &filter, true, "f 20 55 1\n");
	assert_table(&build, "sym", &filter, false, "f 20 20 1\n");
	profile_weights(&build, "sym", &filter, &columns, &weights);
	ck_assert_uint_eq(weights.weight, 65);
	weights_fini(&weights);
	profile_free(&build);
}
END_TEST

START_TEST(the_sums_of_self_are_the_whole)
{
	struct build_profile build;
	struct columns columns;
	struct weights weights;
	struct rows rows;
	uint64_t self = 0, samples = 0;

	fill(&build);
	profile_sample(&build, "[cut] f", 17, "prog", 1);
	profile_sample(&build, "main h h", 23, "prog", 9);
	profile_weights(&build, "comm,sym", &all, &columns, &weights);
	rows_init(&rows, &build.names, &weights, &columns, &all, true);
	for (size_t i = 0; i < rows.items.len; i++) {
		self += rows.items.items[i].self;
		samples += rows.items.items[i].samples;
	}
	ck_assert_uint_eq(self, 105);
	ck_assert_uint_eq(self, weights.weight);
	ck_assert_uint_eq(samples, 6);
	ck_assert_uint_eq(weights.statuses[STACK_COMPLETE], 6);
	rows_fini(&rows);
	weights_fini(&weights);
	profile_free(&build);
}
END_TEST

START_TEST(a_cut_is_a_row_of_its_own_outside_of_all_files)
{
	struct build_profile build;

	profile_make(&build);
	profile_sample(&build, "[cut] f", 7, "prog", 1);
	assert_table(&build, "dso,sym", &all, true, "program f 7 7 1\n[unknown] [unmapped] 0 7 0\n");
	profile_free(&build);
}
END_TEST

START_TEST(no_samples_make_no_rows)
{
	struct build_profile build;

	profile_make(&build);
	assert_table(&build, "sym", &all, true, "");
	profile_free(&build);
}
END_TEST

Suite *suite_rows(void)
{
	Suite *suite = suite_create("analysis/rows");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, rows_have_what_their_leaves_weigh);
	tcase_add_test(tc, children_have_what_passes_through_them);
	tcase_add_test(tc, a_function_that_only_calls_has_a_row_among_the_children);
	tcase_add_test(tc, recursion_counts_each_sample_once);
	tcase_add_test(tc, a_row_of_several_functions_counts_each_sample_once);
	tcase_add_test(tc, tasks_are_told_apart_where_a_key_asks_for_it);
	tcase_add_test(tc, a_filter_of_samples_leaves_the_others_out_of_all_sums);
	tcase_add_test(tc, a_filter_of_rows_leaves_the_whole_as_it_is);
	tcase_add_test(tc, the_sums_of_self_are_the_whole);
	tcase_add_test(tc, a_cut_is_a_row_of_its_own_outside_of_all_files);
	tcase_add_test(tc, no_samples_make_no_rows);
	suite_add_tcase(suite, tc);
	return suite;
}
