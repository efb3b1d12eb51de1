#include "base/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void index_fini(struct index *index)
{
	free(index->slots);
	*index = (struct index){ 0 };
}

static uint32_t index_candidate(const struct index *index, uint32_t hash, uint32_t *at)
{
	for (;; *at = (*at + 1) & index->mask) {
		const struct index_slot *slot = &index->slots[*at];

		if (slot->id == INDEX_NONE || slot->hash == hash)
			return slot->id;
	}
}

uint32_t index_first(const struct index *index, uint64_t hash, uint32_t *at)
{
	*at = (uint32_t)hash & index->mask;
	return index->slots ? index_candidate(index, (uint32_t)hash, at) : INDEX_NONE;
}

uint32_t index_next(const struct index *index, uint64_t hash, uint32_t *at)
{
	*at = (*at + 1) & index->mask;
	return index_candidate(index, (uint32_t)hash, at);
}

static void index_place(struct index *index, uint32_t hash, uint32_t id)
{
	uint32_t at = hash & index->mask;

	while (index->slots[at].id != INDEX_NONE)
		at = (at + 1) & index->mask;
	index->slots[at] = (struct index_slot){ .hash = hash, .id = id };
}

static void index_grow(struct index *index)
{
	struct index bigger = { .used = index->used, .mask = index->slots ? 2 * index->mask + 1 : 63 };
	size_t size = (size_t)bigger.mask + 1;

	bigger.slots = memory_resize(NULL, size, sizeof(*bigger.slots));
	memset(bigger.slots, 0xff, size * sizeof(*bigger.slots));
	for (size_t i = 0; index->slots && i <= index->mask; i++)
		if (index->slots[i].id != INDEX_NONE)
			index_place(&bigger, index->slots[i].hash, index->slots[i].id);
	free(index->slots);
	*index = bigger;
}

void index_add(struct index *index, uint64_t hash, uint32_t id)
{
	if (!index->slots || index->used >= index->mask / 4 * 3)
		index_grow(index);
	index_place(index, (uint32_t)hash, id);
	index->used++;
}

uint64_t hash_bytes(const void *data, size_t size)
{
	const uint8_t *pos = data;
	uint64_t hash = size;
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word), pos += sizeof(word)) {
		memcpy(&word, pos, sizeof(word));
		hash = hash_mix(hash, word);
	}
	word = 0;
	memcpy(&word, pos, size);
	return hash_mix(hash, word);
}
