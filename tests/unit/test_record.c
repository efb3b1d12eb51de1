#include "perfdata/record.h"

#include "tests/unit/build_record.h"
#include "tests/unit/suites.h"

static bool decode(struct record *record, const struct build *bytes, const struct event *event)
{
	return record_decode(record, bytes->items, event);
}

/* perf_event_open(2), PERF_RECORD_SAMPLE, in its order; a field is there where its bit is in `type`. */
static void build_sample(struct build *b, uint64_t type)
{
	size_t at = record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	if (type & PERF_SAMPLE_IDENTIFIER)
		build_u64(b, 0x1d);
	if (type & PERF_SAMPLE_IP)
		build_u64(b, 0x401000);
	if (type & PERF_SAMPLE_TID) {
		build_u32(b, 100);
		build_u32(b, 101);
	}
	if (type & PERF_SAMPLE_TIME)
		build_u64(b, 5000);
	if (type & PERF_SAMPLE_ADDR)
		build_u64(b, 0xadd);
	if (type & PERF_SAMPLE_ID)
		build_u64(b, 0x1e);
	if (type & PERF_SAMPLE_STREAM_ID)
		build_u64(b, 0x5);
	if (type & PERF_SAMPLE_CPU) {
		build_u32(b, 3);
		build_u32(b, 0);
	}
	if (type & PERF_SAMPLE_PERIOD)
		build_u64(b, 250000);
	if (type & PERF_SAMPLE_READ) {	/* PERF_FORMAT_GROUP | ID | TOTAL_TIME_ENABLED */
		build_u64(b, 2);
		build_u64(b, 0x7e);
		for (uint64_t i = 0; i < 2; i++) {
			build_u64(b, 1000 + i);
			build_u64(b, 0x1d + i);
		}
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		build_u64(b, 2);
		build_u64(b, (uint64_t)PERF_CONTEXT_USER);
		build_u64(b, 0x401000);
	}
	if (type & PERF_SAMPLE_RAW) {
		build_u32(b, 12);
		build_add(b, "twelve bytes", 12);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {	/* PERF_SAMPLE_BRANCH_HW_INDEX */
		build_u64(b, 1);
		build_u64(b, 0);
		build_add(b, BYTES(1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0));
	}
	if (type & PERF_SAMPLE_REGS_USER) {	/* two registers */
		build_u64(b, PERF_SAMPLE_REGS_ABI_64);
		build_u64(b, 0x7ffe0000);
		build_u64(b, 0x401000);
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		build_u64(b, 16);
		build_add(b, "0123456789abcdef", 16);
		build_u64(b, 8);
	}
	record_end(b, at);
}

static struct event event_of(uint64_t type)
{
	return (struct event){ .attr = {
		.sample_type = type,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
		.sample_regs_user = 1 << 7 | 1 << 8,
		.sample_period = 77,
		.sample_id_all = 1,
	} };
}

static void assert_sample(const struct record *record, uint64_t type)
{
	const struct sample *sample = &record->sample;

	ck_assert_uint_eq(sample->ip, type & PERF_SAMPLE_IP ? 0x401000 : 0);
	ck_assert_uint_eq(record->pid, type & PERF_SAMPLE_TID ? 100 : 0);
	ck_assert_uint_eq(record->tid, type & PERF_SAMPLE_TID ? 101 : 0);
	ck_assert_uint_eq(record->time, type & PERF_SAMPLE_TIME ? 5000 : 0);
	ck_assert_uint_eq(sample->addr, type & PERF_SAMPLE_ADDR ? 0xadd : 0);
	ck_assert_uint_eq(record->cpu, type & PERF_SAMPLE_CPU ? 3 : 0);
	ck_assert_uint_eq(sample->period, type & PERF_SAMPLE_PERIOD ? 250000 : 77);
	ck_assert_uint_eq(sample->chain.count, type & PERF_SAMPLE_CALLCHAIN ? 2 : 0);
	if (type & PERF_SAMPLE_CALLCHAIN)
		ck_assert_uint_eq(words_at(sample->chain, 1), 0x401000);
	ck_assert_uint_eq(sample->regs_abi, type & PERF_SAMPLE_REGS_USER ? PERF_SAMPLE_REGS_ABI_64 : 0);
	ck_assert_uint_eq(sample->regs.count, type & PERF_SAMPLE_REGS_USER ? 2 : 0);
	if (type & PERF_SAMPLE_REGS_USER)
		ck_assert_uint_eq(words_at(sample->regs, 0), 0x7ffe0000);
	ck_assert_uint_eq(sample->stack_asked, type & PERF_SAMPLE_STACK_USER ? 16 : 0);
	ck_assert_uint_eq(sample->stack_size, type & PERF_SAMPLE_STACK_USER ? 8 : 0);
	if (type & PERF_SAMPLE_STACK_USER)
		ck_assert_mem_eq(sample->stack, "01234567", 8);
}

/* The sets of fields with at most two of them, and with all but at most two. */
START_TEST(a_samples_fields_are_found_whichever_others_are_there)
{
	static const uint64_t fields[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	       PERF_SAMPLE_TID,	   PERF_SAMPLE_TIME,
		PERF_SAMPLE_ADDR,	PERF_SAMPLE_ID,	       PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
		PERF_SAMPLE_PERIOD,	PERF_SAMPLE_READ,      PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW,
		PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER,
	};
	enum { FIELDS = sizeof(fields) / sizeof(*fields) };
	struct build bytes = { 0 };
	struct record record;

	for (uint32_t set = 0; set < 1u << FIELDS; set++) {
		struct event event;
		int size = __builtin_popcount(set);
		uint64_t type = 0;

		if (size > 2 && size < FIELDS - 2)
			continue;
		for (unsigned int i = 0; i < FIELDS; i++)
			type |= set >> i & 1 ? fields[i] : 0;
		event = event_of(type);
		bytes.len = 0;
		build_sample(&bytes, type);
		ck_assert(decode(&record, &bytes, &event));
		assert_sample(&record, type);
		ck_assert_uint_eq(record_time(bytes.items, bytes.len, &event), type & PERF_SAMPLE_TIME ? 5000 : 0);
		ck_assert_uint_eq(record_id(bytes.items, bytes.len, &event),
				  type & PERF_SAMPLE_IDENTIFIER ? 0x1d : type & PERF_SAMPLE_ID ? 0x1e : 0);
	}
	build_free(&bytes);
}
END_TEST

START_TEST(a_sample_cut_short_anywhere_is_malformed)
{
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct event event = event_of(type);
	struct build bytes = { 0 };
	struct record record;

	build_sample(&bytes, type);
	ck_assert(decode(&record, &bytes, &event));
	for (uint16_t size = 8; size < bytes.len; size++) {
		build_put(&bytes, 6, &size, sizeof(size));
		ck_assert(!decode(&record, &bytes, &event));
	}
	build_free(&bytes);
}
END_TEST

/* A sample of one field: `first` and then nothing. */
static bool decodes_with_count(uint64_t type, uint64_t first)
{
	struct event event = event_of(type);
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_SAMPLE, 0);
	bool good;

	build_u64(&bytes, first);
	build_u64(&bytes, 0);
	build_u64(&bytes, 0);
	build_u64(&bytes, 0);
	record_end(&bytes, at);
	good = decode(&record, &bytes, &event);
	build_free(&bytes);
	return good;
}

