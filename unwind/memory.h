/* The memory of a stopped thread, as far as it was recorded: the copy of its stack from sp upwards. */
#ifndef UNWIND_MEMORY_H
#define UNWIND_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct stack_copy {
	const uint8_t *bytes;
	uint64_t start;		/* the stack pointer */
	uint64_t size;
};

/* False where the word is not wholly in the copy. */
static inline bool stack_copy_read(const struct stack_copy *copy, uint64_t address, uint64_t *word)
{
	uint64_t offset = address - copy->start;

	if (copy->size < sizeof(*word) || offset > copy->size - sizeof(*word))
		return false;
	memcpy(word, copy->bytes + offset, sizeof(*word));
	return true;
}

#endif
