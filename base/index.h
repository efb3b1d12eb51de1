/*
 * A hash index over things that live elsewhere: from a 64-bit hash to small ids. Whoever keeps the things says which
 * candidate is the one sought:
 *
 *	for (id = index_first(&index, hash, &at); id != INDEX_NONE; id = index_next(&index, hash, &at))
 *		if (things.items[id] is it)
 *			return id;
 *	index_add(&index, hash, id);
 *
 * Zero-initialised is empty. Nothing is ever removed.
 */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index_slot {
	uint32_t hash;
	uint32_t id;	/* INDEX_NONE: free */
};

struct index {
	struct index_slot *slots;
	uint32_t used;
	uint32_t mask;	/* slots - 1, a power of two; 0 while there are none */
};

void index_fini(struct index *index);

/* The first and the following candidates for a hash, INDEX_NONE after the last. `at` is the walk's own state. */
uint32_t index_first(const struct index *index, uint64_t hash, uint32_t *at);
uint32_t index_next(const struct index *index, uint64_t hash, uint32_t *at);

void index_add(struct index *index, uint64_t hash, uint32_t id);

/* Folds a word into a running hash; start from any constant. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

uint64_t hash_bytes(const void *data, size_t size);

#endif
