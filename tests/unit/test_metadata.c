#include "perfdata/metadata.h"

#include "tests/unit/build_bytes.h"
#include "tests/unit/suites.h"

static void read_feature(struct metadata *metadata, enum feature feature, struct build *body)
{
	metadata_read(metadata, feature, bytes_of(body->items, body->len, "feature"), NULL, 0);
	build_free(body);
}

/* A length, then a NUL-padded string. */
static void add_string(struct build *body, const char *text, uint32_t size)
{
	size_t at;

	build_u32(body, size);
	at = body->len;
	build_string(body, text);
	build_pad(body, at, size);
}

START_TEST(strings_are_read_up_to_their_nul)
{
	struct metadata metadata = { 0 };
	struct build body = { 0 };

	add_string(&body, "host", 64);
	read_feature(&metadata, FEATURE_HOSTNAME, &body);
	ck_assert_str_eq(metadata.hostname, "host");
	add_string(&body, "6.1.0", 64);
	read_feature(&metadata, FEATURE_OSRELEASE, &body);
	ck_assert_str_eq(metadata.release, "6.1.0");
	metadata_fini(&metadata);
}
END_TEST

START_TEST(a_string_that_leaves_its_section_is_none)
{
	struct metadata metadata = { 0 };
	struct build body = { 0 };

	build_u32(&body, UINT32_MAX);
	build_string(&body, "host");
	read_feature(&metadata, FEATURE_HOSTNAME, &body);
	ck_assert_ptr_null(metadata.hostname);
	build_u32(&body, 4);
	build_add(&body, "host", 4);	/* its length has no room for a NUL */
	build_u32(&body, 0);
	read_feature(&metadata, FEATURE_HOSTNAME, &body);
	ck_assert_ptr_null(metadata.hostname);
	read_feature(&metadata, FEATURE_HOSTNAME, &body);
	ck_assert_ptr_null(metadata.hostname);
	metadata_fini(&metadata);
}
END_TEST

START_TEST(the_command_line_is_its_words_with_blanks)
{
	struct metadata metadata = { 0 };
	struct build body = { 0 };

	build_u32(&body, 3);
	add_string(&body, "perf", 8);
	add_string(&body, "record", 64);
	add_string(&body, "ls", 3);
	read_feature(&metadata, FEATURE_CMDLINE, &body);
	ck_assert_str_eq(metadata.command, "perf record ls");
	metadata_fini(&metadata);
}
END_TEST

START_TEST(a_command_line_of_too_many_words_keeps_those_that_are_there)
{
	struct metadata metadata = { 0 };
	struct build body = { 0 };

	build_u32(&body, UINT32_MAX);
	add_string(&body, "perf", 8);
	add_string(&body, "record", 64);
	read_feature(&metadata, FEATURE_CMDLINE, &body);
	ck_assert_ptr_nonnull(metadata.command);
	ck_assert_mem_eq(metadata.command, "perf record", strlen("perf record"));
	metadata_fini(&metadata);
}
END_TEST

/* A word whose length has no room for its NUL: whatever is kept, what follows it is not part of it. */
START_TEST(a_word_without_its_nul_ends_the_command_line)
{
	struct metadata metadata = { 0 };
	struct build body = { 0 };

	build_u32(&body, 3);
	add_string(&body, "perf", 8);
	build_u32(&body, 6);
	build_add(&body, "record", 6);
	add_string(&body, "ls", 8);
	read_feature(&metadata, FEATURE_CMDLINE, &body);
	ck_assert_ptr_nonnull(metadata.command);
	ck_assert_mem_eq(metadata.command, "perf", 4);
	ck_assert_ptr_null(strstr(metadata.command, "record"));
	metadata_fini(&metadata);
}
END_TEST

static void add_build_id(struct build *body, uint16_t misc, uint16_t size, uint8_t id_size, const char *path)
{
	size_t at = body->len;

	build_u32(body, 0);
	build_u16(body, misc);
	build_u16(body, size);
	build_u32(body, UINT32_MAX);	/* pid */
	build_add(body, "\xde\xad\xbe\xef" "0123456789abcdef", 20);
	build_u8(body, id_size);
	build_add(body, "\0\0\0", 3);
	build_string(body, path);
	build_pad(body, at, 4);
	if (!size)
		build_put(body, at + 6, &(uint16_t){ (uint16_t)(body->len - at) }, 2);
}

