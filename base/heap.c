#include "base/heap.h"

void heap_fini(struct heap *heap)
{
	vec_fini(&heap->items);
}

static bool heap_before(const struct heap_item *a, const struct heap_item *b)
{
	return a->key != b->key ? a->key < b->key : a->id < b->id;
}

static void heap_swap(struct heap_item *a, struct heap_item *b)
{
	struct heap_item item = *a;

	*a = *b;
	*b = item;
}

static void heap_sift_down(struct heap *heap)
{
	struct heap_item *items = heap->items.items;
	size_t len = heap->items.len;

	for (size_t at = 0, child; (child = 2 * at + 1) < len; at = child) {
		if (child + 1 < len && heap_before(&items[child + 1], &items[child]))
			child++;
		if (!heap_before(&items[child], &items[at]))
			return;
		heap_swap(&items[child], &items[at]);
	}
}

void heap_push(struct heap *heap, uint64_t key, uint32_t id)
{
	struct heap_item *items;

	vec_push(&heap->items, (struct heap_item){ .key = key, .id = id });
	items = heap->items.items;
	for (size_t at = heap->items.len - 1; at && heap_before(&items[at], &items[(at - 1) / 2]); at = (at - 1) / 2)
		heap_swap(&items[at], &items[(at - 1) / 2]);
}

void heap_pop(struct heap *heap)
{
	heap->items.items[0] = heap->items.items[--heap->items.len];
	heap_sift_down(heap);
}

void heap_replace_top(struct heap *heap, uint64_t key)
{
	heap->items.items[0].key = key;
	heap_sift_down(heap);
}
