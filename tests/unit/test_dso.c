#include "object/dso.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/build_elf.h"
#include "tests/unit/suites.h"

static struct dso_key key_of(const char *path, uint64_t inode, const char *build_id)
{
	struct dso_key key = { .path = path, .inode = inode };

	if (build_id)
		key.build_id = build_id_of(build_id, strlen(build_id));
	return key;
}

static uint32_t id_of(struct dsos *dsos, const char *path, uint64_t inode, const char *build_id)
{
	struct dso_key key = key_of(path, inode, build_id);

	return dsos_id(dsos, &key);
}

START_TEST(the_same_file_has_the_same_id)
{
	struct dsos dsos = { 0 };
	uint32_t id = id_of(&dsos, "/bin/a", 1, NULL);

	ck_assert_uint_eq(id_of(&dsos, "/bin/a", 1, NULL), id);
	ck_assert_uint_ne(id_of(&dsos, "/bin/a", 2, NULL), id);	/* replaced since */
	ck_assert_uint_ne(id_of(&dsos, "/bin/b", 1, NULL), id);
	dsos_fini(&dsos);
}
END_TEST

START_TEST(where_both_have_a_build_id_it_decides)
{
	struct dsos dsos = { 0 };
	uint32_t id = id_of(&dsos, "/bin/a", 1, "abcd");

	ck_assert_uint_eq(id_of(&dsos, "/bin/a", 2, "abcd"), id);
	ck_assert_uint_ne(id_of(&dsos, "/bin/a", 1, "abce"), id);
	dsos_fini(&dsos);
}
END_TEST

START_TEST(a_told_build_id_is_that_of_keys_without_one)
{
	struct build_id told = build_id_of("abcd", 4);
	struct dsos dsos = { 0 };
	uint32_t id;

	dsos_tell_build_id(&dsos, "/bin/a", &told);
	id = id_of(&dsos, "/bin/a", 1, NULL);
	ck_assert(build_id_equal(&dsos_at(&dsos, id)->key.build_id, &told));
	id = id_of(&dsos, "/bin/a", 1, "own!");
	ck_assert_mem_eq(dsos_at(&dsos, id)->key.build_id.data, "own!", 4);
	id = id_of(&dsos, "/bin/b", 1, NULL);
	ck_assert(!build_id_is_known(&dsos_at(&dsos, id)->key.build_id));
	dsos_fini(&dsos);
}
END_TEST

START_TEST(the_path_tells_the_kind_and_the_name)
{
	static const struct {
		const char *path, *name;
		enum dso_kind kind;
	} cases[] = {
		{ "/usr/lib/libc.so.6", "libc.so.6", DSO_FILE },
		{ "/strange/", "/strange/", DSO_FILE },
		{ "[vdso]", "[vdso]", DSO_VDSO },
		{ "[kernel.kallsyms]", "[kernel.kallsyms]", DSO_KERNEL },
		{ "//anon", "//anon", DSO_SPECIAL },
		{ "[heap]", "[heap]", DSO_SPECIAL },
		{ "/memfd:jit (deleted)", "/memfd:jit (deleted)", DSO_SPECIAL },
		{ "/dev/zero", "/dev/zero", DSO_SPECIAL },
		{ "anon_inode:[io_uring]", "anon_inode:[io_uring]", DSO_SPECIAL },
	};
	struct dsos dsos = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct dso *dso = dsos_at(&dsos, id_of(&dsos, cases[i].path, 0, NULL));

		ck_assert_str_eq(dso->name, cases[i].name);
		ck_assert_int_eq(dso->kind, cases[i].kind);
	}
	dsos_fini(&dsos);
}
END_TEST

/* A program on the disk whose build-id is deadbeef. */
static void write_program(char path[64])
{
	static const uint8_t note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0xef };
	struct build_elf elf = { 0 };
	struct build file = { 0 };

	elf_section(&elf, ".note.gnu.build-id", SHT_NOTE, 0, 0, note, sizeof(note));
	file.items = elf_image(&elf, false, &file.len);
	build_file(&file, path);
	build_free(&file);
}

/* Whether the file is opened, and what was said where it was not. */
static bool opens(const char *path, uint64_t inode, const char *build_id, char note[256])
{
	struct notes notes = { 0 };
	struct dsos dsos = { .notes = &notes };
	uint32_t id = id_of(&dsos, path, inode, build_id);
	bool opened = dsos_object(&dsos, id);

	dsos_object(&dsos, id);
	ck_assert_uint_eq(notes.sentences.strings.len, opened ? 0 : 1);	/* once */
	snprintf(note, 256, "%s", opened ? "" : strtab_string(&notes.sentences, 0));
	dsos_fini(&dsos);
	notes_fini(&notes);
	return opened;
}

START_TEST(a_file_is_opened_only_while_it_is_the_recorded_one)
{
	char path[64], note[256];
	struct stat st;

	setenv("HOME", "/nonexistent", 1);	/* no cache of perf's */
	write_program(path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert(opens(path, 0, NULL, note));
	ck_assert(opens(path, st.st_ino, NULL, note));
	ck_assert(opens(path, st.st_ino + 1, "\xde\xad\xbe\xef", note));
	ck_assert(!opens(path, st.st_ino + 1, NULL, note));
	ck_assert_ptr_nonnull(strstr(note, "inode differs"));
	ck_assert(!opens(path, st.st_ino, "\xde\xad\xbe\xee", note));
	ck_assert_ptr_nonnull(strstr(note, "build-id differs"));
	unlink(path);
	ck_assert(!opens(path, 0, NULL, note));
	ck_assert_ptr_nonnull(strstr(note, "No such file"));
}
END_TEST

START_TEST(what_is_no_regular_file_is_not_opened)
{
	char folder[] = "/tmp/pmuprof-unit-XXXXXX", path[64], link[64], note[256];

	setenv("HOME", "/nonexistent", 1);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(link, sizeof(link), "%s/x", folder);
	ck_assert_int_eq(mkfifo(link, 0600), 0);
	ck_assert(!opens(link, 0, NULL, note));		/* and does not wait */
	ck_assert_ptr_nonnull(strstr(note, "not a regular file"));
	unlink(link);
	write_program(path);
	ck_assert_int_eq(symlink(path, link), 0);
	ck_assert(!opens(link, 0, NULL, note));
	unlink(link);
	unlink(path);
	ck_assert(!opens(folder, 0, NULL, note));
	rmdir(folder);
}
END_TEST

START_TEST(what_has_no_file_is_no_news)
{
	struct notes notes = { 0 };
	struct dsos dsos = { .notes = &notes };

	ck_assert_ptr_null(dsos_object(&dsos, id_of(&dsos, "//anon", 0, NULL)));
	ck_assert_uint_eq(notes.sentences.strings.len, 0);
	dsos_fini(&dsos);
}
END_TEST

Suite *suite_dso(void)
{
	Suite *suite = suite_create("object/dso");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, the_same_file_has_the_same_id);
	tcase_add_test(tc, where_both_have_a_build_id_it_decides);
	tcase_add_test(tc, a_told_build_id_is_that_of_keys_without_one);
	tcase_add_test(tc, the_path_tells_the_kind_and_the_name);
	tcase_add_test(tc, a_file_is_opened_only_while_it_is_the_recorded_one);
	tcase_add_test(tc, what_is_no_regular_file_is_not_opened);
	tcase_add_test(tc, what_has_no_file_is_no_news);
	suite_add_tcase(suite, tc);
	return suite;
}
