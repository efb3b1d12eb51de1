#include "analysis/filter.h"

#include "tests/unit/build_profile.h"
#include "tests/unit/suites.h"

static bool picks(const char *comm, const char *tid)
{
	struct filter filter = { .comm = comm, .tid = tid };
	struct build_profile build;
	bool picked;

	profile_make(&build);
	profile_sample(&build, "main", 1, "worker", 42);
	picked = filter_picks_sample(&filter, &build.profile, 0);
	profile_free(&build);
	return picked;
}

static bool picks_frame(const char *dso, const char *sym, const char *function)
{
	struct filter filter = { .dso = dso, .sym = sym };
	struct build_profile build;
	bool picked;

	profile_make(&build);
	profile_sample(&build, function, 1, "worker", 42);
	picked = filter_picks_frame(&filter, &build.names, 0);
	profile_free(&build);
	return picked;
}

START_TEST(a_task_is_picked_by_one_of_a_list)
{
	ck_assert(picks(NULL, NULL));
	ck_assert(picks("worker", NULL));
	ck_assert(picks("main,worker,other", NULL));
	ck_assert(picks(NULL, "1,42"));
	ck_assert(picks("worker", "42"));
	ck_assert(!picks("work", NULL));
	ck_assert(!picks("worker2,", NULL));
	ck_assert(!picks(NULL, "4"));
	ck_assert(!picks(NULL, "421"));
	ck_assert(!picks("worker", "43"));
	ck_assert(!picks("", NULL));
}
END_TEST

START_TEST(a_frame_is_picked_by_its_file_and_function)
{
	ck_assert(picks_frame(NULL, NULL, "f"));
	ck_assert(picks_frame("program", NULL, "f"));
	ck_assert(picks_frame("libc.so.6,program", "f", "f"));
	ck_assert(!picks_frame("/opt/program", NULL, "f"));
	ck_assert(!picks_frame("program", "g", "f"));
	ck_assert(!picks_frame("libc.so.6", "f", "f"));
	ck_assert(picks_frame("[unknown]", "[unmapped]", "[cut]"));
	ck_assert(!picks_frame("program", NULL, "[cut]"));
}
END_TEST

START_TEST(a_cpp_function_is_picked_with_and_without_its_parameters)
{
	ck_assert(picks_frame(NULL, "space::run", "_ZN5space3runEi"));
	ck_assert(picks_frame(NULL, "space::run(int)", "_ZN5space3runEi"));
	ck_assert(!picks_frame(NULL, "space::run(long)", "_ZN5space3runEi"));
	ck_assert(!picks_frame(NULL, "space::ru", "_ZN5space3runEi"));
	ck_assert(!picks_frame(NULL, "run", "_ZN5space3runEi"));
}
END_TEST

/* "(anonymous namespace)" is no parameter list. */
START_TEST(a_name_is_cut_only_at_its_parameters)
{
	ck_assert(filter_names_function("f", "f"));
	ck_assert(filter_names_function("f", "f(int)"));
	ck_assert(!filter_names_function("f", "ff"));
	ck_assert(!filter_names_function("f(int)", "f"));
	ck_assert(filter_names_function("(anonymous namespace)::f", "(anonymous namespace)::f(int)"));
	ck_assert(!filter_names_function("", "f"));
}
END_TEST

Suite *suite_filter(void)
{
	Suite *suite = suite_create("analysis/filter");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_task_is_picked_by_one_of_a_list);
	tcase_add_test(tc, a_frame_is_picked_by_its_file_and_function);
	tcase_add_test(tc, a_cpp_function_is_picked_with_and_without_its_parameters);
	tcase_add_test(tc, a_name_is_cut_only_at_its_parameters);
	suite_add_tcase(suite, tc);
	return suite;
}
