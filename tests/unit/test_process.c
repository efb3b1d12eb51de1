#include "profiler/process.h"

#include "tests/unit/build_elf.h"
#include "tests/unit/suites.h"

struct fixture {
	struct dsos dsos;
	struct strtab strings;
	struct processes processes;
};

static void fixture_init(struct fixture *fixture)
{
	*fixture = (struct fixture){ .strings = { .index = { 0 } } };
	processes_init(&fixture->processes, &fixture->dsos, &fixture->strings);
}

static void fixture_free(struct fixture *fixture)
{
	processes_fini(&fixture->processes);
	strtab_fini(&fixture->strings);
	dsos_fini(&fixture->dsos);
}

static void map_as(struct fixture *f, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset, const char *path,
		   bool code)
{
	struct record record = { .type = PERF_RECORD_MMAP2, .pid = pid, .tid = pid, .misc = PERF_RECORD_MISC_USER };

	record.mapping = (struct mapping){
		.start = start, .size = end - start, .file_offset = offset, .path = path, .executable = code,
	};
	processes_apply(&f->processes, &record);
}

static void map(struct fixture *f, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
	map_as(f, pid, start, end, offset, path, true);
}

static void comm(struct fixture *f, uint32_t pid, uint32_t tid, const char *name, uint16_t misc)
{
	struct record record = { .type = PERF_RECORD_COMM, .pid = pid, .tid = tid, .misc = misc };

	record.comm = name;
	processes_apply(&f->processes, &record);
}

static void task(struct fixture *f, uint32_t type, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
		 uint16_t misc)
{
	struct record record = { .type = type, .pid = pid, .tid = tid, .misc = misc };

	record.task = (struct task_change){ .parent_pid = ppid, .parent_tid = ptid };
	processes_apply(&f->processes, &record);
}

static uint32_t space(struct fixture *f, uint32_t pid)
{
	return processes_at(&f->processes, pid)->space;
}

static const char *name_of(struct fixture *f, uint32_t pid, uint32_t tid)
{
	return strtab_string(&f->strings, processes_thread(&f->processes, pid, tid)->comm);
}

/* The path at an ip, with the file offset of the ip; NULL where nothing is mapped. */
static const char *path_at(struct fixture *f, uint32_t pid, uint64_t ip, uint64_t *offset)
{
	const struct map *found = process_map(processes_at(&f->processes, pid), ip);

	if (!found)
		return NULL;
	*offset = ip - found->start + found->file_offset;
	return dsos_at(&f->dsos, found->dso)->path;
}

static void assert_at(struct fixture *f, uint32_t pid, uint64_t ip, const char *path, uint64_t offset)
{
	uint64_t found;

	ck_assert_pstr_eq(path_at(f, pid, ip, &found), path);
	if (path)
		ck_assert_uint_eq(found, offset);
}

