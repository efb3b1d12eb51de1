#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/memory.h"

enum { ARENA_BLOCK = 64 * 1024 };

struct arena_block {
	struct arena_block *older;
	alignas(max_align_t) char bytes[];
};

void arena_fini(struct arena *arena)
{
	struct arena_block *older;

	for (struct arena_block *block = arena->blocks; block; block = older) {
		older = block->older;
		free(block);
	}
	*arena = (struct arena){ 0 };
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;
	void *memory;

	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!block || size > arena->room - arena->used) {
		arena->room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
		arena->used = 0;
		block = memory_resize(NULL, 1, sizeof(*block) + arena->room);
		block->older = arena->blocks;
		arena->blocks = block;
	}
	memory = block->bytes + arena->used;
	arena->used += size;
	return memory;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}
