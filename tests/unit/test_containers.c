#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/heap.h"
#include "base/index.h"
#include "base/strtab.h"
#include "tests/unit/suites.h"

START_TEST(an_empty_index_has_no_candidates)
{
	struct index index = { 0 };
	uint32_t at;

	ck_assert_uint_eq(index_first(&index, 42, &at), INDEX_NONE);
	index_fini(&index);
}
END_TEST

START_TEST(an_index_gives_all_ids_of_a_hash_and_no_others)
{
	struct index index = { 0 };
	uint32_t at, seen = 0;

	index_add(&index, 1, 10);
	index_add(&index, 2, 20);
	index_add(&index, 1, 11);
	index_add(&index, 1, 12);
	for (uint32_t id = index_first(&index, 1, &at); id != INDEX_NONE; id = index_next(&index, 1, &at))
		seen |= 1u << id;
	ck_assert_uint_eq(seen, 1u << 10 | 1u << 11 | 1u << 12);
	index_fini(&index);
}
END_TEST

START_TEST(an_index_keeps_what_it_has_while_it_grows)
{
	struct index index = { 0 };
	uint32_t at;

	for (uint32_t id = 0; id < 10000; id++)
		index_add(&index, hash_mix(0, id), id);
	for (uint32_t id = 0; id < 10000; id++) {
		uint32_t found = index_first(&index, hash_mix(0, id), &at);

		while (found != id && found != INDEX_NONE)
			found = index_next(&index, hash_mix(0, id), &at);
		if (found != id)
			ck_abort_msg("id %u is gone", id);
	}
	index_fini(&index);
}
END_TEST

START_TEST(a_hash_depends_on_each_byte_and_the_length)
{
	ck_assert_uint_eq(hash_bytes("0123456789", 10), hash_bytes("0123456789", 10));
	ck_assert_uint_ne(hash_bytes("0123456789", 10), hash_bytes("0123456788", 10));
	ck_assert_uint_ne(hash_bytes("0123456789", 10), hash_bytes("1123456789", 10));
	ck_assert_uint_ne(hash_bytes("\0\0\0", 2), hash_bytes("\0\0\0", 3));
}
END_TEST

START_TEST(equal_strings_have_equal_ids)
{
	struct strtab strtab = { 0 };
	char copy[] = "libc.so";

	ck_assert_uint_eq(strtab_id(&strtab, "libc.so"), 0);
	ck_assert_uint_eq(strtab_id(&strtab, ""), 1);
	ck_assert_uint_eq(strtab_id(&strtab, copy), 0);
	ck_assert_uint_eq(strtab_id(&strtab, ""), 1);
	ck_assert_uint_eq(strtab_id(&strtab, "libc.so.6"), 2);
	ck_assert_str_eq(strtab_string(&strtab, 0), "libc.so");
	strtab_fini(&strtab);
}
END_TEST

START_TEST(a_string_stays_where_it_is_while_the_table_grows)
{
	struct strtab strtab = { 0 };
	const char *first = strtab_string(&strtab, strtab_id(&strtab, "first"));
	char text[16];

	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		strtab_id(&strtab, text);
	}
	ck_assert_ptr_eq(strtab_string(&strtab, 0), first);
	ck_assert_str_eq(first, "first");
	ck_assert_str_eq(strtab_string(&strtab, 4711 + 1), "string 4711");
	strtab_fini(&strtab);
}
END_TEST

START_TEST(a_heap_gives_the_smallest_key_first_and_of_equal_ones_the_smallest_id)
{
	static const uint64_t keys[] = { 5, 3, 9, 3, 1, 9, 5, 1 };
	static const uint32_t ids_in_order[] = { 4, 7, 1, 3, 0, 6, 2, 5 };
	struct heap heap = { 0 };

	for (uint32_t id = 0; id < 8; id++)
		heap_push(&heap, keys[id], id);
	for (uint32_t i = 0; i < 8; i++) {
		ck_assert_uint_eq(heap_top(&heap).id, ids_in_order[i]);
		heap_pop(&heap);
	}
	ck_assert(heap_is_empty(&heap));
	heap_fini(&heap);
}
END_TEST

START_TEST(a_replaced_top_takes_its_new_place)
{
	struct heap heap = { 0 };

	heap_push(&heap, 1, 0);
	heap_push(&heap, 2, 1);
	heap_push(&heap, 3, 2);
	heap_replace_top(&heap, 3);	/* id 0 goes behind 2, and before the other 3 */
	ck_assert_uint_eq(heap_top(&heap).id, 1);
	heap_pop(&heap);
	ck_assert_uint_eq(heap_top(&heap).id, 0);
	heap_pop(&heap);
	ck_assert_uint_eq(heap_top(&heap).id, 2);
	heap_fini(&heap);
}
END_TEST

