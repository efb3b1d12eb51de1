/* The memory of a stopped thread, as far as it was recorded: the copy of its stack from sp upwards. */
#ifndef UNWIND_MEMORY_H
#define UNWIND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct stack_copy {
	const uint8_t *bytes;
	uint64_t start;		/* the stack pointer */
	uint64_t size;
};

/* False where not all of the bytes are in the copy. */
static inline bool stack_copy_bytes(const struct stack_copy *copy, uint64_t address, void *to, size_t size)
{
	uint64_t offset = address - copy->start;

	if (copy->size < size || offset > copy->size - size)
		return false;
	memcpy(to, copy->bytes + offset, size);
	return true;
}

static inline bool stack_copy_read(const struct stack_copy *copy, uint64_t address, uint64_t *word)
{
	return stack_copy_bytes(copy, address, word, sizeof(*word));
}

#endif
