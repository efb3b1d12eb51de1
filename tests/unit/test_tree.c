#include "analysis/tree.h"

#include <stdio.h>

#include "tests/unit/build_profile.h"
#include "tests/unit/suites.h"

/* A tree as text: "main 65/10(f 55/20(g 35/35))" is main with total 65 and self 10 and what is below it. */
static void print_children(const struct build_profile *build, const struct tree *tree, uint32_t parent, char *text)
{
	const struct tree_node *nodes = tree->nodes.items;

	for (uint32_t id = nodes[parent].first_child; id != TREE_END; id = nodes[id].next) {
		unsigned int total = (unsigned int)nodes[id].total, self = (unsigned int)nodes[id].self;
		char numbers[64];

		ck_assert_uint_eq(nodes[id].parent, parent);
		strcat(text, id == nodes[parent].first_child ? "" : " ");
		strcat(text, symbolizer_at(build->symbolizer, nodes[id].function)->name);
		snprintf(numbers, sizeof(numbers), " %u/%u", total, self);
		strcat(text, numbers);
		if (nodes[id].first_child == TREE_END)
			continue;
		strcat(text, "(");
		print_children(build, tree, id, text);
		strcat(text, ")");
	}
}

static void assert_tree(struct build_profile *build, enum tree_order order, const char *expected)
{
	static const struct filter all = { 0 };
	struct columns columns;
	struct weights weights;
	char text[1024] = "";
	struct tree tree;

	profile_weights(build, "sym", &all, &columns, &weights);
	tree_init(&tree, &build->names, &weights, order);
	print_children(build, &tree, 0, text);
	ck_assert_str_eq(text, expected);
	tree_fini(&tree);
	weights_fini(&weights);
}

static void fill(struct build_profile *build)
{
	profile_make(build);
	profile_sample(build, "main h", 4, "prog", 1);
	profile_sample(build, "main", 10, "prog", 1);
	profile_sample(build, "main f", 20, "prog", 1);
	profile_sample(build, "main f g", 30, "prog", 2);
	profile_sample(build, "main g", 1, "prog", 2);
}

START_TEST(from_the_callers_functions_are_below_their_callers_the_heaviest_first)
{
	struct build_profile build;

	fill(&build);
	assert_tree(&build, TREE_CALLER, "main 65/10(f 50/20(g 30/30) h 4/4 g 1/1)");
	profile_free(&build);
}
END_TEST

START_TEST(from_the_leaves_callers_are_below_functions)
{
	struct build_profile build;

	fill(&build);
	assert_tree(&build, TREE_CALLEE,
		    "g 31/0(f 30/0(main 30/30) main 1/1) f 20/0(main 20/20) main 10/10 h 4/0(main 4/4)");
	profile_free(&build);
}
END_TEST

START_TEST(the_sum_of_the_roots_is_the_whole)
{
	static const enum tree_order orders[] = { TREE_CALLER, TREE_CALLEE };
	static const struct filter all = { 0 };
	struct build_profile build;

	fill(&build);
	profile_sample(&build, "[cut] f f f", 100, "prog", 1);
	for (size_t i = 0; i < 2; i++) {
		struct columns columns;
		struct weights weights;
		struct tree tree;
		uint64_t self = 0;

		profile_weights(&build, "comm,sym", &all, &columns, &weights);
		tree_init(&tree, &build.names, &weights, orders[i]);
		for (size_t n = 0; n < tree.nodes.len; n++)
			self += tree.nodes.items[n].self;
		ck_assert_uint_eq(tree.nodes.items[0].total, 165);
		ck_assert_uint_eq(self, 165);
		tree_fini(&tree);
		weights_fini(&weights);
	}
	profile_free(&build);
}
END_TEST

START_TEST(recursion_stays_as_deep_as_it_was)
{
	struct build_profile build;

	profile_make(&build);
	profile_sample(&build, "main f f", 7, "prog", 1);
	profile_sample(&build, "main f f f", 3, "prog", 1);
	assert_tree(&build, TREE_CALLER, "main 10/0(f 10/0(f 10/7(f 3/3)))");
	profile_free(&build);
}
END_TEST

START_TEST(a_cut_stack_hangs_under_its_cut)
{
	struct build_profile build;

	profile_make(&build);
	profile_sample(&build, "[cut] f g", 7, "prog", 1);
	profile_sample(&build, "main f", 3, "prog", 1);
	assert_tree(&build, TREE_CALLER, "[unmapped] 7/0(f 7/0(g 7/7)) main 3/0(f 3/3)");
	profile_free(&build);
}
END_TEST

START_TEST(no_order_makes_no_tree)
{
	struct build_profile build;

	fill(&build);
	assert_tree(&build, TREE_NONE, "");
	profile_free(&build);
}
END_TEST

Suite *suite_tree(void)
{
	Suite *suite = suite_create("analysis/tree");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, from_the_callers_functions_are_below_their_callers_the_heaviest_first);
	tcase_add_test(tc, from_the_leaves_callers_are_below_functions);
	tcase_add_test(tc, the_sum_of_the_roots_is_the_whole);
	tcase_add_test(tc, recursion_stays_as_deep_as_it_was);
	tcase_add_test(tc, a_cut_stack_hangs_under_its_cut);
	tcase_add_test(tc, no_order_makes_no_tree);
	suite_add_tcase(suite, tc);
	return suite;
}
