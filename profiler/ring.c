#include "profiler/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"


int ring_init(struct ring *ring, int fd, size_t size, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *base = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	*ring = (struct ring){ .fd = fd };
	if (base == MAP_FAILED)
		return error_sys(err, "ring buffer of %zu KiB", size / 1024);
	ring->page = base;
	ring->data = (uint8_t *)base + page;
	ring->mask = size - 1;
	return 0;
}

void ring_fini(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->mask + 1);
	free(ring->whole);
	*ring = (struct ring){ .fd = -1 };
}

void ring_update(struct ring *ring)
{
	/* Pairs with the kernel's release of data_head: the records are there once the head says so. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static uint16_t ring_record_size(const struct ring *ring)
{
	struct perf_event_header header;

	/* Records are multiples of eight bytes: a header never goes over the end. */
	memcpy(&header, ring->data + (ring->tail & ring->mask), sizeof(header));
	return header.size;
}

const uint8_t *ring_peek(struct ring *ring)
{
	uint64_t at = ring->tail & ring->mask;
	uint64_t until_end = ring->mask + 1 - at;
	uint16_t size;

	if (ring->tail == ring->head)
		return NULL;
	size = ring_record_size(ring);
	if (size <= until_end)
		return ring->data + at;
	if (!ring->whole)
		ring->whole = memory_resize(NULL, UINT16_MAX + 1, 1);
	memcpy(ring->whole, ring->data + at, until_end);
	memcpy(ring->whole + until_end, ring->data, size - until_end);
	return ring->whole;
}

void ring_advance(struct ring *ring)
{
	ring->tail += ring_record_size(ring);
	/* Pairs with the kernel's read of data_tail: we are done with the record before it is overwritten. */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
