#include "perfdata/runs.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/build_record.h"
#include "tests/unit/suites.h"

/* Records of a header, a time and a name of one letter; FORMAT_HEADER_SIZE bytes of something else come first. */
enum { DATA_AT = 104, RECORD = 24 };

static void add_record(struct build *data, uint64_t time, char name)
{
	size_t at = record_begin(data, PERF_RECORD_COMM, 0);

	build_u64(data, time);
	build_u64(data, (uint8_t)name);
	record_end(data, at);
}

static uint64_t time_of(const void *context, const uint8_t *record, size_t size)
{
	struct perf_event_header header;
	uint64_t time = 0;

	(void)context;
	memcpy(&header, record, sizeof(header));
	if (header.type < 64 && size >= 16)
		memcpy(&time, record + 8, sizeof(time));
	return time;
}

/* "time name" pairs: "5a 7b 3c". */
static void add_records(struct build *data, const char *pairs)
{
	for (; *pairs; pairs += strspn(pairs, " ")) {
		char *end;
		uint64_t time = strtoull(pairs, &end, 10);

		add_record(data, time, *end);
		pairs = end + 1;
	}
}

/* The names of the records in the order in which they come out. Takes `data`. */
static void merged(struct build *data, char *names, uint64_t *damage)
{
	struct build file = { 0 };
	struct format_span span = { DATA_AT, data->len };
	const uint8_t *record;
	struct runs runs;
	char path[64];
	int fd;

	while (file.len < DATA_AT)
		build_u8(&file, 0xee);
	build_add(&file, data->items, data->len);
	build_file(&file, path);
	build_free(&file);
	build_free(data);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	runs_init(&runs, fd, span, time_of, NULL);
	while ((record = runs_next(&runs)))
		*names++ = record[0] == PERF_RECORD_COMM ? (char)record[16] : '.';
	*names = '\0';
	*damage = runs.damage;
	runs_fini(&runs);
	close(fd);
}

static void assert_merged(const char *pairs, const char *expected)
{
	struct build data = { 0 };
	uint64_t damage;
	char names[64];

	add_records(&data, pairs);
	merged(&data, names, &damage);
	ck_assert_str_eq(names, expected);
	ck_assert_uint_eq(damage, 0);
}

START_TEST(a_file_in_order_stays_as_it_is)
{
	assert_merged("1a 2b 2c 3d", "abcd");
	assert_merged("", "");
}
END_TEST

START_TEST(a_file_out_of_order_comes_out_in_the_order_of_time)
{
	assert_merged("5a 7b 9c 1d 6e 8f 2g", "dgaebfc");
	assert_merged("9a 8b 7c 6d 5e 4f", "fedcba");
}
END_TEST

START_TEST(records_of_one_time_stay_in_the_order_of_the_file)
{
	assert_merged("5a 5b 1c 5d 5e 1f 5g", "cfabdeg");
}
END_TEST

START_TEST(records_without_a_time_stay_behind_the_one_they_follow)
{
	assert_merged("5a 0b 0c 1d 0e 7f", "deabcf");
	assert_merged("0a 0b 5c 1d", "abdc");
}
END_TEST

START_TEST(a_size_below_the_headers_is_damage_there)
{
	for (uint16_t size = 0; size < 8; size++) {
		struct build data = { 0 };
		uint64_t damage;
		char names[64];

		add_records(&data, "1a 2b");
		record_of_size(&data, PERF_RECORD_COMM, size);
		add_records(&data, "3c");
		merged(&data, names, &damage);
		ck_assert_str_eq(names, "ab");
		ck_assert_uint_eq(damage, DATA_AT + 2 * RECORD);
	}
}
END_TEST

START_TEST(a_record_that_leaves_the_data_is_damage_there)
{
	struct build data = { 0 };
	uint64_t damage;
	char names[64];

	add_records(&data, "1a 2b");
	record_of_size(&data, PERF_RECORD_COMM, 16);
	merged(&data, names, &damage);
	ck_assert_str_eq(names, "ab");
	ck_assert_uint_eq(damage, DATA_AT + 2 * RECORD);
	add_records(&data, "1a");
	build_add(&data, "\x03\0\0\0", 4);	/* half a header */
	merged(&data, names, &damage);
	ck_assert_str_eq(names, "a");
	ck_assert_uint_eq(damage, DATA_AT + RECORD);
}
END_TEST

