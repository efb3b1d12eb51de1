#include "profiler/session.h"

#include <dwarf.h>

#include "profiler/user_registers.h"
#include "tests/unit/build_cfi.h"
#include "tests/unit/suites.h"

/* A program whose code [0x1000, 0x10000) is mapped at CODE: LEAF has cfa = rsp + 8, ROOT no caller. */
#define CODE 0x400000ull
#define SP 0x7000ull
#define KERNEL 0xffffffff81000000ull

enum { LEAF = 0x1000, ROOT = 0x1200, PID = 100 };

struct fixture {
	struct event event;
	struct profile profile;
	struct session *session;
};

static void fixture_init(struct fixture *fixture, uint64_t sample_type)
{
	struct record record = { .type = PERF_RECORD_MMAP2, .pid = PID, .tid = PID };
	struct build section = { 0 };
	struct build_elf elf = { 0 };
	size_t cie = cfi_plain_cie(&section);

	*fixture = (struct fixture){ .event = { .attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = sample_type,
		.sample_regs_user = USER_REGISTERS_MASK,
	} } };
	fixture->event.name = memory_strdup("cpu-clock");
	cfi_fde(&section, cie, LEAF, 0x100, NO_BYTES);
	cfi_fde(&section, cie, ROOT, 0x100, BYTES(DW_CFA_undefined, 16));
	cfi_into_elf(&elf, &section);
	profile_init(&fixture->profile, NULL);
	elf_dso(&elf, &fixture->profile.dsos, "/bin/program");
	fixture->session = session_new(&fixture->profile, &fixture->event, 1);
	record.mapping = (struct mapping){
		.start = CODE + 0x1000, .size = 0xf000, .file_offset = 0, .executable = true, .path = "/bin/program",
	};
	session_apply(fixture->session, &record);
}

static void fixture_free(struct fixture *fixture)
{
	session_free(fixture->session);
	profile_fini(&fixture->profile);
	event_fini(&fixture->event);
}

static void sample_chain(struct fixture *f, bool kernel, uint64_t ip, const uint64_t *chain, uint32_t count)
{
	struct record record = { .type = PERF_RECORD_SAMPLE, .pid = PID, .tid = PID, .cpu = 3, .time = 50 };

	record.misc = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	record.sample = (struct sample){ .ip = ip, .period = 1000, .chain = { (const uint8_t *)chain, count } };
	session_apply(f->session, &record);
}

#define SAMPLE_CHAIN(f, kernel, ip, ...) \
	sample_chain(f, kernel, ip, (const uint64_t[]){ __VA_ARGS__ }, \
		     (uint32_t)(sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8))

/* A frame of the last sample, counted from the leaf; NULL outside of its root. */
static const struct frame *frame_at(const struct fixture *f, unsigned int depth)
{
	uint32_t stack = f->profile.samples.stack[f->profile.samples.len - 1];

	while (depth-- && stack)
		stack = f->profile.stacks.items[stack].parent;
	return stack ? &f->profile.frames.items[f->profile.stacks.items[stack].frame] : NULL;
}

static void assert_frame(const struct fixture *f, unsigned int depth, uint64_t address, enum frame_kind kind,
			 bool kernel)
{
	const struct frame *frame = frame_at(f, depth);

	ck_assert_ptr_nonnull(frame);
	ck_assert_uint_eq(frame->address, address);
	ck_assert_int_eq(frame->kind, kind);
	ck_assert_int_eq(frame->kernel, kernel);
}

static enum stack_status last_status(const struct fixture *f)
{
	return f->profile.samples.status[f->profile.samples.len - 1];
}

START_TEST(a_sample_becomes_a_row)
{
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP);
	sample_chain(&f, false, CODE + LEAF, NULL, 0);
	ck_assert_uint_eq(f.profile.samples.len, 1);
	ck_assert_uint_eq(f.profile.samples.weight[0], 1000);
	ck_assert_uint_eq(f.profile.samples.time[0], 50);
	ck_assert_uint_eq(f.profile.samples.cpu[0], 3);
	ck_assert_uint_eq(f.profile.tasks.items[f.profile.samples.task[0]].pid, PID);
	ck_assert_uint_eq(f.profile.events.items[0].samples, 1);
	ck_assert(f.profile.events.items[0].counts_ns);
	fixture_free(&f);
}
END_TEST

START_TEST(without_chains_the_ip_is_the_stack)
{
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP);
	sample_chain(&f, false, CODE + LEAF, NULL, 0);
	ck_assert_int_eq(last_status(&f), STACK_NOT_ASKED);
	assert_frame(&f, 0, LEAF, FRAME_EXACT, false);
	ck_assert_ptr_null(frame_at(&f, 1));
	sample_chain(&f, true, KERNEL, NULL, 0);
	assert_frame(&f, 0, KERNEL, FRAME_EXACT, true);
	fixture_free(&f);
}
END_TEST

