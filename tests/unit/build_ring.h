/* A perf ring buffer in memory, into which a test writes as the kernel does. */
#ifndef TESTS_UNIT_BUILD_RING_H
#define TESTS_UNIT_BUILD_RING_H

#include "profiler/ring.h"

enum { RING_SIZE = 4096 };

/* A ring of RING_SIZE bytes whose first record goes to `at`. Ends with ring_fini. */
void ring_make(struct ring *ring, uint64_t at);

/* Writes a COMM record of `size` bytes: header, the letter `name`, and in its last word, the trailer, the time. */
void ring_write(struct ring *ring, uint64_t time, char name, uint16_t size);

#endif
