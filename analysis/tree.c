#include "analysis/tree.h"

struct tree_builder {
	struct tree *tree;
	struct names *names;
	struct index index;
};

/* The child of `parent` for a frame's function, made where it is new. A child's id is larger than its parent's. */
static uint32_t builder_child(struct tree_builder *builder, uint32_t parent, uint32_t frame)
{
	uint32_t function = names_function(builder->names, frame);
	bool guessed = builder->names->profile->frames.items[frame].guessed;
	uint64_t hash = hash_mix(hash_mix(guessed, parent), function);
	struct tree_node *node;
	uint32_t at, id;

	for (id = index_first(&builder->index, hash, &at); id != INDEX_NONE; id = index_next(&builder->index, hash, &at)) {
		node = &builder->tree->nodes.items[id];
		if (node->parent == parent && node->function == function && node->guessed == guessed)
			return id;
	}
	id = (uint32_t)builder->tree->nodes.len;
	node = vec_add(&builder->tree->nodes);
	node->parent = parent;
	node->function = function;
	node->guessed = guessed;
	index_add(&builder->index, hash, id);
	return id;
}

/* Nodes of the trie become nodes of functions; parents come first in the trie. */
static void tree_add_from_callers(struct tree_builder *builder, const struct weights *weights)
{
	const struct profile *profile = builder->names->profile;
	uint32_t *node_of = memory_new(profile->stacks.len, sizeof(uint32_t));
	uint8_t *used = memory_new(profile->stacks.len, 1);
	const struct stack_node *stacks = profile->stacks.items;

	for (size_t i = 0; i < weights->items.len; i++)
		for (uint32_t stack = weights->items.items[i].stack; stack && !used[stack]; stack = stacks[stack].parent)
			used[stack] = 1;
	for (uint32_t stack = 1; stack < profile->stacks.len; stack++)
		if (used[stack])
			node_of[stack] = builder_child(builder, node_of[stacks[stack].parent], stacks[stack].frame);
	for (size_t i = 0; i < weights->items.len; i++)
		builder->tree->nodes.items[node_of[weights->items.items[i].stack]].self +=
			weights->items.items[i].weight;
	free(node_of);
	free(used);
}

static void tree_add_from_leaves(struct tree_builder *builder, const struct weights *weights)
{
	const struct stack_node *stacks = builder->names->profile->stacks.items;

	for (size_t i = 0; i < weights->items.len; i++) {
		const struct stack_weight *item = &weights->items.items[i];
		uint32_t node = 0;

		for (uint32_t stack = item->stack; stack; stack = stacks[stack].parent)
			node = builder_child(builder, node, stacks[stack].frame);
		builder->tree->nodes.items[node].self += item->weight;
	}
}

struct tree_sort {
	uint64_t total;
	uint32_t parent, node;
};

static int tree_compare(const void *left, const void *right)
{
	const struct tree_sort *a = left, *b = right;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->node < b->node ? -1 : 1;
}

/* Links the children of each node, the heaviest first. */
static void tree_link(struct tree *tree)
{
	struct tree_node *nodes = tree->nodes.items;
	size_t count = tree->nodes.len - 1;
	struct tree_sort *order = memory_resize(NULL, count, sizeof(*order));

	for (uint32_t i = 0; i < count; i++)
		order[i] = (struct tree_sort){ nodes[i + 1].total, nodes[i + 1].parent, i + 1 };
	qsort(order, count, sizeof(*order), tree_compare);
	for (size_t i = count; i--;) {
		struct tree_node *parent = &nodes[order[i].parent];

		nodes[order[i].node].next = parent->first_child;
		parent->first_child = order[i].node;
	}
	free(order);
}

void tree_init(struct tree *tree, struct names *names, const struct weights *weights, enum tree_order order)
{
	struct tree_builder builder = { .tree = tree, .names = names };

	*tree = (struct tree){ 0 };
	(void)vec_add(&tree->nodes);
	if (order == TREE_CALLER)
		tree_add_from_callers(&builder, weights);
	else if (order == TREE_CALLEE)
		tree_add_from_leaves(&builder, weights);
	index_fini(&builder.index);
	for (size_t i = tree->nodes.len; i--;) {
		struct tree_node *node = &tree->nodes.items[i];

		node->total += node->self;
		if (i)
			tree->nodes.items[node->parent].total += node->total;
	}
	tree_link(tree);
}

void tree_fini(struct tree *tree)
{
	vec_fini(&tree->nodes);
}
