#include "perfdata/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/build_record.h"
#include "tests/unit/suites.h"

/* Samples of two words: ip and time; side-band records with a time. */
static const struct perf_event_attr plain_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.size = sizeof(struct perf_event_attr),
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
	.sample_id_all = 1,
};

static void add_sample(struct build *records, uint64_t ip, uint64_t time)
{
	size_t at = record_begin(records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	build_u64(records, ip);
	build_u64(records, time);
	record_end(records, at);
}

/* What a file came to. */
struct result {
	struct notes notes;
	struct error err;
	char path[64];
	char ips[64];		/* of the samples, a letter each */
	uint64_t malformed, unknown_ids, unknown_types;
	int status;
};

/* Reads a file of these bytes. Takes them. */
static struct result read_bytes(struct build *bytes)
{
	struct result result = { .status = 0 };
	struct reader reader;
	struct record record;
	char *ip = result.ips;

	build_file(bytes, result.path);
	build_free(bytes);
	result.status = reader_open(&reader, result.path, &result.notes, &result.err);
	unlink(result.path);
	if (result.status)
		return result;
	while (reader_next(&reader, &record))
		if (record.type == PERF_RECORD_SAMPLE)
			*ip++ = (char)record.sample.ip;
	result.malformed = reader.malformed;
	result.unknown_ids = reader.unknown_ids;
	result.unknown_types = reader.unknown_types;
	reader_close(&reader);
	return result;
}

static struct result read_file(const struct build_perf *perf, const struct build *records, const struct build *behind)
{
	struct build file = { 0 };

	perf_file(&file, perf, &plain_attr, NULL, 1, records, behind);
	return read_bytes(&file);
}

/* Whether a note or the error contains these words. */
static bool says(const struct result *result, const char *words)
{
	if (result->status)
		return strstr(result->err.message, words) && strstr(result->err.message, result->path);
	for (size_t i = 0; i < result->notes.sentences.strings.len; i++)
		if (strstr(result->notes.sentences.strings.items[i], words))
			return true;
	return false;
}

static void assert_good(struct result *result, const char *ips)
{
	ck_assert_msg(!result->status, "%s", result->err.message);
	ck_assert_str_eq(result->ips, ips);
	notes_fini(&result->notes);
}

static void assert_said(struct result *result, const char *ips, const char *words)
{
	ck_assert_msg(says(result, words), "nobody says '%s'", words);
	assert_good(result, ips);
}

static void assert_refused(struct result result, enum error_code code, const char *words)
{
	ck_assert_int_eq(result.status, -1);
	ck_assert_int_eq(result.err.code, code);
	ck_assert_msg(says(&result, words), "%s", result.err.message);
	notes_fini(&result.notes);
}

static void three_samples(struct build *records)
{
	add_sample(records, 'a', 10);
	add_sample(records, 'b', 20);
	add_sample(records, 'c', 30);
}

static const struct build_perf finished = { .features = { 1ull << FEATURE_HOSTNAME } };

/* A feature table of one entry, for HOSTNAME, and its body. `at` is where the data ends. */
static void add_hostname(struct build *behind, uint64_t at)
{
	build_u64(behind, at + 16);
	build_u64(behind, 8);
	build_u32(behind, 4);
	build_add(behind, "box", 4);
}

static uint64_t data_end(const struct build *records)
{
	return FORMAT_HEADER_SIZE + 8 + sizeof(struct perf_event_attr) + 16 + records->len;
}

START_TEST(a_finished_file_is_read_without_a_word)
{
	struct build records = { 0 }, behind = { 0 };
	struct result result;

	three_samples(&records);
	add_hostname(&behind, data_end(&records));
	result = read_file(&finished, &records, &behind);
	ck_assert_uint_eq(result.notes.sentences.strings.len, 0);
	assert_good(&result, "abc");
	build_free(&records);
	build_free(&behind);
}
END_TEST

START_TEST(samples_come_in_the_order_of_time)
{
	struct build records = { 0 };
	struct result result;

	add_sample(&records, 'c', 30);
	add_sample(&records, 'd', 40);
	add_sample(&records, 'a', 10);
	add_sample(&records, 'b', 35);
	result = read_file(&(struct build_perf){ 0 }, &records, NULL);
	assert_good(&result, "acbd");
	build_free(&records);
}
END_TEST

START_TEST(what_is_not_there_or_no_file_is_told)
{
	struct reader reader;
	struct error err;
	char folder[] = "/tmp/pmuprof-unit-XXXXXX", fifo[64];

	ck_assert_int_eq(reader_open(&reader, "/tmp/pmuprof/none", NULL, &err), -1);
	ck_assert_int_eq(err.code, ERROR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(err.message, "/tmp/pmuprof/none: no such file"));
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(reader_open(&reader, folder, NULL, &err), -1);
	ck_assert_int_eq(err.code, ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.message, "a directory"));
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_eq(reader_open(&reader, fifo, NULL, &err), -1);	/* and does not wait for a writer */
	ck_assert_ptr_nonnull(strstr(err.message, "not a regular file"));
	unlink(fifo);
	rmdir(folder);
}
END_TEST