START_TEST(a_chain_is_split_at_its_markers)
{
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	SAMPLE_CHAIN(&f, true, KERNEL + 0x10, (uint64_t)PERF_CONTEXT_KERNEL, KERNEL + 0x10, KERNEL + 0x20,
		     (uint64_t)PERF_CONTEXT_USER, CODE + LEAF, CODE + LEAF + 5, CODE + ROOT + 7);
	assert_frame(&f, 0, KERNEL + 0x10, FRAME_EXACT, true);
	assert_frame(&f, 1, KERNEL + 0x20, FRAME_RETURN, true);
	assert_frame(&f, 2, LEAF, FRAME_EXACT, false);
	assert_frame(&f, 3, LEAF + 5, FRAME_RETURN, false);
	assert_frame(&f, 4, ROOT + 7, FRAME_RETURN, false);
	ck_assert_ptr_null(frame_at(&f, 5));
	ck_assert_int_eq(last_status(&f), STACK_COMPLETE);
	fixture_free(&f);
}
END_TEST

/* The return address behind ROOT's last instruction is the next function's first byte. */
START_TEST(a_root_is_recognised_before_its_return_address)
{
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	SAMPLE_CHAIN(&f, false, CODE + LEAF, (uint64_t)PERF_CONTEXT_USER, CODE + LEAF, CODE + ROOT + 0x100);
	ck_assert_int_eq(last_status(&f), STACK_COMPLETE);
	fixture_free(&f);
}
END_TEST

START_TEST(a_frame_pointer_walk_that_ends_elsewhere_is_cut)
{
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	SAMPLE_CHAIN(&f, false, CODE + LEAF, (uint64_t)PERF_CONTEXT_USER, CODE + LEAF, CODE + LEAF + 5);
	ck_assert_int_eq(last_status(&f), STACK_NO_FP);
	assert_frame(&f, 1, LEAF + 5, FRAME_RETURN, false);
	ck_assert_int_eq(frame_at(&f, 2)->kind, FRAME_CUT);
	ck_assert_int_eq(frame_at(&f, 2)->status, STACK_NO_FP);
	ck_assert_ptr_null(frame_at(&f, 3));
	fixture_free(&f);
}
END_TEST

/* kernel.perf_event_max_stack is 127 unless the event says otherwise. */
START_TEST(a_chain_as_long_as_the_kernels_limit_is_cut)
{
	uint64_t chain[1 + 127] = { (uint64_t)PERF_CONTEXT_USER };
	struct fixture f;

	for (size_t i = 1; i < 128; i++)
		chain[i] = CODE + LEAF + i;
	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	sample_chain(&f, false, CODE + LEAF + 1, chain, 127);
	ck_assert_int_eq(last_status(&f), STACK_NO_FP);
	sample_chain(&f, false, CODE + LEAF + 1, chain, 128);
	ck_assert_int_eq(last_status(&f), STACK_DEPTH_LIMIT);
	ck_assert_uint_eq(frame_at(&f, 127)->address, 127);
	fixture_free(&f);
}
END_TEST

static void sample_stack(struct fixture *f, uint64_t ip, const uint64_t *words, uint32_t size, uint32_t asked)
{
	struct record record = { .type = PERF_RECORD_SAMPLE, .pid = PID, .tid = PID, .misc = PERF_RECORD_MISC_USER };
	uint64_t registers[17] = { 0 };

	registers[7] = SP;	/* by enum perf_event_x86_regs */
	registers[8] = ip;
	record.sample = (struct sample){
		.ip = ip, .period = 1, .regs_abi = PERF_SAMPLE_REGS_ABI_64, .regs = { (const uint8_t *)registers, 17 },
		.stack = (const uint8_t *)words, .stack_size = size, .stack_asked = asked,
	};
	session_apply(f->session, &record);
}

