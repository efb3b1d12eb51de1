/*
 * A perf ring buffer: the kernel appends records, we read them in place and then let the kernel have the room back
 * (perf_event_open(2), "MMAP layout").
 */
#ifndef PROFILER_RING_H
#define PROFILER_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ring {
	int fd;			/* borrowed */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t mask;		/* size of the data - 1 */
	uint64_t head;		/* what the kernel had written when ring_update was called */
	uint64_t tail;		/* what we have read */
	uint8_t *whole;		/* a record that goes over the end of the ring, put together */
};

/* `size`: bytes, a power of two of whole pages. */
int ring_init(struct ring *ring, int fd, size_t size, struct error *err);
void ring_fini(struct ring *ring);

/* Takes note of what the kernel has written. */
void ring_update(struct ring *ring);

/* The record at the tail, whole; NULL where there is none. Valid until ring_advance. */
const uint8_t *ring_peek(struct ring *ring);

/* Gives the record at the tail back. */
void ring_advance(struct ring *ring);

#endif
