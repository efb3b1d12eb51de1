#include "perfdata/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "perfdata/reader.h"
#include "tests/unit/build_record.h"
#include "tests/unit/suites.h"

/* A file that is written with one or two events whose samples are id, ip and time. */
struct fixture {
	struct event events[2];
	struct writer writer;
	struct error err;
	char path[64];
	int fd;
};

static void fixture_init(struct fixture *fixture, size_t count)
{
	static const char *const names[] = { "cpu-clock:u", "dummy:u" };
	struct build nothing = { 0 };

	*fixture = (struct fixture){ .fd = -1 };
	for (size_t i = 0; i < count; i++) {
		struct event *event = &fixture->events[i];

		event->attr.type = PERF_TYPE_SOFTWARE;
		event->attr.config = i ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_CPU_CLOCK;
		event->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
		event->attr.sample_id_all = 1;
		event->attr.size = writer_attr_size(&event->attr);
		event->name = memory_strdup(names[i]);
		vec_push(&event->ids, 10 * (i + 1));
		vec_push(&event->ids, 10 * (i + 1) + 1);
	}
	build_file(&nothing, fixture->path);
	fixture->fd = open(fixture->path, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(
		writer_init(&fixture->writer, fixture->fd, fixture->path, fixture->events, count, &fixture->err), 0);
}

static void fixture_free(struct fixture *fixture)
{
	writer_fini(&fixture->writer);
	close(fixture->fd);
	unlink(fixture->path);
	event_fini(&fixture->events[0]);
	event_fini(&fixture->events[1]);
}

static int add_sample(struct fixture *fixture, uint64_t id, uint64_t ip, uint64_t time)
{
	struct build record = { 0 };
	size_t at = record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	int status;

	build_u64(&record, id);
	build_u64(&record, ip);
	build_u64(&record, time);
	record_end(&record, at);
	status = writer_record(&fixture->writer, record.items, record.len, &fixture->err);
	build_free(&record);
	return status;
}

static void assert_reads(struct reader *reader, const char *ips)
{
	struct record record;

	for (; *ips; ips++) {
		ck_assert(reader_next(reader, &record));
		ck_assert_uint_eq(record.sample.ip, (uint64_t)*ips);
	}
	ck_assert(!reader_next(reader, &record));
}

START_TEST(what_was_written_is_read)
{
	struct fixture f;
	struct reader reader;
	struct notes notes = { 0 };

	fixture_init(&f, 2);
	ck_assert_int_eq(add_sample(&f, 11, 'a', 1), 0);
	ck_assert_int_eq(add_sample(&f, 21, 'b', 2), 0);
	ck_assert_int_eq(writer_finish(&f.writer, &(struct metadata){ 0 }, &f.err), 0);
	ck_assert_int_eq(reader_open(&reader, f.path, &notes, &f.err), 0);
	ck_assert_uint_eq(reader.events.len, 2);
	ck_assert_uint_eq(reader.events.items[1].attr.config, PERF_COUNT_SW_DUMMY);
	ck_assert_str_eq(reader.events.items[0].name, "cpu-clock:u");
	ck_assert_str_eq(reader.events.items[1].name, "dummy:u");
	ck_assert_uint_eq(reader.events.items[1].ids.len, 2);
	ck_assert_uint_eq(reader.events.items[1].ids.items[1], 21);
	assert_reads(&reader, "ab");
	ck_assert_uint_eq(notes.sentences.strings.len, 0);
	reader_close(&reader);
	notes_fini(&notes);
	fixture_free(&f);
}
END_TEST

START_TEST(what_it_says_about_itself_is_read)
{
	char host[] = "host", release[] = "6.1", version[] = "1.0", arch[] = "x86_64", command[] = "pmuprof record ls";
	char kernel[] = "[kernel.kallsyms]", program[] = "/bin/ls";
	struct metadata metadata = {
		.hostname = host,
		.release = release,
		.version = version,
		.arch = arch,
		.command = command,
		.cpus_present = 8,
		.cpus_online = 4,
		.first_time = 100,
		.last_time = 900,
		.has_clock = true,
		.clock_id = 4,
		.clock_wall_ns = 1700000000000000000,
		.clock_ns = 50,
		.consumed_ns = 123456789,
	};
	struct fixture f;
	struct reader reader;
	const struct metadata *read = &reader.metadata;

	vec_push(&metadata.build_ids, (struct dso_build_id){ build_id_of("0123456789abcdef0123", 20), true, kernel });
	vec_push(&metadata.build_ids, (struct dso_build_id){ build_id_of("abcd", 4), false, program });
	fixture_init(&f, 1);
	ck_assert_int_eq(add_sample(&f, 11, 'a', 1), 0);
	ck_assert_int_eq(writer_finish(&f.writer, &metadata, &f.err), 0);
	vec_fini(&metadata.build_ids);
	ck_assert_int_eq(reader_open(&reader, f.path, NULL, &f.err), 0);
	ck_assert_str_eq(read->hostname, "host");
	ck_assert_str_eq(read->release, "6.1");
	ck_assert_str_eq(read->version, "1.0");
	ck_assert_str_eq(read->arch, "x86_64");
	ck_assert_str_eq(read->command, "pmuprof record ls");
	ck_assert_uint_eq(read->cpus_present, 8);
	ck_assert_uint_eq(read->cpus_online, 4);
	ck_assert_uint_eq(read->first_time, 100);
	ck_assert_uint_eq(read->last_time, 900);
	ck_assert(read->has_clock);
	ck_assert_uint_eq(read->clock_id, 4);
	ck_assert_uint_eq(read->clock_ns, 50);
	ck_assert_uint_eq(read->consumed_ns, 123456789);
	ck_assert_uint_eq(read->build_ids.len, 2);
	ck_assert(read->build_ids.items[0].kernel && !read->build_ids.items[1].kernel);
	ck_assert_uint_eq(read->build_ids.items[1].id.size, 4);
	ck_assert_str_eq(read->build_ids.items[1].path, "/bin/ls");
	assert_reads(&reader, "a");
	reader_close(&reader);
	fixture_free(&f);
}
END_TEST

/* perf 6.1 refuses an attr larger than its own struct: 112 (VER5) unless something later is set. */
START_TEST(attrs_are_as_small_as_their_fields_allow)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .sample_stack_user = 16384 };

	ck_assert_uint_eq(writer_attr_size(&attr), PERF_ATTR_SIZE_VER5);
	attr.aux_sample_size = 1;
	ck_assert_uint_eq(writer_attr_size(&attr), PERF_ATTR_SIZE_VER6);
	attr.sig_data = 1;
	ck_assert_uint_eq(writer_attr_size(&attr), PERF_ATTR_SIZE_VER7);
}
END_TEST

