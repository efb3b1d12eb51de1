#include "perfdata/event.h"

#include "tests/unit/build_bytes.h"
#include "tests/unit/suites.h"

static struct perf_event_attr parsed(const char *name)
{
	struct perf_event_attr attr = { 0 };
	struct error err;

	ck_assert_msg(!event_parse(&attr, name, &err), "%s", name);
	return attr;
}

static void assert_refused(const char *name)
{
	struct perf_event_attr attr = { 0 };
	struct error err = { 0 };

	ck_assert_msg(event_parse(&attr, name, &err) == -1, "%s", name);
	ck_assert_int_eq(err.code, ERROR_USAGE);
	ck_assert_ptr_nonnull(strstr(err.message, "known"));
}

static void assert_is(const char *name, uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = parsed(name);

	ck_assert_uint_eq(attr.type, type);
	ck_assert_uint_eq(attr.config, config);
}

START_TEST(names_are_those_of_perf)
{
	assert_is("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	assert_is("cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	assert_is("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	assert_is("branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	assert_is("branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
	assert_is("cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES);
	assert_is("ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES);
	assert_is("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	assert_is("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	assert_is("faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	assert_is("minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	assert_is("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	assert_is("migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS);
	assert_is("dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
}
END_TEST

START_TEST(modifiers_exclude_what_they_do_not_name)
{
	struct perf_event_attr attr = parsed("cycles:u");

	ck_assert(!attr.exclude_user && attr.exclude_kernel);
	attr = parsed("cycles:k");
	ck_assert(attr.exclude_user && !attr.exclude_kernel);
	attr = parsed("cycles:uk");
	ck_assert(!attr.exclude_user && !attr.exclude_kernel);
	attr = parsed("cycles");
	ck_assert(!attr.exclude_user && !attr.exclude_kernel);
}
END_TEST

START_TEST(each_p_asks_for_more_precision)
{
	ck_assert_uint_eq(parsed("cycles:p").precise_ip, 1);
	ck_assert_uint_eq(parsed("cycles:ppp").precise_ip, 3);
	ck_assert_uint_eq(parsed("cycles:upp").precise_ip, 2);
	ck_assert(parsed("cycles:upp").exclude_kernel);
	ck_assert(!parsed("cycles:pp").exclude_kernel);
}
END_TEST

START_TEST(what_is_not_known_is_refused_with_what_is)
{
	assert_refused("cycle");
	assert_refused("cyclesx");
	assert_refused("");
	assert_refused(":u");
	assert_refused("cycles:");
	assert_refused("cycles:x");
	assert_refused("cycles:pppp");
	assert_refused("cycles:u:k");
}
END_TEST

static void assert_name(const struct perf_event_attr *attr, const char *expected)
{
	char *name = event_default_name(attr);

	ck_assert_str_eq(name, expected);
	free(name);
}

START_TEST(events_without_a_name_get_that_of_their_attr)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.exclude_kernel = 1 };

	assert_name(&attr, "cpu-clock:u");
	attr = (struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = 0 };
	assert_name(&attr, "cycles");
	attr = (struct perf_event_attr){ .type = PERF_TYPE_RAW, .config = 0x1c2 };
	assert_name(&attr, "raw 0x1c2");
	attr = (struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = 1000 };
	assert_name(&attr, "type 0 config 0x3e8");
}
END_TEST

START_TEST(only_the_software_clocks_count_nanoseconds)
{
	struct perf_event_attr attr = parsed("cpu-clock");

	ck_assert(event_counts_ns(&attr));
	attr = parsed("task-clock");
	ck_assert(event_counts_ns(&attr));
	attr = parsed("cycles");	/* the same config in another type */
	ck_assert(!event_counts_ns(&attr));
	attr = parsed("page-faults");
	ck_assert(!event_counts_ns(&attr));
}
END_TEST

static bool reads(const struct build *bytes, struct perf_event_attr *attr, size_t *left)
{
	struct bytes from = bytes_of(bytes->items, bytes->len, "attr");
	bool good = event_read_attr(&from, attr);

	*left = bytes_left(&from);
	return good;
}

START_TEST(an_attr_of_any_size_from_64_on_is_read)
{
	struct perf_event_attr attr;
	struct build bytes = { 0 };
	size_t left;

	build_u32(&bytes, PERF_TYPE_RAW);
	build_u32(&bytes, 64);
	build_u64(&bytes, 0x1c2);
	build_pad(&bytes, 0, 64);
	build_u64(&bytes, 0x99);	/* what follows is not its own */
	ck_assert(reads(&bytes, &attr, &left));
	ck_assert_uint_eq(attr.config, 0x1c2);
	ck_assert_uint_eq(attr.config2, 0);
	ck_assert_uint_eq(left, 8);
	build_put(&bytes, 4, &(uint32_t){ 0 }, 4);	/* 0 means 64 */
	ck_assert(reads(&bytes, &attr, &left));
	ck_assert_uint_eq(left, 8);
	build_pad(&bytes, 0, 512);
	build_put(&bytes, 4, &(uint32_t){ 504 }, 4);	/* a later kernel's */
	ck_assert(reads(&bytes, &attr, &left));
	ck_assert_uint_eq(attr.config, 0x1c2);
	ck_assert_uint_eq(left, 8);
	build_free(&bytes);
}
END_TEST

START_TEST(an_attr_of_an_impossible_size_is_refused)
{
	struct perf_event_attr attr;
	struct build bytes = { 0 };
	size_t left;

	build_u64(&bytes, 0);
	build_pad(&bytes, 0, 128);
	while (bytes.len < 128)
		build_u64(&bytes, 0);
	build_put(&bytes, 4, &(uint32_t){ 56 }, 4);
	ck_assert(!reads(&bytes, &attr, &left));
	build_put(&bytes, 4, &(uint32_t){ 129 }, 4);
	ck_assert(!reads(&bytes, &attr, &left));
	build_put(&bytes, 4, &(uint32_t){ UINT32_MAX }, 4);
	ck_assert(!reads(&bytes, &attr, &left));
	build_free(&bytes);
}
END_TEST

Suite *suite_event(void)
{
	Suite *suite = suite_create("perfdata/event");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, names_are_those_of_perf);
	tcase_add_test(tc, modifiers_exclude_what_they_do_not_name);
	tcase_add_test(tc, each_p_asks_for_more_precision);
	tcase_add_test(tc, what_is_not_known_is_refused_with_what_is);
	tcase_add_test(tc, events_without_a_name_get_that_of_their_attr);
	tcase_add_test(tc, only_the_software_clocks_count_nanoseconds);
	tcase_add_test(tc, an_attr_of_any_size_from_64_on_is_read);
	tcase_add_test(tc, an_attr_of_an_impossible_size_is_refused);
	suite_add_tcase(suite, tc);
	return suite;
}