/* 2^61 words of eight bytes are 2^64 bytes, which is 0. */
START_TEST(a_count_that_overflows_is_malformed)
{
	ck_assert(decodes_with_count(PERF_SAMPLE_CALLCHAIN, 3));
	ck_assert(!decodes_with_count(PERF_SAMPLE_CALLCHAIN, 4));
	ck_assert(!decodes_with_count(PERF_SAMPLE_CALLCHAIN, 1ull << 61));
	ck_assert(!decodes_with_count(PERF_SAMPLE_CALLCHAIN, 1ull << 63));
	ck_assert(!decodes_with_count(PERF_SAMPLE_CALLCHAIN, UINT64_MAX));
	ck_assert(!decodes_with_count(PERF_SAMPLE_READ, 1ull << 60));
	ck_assert(!decodes_with_count(PERF_SAMPLE_READ, UINT64_MAX));
	ck_assert(!decodes_with_count(PERF_SAMPLE_BRANCH_STACK, UINT64_MAX / 24 + 1));
	ck_assert(!decodes_with_count(PERF_SAMPLE_STACK_USER, UINT64_MAX));
	ck_assert(!decodes_with_count(PERF_SAMPLE_STACK_USER, 24));
	ck_assert(decodes_with_count(PERF_SAMPLE_STACK_USER, 16));
}
END_TEST

