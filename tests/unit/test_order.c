#include "profiler/order.h"

#include "tests/unit/build_ring.h"
#include "tests/unit/suites.h"

/* Three rings of one event whose records end with their time. */
struct fixture {
	struct sampler sampler;
	struct order order;
};

static void fixture_init(struct fixture *fixture)
{
	struct event *event;

	*fixture = (struct fixture){ .order = { .current = 0 } };
	event = vec_add(&fixture->sampler.events);
	event->attr.sample_type = PERF_SAMPLE_TIME;
	event->attr.sample_id_all = 1;
	for (int i = 0; i < 3; i++)
		ring_make(&((struct sampler_ring *)vec_add(&fixture->sampler.rings))->ring, 0);
	order_init(&fixture->order, &fixture->sampler);
}

static void fixture_free(struct fixture *fixture)
{
	order_fini(&fixture->order);
	for (int i = 0; i < 3; i++)
		ring_fini(&fixture->sampler.rings.items[i].ring);
	vec_fini(&fixture->sampler.rings);
	vec_fini(&fixture->sampler.events);
}

static void put(struct fixture *fixture, unsigned int ring, uint64_t time, char name)
{
	ring_write(&fixture->sampler.rings.items[ring].ring, time, name, 24);
}

/* The names of the records that a round gives out. */
static void assert_round(struct fixture *fixture, uint64_t safe, const char *expected)
{
	char names[64] = { 0 };
	const uint8_t *record;
	size_t count = 0;
	uint32_t event;

	order_begin(&fixture->order, safe);
	while ((record = order_next(&fixture->order, &event)))
		names[count++] = (char)record[8];
	ck_assert_str_eq(names, expected);
}

START_TEST(the_rings_records_come_in_the_order_of_time)
{
	struct fixture f;

	fixture_init(&f);
	put(&f, 0, 10, 'a');
	put(&f, 0, 40, 'd');
	put(&f, 1, 20, 'b');
	put(&f, 1, 30, 'c');
	put(&f, 2, 50, 'e');
	assert_round(&f, UINT64_MAX, "abcde");
	ck_assert(!order_has_waiting(&f.order));
	assert_round(&f, UINT64_MAX, "");
	ck_assert_uint_eq(f.order.late, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(records_from_the_safe_moment_on_wait_for_the_next_round)
{
	struct fixture f;

	fixture_init(&f);
	put(&f, 0, 10, 'a');
	put(&f, 0, 30, 'c');
	put(&f, 1, 40, 'd');
	assert_round(&f, 30, "a");
	ck_assert(order_has_waiting(&f.order));
	ck_assert_uint_eq(f.sampler.rings.items[0].ring.page->data_tail, 24);
	put(&f, 2, 20, 'b');	/* written late, but in time */
	assert_round(&f, 41, "bcd");
	ck_assert_uint_eq(f.order.late, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(what_is_written_during_a_round_waits)
{
	const uint8_t *record;
	struct fixture f;
	uint32_t event;

	fixture_init(&f);
	put(&f, 0, 10, 'a');
	order_begin(&f.order, UINT64_MAX);
	put(&f, 0, 20, 'b');
	record = order_next(&f.order, &event);
	ck_assert_int_eq(record[8], 'a');
	ck_assert_ptr_null(order_next(&f.order, &event));
	assert_round(&f, UINT64_MAX, "b");
	fixture_free(&f);
}
END_TEST

START_TEST(a_record_older_than_one_given_out_is_given_out_and_counted)
{
	struct fixture f;

	fixture_init(&f);
	put(&f, 0, 30, 'c');
	assert_round(&f, UINT64_MAX, "c");
	put(&f, 1, 20, 'b');
	put(&f, 1, 40, 'd');
	assert_round(&f, UINT64_MAX, "bd");
	ck_assert_uint_eq(f.order.late, 1);
	fixture_free(&f);
}
END_TEST

START_TEST(the_last_record_is_given_back_at_the_rounds_end)
{
	struct fixture f;

	fixture_init(&f);
	put(&f, 0, 10, 'a');
	assert_round(&f, UINT64_MAX, "a");
	ck_assert_uint_eq(f.sampler.rings.items[0].ring.page->data_tail, 24);
	fixture_free(&f);
}
END_TEST

/* 100 records of 24 bytes are more than half of 4096. */
START_TEST(a_ring_more_than_half_full_is_given_out_at_once)
{
	const uint8_t *record;
	struct fixture f;
	uint32_t event;
	int count = 0;

	fixture_init(&f);
	for (uint64_t i = 0; i < 100; i++)
		put(&f, 0, 1000 + i, 'a');
	order_begin(&f.order, 1000);
	while ((record = order_next(&f.order, &event)))
		count++;
	ck_assert_int_eq(count, 100);
	fixture_free(&f);
}
END_TEST

Suite *suite_order(void)
{
	Suite *suite = suite_create("profiler/order");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, the_rings_records_come_in_the_order_of_time);
	tcase_add_test(tc, records_from_the_safe_moment_on_wait_for_the_next_round);
	tcase_add_test(tc, what_is_written_during_a_round_waits);
	tcase_add_test(tc, a_record_older_than_one_given_out_is_given_out_and_counted);
	tcase_add_test(tc, the_last_record_is_given_back_at_the_rounds_end);
	tcase_add_test(tc, a_ring_more_than_half_full_is_given_out_at_once);
	suite_add_tcase(suite, tc);
	return suite;
}
