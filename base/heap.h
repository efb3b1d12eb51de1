/*
 * A binary heap of (key, id): which of several sorted streams comes next. Equal keys leave it in the order of their
 * ids, which makes a merge stable where ids follow the streams' order. Zero-initialised is empty.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct heap_item {
	uint64_t key;
	uint32_t id;
};

struct heap {
	VEC(struct heap_item) items;
};

void heap_fini(struct heap *heap);
void heap_push(struct heap *heap, uint64_t key, uint32_t id);

static inline bool heap_is_empty(const struct heap *heap)
{
	return heap->items.len == 0;
}

/* The smallest; the heap must not be empty. */
static inline struct heap_item heap_top(const struct heap *heap)
{
	return heap->items.items[0];
}

void heap_pop(struct heap *heap);

/* As heap_pop and then heap_push of the same id with its stream's next key, at half the price. */
void heap_replace_top(struct heap *heap, uint64_t key);

#endif
