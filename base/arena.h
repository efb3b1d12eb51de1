/* Memory that is given back all at once, with the session or the view that owns it. Zero-initialised is empty. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks;	/* the newest first */
	size_t used;			/* bytes of the newest block */
	size_t room;
};

void arena_fini(struct arena *arena);

/* Aligned for any type, not initialised; stays where it is until arena_fini. */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy with a NUL behind it; `text` need not have one. */
char *arena_strndup(struct arena *arena, const char *text, size_t len);

#endif