START_TEST(a_copied_stack_is_unwound)
{
	const uint64_t words[] = { CODE + LEAF + 5, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	sample_stack(&f, CODE + LEAF, words, sizeof(words), sizeof(words));
	ck_assert_int_eq(last_status(&f), STACK_COMPLETE);
	assert_frame(&f, 0, LEAF, FRAME_EXACT, false);
	assert_frame(&f, 1, LEAF + 5, FRAME_RETURN, false);
	assert_frame(&f, 2, ROOT + 7, FRAME_RETURN, false);
	ck_assert_ptr_null(frame_at(&f, 3));
	fixture_free(&f);
}
END_TEST

START_TEST(a_copy_shorter_than_asked_for_was_the_whole_stack)
{
	const uint64_t words[] = { CODE + LEAF + 5 };
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	sample_stack(&f, CODE + LEAF, words, sizeof(words), 64);
	ck_assert_int_eq(last_status(&f), STACK_SWITCH);
	sample_stack(&f, CODE + LEAF, words, sizeof(words), sizeof(words));
	ck_assert_int_eq(last_status(&f), STACK_COPY_SHORT);
	ck_assert_int_eq(frame_at(&f, 2)->kind, FRAME_CUT);
	ck_assert_uint_eq(frame_at(&f, 2)->address, sizeof(words));
	fixture_free(&f);
}
END_TEST

START_TEST(the_unwound_part_replaces_the_chains_and_the_kernels_part_stays)
{
	const uint64_t words[] = { CODE + ROOT + 7 };
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, KERNEL, (uint64_t)PERF_CONTEXT_USER,
				   CODE + LEAF + 0x99 };
	uint64_t registers[17] = { [7] = SP, [8] = CODE + LEAF };
	struct record record = { .type = PERF_RECORD_SAMPLE, .pid = PID, .tid = PID, .misc = PERF_RECORD_MISC_KERNEL };
	struct fixture f;

	record.sample = (struct sample){
		.ip = KERNEL,
		.period = 1,
		.regs_abi = PERF_SAMPLE_REGS_ABI_64,
		.regs = { (const uint8_t *)registers, 17 },
		.stack = (const uint8_t *)words,
		.stack_size = 8,
		.stack_asked = 8,
		.chain = { (const uint8_t *)chain, 4 },
	};
	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	session_apply(f.session, &record);
	assert_frame(&f, 0, KERNEL, FRAME_EXACT, true);
	assert_frame(&f, 1, LEAF, FRAME_EXACT, false);
	assert_frame(&f, 2, ROOT + 7, FRAME_RETURN, false);
	ck_assert_ptr_null(frame_at(&f, 3));
	fixture_free(&f);
}
END_TEST

START_TEST(equal_stacks_share_a_node)
{
	const uint64_t words[] = { CODE + LEAF + 5, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	sample_stack(&f, CODE + LEAF, words, sizeof(words), sizeof(words));
	sample_stack(&f, CODE + LEAF + 1, words, sizeof(words), sizeof(words));
	sample_stack(&f, CODE + LEAF, words, sizeof(words), sizeof(words));
	ck_assert_uint_eq(f.profile.samples.stack[0], f.profile.samples.stack[2]);
	ck_assert_uint_ne(f.profile.samples.stack[0], f.profile.samples.stack[1]);
	ck_assert_uint_eq(f.profile.stacks.items[f.profile.samples.stack[0]].parent,
			  f.profile.stacks.items[f.profile.samples.stack[1]].parent);
	fixture_free(&f);
}
END_TEST

/* The mapping's record came late: what was not mapped at first is later, though the address space has not changed. */
START_TEST(an_address_that_is_mapped_later_is_found_then)
{
	struct record record = { .type = PERF_RECORD_MMAP2, .pid = PID, .tid = PID };
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	SAMPLE_CHAIN(&f, false, 0x900010, (uint64_t)PERF_CONTEXT_USER, 0x900010);
	ck_assert_uint_eq(frame_at(&f, 0)->dso, DSO_NONE);
	record.mapping = (struct mapping){ .start = 0x900000, .size = 0x1000, .executable = true, .path = "//anon" };
	session_apply(f.session, &record);
	SAMPLE_CHAIN(&f, false, 0x900010, (uint64_t)PERF_CONTEXT_USER, 0x900010);
	ck_assert_uint_ne(frame_at(&f, 0)->dso, DSO_NONE);
	fixture_free(&f);
}
END_TEST

START_TEST(another_map_in_its_place_makes_another_frame)
{
	struct record record = { .type = PERF_RECORD_MMAP2, .pid = PID, .tid = PID };
	uint32_t before;
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP);
	sample_chain(&f, false, CODE + LEAF, NULL, 0);
	before = frame_at(&f, 0)->dso;
	record.mapping = (struct mapping){ .start = CODE + 0x1000, .size = 0x100, .executable = true, .path = "//anon" };
	session_apply(f.session, &record);
	sample_chain(&f, false, CODE + LEAF, NULL, 0);
	ck_assert_uint_ne(frame_at(&f, 0)->dso, before);
	fixture_free(&f);
}
END_TEST

