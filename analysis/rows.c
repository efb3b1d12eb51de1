#include "analysis/rows.h"

/* The part of a row that its frame decides, told apart once for each frame. */
struct frame_key {
	uint64_t values[COLUMNS_MAX];
};

#define FRAME_KEY_UNKNOWN UINT32_MAX
#define FRAME_KEY_FILTERED (UINT32_MAX - 1)

struct row_builder {
	struct rows *rows;
	struct names *names;
	const struct weights *weights;
	const struct columns *columns;
	const struct filter *filter;
	uint32_t *key_of_frame;
	VEC(struct frame_key) keys;
	struct index key_index;
	struct index row_index;
	VEC(uint64_t) pairs;		/* by row: group and key */
	VEC(uint32_t) counted_for;	/* by row: the last stack that counted for it, so that each counts once */
};

static uint32_t builder_find_key(struct row_builder *builder, uint32_t frame)
{
	const struct columns *columns = builder->columns;
	struct frame_key key = { .values = { 0 } };
	uint64_t hash;
	uint32_t at, id;

	if (!filter_picks_frame(builder->filter, builder->names, frame))
		return FRAME_KEY_FILTERED;
	for (size_t i = 0; i < columns->len; i++)
		if (columns->items[i]->of_frame)
			key.values[i] = columns->items[i]->of_frame(builder->names, frame);
	hash = hash_bytes(&key, sizeof(key));
	for (id = index_first(&builder->key_index, hash, &at); id != INDEX_NONE;
	     id = index_next(&builder->key_index, hash, &at))
		if (!memcmp(&builder->keys.items[id], &key, sizeof(key)))
			return id;
	id = (uint32_t)builder->keys.len;
	vec_push(&builder->keys, key);
	index_add(&builder->key_index, hash, id);
	return id;
}

static uint32_t builder_key(struct row_builder *builder, uint32_t frame)
{
	uint32_t *key = &builder->key_of_frame[frame];

	if (*key == FRAME_KEY_UNKNOWN)
		*key = builder_find_key(builder, frame);
	return *key;
}

static uint32_t builder_row(struct row_builder *builder, uint32_t group, uint32_t key)
{
	uint64_t pair = (uint64_t)group << 32 | key;
	uint64_t hash = hash_mix(0, pair);
	struct row_sums *row;
	uint32_t at, id;

	for (id = index_first(&builder->row_index, hash, &at); id != INDEX_NONE;
	     id = index_next(&builder->row_index, hash, &at))
		if (builder->pairs.items[id] == pair)
			return id;
	id = (uint32_t)builder->rows->items.len;
	row = vec_add(&builder->rows->items);
	for (size_t i = 0; i < COLUMNS_MAX; i++)
		row->values[i] = builder->weights->groups.items[group].values[i] + builder->keys.items[key].values[i];
	vec_push(&builder->pairs, pair);
	vec_push(&builder->counted_for, UINT32_MAX);
	index_add(&builder->row_index, hash, id);
	return id;
}

static void builder_add_stack(struct row_builder *builder, uint32_t number, bool children)
{
	const struct stack_weight *item = &builder->weights->items.items[number];
	const struct stack_node *nodes = builder->names->profile->stacks.items;
	const struct frame *frames = builder->names->profile->frames.items;

	for (uint32_t stack = item->stack; stack != STACK_EMPTY; stack = nodes[stack].parent) {
		uint32_t key = builder_key(builder, nodes[stack].frame), id;
		struct row_sums *row;

		if (key != FRAME_KEY_FILTERED) {
			id = builder_row(builder, item->group, key);
			row = &builder->rows->items.items[id];
			if (stack == item->stack) {
				row->self += item->weight;
				row->samples += item->samples;
			}
			if (builder->counted_for.items[id] != number) {
				row->children += item->weight;
				row->guessed += frames[nodes[stack].frame].guessed ? item->weight : 0;
			}
			builder->counted_for.items[id] = number;
		}
		if (!children)
			break;
	}
}

static int rows_compare_children(const void *left, const void *right)
{
	const struct row_sums *a = left, *b = right;

	if (a->children != b->children)
		return a->children > b->children ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return memcmp(a->values, b->values, sizeof(a->values));
}

void rows_init(struct rows *rows, struct names *names, const struct weights *weights, const struct columns *columns,
	       const struct filter *filter, bool children)
{
	struct row_builder builder = {
		.rows = rows, .names = names, .weights = weights, .columns = columns, .filter = filter,
	};
	size_t frames = names->profile->frames.len;

	*rows = (struct rows){ 0 };
	builder.key_of_frame = memory_resize(NULL, frames, sizeof(uint32_t));
	for (size_t i = 0; i < frames; i++)
		builder.key_of_frame[i] = FRAME_KEY_UNKNOWN;
	for (uint32_t i = 0; i < weights->items.len; i++)
		builder_add_stack(&builder, i, children);
	vec_sort(&rows->items, rows_compare_children);
	free(builder.key_of_frame);
	vec_fini(&builder.keys);
	vec_fini(&builder.pairs);
	vec_fini(&builder.counted_for);
	index_fini(&builder.key_index);
	index_fini(&builder.row_index);
}

void rows_fini(struct rows *rows)
{
	vec_fini(&rows->items);
}
