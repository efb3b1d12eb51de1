/*
 * Allocation that does not fail: out of memory aborts with a line on stderr, because no caller could do better and
 * every untrusted size is bounded before it gets here. Released with free().
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Zeroed. */
void *memory_new(size_t count, size_t size);

/* `old` moved to room for `count` items; what is new is not initialised. */
void *memory_resize(void *old, size_t count, size_t size);

char *memory_strdup(const char *text);

/* As asprintf. */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline void memory_free_at(void *pointer)
{
	free(*(void **)pointer);
}

/* A temporary that is freed when its scope ends. */
#define autofree __attribute__((cleanup(memory_free_at)))

#endif