START_TEST(files_too_short_for_a_header_are_refused)
{
	struct build bytes = { 0 };

	assert_refused(read_bytes(&bytes), ERROR_CORRUPT, "empty file");
	build_add(&bytes, FORMAT_MAGIC, 8);
	assert_refused(read_bytes(&bytes), ERROR_CORRUPT, "too short");
	build_add(&bytes, FORMAT_MAGIC, 8);
	build_u64(&bytes, FORMAT_HEADER_SIZE);
	assert_refused(read_bytes(&bytes), ERROR_CORRUPT, "cut short within its header");
}
END_TEST

static struct result read_header(struct build_perf perf)
{
	struct build records = { 0 };
	struct result result;

	three_samples(&records);
	result = read_file(&perf, &records, NULL);
	build_free(&records);
	return result;
}

START_TEST(formats_that_cannot_be_read_are_refused_by_name)
{
	assert_refused(read_header((struct build_perf){ .magic = "PERFFILE" }), ERROR_UNSUPPORTED, "version 1");
	assert_refused(read_header((struct build_perf){ .magic = "2ELIFREP" }), ERROR_UNSUPPORTED, "big-endian");
	assert_refused(read_header((struct build_perf){ .magic = "PERFILE3" }), ERROR_UNSUPPORTED,
		       "not a perf.data file");
	assert_refused(read_header((struct build_perf){ .header_size = 16 }), ERROR_UNSUPPORTED, "pipe");
	assert_refused(read_header((struct build_perf){ .features = { 1ull << FEATURE_COMPRESSED } }),
		       ERROR_UNSUPPORTED, "compressed");
	assert_refused(read_header((struct build_perf){ .features = { 1ull << FEATURE_DIR_FORMAT } }),
		       ERROR_UNSUPPORTED, "directory");
}
END_TEST

START_TEST(headers_that_contradict_the_file_are_refused)
{
	assert_refused(read_header((struct build_perf){ .header_size = 100 }), ERROR_CORRUPT,
		       "header of an unknown size");
	assert_refused(read_header((struct build_perf){ .attr_size = 79 }), ERROR_CORRUPT, "impossible size");
	assert_refused(read_header((struct build_perf){ .attr_size = 1ull << 60 }), ERROR_CORRUPT, "impossible size");
	assert_refused(read_header((struct build_perf){ .attrs_size = 1ull << 50 }), ERROR_CORRUPT,
		       "more events than can be");
	assert_refused(read_header((struct build_perf){ .attrs_offset = 1ull << 50 }), ERROR_CORRUPT,
		       "events lie behind the end");
	assert_refused(read_header((struct build_perf){ .attrs_offset = UINT64_MAX - 8 }), ERROR_CORRUPT,
		       "events lie behind the end");
	assert_refused(read_header((struct build_perf){ .attrs_size = 8 }), ERROR_CORRUPT, "no events");
	assert_refused(read_header((struct build_perf){ .data_offset = UINT64_MAX - 8, .data_size = 16 }),
		       ERROR_CORRUPT, "behind the end of the file");
}
END_TEST

START_TEST(an_attr_larger_than_its_entry_is_refused)
{
	struct perf_event_attr attr = plain_attr;
	struct build file = { 0 };

	attr.size = 4000;
	perf_file(&file, &(struct build_perf){ 0 }, &attr, NULL, 1, NULL, NULL);
	assert_refused(read_bytes(&file), ERROR_CORRUPT, "malformed event attributes");
}
END_TEST

START_TEST(a_file_cut_in_its_data_gives_the_records_that_are_whole)
{
	struct build records = { 0 };
	struct result result;

	three_samples(&records);
	records.len -= 4;
	result = read_file(&(struct build_perf){ .features = { 1ull << FEATURE_HOSTNAME }, .data_size = 3 * 24 },
			   &records, NULL);
	ck_assert(says(&result, "cut short: 68 of 72 bytes of data"));
	assert_good(&result, "ab");
	build_free(&records);
}
END_TEST

