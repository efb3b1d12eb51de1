#include "perfdata/window.h"

#include <errno.h>
#include <unistd.h>

#include "base/memory.h"

void window_fini(struct window *window)
{
	free(window->bytes);
	*window = (struct window){ .fd = -1 };
}

/* As much of `want` bytes as the file has. */
static size_t window_read(int fd, uint8_t *to, size_t want, uint64_t offset)
{
	size_t len = 0;

	while (len < want) {
		ssize_t got = pread(fd, to + len, want - len, (off_t)(offset + len));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		len += (size_t)got;
	}
	return len;
}

const uint8_t *window_at(struct window *window, uint64_t offset, size_t size, size_t ahead)
{
	if (offset < window->offset || offset - window->offset > window->len ||
	    size > window->len - (offset - window->offset)) {
		size_t want = size > ahead ? size : ahead;

		if (want > window->room) {
			window->bytes = memory_resize(window->bytes, want, 1);
			window->room = want;
		}
		window->len = window_read(window->fd, window->bytes, want, offset);
		window->offset = offset;
	}
	return size <= window->len - (offset - window->offset) ? window->bytes + (offset - window->offset) : NULL;
}
