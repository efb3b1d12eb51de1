#include "profiler/profile.h"

#include "tests/unit/suites.h"

START_TEST(equal_stacks_are_one_node)
{
	struct profile profile;
	uint32_t outer, inner, main_frame, leaf;

	profile_init(&profile, NULL);
	main_frame = profile_frame(&profile, (struct frame){ .dso = 0, .address = 0x1000, .kind = FRAME_RETURN });
	leaf = profile_frame(&profile, (struct frame){ .dso = 0, .address = 0x2000 });
	outer = profile_stack(&profile, STACK_EMPTY, main_frame);
	inner = profile_stack(&profile, outer, leaf);
	ck_assert_uint_eq(profile_stack(&profile, STACK_EMPTY, main_frame), outer);
	ck_assert_uint_eq(profile_stack(&profile, outer, leaf), inner);
	ck_assert_uint_ne(profile_stack(&profile, STACK_EMPTY, leaf), inner);
	ck_assert_uint_eq(profile.frames.items[profile.stacks.items[inner].frame].address, 0x2000);
	profile_fini(&profile);
}
END_TEST

START_TEST(a_parents_id_is_smaller_than_its_childrens)
{
	struct profile profile;
	uint32_t stack = STACK_EMPTY;

	profile_init(&profile, NULL);
	for (uint32_t i = 0; i < 1000; i++)
		stack = profile_stack(&profile, i % 7 ? stack : STACK_EMPTY, i % 31);
	for (uint32_t i = 1; i < profile.stacks.len; i++)
		if (profile.stacks.items[i].parent >= i)
			ck_abort_msg("node %u is inside of %u", i, profile.stacks.items[i].parent);
	profile_fini(&profile);
}
END_TEST

START_TEST(frames_differ_by_each_of_their_fields)
{
	static const struct frame frames[] = {
		{ .dso = 1, .address = 0x1000 },
		{ .dso = 2, .address = 0x1000 },
		{ .dso = 1, .address = 0x1001 },
		{ .dso = 1, .address = 0x1000, .kind = FRAME_RETURN },
		{ .dso = 1, .address = 0x1000, .kernel = true },
		{ .dso = 1, .address = 0x1000, .kind = FRAME_CUT, .status = STACK_NO_CFI },
		{ .dso = 1, .address = 0x1000, .kind = FRAME_CUT, .status = STACK_BAD_CFI },
	};
	struct profile profile;

	profile_init(&profile, NULL);
	for (uint32_t i = 0; i < 7; i++)
		ck_assert_uint_eq(profile_frame(&profile, frames[i]), i);
	for (uint32_t i = 0; i < 7; i++)
		ck_assert_uint_eq(profile_frame(&profile, frames[i]), i);
	profile_fini(&profile);
}
END_TEST

START_TEST(tasks_differ_by_pid_tid_and_name)
{
	struct profile profile;
	uint32_t task;

	profile_init(&profile, NULL);
	task = profile_task(&profile, (struct task){ 1, 2, 3 });
	ck_assert_uint_eq(profile_task(&profile, (struct task){ 1, 2, 3 }), task);
	ck_assert_uint_ne(profile_task(&profile, (struct task){ 2, 2, 3 }), task);
	ck_assert_uint_ne(profile_task(&profile, (struct task){ 1, 3, 3 }), task);
	ck_assert_uint_ne(profile_task(&profile, (struct task){ 1, 2, 4 }), task);
	profile_fini(&profile);
}
END_TEST

START_TEST(samples_are_rows_of_columns)
{
	struct profile profile;

	profile_init(&profile, NULL);
	(void)vec_add(&profile.events);
	(void)vec_add(&profile.events);
	for (uint32_t i = 0; i < 3000; i++)
		profile_add(&profile, &(struct profile_sample){ .time = i, .weight = 2 * i, .task = i % 3, .stack = i,
								.cpu = i % 4, .event = i % 2, .status = STACK_NO_FP });
	ck_assert_uint_eq(profile.samples.len, 3000);
	ck_assert_uint_eq(profile.samples.time[2999], 2999);
	ck_assert_uint_eq(profile.samples.weight[2999], 5998);
	ck_assert_uint_eq(profile.samples.task[2999], 2);
	ck_assert_uint_eq(profile.samples.stack[1025], 1025);
	ck_assert_uint_eq(profile.samples.cpu[2999], 3);
	ck_assert_uint_eq(profile.samples.event[2999], 1);
	ck_assert_uint_eq(profile.samples.status[0], STACK_NO_FP);
	ck_assert_uint_eq(profile.events.items[0].samples, 1500);
	ck_assert_uint_eq(profile.events.items[1].samples, 1500);
	profile_fini(&profile);
}
END_TEST

START_TEST(the_code_of_a_return_address_is_before_it)
{
	ck_assert_uint_eq(frame_code(&(struct frame){ .address = 0x1000, .kind = FRAME_RETURN }), 0xfff);
	ck_assert_uint_eq(frame_code(&(struct frame){ .address = 0x1000, .kind = FRAME_EXACT }), 0x1000);
}
END_TEST

Suite *suite_profile(void)
{
	Suite *suite = suite_create("profiler/profile");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, equal_stacks_are_one_node);
	tcase_add_test(tc, a_parents_id_is_smaller_than_its_childrens);
	tcase_add_test(tc, frames_differ_by_each_of_their_fields);
	tcase_add_test(tc, tasks_differ_by_pid_tid_and_name);
	tcase_add_test(tc, samples_are_rows_of_columns);
	tcase_add_test(tc, the_code_of_a_return_address_is_before_it);
	suite_add_tcase(suite, tc);
	return suite;
}