START_TEST(the_file_of_a_killed_recorder_is_read_to_its_end)
{
	struct build records = { 0 };
	struct result result;

	three_samples(&records);
	result = read_file(&(struct build_perf){ .no_data_size = true }, &records, NULL);
	assert_said(&result, "abc", "was not finished");
	result = read_file(&(struct build_perf){ .data_size = 24 }, &records, NULL);
	assert_said(&result, "abc", "was not finished");
	build_free(&records);
}
END_TEST

START_TEST(a_file_cut_in_its_features_loses_only_them)
{
	struct build records = { 0 }, behind = { 0 };
	struct result result;

	three_samples(&records);
	result = read_file(&finished, &records, NULL);
	assert_said(&result, "abc", "what it says about itself is missing");
	build_u64(&behind, 1ull << 60);
	build_u64(&behind, 1ull << 60);
	result = read_file(&finished, &records, &behind);
	assert_said(&result, "abc", "feature 3 cannot be read");
	build_free(&behind);
	add_hostname(&behind, UINT64_MAX - 20);
	result = read_file(&finished, &records, &behind);
	assert_said(&result, "abc", "feature 3 cannot be read");
	build_free(&records);
	build_free(&behind);
}
END_TEST

START_TEST(damage_in_the_middle_is_told_with_its_offset)
{
	struct build records = { 0 };
	struct result result;
	char expected[64];

	add_sample(&records, 'a', 10);
	record_of_size(&records, PERF_RECORD_SAMPLE, 0);
	add_sample(&records, 'b', 20);
	snprintf(expected, sizeof(expected), "damaged at offset %d",
		 (int)(FORMAT_HEADER_SIZE + 8 + sizeof(struct perf_event_attr) + 16 + 24));
	result = read_file(&(struct build_perf){ 0 }, &records, NULL);
	assert_said(&result, "a", expected);
	build_free(&records);
}
END_TEST

START_TEST(malformed_records_are_counted_and_passed_over)
{
	struct build records = { 0 };
	struct result result;

	add_sample(&records, 'a', 10);
	record_of_size(&records, PERF_RECORD_SAMPLE, 16);
	build_u64(&records, 'x');
	add_sample(&records, 'b', 20);
	result = read_file(&(struct build_perf){ 0 }, &records, NULL);
	ck_assert_uint_eq(result.malformed, 1);
	assert_said(&result, "ab", "1 malformed");
	build_free(&records);
}
END_TEST

START_TEST(records_of_unknown_kinds_are_counted_and_passed_over)
{
	struct build records = { 0 };
	struct result result;

	add_sample(&records, 'a', 10);
	record_of_size(&records, 40, 8);
	record_of_size(&records, 250, 8);
	record_of_size(&records, FORMAT_FINISHED_ROUND, 8);
	record_of_size(&records, PERF_RECORD_SWITCH, 8);
	add_sample(&records, 'b', 20);
	result = read_file(&(struct build_perf){ 0 }, &records, NULL);
	ck_assert_uint_eq(result.unknown_types, 2);
	assert_said(&result, "ab", "2 records of unknown kinds");
	build_free(&records);
}
END_TEST

/* Two events whose samples have different fields but their id at the same place. */
static void two_events(struct build *file, const struct build *records)
{
	struct perf_event_attr attrs[] = { plain_attr, plain_attr };
	const uint64_t ids[] = { 11, 22 };

	attrs[0].sample_type |= PERF_SAMPLE_IDENTIFIER;
	attrs[1].sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	perf_file(file, &(struct build_perf){ 0 }, attrs, ids, 2, records, NULL);
}

