#include "analysis/weights.h"

static uint32_t weights_group(struct weights *weights, struct index *index, const struct profile *profile,
			      size_t sample, const struct columns *columns)
{
	struct group group = { .values = { 0 } };
	uint64_t hash;
	uint32_t at, id;

	for (size_t i = 0; i < columns->len; i++)
		if (columns->items[i]->of_sample)
			group.values[i] = columns->items[i]->of_sample(profile, sample);
	hash = hash_bytes(&group, sizeof(group));
	for (id = index_first(index, hash, &at); id != INDEX_NONE; id = index_next(index, hash, &at))
		if (!memcmp(&weights->groups.items[id], &group, sizeof(group)))
			return id;
	id = (uint32_t)weights->groups.len;
	vec_push(&weights->groups, group);
	index_add(index, hash, id);
	return id;
}

static struct stack_weight *weights_at(struct weights *weights, struct index *index, uint32_t group, uint32_t stack)
{
	uint64_t hash = hash_mix(hash_mix(0, group), stack);
	struct stack_weight *item;
	uint32_t at, id;

	for (id = index_first(index, hash, &at); id != INDEX_NONE; id = index_next(index, hash, &at)) {
		item = &weights->items.items[id];
		if (item->group == group && item->stack == stack)
			return item;
	}
	index_add(index, hash, (uint32_t)weights->items.len);
	item = vec_add(&weights->items);
	item->group = group;
	item->stack = stack;
	return item;
}

void weights_init(struct weights *weights, const struct profile *profile, uint32_t event, const struct columns *columns,
		  const struct filter *filter)
{
	const struct samples *samples = &profile->samples;
	struct index group_index = { 0 }, index = { 0 };

	*weights = (struct weights){ 0 };
	for (size_t i = 0; i < samples->len; i++) {
		struct stack_weight *item;
		uint32_t group;

		if (samples->event[i] != event || !filter_picks_sample(filter, profile, i))
			continue;
		group = weights_group(weights, &group_index, profile, i, columns);
		item = weights_at(weights, &index, group, samples->stack[i]);
		item->weight += samples->weight[i];
		item->samples++;
		weights->weight += samples->weight[i];
		weights->samples++;
		weights->statuses[samples->status[i]]++;
	}
	index_fini(&group_index);
	index_fini(&index);
}

void weights_fini(struct weights *weights)
{
	vec_fini(&weights->items);
	vec_fini(&weights->groups);
}
