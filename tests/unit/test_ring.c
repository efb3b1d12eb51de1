#include "profiler/ring.h"

#include "tests/unit/build_ring.h"
#include "tests/unit/suites.h"

/* The name of the record at the tail, checked to its last byte before the time. */
static char name_at_tail(struct ring *ring, uint16_t size)
{
	const uint8_t *record = ring_peek(ring);

	ck_assert_ptr_nonnull(record);
	for (uint16_t i = 8; i < size - 8; i++)
		if (record[i] != record[8])
			ck_abort_msg("byte %u is another record's", i);
	return (char)record[8];
}

START_TEST(an_empty_ring_has_no_record)
{
	struct ring ring;

	ring_make(&ring, 0);
	ck_assert_ptr_null(ring_peek(&ring));
	ring_fini(&ring);
}
END_TEST

START_TEST(a_record_is_seen_from_the_next_update_on)
{
	struct ring ring;

	ring_make(&ring, 0);
	ring_write(&ring, 1, 'a', 32);
	ck_assert_ptr_null(ring_peek(&ring));
	ring_update(&ring);
	ck_assert_int_eq(name_at_tail(&ring, 32), 'a');
	ring_fini(&ring);
}
END_TEST

START_TEST(a_record_is_given_back_by_the_advance_and_not_before)
{
	struct ring ring;

	ring_make(&ring, 0);
	ring_write(&ring, 1, 'a', 32);
	ring_write(&ring, 2, 'b', 48);
	ring_update(&ring);
	ck_assert_int_eq(name_at_tail(&ring, 32), 'a');
	ck_assert_uint_eq(ring.page->data_tail, 0);
	ring_advance(&ring);
	ck_assert_uint_eq(ring.page->data_tail, 32);
	ck_assert_int_eq(name_at_tail(&ring, 48), 'b');
	ring_advance(&ring);
	ck_assert_uint_eq(ring.page->data_tail, 80);
	ck_assert_ptr_null(ring_peek(&ring));
	ring_fini(&ring);
}
END_TEST

START_TEST(a_record_over_the_end_is_put_together)
{
	struct ring ring;

	for (uint64_t before = 8; before <= 64; before += 8) {
		ring_make(&ring, 3 * RING_SIZE - before);
		ring_write(&ring, 1, 'a', 64);
		ring_write(&ring, 2, 'b', 32);
		ring_update(&ring);
		ck_assert_int_eq(name_at_tail(&ring, 64), 'a');
		ring_advance(&ring);
		ck_assert_int_eq(name_at_tail(&ring, 32), 'b');
		ring_fini(&ring);
	}
}
END_TEST

START_TEST(a_ring_may_be_full)
{
	struct ring ring;

	ring_make(&ring, RING_SIZE / 2);
	ring_write(&ring, 1, 'a', RING_SIZE);
	ring_update(&ring);
	ck_assert_int_eq(name_at_tail(&ring, RING_SIZE), 'a');
	ring_advance(&ring);
	ck_assert_ptr_null(ring_peek(&ring));
	ring_fini(&ring);
}
END_TEST

Suite *suite_ring(void)
{
	Suite *suite = suite_create("profiler/ring");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, an_empty_ring_has_no_record);
	tcase_add_test(tc, a_record_is_seen_from_the_next_update_on);
	tcase_add_test(tc, a_record_is_given_back_by_the_advance_and_not_before);
	tcase_add_test(tc, a_record_over_the_end_is_put_together);
	tcase_add_test(tc, a_ring_may_be_full);
	suite_add_tcase(suite, tc);
	return suite;
}