/* The recorder is killed behind the checkpoint: what came later is lost, what came before is read. */
START_TEST(a_checkpointed_file_can_be_read_at_once)
{
	struct fixture f;
	struct reader reader;

	fixture_init(&f, 1);
	ck_assert_int_eq(add_sample(&f, 11, 'a', 1), 0);
	ck_assert_int_eq(writer_checkpoint(&f.writer, &f.err), 0);
	ck_assert_int_eq(add_sample(&f, 11, 'b', 2), 0);
	ck_assert_int_eq(reader_open(&reader, f.path, NULL, &f.err), 0);
	assert_reads(&reader, "a");
	reader_close(&reader);
	fixture_free(&f);
}
END_TEST

START_TEST(a_file_that_was_only_begun_can_be_read)
{
	struct fixture f;
	struct reader reader;

	fixture_init(&f, 1);
	ck_assert_int_eq(reader_open(&reader, f.path, NULL, &f.err), 0);
	assert_reads(&reader, "");
	reader_close(&reader);
	fixture_free(&f);
}
END_TEST

START_TEST(more_than_the_buffer_holds_is_written_whole)
{
	enum { MANY = 100000 };	/* of 32 bytes: three buffers */
	struct fixture f;
	struct reader reader;
	struct record record;
	uint64_t expected = 0;

	fixture_init(&f, 1);
	for (uint64_t i = 0; i < MANY; i++)
		if (add_sample(&f, 11, i, i + 1))
			ck_abort_msg("%s", f.err.message);
	ck_assert_int_eq(writer_finish(&f.writer, &(struct metadata){ 0 }, &f.err), 0);
	ck_assert_int_eq(reader_open(&reader, f.path, NULL, &f.err), 0);
	while (reader_next(&reader, &record))
		if (record.sample.ip != expected++)
			ck_abort_msg("sample %d is not there", (int)expected);
	ck_assert_uint_eq(expected, MANY);
	reader_close(&reader);
	fixture_free(&f);
}
END_TEST

/* A limit on the file's size (setrlimit(2)) makes writes end in the middle of a record, as a full disk does. */
START_TEST(on_a_full_disk_the_whole_records_remain)
{
	struct rlimit limit = { 2000000 + 5, 2000000 + 5 };
	struct fixture f;
	struct reader reader;
	struct record record;
	uint64_t written = 0, read = 0;

	signal(SIGXFSZ, SIG_IGN);
	fixture_init(&f, 1);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	while (!add_sample(&f, 11, written, written + 1))
		if (++written > 200000)
			ck_abort_msg("the disk does not get full");
	ck_assert_int_eq(f.err.code, ERROR_SYSTEM);
	ck_assert_int_eq(f.err.sys, EFBIG);
	writer_finish(&f.writer, &(struct metadata){ .consumed_ns = 1 }, &f.err);
	ck_assert_int_eq(reader_open(&reader, f.path, NULL, &f.err), 0);
	while (reader_next(&reader, &record))
		if (record.sample.ip != read++)
			ck_abort_msg("sample %d is not there", (int)read);
	ck_assert_uint_eq(reader.malformed, 0);
	ck_assert_uint_eq(reader.runs.damage, 0);
	ck_assert_uint_ge(read, 2000000 / 32 - 100);
	reader_close(&reader);
	fixture_free(&f);
}
END_TEST

Suite *suite_writer(void)
{
	Suite *suite = suite_create("perfdata/writer");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, what_was_written_is_read);
	tcase_add_test(tc, what_it_says_about_itself_is_read);
	tcase_add_test(tc, attrs_are_as_small_as_their_fields_allow);
	tcase_add_test(tc, a_checkpointed_file_can_be_read_at_once);
	tcase_add_test(tc, a_file_that_was_only_begun_can_be_read);
	tcase_add_test(tc, more_than_the_buffer_holds_is_written_whole);
	tcase_add_test(tc, on_a_full_disk_the_whole_records_remain);
	suite_add_tcase(suite, tc);
	return suite;
}
