#include "base/strtab.h"

#include <string.h>

void strtab_fini(struct strtab *strtab)
{
	vec_fini(&strtab->strings);
	index_fini(&strtab->index);
	arena_fini(&strtab->arena);
}

static uint32_t strtab_lookup(const struct strtab *strtab, const char *string, uint64_t hash)
{
	uint32_t at, id;

	for (id = index_first(&strtab->index, hash, &at); id != INDEX_NONE; id = index_next(&strtab->index, hash, &at))
		if (!strcmp(strtab_string(strtab, id), string))
			break;
	return id;
}

uint32_t strtab_find(const struct strtab *strtab, const char *string)
{
	return strtab_lookup(strtab, string, hash_bytes(string, strlen(string)));
}

uint32_t strtab_id(struct strtab *strtab, const char *string)
{
	size_t len = strlen(string);
	uint64_t hash = hash_bytes(string, len);
	uint32_t id = strtab_lookup(strtab, string, hash);

	if (id != INDEX_NONE)
		return id;
	id = (uint32_t)strtab->strings.len;
	vec_push(&strtab->strings, arena_strndup(&strtab->arena, string, len));
	index_add(&strtab->index, hash, id);
	return id;
}
