#include "object/build_id.h"

#include <elf.h>

#include "tests/unit/build_bytes.h"
#include "tests/unit/suites.h"

/* An ELF note: sizes of name and description, type; both padded to four bytes. */
static void add_note(struct build *notes, const char *name, uint32_t type, const void *data, uint32_t size)
{
	build_u32(notes, (uint32_t)strlen(name) + 1);
	build_u32(notes, size);
	build_u32(notes, type);
	build_string(notes, name);
	build_pad(notes, 0, 4);
	build_add(notes, data, size);
	build_pad(notes, 0, 4);
}

static struct build_id id_of(struct build *notes)
{
	struct build_id id = build_id_from_notes(bytes_of(notes->items, notes->len, "notes"));

	build_free(notes);
	return id;
}

START_TEST(the_note_of_gnu_and_its_type_is_the_build_id)
{
	struct build notes = { 0 };
	char text[BUILD_ID_TEXT];
	struct build_id id;

	add_note(&notes, "GNU", NT_GNU_ABI_TAG, BYTES(1, 1, 1, 1));
	add_note(&notes, "Go", NT_GNU_BUILD_ID, BYTES(2, 2, 2, 2));
	add_note(&notes, "Linux", 0x100, BYTES(3, 3, 3));	/* padded to 4 */
	add_note(&notes, "GNU", NT_GNU_BUILD_ID, BYTES(0x0a, 0xbc, 0, 0xff));
	id = id_of(&notes);
	ck_assert_str_eq(build_id_text(&id, text), "0abc00ff");
}
END_TEST

START_TEST(without_such_a_note_it_is_not_known)
{
	struct build notes = { 0 };
	struct build_id id;

	add_note(&notes, "GNU", NT_GNU_ABI_TAG, BYTES(1, 1, 1, 1));
	id = id_of(&notes);
	ck_assert(!build_id_is_known(&id));
}
END_TEST

START_TEST(notes_whose_sizes_lie_end_the_search)
{
	struct build notes = { 0 };
	struct build_id id;

	build_u32(&notes, 0xffffffff);
	build_u32(&notes, 0xffffffff);
	build_u32(&notes, NT_GNU_BUILD_ID);
	build_add(&notes, "GNU\0\1\2\3\4", 8);
	id = id_of(&notes);
	ck_assert(!build_id_is_known(&id));
	add_note(&notes, "GNU", NT_GNU_BUILD_ID, BYTES(1, 2, 3, 4));
	build_put(&notes, 4, "\xff\xff\x00\x00", 4);
	id = id_of(&notes);
	ck_assert(!build_id_is_known(&id));
}
END_TEST

START_TEST(zeros_are_no_build_id)
{
	struct build_id id = build_id_of("\0\0\0\0", 4);

	ck_assert(!build_id_is_known(&id));
	id = build_id_of("", 0);
	ck_assert(!build_id_is_known(&id));
}
END_TEST

START_TEST(ids_longer_than_perf_data_holds_are_cut)
{
	struct build_id id = build_id_of("0123456789abcdef0123456789abcdef", 32);

	ck_assert_uint_eq(id.size, 20);
	ck_assert_mem_eq(id.data, "0123456789abcdef0123", 20);
}
END_TEST

START_TEST(unknown_ids_are_never_equal)
{
	struct build_id none = { 0 }, a = build_id_of("abcd", 4), b = build_id_of("abce", 4),
			longer = build_id_of("abcde", 5);

	ck_assert(build_id_equal(&a, &a));
	ck_assert(!build_id_equal(&a, &b));
	ck_assert(!build_id_equal(&a, &longer));
	ck_assert(!build_id_equal(&none, &none));
}
END_TEST

Suite *suite_build_id(void)
{
	Suite *suite = suite_create("object/build_id");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, the_note_of_gnu_and_its_type_is_the_build_id);
	tcase_add_test(tc, without_such_a_note_it_is_not_known);
	tcase_add_test(tc, notes_whose_sizes_lie_end_the_search);
	tcase_add_test(tc, zeros_are_no_build_id);
	tcase_add_test(tc, ids_longer_than_perf_data_holds_are_cut);
	tcase_add_test(tc, unknown_ids_are_never_equal);
	suite_add_tcase(suite, tc);
	return suite;
}