START_TEST(build_ids_are_read_with_the_length_they_state)
{
	struct metadata metadata = { 0 };
	struct build body = { 0 };
	char text[BUILD_ID_TEXT];

	add_build_id(&body, PERF_RECORD_MISC_KERNEL, 0, 0, "[kernel.kallsyms]");
	add_build_id(&body, PERF_RECORD_MISC_USER | FORMAT_MISC_BUILD_ID_SIZE, 0, 4, "/bin/x");
	add_build_id(&body, PERF_RECORD_MISC_USER | FORMAT_MISC_BUILD_ID_SIZE, 0, 200, "/bin/y");
	read_feature(&metadata, FEATURE_BUILD_ID, &body);
	ck_assert_uint_eq(metadata.build_ids.len, 3);
	ck_assert(metadata.build_ids.items[0].kernel);
	ck_assert_str_eq(metadata.build_ids.items[0].path, "[kernel.kallsyms]");
	ck_assert_uint_eq(metadata.build_ids.items[0].id.size, 20);	/* no length: 20 */
	ck_assert(!metadata.build_ids.items[1].kernel);
	ck_assert_str_eq(build_id_text(&metadata.build_ids.items[1].id, text), "deadbeef");
	ck_assert_str_eq(metadata.build_ids.items[1].path, "/bin/x");
	ck_assert_uint_le(metadata.build_ids.items[2].id.size, BUILD_ID_MAX);
	metadata_fini(&metadata);
}
END_TEST

START_TEST(build_id_records_of_an_impossible_size_end_the_list)
{
	for (uint16_t size = 1; size < 40; size += 3) {
		struct metadata metadata = { 0 };
		struct build body = { 0 };

		add_build_id(&body, PERF_RECORD_MISC_USER, size, 0, "/bin/x");
		read_feature(&metadata, FEATURE_BUILD_ID, &body);
		for (size_t i = 0; i < metadata.build_ids.len; i++)
			ck_assert_uint_lt(strlen(metadata.build_ids.items[i].path), sizeof("/bin/x"));
		metadata_fini(&metadata);
	}
}
END_TEST

static const uint64_t ids_of_second[] = { 21, 22 };

static void named_events(struct event events[2], struct build *body)
{
	memset(events, 0, 2 * sizeof(*events));
	events[0].name = memory_strdup("first");
	events[1].name = memory_strdup("second");
	vec_push(&events[1].ids, ids_of_second[0]);
	vec_push(&events[1].ids, ids_of_second[1]);
	metadata_read(&(struct metadata){ 0 }, FEATURE_EVENT_DESC, bytes_of(body->items, body->len, "desc"), events, 2);
	build_free(body);
}

static void free_events(struct event events[2])
{
	event_fini(&events[0]);
	event_fini(&events[1]);
}

static void add_description(struct build *body, uint32_t attr_size, uint32_t id_count, const char *name, uint64_t id)
{
	for (uint32_t i = 0; i < attr_size; i++)
		build_u8(body, 0);
	build_u32(body, id_count);
	add_string(body, name, 64);
	if (id)
		build_u64(body, id);
}

START_TEST(descriptions_name_events_by_their_id_else_by_their_place)
{
	struct event events[2];
	struct build body = { 0 };

	build_u32(&body, 2);
	build_u32(&body, 64);
	add_description(&body, 64, 0, "cycles:u", 0);
	add_description(&body, 64, 1, "faults", 22);
	named_events(events, &body);
	ck_assert_str_eq(events[0].name, "cycles:u");
	ck_assert_str_eq(events[1].name, "faults");
	free_events(events);
	build_u32(&body, 1);
	build_u32(&body, 64);
	add_description(&body, 64, 1, "faults", 21);
	named_events(events, &body);
	ck_assert_str_eq(events[0].name, "first");
	ck_assert_str_eq(events[1].name, "faults");
	free_events(events);
}
END_TEST

START_TEST(descriptions_without_ids_go_by_their_place)
{
	struct event events[2];
	struct build body = { 0 };

	build_u32(&body, 3);
	build_u32(&body, 64);
	add_description(&body, 64, 0, "cycles:u", 0);
	add_description(&body, 64, 0, "faults", 0);
	add_description(&body, 64, 0, "one too many", 0);
	named_events(events, &body);
	ck_assert_str_eq(events[0].name, "cycles:u");
	ck_assert_str_eq(events[1].name, "faults");
	free_events(events);
}
END_TEST

