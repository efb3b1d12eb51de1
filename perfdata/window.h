/* A piece of a file, read by pread as it is needed: the file may be larger than memory and may change under us. */
#ifndef PERFDATA_WINDOW_H
#define PERFDATA_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct window {
	int fd;			/* borrowed */
	uint8_t *bytes;
	size_t room;
	size_t len;
	uint64_t offset;	/* file offset of bytes[0] */
};

void window_fini(struct window *window);

/*
 * `size` bytes at a file offset, valid until the next call; NULL where the file does not have them. What has to be read
 * is read with up to `ahead` bytes in all.
 */
const uint8_t *window_at(struct window *window, uint64_t offset, size_t size, size_t ahead);

#endif
