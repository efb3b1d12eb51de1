#include "profiler/order.h"

#include "perfdata/record.h"

void order_init(struct order *order, struct sampler *sampler)
{
	*order = (struct order){ .sampler = sampler, .current = UINT32_MAX };
}

void order_fini(struct order *order)
{
	heap_fini(&order->heap);
}

/* The time of the record at a ring's tail; false where there is none. Records without a time go first. */
static bool order_time(const struct order *order, uint32_t id, uint64_t *time)
{
	struct sampler_ring *from = &order->sampler->rings.items[id];
	const uint8_t *record = ring_peek(&from->ring);
	struct perf_event_header header;

	if (!record)
		return false;
	memcpy(&header, record, sizeof(header));
	*time = record_time(record, header.size, &order->sampler->events.items[from->event]);
	return true;
}

void order_begin(struct order *order, uint64_t safe)
{
	uint64_t time;

	order->safe = safe;
	order->current = UINT32_MAX;
	order->heap.items.len = 0;
	for (uint32_t id = 0; id < order->sampler->rings.len; id++) {
		struct ring *ring = &order->sampler->rings.items[id].ring;

		ring_update(ring);
		if (ring->head - ring->tail > ring->mask / 2)
			order->safe = UINT64_MAX;
		if (order_time(order, id, &time))
			heap_push(&order->heap, time, id);
	}
}

bool order_has_waiting(const struct order *order)
{
	return !heap_is_empty(&order->heap);
}

/* The ring that gave the last record gets its room back and takes its new place. */
static void order_advance(struct order *order)
{
	uint64_t time;

	ring_advance(&order->sampler->rings.items[order->current].ring);
	if (order_time(order, order->current, &time))
		heap_replace_top(&order->heap, time);
	else
		heap_pop(&order->heap);
	order->current = UINT32_MAX;
}

const uint8_t *order_next(struct order *order, uint32_t *event)
{
	struct heap_item top;

	if (order->current != UINT32_MAX)
		order_advance(order);
	if (heap_is_empty(&order->heap))
		return NULL;
	top = heap_top(&order->heap);
	if (top.key >= order->safe)
		return NULL;
	order->late += top.key < order->last;
	order->last = top.key > order->last ? top.key : order->last;
	order->current = top.id;
	*event = order->sampler->rings.items[top.id].event;
	return ring_peek(&order->sampler->rings.items[top.id].ring);
}