static void add_id_sample(struct build *records, uint64_t id, uint64_t ip, uint64_t time, bool second)
{
	size_t at = record_begin(records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	build_u64(records, id);
	build_u64(records, ip);
	if (second)
		build_u64(records, 5);	/* pid 5, tid 0; and where the first event has its time */
	build_u64(records, time);
	if (second)
		build_u64(records, 777);
	record_end(records, at);
}

START_TEST(each_sample_is_decoded_as_its_event_says)
{
	struct build records = { 0 }, file = { 0 };
	struct reader reader;
	struct record record;
	struct error err;
	char path[64];

	add_id_sample(&records, 22, 'b', 20, true);
	add_id_sample(&records, 11, 'a', 10, false);
	two_events(&file, &records);
	build_file(&file, path);
	build_free(&file);
	build_free(&records);
	ck_assert_int_eq(reader_open(&reader, path, NULL, &err), 0);
	unlink(path);
	ck_assert(reader_next(&reader, &record));
	ck_assert_uint_eq(record.event, 0);
	ck_assert_uint_eq(record.sample.ip, 'a');
	ck_assert_uint_eq(record.sample.period, 1);
	ck_assert(reader_next(&reader, &record));
	ck_assert_uint_eq(record.event, 1);
	ck_assert_uint_eq(record.sample.ip, 'b');
	ck_assert_uint_eq(record.sample.period, 777);
	ck_assert(!reader_next(&reader, &record));
	reader_close(&reader);
}
END_TEST

START_TEST(samples_of_events_that_the_header_does_not_name_are_counted)
{
	struct build records = { 0 }, file = { 0 };
	struct result result;

	add_id_sample(&records, 11, 'a', 10, false);
	add_id_sample(&records, 33, 'x', 15, false);
	add_id_sample(&records, 0, 'b', 20, false);	/* tools write 0: the first event */
	two_events(&file, &records);
	result = read_bytes(&file);
	ck_assert_uint_eq(result.unknown_ids, 1);
	assert_said(&result, "ab", "1 samples of events");
	build_free(&records);
}
END_TEST

START_TEST(ids_that_lie_outside_of_the_file_cost_only_them)
{
	struct build records = { 0 }, file = { 0 };
	size_t span = FORMAT_HEADER_SIZE + 8 + sizeof(struct perf_event_attr);
	struct result result;

	three_samples(&records);
	perf_file(&file, &(struct build_perf){ 0 }, &plain_attr, NULL, 1, &records, NULL);
	build_put(&file, span, &(uint64_t){ 1ull << 60 }, 8);
	build_put(&file, span + 8, &(uint64_t){ 8 }, 8);
	result = read_bytes(&file);
	assert_said(&result, "abc", "ids of event 0 cannot be read");
	perf_file(&file, &(struct build_perf){ 0 }, &plain_attr, NULL, 1, &records, NULL);
	build_put(&file, span + 8, &(uint64_t){ UINT64_MAX }, 8);
	result = read_bytes(&file);
	assert_said(&result, "abc", "ids of event 0 cannot be read");
	build_free(&records);
}
END_TEST

/* The header before 2010: 72 bytes, no bitmap. Then the first event's id stands where the bitmap would be. */
START_TEST(a_header_without_the_bitmap_has_no_features)
{
	struct build records = { 0 };
	struct result result;

	three_samples(&records);
	result = read_file(&(struct build_perf){ .header_size = 72, .features = { 1ull << FEATURE_COMPRESSED } },
			   &records, NULL);
	assert_good(&result, "abc");
	build_free(&records);
}
END_TEST

Suite *suite_reader(void)
{
	Suite *suite = suite_create("perfdata/reader");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_finished_file_is_read_without_a_word);
	tcase_add_test(tc, samples_come_in_the_order_of_time);
	tcase_add_test(tc, what_is_not_there_or_no_file_is_told);
	tcase_add_test(tc, files_too_short_for_a_header_are_refused);
	tcase_add_test(tc, formats_that_cannot_be_read_are_refused_by_name);
	tcase_add_test(tc, headers_that_contradict_the_file_are_refused);
	tcase_add_test(tc, an_attr_larger_than_its_entry_is_refused);
	tcase_add_test(tc, a_file_cut_in_its_data_gives_the_records_that_are_whole);
	tcase_add_test(tc, the_file_of_a_killed_recorder_is_read_to_its_end);
	tcase_add_test(tc, a_file_cut_in_its_features_loses_only_them);
	tcase_add_test(tc, damage_in_the_middle_is_told_with_its_offset);
	tcase_add_test(tc, malformed_records_are_counted_and_passed_over);
	tcase_add_test(tc, records_of_unknown_kinds_are_counted_and_passed_over);
	tcase_add_test(tc, each_sample_is_decoded_as_its_event_says);
	tcase_add_test(tc, samples_of_events_that_the_header_does_not_name_are_counted);
	tcase_add_test(tc, ids_that_lie_outside_of_the_file_cost_only_them);
	tcase_add_test(tc, a_header_without_the_bitmap_has_no_features);
	suite_add_tcase(suite, tc);
	return suite;
}