/* A call may be the last instruction of its map, with another map behind it: the return address is the other one's. */
START_TEST(a_call_belongs_to_the_map_that_holds_it)
{
	struct record record = { .type = PERF_RECORD_MMAP2, .pid = PID, .tid = PID };
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	record.mapping = (struct mapping){ .start = CODE + 0x2000, .size = 0x100, .executable = true, .path = "//anon" };
	session_apply(f.session, &record);
	SAMPLE_CHAIN(&f, false, CODE + LEAF, (uint64_t)PERF_CONTEXT_USER, CODE + LEAF, CODE + 0x2000);
	assert_frame(&f, 1, 0x2000, FRAME_RETURN, false);
	ck_assert_uint_eq(frame_at(&f, 1)->dso, frame_at(&f, 0)->dso);
	fixture_free(&f);
}
END_TEST

static void lose(struct fixture *f, uint32_t type, uint64_t lost)
{
	struct record record = { .type = type };

	record.lost = lost;
	session_apply(f->session, &record);
}

START_TEST(losses_that_are_counted_twice_are_not_added)
{
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP);
	lose(&f, PERF_RECORD_LOST, 4);
	lose(&f, PERF_RECORD_LOST, 6);
	ck_assert_uint_eq(f.profile.events.items[0].lost, 10);
	lose(&f, PERF_RECORD_LOST_SAMPLES, 12);
	ck_assert_uint_eq(f.profile.events.items[0].lost, 12);
	lose(&f, PERF_RECORD_LOST, 1);
	ck_assert_uint_eq(f.profile.events.items[0].lost, 12);
	fixture_free(&f);
}
END_TEST

START_TEST(losses_are_those_of_their_event)
{
	struct event events[2] = { { .name = memory_strdup("cycles") }, { .name = memory_strdup("faults") } };
	struct record record = { .type = PERF_RECORD_LOST, .event = 1, .lost = 3 };
	struct session *session;
	struct profile profile;

	profile_init(&profile, NULL);
	session = session_new(&profile, events, 2);
	session_apply(session, &record);
	ck_assert_uint_eq(profile.events.items[0].lost, 0);
	ck_assert_uint_eq(profile.events.items[1].lost, 3);
	record.type = PERF_RECORD_LOST_SAMPLES;
	record.lost = 5;
	session_apply(session, &record);
	ck_assert_uint_eq(profile.events.items[0].lost, 0);
	ck_assert_uint_eq(profile.events.items[1].lost, 5);
	session_free(session);
	profile_fini(&profile);
	event_fini(&events[0]);
	event_fini(&events[1]);
}
END_TEST

static const char *name_of_sample(const struct profile *profile, size_t sample)
{
	return strtab_string(&profile->strings, profile->tasks.items[profile->samples.task[sample]].comm);
}

START_TEST(a_sample_has_the_name_of_its_time)
{
	struct record record = { .type = PERF_RECORD_COMM, .pid = PID, .tid = PID };
	struct fixture f;

	fixture_init(&f, PERF_SAMPLE_IP);
	record.comm = "first";
	session_apply(f.session, &record);
	sample_chain(&f, false, CODE + LEAF, NULL, 0);
	record.comm = "second";
	session_apply(f.session, &record);
	sample_chain(&f, false, CODE + LEAF, NULL, 0);
	ck_assert_str_eq(name_of_sample(&f.profile, 0), "first");
	ck_assert_str_eq(name_of_sample(&f.profile, 1), "second");
	fixture_free(&f);
}
END_TEST

Suite *suite_session(void)
{
	Suite *suite = suite_create("profiler/session");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_sample_becomes_a_row);
	tcase_add_test(tc, without_chains_the_ip_is_the_stack);
	tcase_add_test(tc, a_chain_is_split_at_its_markers);
	tcase_add_test(tc, a_root_is_recognised_before_its_return_address);
	tcase_add_test(tc, a_frame_pointer_walk_that_ends_elsewhere_is_cut);
	tcase_add_test(tc, a_chain_as_long_as_the_kernels_limit_is_cut);
	tcase_add_test(tc, a_copied_stack_is_unwound);
	tcase_add_test(tc, a_copy_shorter_than_asked_for_was_the_whole_stack);
	tcase_add_test(tc, the_unwound_part_replaces_the_chains_and_the_kernels_part_stays);
	tcase_add_test(tc, equal_stacks_share_a_node);
	tcase_add_test(tc, an_address_that_is_mapped_later_is_found_then);
	tcase_add_test(tc, another_map_in_its_place_makes_another_frame);
	tcase_add_test(tc, a_call_belongs_to_the_map_that_holds_it);
	tcase_add_test(tc, losses_that_are_counted_twice_are_not_added);
	tcase_add_test(tc, losses_are_those_of_their_event);
	tcase_add_test(tc, a_sample_has_the_name_of_its_time);
	suite_add_tcase(suite, tc);
	return suite;
}
