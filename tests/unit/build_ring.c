#include "tests/unit/build_ring.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void ring_make(struct ring *ring, uint64_t at)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("ring", MFD_CLOEXEC);
	struct error err;

	ck_assert_int_eq(ftruncate(fd, (off_t)(page + RING_SIZE)), 0);
	ck_assert_int_eq(ring_init(ring, fd, RING_SIZE, &err), 0);
	close(fd);
	ring->page->data_head = ring->page->data_tail = ring->tail = ring->head = at;
}

void ring_write(struct ring *ring, uint64_t time, char name, uint16_t size)
{
	struct perf_event_header header = { .type = PERF_RECORD_COMM, .size = size };
	uint8_t record[RING_SIZE];

	memset(record, name, sizeof(record));
	memcpy(record, &header, sizeof(header));
	memcpy(record + size - sizeof(time), &time, sizeof(time));
	for (size_t i = 0; i < size; i++)
		ring->data[(ring->page->data_head + i) & (RING_SIZE - 1)] = record[i];
	ring->page->data_head += size;
}
