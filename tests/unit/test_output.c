#include "perfdata/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/unit/suites.h"

/* A folder of its own for each test, with the name of a file in it. */
struct fixture {
	char folder[64], path[128], old[128];
};

static void fixture_init(struct fixture *fixture)
{
	strcpy(fixture->folder, "/tmp/pmuprof-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(fixture->folder));
	snprintf(fixture->path, sizeof(fixture->path), "%s/perf.data", fixture->folder);
	snprintf(fixture->old, sizeof(fixture->old), "%s/perf.data.old", fixture->folder);
}

static void fixture_free(struct fixture *fixture)
{
	unlink(fixture->path);
	unlink(fixture->old);
	ck_assert_int_eq(rmdir(fixture->folder), 0);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	fputs(text, file);
	fclose(file);
}

static void assert_holds(const char *path, const char *expected)
{
	char text[64] = { 0 };
	FILE *file = fopen(path, "re");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_le(fread(text, 1, sizeof(text) - 1, file), sizeof(text));
	fclose(file);
	ck_assert_str_eq(text, expected);
}

static void assert_refused(const struct fixture *fixture, const char *why)
{
	struct output output;
	struct error err = { 0 };

	ck_assert_int_eq(output_create(&output, fixture->path, &err), -1);
	ck_assert_msg(strstr(err.message, why), "%s", err.message);
	ck_assert_ptr_nonnull(strstr(err.message, fixture->path));
}

START_TEST(a_new_file_is_readable_by_its_owner_only)
{
	struct fixture fixture;
	struct output output;
	struct error err;
	struct stat st;

	fixture_init(&fixture);
	umask(0);
	ck_assert_int_eq(output_create(&output, fixture.path, &err), 0);
	ck_assert_int_eq(fstat(output.fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_ptr_null(output.old);
	ck_assert_int_eq(output_close(&output, &err), 0);
	fixture_free(&fixture);
}
END_TEST

START_TEST(an_earlier_file_is_kept_as_old)
{
	struct fixture fixture;
	struct output output;
	struct error err;

	fixture_init(&fixture);
	put(fixture.path, "earlier");
	put(fixture.old, "still earlier");
	ck_assert_int_eq(output_create(&output, fixture.path, &err), 0);
	ck_assert_str_eq(output.old, fixture.old);
	ck_assert_int_eq(write(output.fd, "new", 3), 3);
	ck_assert_int_eq(output_close(&output, &err), 0);
	assert_holds(fixture.path, "new");
	assert_holds(fixture.old, "earlier");
	fixture_free(&fixture);
}
END_TEST

START_TEST(an_abandoned_file_leaves_things_as_they_were)
{
	struct fixture fixture;
	struct output output;
	struct error err;

	fixture_init(&fixture);
	put(fixture.path, "earlier");
	ck_assert_int_eq(output_create(&output, fixture.path, &err), 0);
	output_abandon(&output);
	assert_holds(fixture.path, "earlier");
	ck_assert_int_eq(access(fixture.old, F_OK), -1);
	unlink(fixture.path);
	ck_assert_int_eq(output_create(&output, fixture.path, &err), 0);
	output_abandon(&output);
	ck_assert_int_eq(access(fixture.path, F_OK), -1);
	fixture_free(&fixture);
}
END_TEST

START_TEST(a_symbolic_link_is_not_written_through)
{
	struct fixture fixture;
	char target[256];

	fixture_init(&fixture);
	snprintf(target, sizeof(target), "%s/target", fixture.folder);
	put(target, "precious");
	ck_assert_int_eq(symlink(target, fixture.path), 0);
	assert_refused(&fixture, "symbolic link");
	assert_holds(target, "precious");
	unlink(target);
	assert_refused(&fixture, "symbolic link");	/* also where it leads nowhere */
	ck_assert_int_eq(access(target, F_OK), -1);
	fixture_free(&fixture);
}
END_TEST

START_TEST(what_is_no_regular_file_is_refused)
{
	struct fixture fixture;

	fixture_init(&fixture);
	ck_assert_int_eq(mkfifo(fixture.path, 0600), 0);
	assert_refused(&fixture, "not a regular file");
	unlink(fixture.path);
	ck_assert_int_eq(mkdir(fixture.path, 0700), 0);
	assert_refused(&fixture, "directory");
	rmdir(fixture.path);
	fixture_free(&fixture);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_told)
{
	struct fixture fixture;

	fixture_init(&fixture);
	snprintf(fixture.path, sizeof(fixture.path), "%s/none/perf.data", fixture.folder);
	assert_refused(&fixture, "No such file");
	fixture_free(&fixture);
}
END_TEST

Suite *suite_output(void)
{
	Suite *suite = suite_create("perfdata/output");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_new_file_is_readable_by_its_owner_only);
	tcase_add_test(tc, an_earlier_file_is_kept_as_old);
	tcase_add_test(tc, an_abandoned_file_leaves_things_as_they_were);
	tcase_add_test(tc, a_symbolic_link_is_not_written_through);
	tcase_add_test(tc, what_is_no_regular_file_is_refused);
	tcase_add_test(tc, a_folder_that_is_not_there_is_told);
	suite_add_tcase(suite, tc);
	return suite;
}