START_TEST(more_real_bytes_than_the_stack_copy_has_is_malformed)
{
	struct event event = event_of(PERF_SAMPLE_STACK_USER);
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_SAMPLE, 0);

	build_u64(&bytes, 8);
	build_u64(&bytes, 0x1234);
	build_u64(&bytes, 9);
	record_end(&bytes, at);
	ck_assert(!decode(&record, &bytes, &event));
	build_free(&bytes);
}
END_TEST

/* Both are followed by nothing where they are 0. */
START_TEST(without_user_registers_and_stack_nothing_follows)
{
	struct event event = event_of(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_SAMPLE, 0);

	build_u64(&bytes, PERF_SAMPLE_REGS_ABI_NONE);
	build_u64(&bytes, 0);
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.sample.regs_abi, 0);
	ck_assert_uint_eq(record.sample.regs.count, 0);
	ck_assert_ptr_null(record.sample.stack);
	build_free(&bytes);
}
END_TEST

/* Linux 6.8: each branch has a word of counters behind all of them. */
START_TEST(branch_counters_are_passed_over)
{
	struct event event = event_of(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_STACK_USER);
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_SAMPLE, 0);

	event.attr.branch_sample_type = 1 << 19;
	build_u64(&bytes, 2);
	for (int word = 0; word < 2 * 4; word++)
		build_u64(&bytes, 0x99);
	build_u64(&bytes, 8);
	build_u64(&bytes, 0x1234);
	build_u64(&bytes, 8);
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.sample.stack_size, 8);
	build_free(&bytes);
}
END_TEST

START_TEST(a_single_counter_has_no_number_of_counters)
{
	struct event event = event_of(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN);
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_SAMPLE, 0);

	event.attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_RUNNING;
	build_u64(&bytes, 1000);	/* value */
	build_u64(&bytes, 0x7e);	/* time running */
	build_u64(&bytes, 0x1d);	/* id */
	build_u64(&bytes, 0);		/* lost */
	build_u64(&bytes, 1);
	build_u64(&bytes, 0x401000);
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.sample.chain.count, 1);
	ck_assert_uint_eq(words_at(record.sample.chain, 0), 0x401000);
	build_free(&bytes);
}
END_TEST

START_TEST(without_a_period_each_sample_weighs_the_events_period)
{
	struct event event = event_of(PERF_SAMPLE_IP);
	struct build bytes = { 0 };
	struct record record;

	build_sample(&bytes, PERF_SAMPLE_IP);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.sample.period, 77);
	event.attr.freq = 1;	/* then the field is a frequency */
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.sample.period, 1);
	build_free(&bytes);
}
END_TEST

/* Newer kernels may add fields in front of the trailer. */
START_TEST(the_trailer_is_read_from_the_end)
{
	struct event event = event_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				      PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	build_u32(&bytes, 100);
	build_u32(&bytes, 101);
	build_add(&bytes, "sleep\0\0\0", 8);
	build_u64(&bytes, 0xf0f0f0f0);	/* something new */
	build_u32(&bytes, 100);
	build_u32(&bytes, 101);
	build_u64(&bytes, 5000);
	build_u64(&bytes, 0x1e);
	build_u64(&bytes, 0x5);
	build_u32(&bytes, 3);
	build_u32(&bytes, 0);
	build_u64(&bytes, 0x1d);
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.pid, 100);
	ck_assert_uint_eq(record.tid, 101);
	ck_assert_str_eq(record.comm, "sleep");
	ck_assert_uint_eq(record.time, 5000);
	ck_assert_uint_eq(record.cpu, 3);
	ck_assert_uint_eq(record.misc, PERF_RECORD_MISC_COMM_EXEC);
	ck_assert_uint_eq(record_id(bytes.items, bytes.len, &event), 0x1d);
	event.attr.sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	event.attr.sample_id_all = 0;
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.time, 0);
	build_free(&bytes);
}
END_TEST