START_TEST(a_heap_of_many_comes_out_sorted)
{
	struct heap heap = { 0 };
	uint64_t last = 0;

	for (uint32_t i = 0; i < 1000; i++)
		heap_push(&heap, (i * 7919u) % 1009u, i);
	for (uint32_t i = 0; i < 1000; i++) {
		if (heap_top(&heap).key < last)
			ck_abort_msg("%u came too late", (unsigned int)heap_top(&heap).key);
		last = heap_top(&heap).key;
		heap_pop(&heap);
	}
	heap_fini(&heap);
}
END_TEST

START_TEST(arena_memory_is_aligned_and_does_not_overlap)
{
	struct arena arena = { 0 };
	char *last = NULL;

	for (size_t size = 0; size < 200; size++) {
		char *memory = arena_alloc(&arena, size);

		if ((uintptr_t)memory % alignof(max_align_t))
			ck_abort_msg("%zu bytes are not aligned", size);
		memset(memory, (int)size, size);
		if (last && size > 1 && *last != (char)(size - 1))
			ck_abort_msg("%zu bytes overlap those before", size);
		last = size ? memory : NULL;
	}
	arena_fini(&arena);
}
END_TEST

START_TEST(an_arena_gives_more_than_a_block)
{
	struct arena arena = { 0 };
	char *small = arena_strndup(&arena, "small and more", 5), *large = arena_alloc(&arena, 1 << 20);

	memset(large, 'x', 1 << 20);
	ck_assert_str_eq(small, "small");
	ck_assert_str_eq(arena_strndup(&arena, "", 0), "");
	ck_assert_int_eq(large[(1 << 20) - 1], 'x');
	arena_fini(&arena);
	ck_assert_ptr_null(arena.blocks);
}
END_TEST

START_TEST(a_gap_opens_and_closes_in_the_middle)
{
	VEC(int) v = { 0 };

	for (int i = 0; i < 20; i++)
		vec_push(&v, i);
	vec_open(&v, 5, 2);
	v.items[5] = v.items[6] = -1;
	ck_assert_uint_eq(v.len, 22);
	ck_assert_int_eq(v.items[4], 4);
	ck_assert_int_eq(v.items[7], 5);
	ck_assert_int_eq(v.items[21], 19);
	vec_close(&v, 4, 3);
	ck_assert_uint_eq(v.len, 19);
	ck_assert_int_eq(v.items[3], 3);
	ck_assert_int_eq(v.items[4], 5);
	vec_close(&v, 0, 19);
	ck_assert_uint_eq(v.len, 0);
	vec_fini(&v);
}
END_TEST

START_TEST(the_first_above_a_value_is_found_by_halving)
{
	struct item {
		uint64_t start;
	};
	VEC(struct item) v = { 0 };

	ck_assert_uint_eq(vec_first_above(&v, start, 5u), 0);
	for (uint64_t i = 0; i < 7; i++)
		vec_push(&v, (struct item){ 10 * i });
	ck_assert_uint_eq(vec_first_above(&v, start, 0u), 1);
	ck_assert_uint_eq(vec_first_above(&v, start, 9u), 1);
	ck_assert_uint_eq(vec_first_above(&v, start, 10u), 2);
	ck_assert_uint_eq(vec_first_above(&v, start, 59u), 6);
	ck_assert_uint_eq(vec_first_above(&v, start, 60u), 7);
	vec_fini(&v);
}
END_TEST

Suite *suite_containers(void)
{
	Suite *suite = suite_create("base/containers");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, an_empty_index_has_no_candidates);
	tcase_add_test(tc, an_index_gives_all_ids_of_a_hash_and_no_others);
	tcase_add_test(tc, an_index_keeps_what_it_has_while_it_grows);
	tcase_add_test(tc, a_hash_depends_on_each_byte_and_the_length);
	tcase_add_test(tc, equal_strings_have_equal_ids);
	tcase_add_test(tc, a_string_stays_where_it_is_while_the_table_grows);
	tcase_add_test(tc, a_heap_gives_the_smallest_key_first_and_of_equal_ones_the_smallest_id);
	tcase_add_test(tc, a_replaced_top_takes_its_new_place);
	tcase_add_test(tc, a_heap_of_many_comes_out_sorted);
	tcase_add_test(tc, arena_memory_is_aligned_and_does_not_overlap);
	tcase_add_test(tc, an_arena_gives_more_than_a_block);
	tcase_add_test(tc, a_gap_opens_and_closes_in_the_middle);
	tcase_add_test(tc, the_first_above_a_value_is_found_by_halving);
	suite_add_tcase(suite, tc);
	return suite;
}