START_TEST(descriptions_whose_numbers_lie_change_no_names)
{
	static const struct {
		uint32_t count, attr_size, ids;
	} cases[] = {
		{ 1, UINT32_MAX, 0 },	    { 1, 64, UINT32_MAX }, { 1, 64, 1u << 29 },
		{ UINT32_MAX, 1 << 20, 0 }, { 0, 64, 0 },
	};
	struct event events[2];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct build body = { 0 };

		build_u32(&body, cases[i].count);
		build_u32(&body, cases[i].attr_size);
		add_description(&body, 64, cases[i].ids, "evil", 0);
		named_events(events, &body);
		ck_assert_str_eq(events[0].name, "first");
		ck_assert_str_eq(events[1].name, "second");
		free_events(events);
	}
}
END_TEST

START_TEST(clocks_and_times_are_read)
{
	struct metadata metadata = { 0 };
	struct build body = { 0 };

	build_u32(&body, 1);
	build_u32(&body, 4);	/* CLOCK_MONOTONIC_RAW */
	build_u64(&body, 1700000000000000000);
	build_u64(&body, 12345);
	read_feature(&metadata, FEATURE_CLOCK_DATA, &body);
	ck_assert(metadata.has_clock);
	ck_assert_uint_eq(metadata.clock_id, 4);
	ck_assert_uint_eq(metadata.clock_wall_ns, 1700000000000000000);
	ck_assert_uint_eq(metadata.clock_ns, 12345);
	build_u64(&body, 100);
	build_u64(&body, 900);
	read_feature(&metadata, FEATURE_SAMPLE_TIME, &body);
	ck_assert_uint_eq(metadata.first_time, 100);
	ck_assert_uint_eq(metadata.last_time, 900);
	build_u32(&body, 1);
	read_feature(&metadata, FEATURE_CLOCK_DATA, &body);
	ck_assert(!metadata.has_clock);
	metadata_fini(&metadata);
}
END_TEST

START_TEST(nothing_is_written_where_there_is_nothing_to_say)
{
	static const enum feature silent[] = {
		FEATURE_BUILD_ID, FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_ARCH,
		FEATURE_CMDLINE,  FEATURE_CLOCKID,  FEATURE_CLOCK_DATA, FEATURE_COMPRESSED, FEATURE_DIR_FORMAT,
	};
	struct metadata metadata = { 0 };
	metadata_body body = { 0 };

	for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++)
		metadata_write(&metadata, silent[i], NULL, 0, &body);
	ck_assert_uint_eq(body.len, 0);
}
END_TEST

/* perf pads strings to 64 bytes with their NUL: 63 characters fit, 64 need another 64. */
START_TEST(strings_are_written_as_perf_does)
{
	char name[65] = { 0 };
	struct metadata metadata = { .hostname = name };
	metadata_body body = { 0 };
	uint32_t size;

	memset(name, 'a', 63);
	metadata_write(&metadata, FEATURE_HOSTNAME, NULL, 0, &body);
	ck_assert_uint_eq(body.len, 4 + 64);
	memcpy(&size, body.items, 4);
	ck_assert_uint_eq(size, 64);
	body.len = 0;
	name[63] = 'a';
	metadata_write(&metadata, FEATURE_HOSTNAME, NULL, 0, &body);
	ck_assert_uint_eq(body.len, 4 + 128);
	vec_fini(&body);
}
END_TEST

Suite *suite_metadata(void)
{
	Suite *suite = suite_create("perfdata/metadata");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, strings_are_read_up_to_their_nul);
	tcase_add_test(tc, a_string_that_leaves_its_section_is_none);
	tcase_add_test(tc, the_command_line_is_its_words_with_blanks);
	tcase_add_test(tc, a_command_line_of_too_many_words_keeps_those_that_are_there);
	tcase_add_test(tc, a_word_without_its_nul_ends_the_command_line);
	tcase_add_test(tc, build_ids_are_read_with_the_length_they_state);
	tcase_add_test(tc, build_id_records_of_an_impossible_size_end_the_list);
	tcase_add_test(tc, descriptions_name_events_by_their_id_else_by_their_place);
	tcase_add_test(tc, descriptions_without_ids_go_by_their_place);
	tcase_add_test(tc, descriptions_whose_numbers_lie_change_no_names);
	tcase_add_test(tc, clocks_and_times_are_read);
	tcase_add_test(tc, nothing_is_written_where_there_is_nothing_to_say);
	tcase_add_test(tc, strings_are_written_as_perf_does);
	suite_add_tcase(suite, tc);
	return suite;
}