START_TEST(an_ip_is_in_the_map_from_its_first_to_its_last_byte)
{
	struct fixture f;

	fixture_init(&f);
	map(&f, 1, 0x2000, 0x4000, 0x1000, "/a");
	map(&f, 1, 0x4000, 0x5000, 0, "/b");
	map(&f, 1, 0x1000, 0x1800, 0, "/c");
	assert_at(&f, 1, 0xfff, NULL, 0);
	assert_at(&f, 1, 0x1000, "/c", 0);
	assert_at(&f, 1, 0x1800, NULL, 0);
	assert_at(&f, 1, 0x2000, "/a", 0x1000);
	assert_at(&f, 1, 0x3fff, "/a", 0x2fff);
	assert_at(&f, 1, 0x4000, "/b", 0);
	assert_at(&f, 1, 0x5000, NULL, 0);
	assert_at(&f, 2, 0x2000, NULL, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(a_map_within_another_splits_it)
{
	struct fixture f;

	fixture_init(&f);
	map(&f, 1, 0x1000, 0x9000, 0x100, "/a");
	map(&f, 1, 0x3000, 0x5000, 0, "/b");
	assert_at(&f, 1, 0x2fff, "/a", 0x20ff);
	assert_at(&f, 1, 0x3000, "/b", 0);
	assert_at(&f, 1, 0x4fff, "/b", 0x1fff);
	assert_at(&f, 1, 0x5000, "/a", 0x4100);
	ck_assert_uint_eq(processes_at(&f.processes, 1)->maps.len, 3);
	fixture_free(&f);
}
END_TEST

START_TEST(a_map_trims_those_that_it_covers_in_part_and_removes_those_it_covers)
{
	struct fixture f;

	fixture_init(&f);
	map(&f, 1, 0x1000, 0x3000, 0, "/a");
	map(&f, 1, 0x3000, 0x4000, 0, "/b");
	map(&f, 1, 0x4000, 0x6000, 0, "/c");
	map(&f, 1, 0x2000, 0x5000, 0, "/d");
	assert_at(&f, 1, 0x1fff, "/a", 0xfff);
	assert_at(&f, 1, 0x2000, "/d", 0);
	assert_at(&f, 1, 0x3800, "/d", 0x1800);
	assert_at(&f, 1, 0x5000, "/c", 0x1000);
	ck_assert_uint_eq(processes_at(&f.processes, 1)->maps.len, 3);
	map(&f, 1, 0x1000, 0x6000, 0, "/e");
	ck_assert_uint_eq(processes_at(&f.processes, 1)->maps.len, 1);
	fixture_free(&f);
}
END_TEST

START_TEST(data_mapped_over_code_ends_the_code)
{
	struct fixture f;

	fixture_init(&f);
	map(&f, 1, 0x1000, 0x3000, 0, "/a");
	map_as(&f, 1, 0x2000, 0x3000, 0, "/a", false);
	assert_at(&f, 1, 0x1fff, "/a", 0xfff);
	assert_at(&f, 1, 0x2000, NULL, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(maps_of_no_length_or_over_the_end_of_memory_are_ignored)
{
	struct fixture f;

	fixture_init(&f);
	map(&f, 1, 0x1000, 0x1000, 0, "/a");
	map(&f, 1, UINT64_MAX - 0xfff, 0x1000, 0, "/a");
	ck_assert_uint_eq(processes_at(&f.processes, 1)->maps.len, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(the_space_changes_only_where_an_ip_may_mean_something_else)
{
	struct fixture f;
	uint32_t before;

	fixture_init(&f);
	before = space(&f, 1);
	map(&f, 1, 0x1000, 0x3000, 0, "/a");
	map(&f, 1, 0x3000, 0x4000, 0, "/b");	/* dlopen: where nothing was */
	ck_assert_uint_eq(space(&f, 1), before);
	map(&f, 1, 0x2000, 0x2800, 0, "/c");
	ck_assert_uint_ne(space(&f, 1), before);
	ck_assert_uint_ne(space(&f, 2), space(&f, 1));
	fixture_free(&f);
}
END_TEST

START_TEST(exec_drops_the_maps)
{
	struct fixture f;
	uint32_t before;

	fixture_init(&f);
	map(&f, 1, 0x1000, 0x3000, 0, "/a");
	before = space(&f, 1);
	comm(&f, 1, 1, "renamed", 0);
	assert_at(&f, 1, 0x1000, "/a", 0);
	ck_assert_uint_eq(space(&f, 1), before);
	comm(&f, 1, 1, "ls", PERF_RECORD_MISC_COMM_EXEC);
	assert_at(&f, 1, 0x1000, NULL, 0);
	ck_assert_uint_ne(space(&f, 1), before);
	ck_assert_str_eq(name_of(&f, 1, 1), "ls");
	fixture_free(&f);
}
END_TEST

START_TEST(fork_gives_the_child_a_copy_of_its_own)
{
	struct fixture f;

	fixture_init(&f);
	comm(&f, 1, 1, "sh", 0);
	map(&f, 1, 0x1000, 0x3000, 0, "/a");
	task(&f, PERF_RECORD_FORK, 2, 2, 1, 1, 0);
	assert_at(&f, 2, 0x1000, "/a", 0);
	ck_assert_str_eq(name_of(&f, 2, 2), "sh");
	ck_assert_uint_ne(space(&f, 2), space(&f, 1));
	map(&f, 2, 0x1000, 0x2000, 0, "/b");
	assert_at(&f, 2, 0x1000, "/b", 0);
	assert_at(&f, 1, 0x1000, "/a", 0);
	fixture_free(&f);
}
END_TEST

/* A tool that announces a running process says FORK and then its maps. */
START_TEST(fork_exec_inherits_nothing)
{
	struct fixture f;

	fixture_init(&f);
	map(&f, 1, 0x1000, 0x3000, 0, "/a");
	task(&f, PERF_RECORD_FORK, 2, 2, 1, 1, PERF_RECORD_MISC_FORK_EXEC);
	assert_at(&f, 2, 0x1000, NULL, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(a_new_thread_shares_the_maps)
{
	struct fixture f;
	uint32_t before;

	fixture_init(&f);
	comm(&f, 1, 1, "worker", 0);
	map(&f, 1, 0x1000, 0x3000, 0, "/a");
	before = space(&f, 1);
	task(&f, PERF_RECORD_FORK, 1, 7, 1, 1, 0);
	assert_at(&f, 1, 0x1000, "/a", 0);
	ck_assert_uint_eq(space(&f, 1), before);
	ck_assert_str_eq(name_of(&f, 1, 7), "worker");
	comm(&f, 1, 7, "other", 0);
	ck_assert_str_eq(name_of(&f, 1, 7), "other");
	ck_assert_str_eq(name_of(&f, 1, 1), "worker");
	fixture_free(&f);
}
END_TEST

START_TEST(a_pid_that_is_used_again_starts_anew)
{
	struct fixture f;
	uint32_t before;

	fixture_init(&f);
	comm(&f, 1, 1, "sh", 0);
	map(&f, 1, 0x1000, 0x2000, 0, "/sh");
	task(&f, PERF_RECORD_FORK, 5, 5, 1, 1, 0);
	comm(&f, 5, 5, "first", PERF_RECORD_MISC_COMM_EXEC);
	map(&f, 5, 0x8000, 0x9000, 0, "/first");
	before = space(&f, 5);
	task(&f, PERF_RECORD_EXIT, 5, 5, 1, 1, 0);
	task(&f, PERF_RECORD_FORK, 5, 5, 1, 1, 0);
	assert_at(&f, 5, 0x8000, NULL, 0);
	assert_at(&f, 5, 0x1000, "/sh", 0);
	ck_assert_str_eq(name_of(&f, 5, 5), "sh");
	ck_assert_uint_ne(space(&f, 5), before);
	fixture_free(&f);
}
END_TEST

START_TEST(maps_are_kept_until_the_last_thread_exits)
{
	struct fixture f;

	fixture_init(&f);
	task(&f, PERF_RECORD_FORK, 5, 5, 1, 1, 0);
	task(&f, PERF_RECORD_FORK, 5, 6, 5, 5, 0);
	map(&f, 5, 0x8000, 0x9000, 0, "/a");
	task(&f, PERF_RECORD_EXIT, 5, 5, 1, 1, 0);
	assert_at(&f, 5, 0x8000, "/a", 0);
	task(&f, PERF_RECORD_EXIT, 5, 6, 5, 5, 0);
	assert_at(&f, 5, 0x8000, NULL, 0);
	fixture_free(&f);
}
END_TEST

/* The fork of the second user of the pid was lost. */
/* Two threads of whose FORK records nothing is left have gone; the first one, which runs on, was announced. */
START_TEST(exits_of_threads_nobody_announced_leave_the_maps)
{
	struct fixture f;

	fixture_init(&f);
	task(&f, PERF_RECORD_FORK, 5, 5, 1, 1, 0);
	map(&f, 5, 0x8000, 0x9000, 0, "/a");
	task(&f, PERF_RECORD_EXIT, 5, 6, 5, 5, 0);
	task(&f, PERF_RECORD_EXIT, 5, 7, 5, 5, 0);
	assert_at(&f, 5, 0x8000, "/a", 0);
	fixture_free(&f);
}
END_TEST

START_TEST(maps_behind_an_exit_are_of_another_space)
{
	struct fixture f;
	uint32_t before;

	fixture_init(&f);
	task(&f, PERF_RECORD_FORK, 5, 5, 1, 1, 0);
	map(&f, 5, 0x8000, 0x9000, 0, "/a");
	before = space(&f, 5);
	task(&f, PERF_RECORD_EXIT, 5, 5, 1, 1, 0);
	map(&f, 5, 0x8000, 0x9000, 0, "/b");
	ck_assert_uint_ne(space(&f, 5), before);
	fixture_free(&f);
}
END_TEST

START_TEST(a_thread_nobody_named_is_called_by_its_number)
{
	struct fixture f;

	fixture_init(&f);
	ck_assert_str_eq(name_of(&f, 1, 4711), ":4711");
	fixture_free(&f);
}
END_TEST

START_TEST(a_tid_of_another_process_is_another_thread)
{
	struct fixture f;

	fixture_init(&f);
	comm(&f, 1, 7, "first", 0);
	comm(&f, 2, 7, "second", 0);
	ck_assert_str_eq(name_of(&f, 1, 7), "first");
	ck_assert_str_eq(name_of(&f, 2, 7), "second");
	fixture_free(&f);
}
END_TEST

START_TEST(the_kernels_maps_are_its_own)
{
	struct record record = { .type = PERF_RECORD_MMAP, .pid = PROCESS_KERNEL, .misc = PERF_RECORD_MISC_KERNEL };
	const struct map *found;
	const struct dso *dso;
	struct fixture f;

	fixture_init(&f);
	record.mapping = (struct mapping){
		.start = 0xffffffff81000000, .size = 0x1000000, .file_offset = 0xffffffff81000000, .executable = true,
		.path = "[kernel.kallsyms]_text",
	};
	processes_apply(&f.processes, &record);
	record.mapping = (struct mapping){
		.start = 0xffffffffc0000000, .size = 0x1000, .executable = true, .path = "/lib/modules/6.1/ext4.ko",
	};
	processes_apply(&f.processes, &record);
	found = process_map(&f.processes.kernel, 0xffffffff81000010);
	ck_assert_ptr_nonnull(found);
	dso = dsos_at(&f.dsos, found->dso);
	ck_assert_str_eq(dso->path, "[kernel.kallsyms]");
	ck_assert_int_eq(dso->kind, DSO_KERNEL);
	ck_assert_str_eq(dso->reference, "_text");
	ck_assert_uint_eq(dso->reference_address, 0xffffffff81000000);
	ck_assert_uint_eq(processes_address(&f.processes, found, 0xffffffff81000010), 0xffffffff81000010);
	found = process_map(&f.processes.kernel, 0xffffffffc0000010);
	ck_assert_int_eq(dsos_at(&f.dsos, found->dso)->kind, DSO_MODULE);
	ck_assert_uint_eq(processes_address(&f.processes, found, 0xffffffffc0000010), 0xffffffffc0000010);
	assert_at(&f, 1, 0xffffffff81000010, NULL, 0);
	fixture_free(&f);
}
END_TEST

/* lld: the code segment is at file offset 0x680 and address 0x1680, mapped from the page before. */
START_TEST(an_ip_becomes_a_dso_address_through_the_segment_of_its_file_offset)
{
	struct build_elf elf = { 0 };
	const struct map *found;
	struct fixture f;

	fixture_init(&f);
	elf_segment(&elf, PT_LOAD, PF_R, 0, 0, 0x680);
	elf_segment(&elf, PT_LOAD, PF_R | PF_X, 0x680, 0x1680, 0x200);
	elf_dso(&elf, &f.dsos, "/bin/x");
	map(&f, 1, 0x555555555000, 0x555555556000, 0, "/bin/x");
	found = process_map(processes_at(&f.processes, 1), 0x555555555700);
	ck_assert_uint_eq(processes_address(&f.processes, found, 0x555555555700), 0x1700);
	fixture_free(&f);
}
END_TEST

START_TEST(in_a_file_that_cannot_be_read_the_address_is_the_file_offset)
{
	const struct map *found;
	struct fixture f;

	fixture_init(&f);
	map(&f, 1, 0x10000, 0x20000, 0x3000, "/tmp/pmuprof/none");
	found = process_map(processes_at(&f.processes, 1), 0x10010);
	ck_assert_uint_eq(processes_address(&f.processes, found, 0x10010), 0x3010);
	fixture_free(&f);
}
END_TEST

Suite *suite_process(void)
{
	Suite *suite = suite_create("profiler/process");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, an_ip_is_in_the_map_from_its_first_to_its_last_byte);
	tcase_add_test(tc, a_map_within_another_splits_it);
	tcase_add_test(tc, a_map_trims_those_that_it_covers_in_part_and_removes_those_it_covers);
	tcase_add_test(tc, data_mapped_over_code_ends_the_code);
	tcase_add_test(tc, maps_of_no_length_or_over_the_end_of_memory_are_ignored);
	tcase_add_test(tc, the_space_changes_only_where_an_ip_may_mean_something_else);
	tcase_add_test(tc, exec_drops_the_maps);
	tcase_add_test(tc, fork_gives_the_child_a_copy_of_its_own);
	tcase_add_test(tc, fork_exec_inherits_nothing);
	tcase_add_test(tc, a_new_thread_shares_the_maps);
	tcase_add_test(tc, a_pid_that_is_used_again_starts_anew);
	tcase_add_test(tc, maps_are_kept_until_the_last_thread_exits);
	tcase_add_test(tc, exits_of_threads_nobody_announced_leave_the_maps);
	tcase_add_test(tc, maps_behind_an_exit_are_of_another_space);
	tcase_add_test(tc, a_thread_nobody_named_is_called_by_its_number);
	tcase_add_test(tc, a_tid_of_another_process_is_another_thread);
	tcase_add_test(tc, the_kernels_maps_are_its_own);
	tcase_add_test(tc, an_ip_becomes_a_dso_address_through_the_segment_of_its_file_offset);
	tcase_add_test(tc, in_a_file_that_cannot_be_read_the_address_is_the_file_offset);
	suite_add_tcase(suite, tc);
	return suite;
}