START_TEST(what_follows_an_auxtrace_record_is_no_record)
{
	struct build data = { 0 };
	uint64_t damage;
	size_t at;
	char names[64];

	add_records(&data, "1a");
	at = record_begin(&data, FORMAT_AUXTRACE, 0);
	build_u64(&data, 16);
	record_end(&data, at);
	build_add(&data, "sixteen bytes...", 16);
	add_records(&data, "3c");
	merged(&data, names, &damage);
	ck_assert_uint_eq(damage, 0);
	ck_assert_uint_eq(strlen(names), 3);
	ck_assert_int_eq(names[2], 'c');
}
END_TEST

/* The payload's size is that of the text, and the text is padded to eight. */
START_TEST(what_follows_tracing_data_is_no_record)
{
	struct build data = { 0 };
	uint64_t damage;
	size_t at;
	char names[64];

	add_records(&data, "1a");
	at = record_begin(&data, FORMAT_TRACING_DATA, 0);
	build_u32(&data, 13);
	record_end(&data, at);
	build_add(&data, "thirteen byte\0\0\0", 16);
	add_records(&data, "3c");
	merged(&data, names, &damage);
	ck_assert_uint_eq(damage, 0);
	ck_assert_str_eq(names + strlen(names) - 1, "c");
}
END_TEST

START_TEST(a_payload_that_leaves_the_data_is_damage)
{
	static const uint64_t sizes[] = { 17, UINT64_MAX, UINT64_MAX - 15, 1ull << 63 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct build data = { 0 };
		uint64_t damage;
		size_t at;
		char names[64];

		add_records(&data, "1a");
		at = record_begin(&data, FORMAT_AUXTRACE, 0);
		build_u64(&data, sizes[i]);
		record_end(&data, at);
		build_add(&data, "sixteen bytes...", 16);
		merged(&data, names, &damage);
		ck_assert_str_eq(names, "a");
		ck_assert_uint_eq(damage, DATA_AT + RECORD);
	}
}
END_TEST

/* Large samples are looked at by their head only in the first pass; all of them come out whole and sorted. */
START_TEST(large_samples_are_merged_whole)
{
	enum { LARGE = 65528, COUNT = 9 };
	static const uint8_t order[COUNT] = { 3, 6, 9, 1, 4, 7, 2, 5, 8 };
	struct format_span span = { 0 };
	struct build file = { 0 };
	struct runs runs;
	char path[64];
	int fd;

	for (int i = 0; i < COUNT; i++) {
		size_t at = record_begin(&file, PERF_RECORD_SAMPLE, 0);

		build_u64(&file, order[i]);
		vec_reserve(&file, LARGE);
		memset(file.items + file.len, order[i], LARGE - 16);
		file.len += LARGE - 16;
		record_end(&file, at);
	}
	span.size = file.len;
	build_file(&file, path);
	build_free(&file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	runs_init(&runs, fd, span, time_of, NULL);
	for (uint8_t expected = 1; expected <= COUNT; expected++) {
		const uint8_t *record = runs_next(&runs);

		ck_assert_ptr_nonnull(record);
		ck_assert_uint_eq(record[16], expected);
		ck_assert_uint_eq(record[LARGE - 1], expected);
	}
	ck_assert_ptr_null(runs_next(&runs));
	runs_fini(&runs);
	close(fd);
}
END_TEST

Suite *suite_runs(void)
{
	Suite *suite = suite_create("perfdata/runs");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_file_in_order_stays_as_it_is);
	tcase_add_test(tc, a_file_out_of_order_comes_out_in_the_order_of_time);
	tcase_add_test(tc, records_of_one_time_stay_in_the_order_of_the_file);
	tcase_add_test(tc, records_without_a_time_stay_behind_the_one_they_follow);
	tcase_add_test(tc, a_size_below_the_headers_is_damage_there);
	tcase_add_test(tc, a_record_that_leaves_the_data_is_damage_there);
	tcase_add_test(tc, what_follows_an_auxtrace_record_is_no_record);
	tcase_add_test(tc, what_follows_tracing_data_is_no_record);
	tcase_add_test(tc, a_payload_that_leaves_the_data_is_damage);
	tcase_add_test(tc, large_samples_are_merged_whole);
	suite_add_tcase(suite, tc);
	return suite;
}
