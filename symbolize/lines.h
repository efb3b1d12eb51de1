/*
 * Source lines of one DSO by dso address, from its DWARF line tables: an index of our own, one compilation unit at a
 * time as it is needed, made with libdw. Look-ups by libdw itself are twenty times slower and miss units without
 * .debug_aranges.
 */
#ifndef SYMBOLIZE_LINES_H
#define SYMBOLIZE_LINES_H

#include "base/strtab.h"
#include "object/object.h"

struct lines;

struct line {
	const char *file;	/* path as the compiler saw it; borrowed */
	uint32_t line;
};

/* `object` holds the DWARF and is borrowed, as is `files`. NULL where it has none. */
struct lines *lines_new(struct object *object, struct strtab *files);
void lines_free(struct lines *lines);

/* False where no line is known. `lines` may be NULL. */
bool lines_find(struct lines *lines, uint64_t address, struct line *line);

#endif
