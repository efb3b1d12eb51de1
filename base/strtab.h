/* Interned strings: equal strings have equal ids, ids count from 0 in the order of first appearance and stay valid. */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"
#include "base/vec.h"

struct strtab {
	VEC(const char *) strings;
	struct index index;
	struct arena arena;
};

void strtab_fini(struct strtab *strtab);

uint32_t strtab_id(struct strtab *strtab, const char *string);

/* As strtab_id, but INDEX_NONE for a string that is not in the table. */
uint32_t strtab_find(const struct strtab *strtab, const char *string);

/* Borrowed; lives as long as the table. */
static inline const char *strtab_string(const struct strtab *strtab, uint32_t id)
{
	return strtab->strings.items[id];
}

#endif