/* The word before the record must not be looked at: here it is there, and not 0. */
START_TEST(a_record_too_short_for_its_trailer_has_no_time)
{
	struct event event = event_of(PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
	struct build bytes = { 0 };

	for (unsigned int size = 8; size < 40; size += 8) {
		bytes.len = 0;
		for (int word = 0; word < 4; word++)
			build_u64(&bytes, 0xbadbadbad);
		record_of_size(&bytes, PERF_RECORD_SWITCH, (uint16_t)size);
		for (unsigned int more = 8; more < size; more += 8)
			build_u64(&bytes, 0);
		ck_assert_uint_eq(record_time(bytes.items + 32, size, &event), 0);
		ck_assert_uint_eq(record_id(bytes.items + 32, size, &event), 0);
	}
	build_free(&bytes);
}
END_TEST

START_TEST(a_time_of_all_ones_is_none)
{
	struct event event = event_of(PERF_SAMPLE_TIME);
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_SAMPLE, 0);

	build_u64(&bytes, UINT64_MAX);
	record_end(&bytes, at);
	ck_assert_uint_eq(record_time(bytes.items, bytes.len, &event), 0);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.time, 0);
	build_free(&bytes);
}
END_TEST

START_TEST(records_that_tools_add_have_no_trailer)
{
	struct event event = event_of(PERF_SAMPLE_TIME);
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, FORMAT_FINISHED_ROUND, 0);

	build_u64(&bytes, 5000);
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.type, FORMAT_FINISHED_ROUND);
	ck_assert_uint_eq(record.time, 0);
	ck_assert_uint_eq(record_time(bytes.items, bytes.len, &event), 0);
	build_free(&bytes);
}
END_TEST

START_TEST(the_time_of_a_large_sample_stands_in_its_head)
{
	uint64_t type =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STACK_USER;
	struct event event = event_of(type);
	struct build bytes = { 0 };

	build_sample(&bytes, type);
	ck_assert_uint_eq(record_time(bytes.items, RECORD_HEAD, &event), 5000);
	ck_assert_uint_eq(record_id(bytes.items, RECORD_HEAD, &event), 0x1d);
	ck_assert_uint_eq(record_time(bytes.items, 39, &event), 0);
	build_free(&bytes);
}
END_TEST

static size_t begin_mmap(struct build *b, uint32_t type, uint16_t misc)
{
	size_t at = record_begin(b, type, misc);

	build_u32(b, 100);
	build_u32(b, 101);
	build_u64(b, 0x400000);
	build_u64(b, 0x2000);
	build_u64(b, 0x1000);
	return at;
}

START_TEST(mmap_is_code_unless_its_misc_says_data)
{
	struct event event = { 0 };
	struct build bytes = { 0 };
	struct record record;
	size_t at = begin_mmap(&bytes, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);

	build_string(&bytes, "/bin/x");
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.pid, 100);
	ck_assert_uint_eq(record.mapping.start, 0x400000);
	ck_assert_uint_eq(record.mapping.size, 0x2000);
	ck_assert_uint_eq(record.mapping.file_offset, 0x1000);
	ck_assert_str_eq(record.mapping.path, "/bin/x");
	ck_assert(record.mapping.executable);
	build_put(&bytes, 4, &(uint16_t){ PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA }, 2);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert(!record.mapping.executable);
	build_free(&bytes);
}
END_TEST

START_TEST(mmap2_tells_the_inode_and_the_protection)
{
	struct event event = { 0 };
	struct build bytes = { 0 };
	struct record record;
	size_t at = begin_mmap(&bytes, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	build_u32(&bytes, 8);		/* major */
	build_u32(&bytes, 2);		/* minor */
	build_u64(&bytes, 4711);	/* inode */
	build_u64(&bytes, 1);		/* its generation */
	build_u32(&bytes, 1 | 4);	/* PROT_READ | PROT_EXEC */
	build_u32(&bytes, 2);		/* MAP_PRIVATE */
	build_string(&bytes, "/bin/x");
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.mapping.major, 8);
	ck_assert_uint_eq(record.mapping.minor, 2);
	ck_assert_uint_eq(record.mapping.inode, 4711);
	ck_assert(!build_id_is_known(&record.mapping.build_id));
	ck_assert(record.mapping.executable);
	ck_assert_str_eq(record.mapping.path, "/bin/x");
	build_put(&bytes, at + 8 + 32 + 24, &(uint32_t){ 1 }, 4);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert(!record.mapping.executable);
	build_free(&bytes);
}
END_TEST

START_TEST(mmap2_may_tell_the_build_id_instead)
{
	struct event event = { 0 };
	struct build bytes = { 0 };
	struct record record;
	char text[BUILD_ID_TEXT];
	size_t at = begin_mmap(&bytes, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);

	build_add(&bytes, BYTES(4, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef));
	build_pad(&bytes, at + 8 + 32, 24);
	build_u32(&bytes, 5);
	build_u32(&bytes, 2);
	build_string(&bytes, "/bin/x");
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_str_eq(build_id_text(&record.mapping.build_id, text), "deadbeef");
	ck_assert_uint_eq(record.mapping.inode, 0);
	ck_assert_str_eq(record.mapping.path, "/bin/x");
	bytes.items[at + 8 + 32] = 200;	/* more than there is room for */
	ck_assert(decode(&record, &bytes, &event));
	ck_assert(!build_id_is_known(&record.mapping.build_id));
	build_free(&bytes);
}
END_TEST

START_TEST(a_string_without_its_nul_is_malformed)
{
	struct event event = { 0 };
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_COMM, 0);

	build_u64(&bytes, 0);
	build_add(&bytes, "sleep   ", 8);
	record_end(&bytes, at);
	build_u64(&bytes, 0);	/* a NUL behind the record is not its own */
	ck_assert(!decode(&record, &bytes, &event));
	build_free(&bytes);
}
END_TEST

START_TEST(fork_names_the_child_first)
{
	struct event event = { 0 };
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_FORK, 0);

	build_u32(&bytes, 200);		/* pid */
	build_u32(&bytes, 100);		/* ppid */
	build_u32(&bytes, 201);		/* tid */
	build_u32(&bytes, 101);		/* ptid */
	build_u64(&bytes, 5000);
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.pid, 200);
	ck_assert_uint_eq(record.tid, 201);
	ck_assert_uint_eq(record.task.parent_pid, 100);
	ck_assert_uint_eq(record.task.parent_tid, 101);
	build_free(&bytes);
}
END_TEST

START_TEST(losses_are_counted_behind_the_id)
{
	struct event event = { 0 };
	struct build bytes = { 0 };
	struct record record;
	size_t at = record_begin(&bytes, PERF_RECORD_LOST, 0);

	build_u64(&bytes, 0x1d);
	build_u64(&bytes, 42);
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.lost, 42);
	bytes.len = 0;
	at = record_begin(&bytes, PERF_RECORD_LOST_SAMPLES, 0);
	build_u64(&bytes, 43);
	record_end(&bytes, at);
	ck_assert(decode(&record, &bytes, &event));
	ck_assert_uint_eq(record.lost, 43);
	build_free(&bytes);
}
END_TEST

Suite *suite_record(void)
{
	Suite *suite = suite_create("perfdata/record");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_samples_fields_are_found_whichever_others_are_there);
	tcase_add_test(tc, a_sample_cut_short_anywhere_is_malformed);
	tcase_add_test(tc, a_count_that_overflows_is_malformed);
	tcase_add_test(tc, more_real_bytes_than_the_stack_copy_has_is_malformed);
	tcase_add_test(tc, without_user_registers_and_stack_nothing_follows);
	tcase_add_test(tc, branch_counters_are_passed_over);
	tcase_add_test(tc, a_single_counter_has_no_number_of_counters);
	tcase_add_test(tc, without_a_period_each_sample_weighs_the_events_period);
	tcase_add_test(tc, the_trailer_is_read_from_the_end);
	tcase_add_test(tc, a_record_too_short_for_its_trailer_has_no_time);
	tcase_add_test(tc, a_time_of_all_ones_is_none);
	tcase_add_test(tc, records_that_tools_add_have_no_trailer);
	tcase_add_test(tc, the_time_of_a_large_sample_stands_in_its_head);
	tcase_add_test(tc, mmap_is_code_unless_its_misc_says_data);
	tcase_add_test(tc, mmap2_tells_the_inode_and_the_protection);
	tcase_add_test(tc, mmap2_may_tell_the_build_id_instead);
	tcase_add_test(tc, a_string_without_its_nul_is_malformed);
	tcase_add_test(tc, fork_names_the_child_first);
	tcase_add_test(tc, losses_are_counted_behind_the_id);
	suite_add_tcase(suite, tc);
	return suite;
}
