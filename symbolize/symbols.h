/*
 * The functions of one DSO by dso address: from .symtab (of the file or its debug file), .dynsym, PLT stubs as `f@plt`,
 * and where no symbol covers the code, one nameless function per FDE. A symbol covers [value, value + size) and nothing
 * else: a neighbour's name is worse than none.
 */
#ifndef SYMBOLIZE_SYMBOLS_H
#define SYMBOLIZE_SYMBOLS_H

#include "base/arena.h"
#include "object/object.h"

enum symbol_origin {
	SYMBOL_TABLE,		/* .symtab or .dynsym, or the kernel's own table */
	SYMBOL_UNSIZED,		/* the table gives no size: it covers its FDE, or all up to the next symbol */
	SYMBOL_PLT,		/* made from the stub's relocation */
	SYMBOL_FDE,		/* no name: the extent of an FDE */
	SYMBOL_NONE,		/* made up by those who need a function for every address */
};

struct symbol {
	uint64_t start, end;	/* dso addresses */
	const char *name;	/* as the file has it, not demangled; NULL for SYMBOL_FDE */
	uint8_t origin;
	uint8_t rank;		/* which of several names of one function to show: the lowest */
};

struct symbol_span {
	uint64_t start;		/* to the next span's start */
	uint32_t symbol;	/* SYMBOLS_GAP: nothing covers it */
};

#define SYMBOLS_GAP UINT32_MAX

struct symbols {
	VEC(struct symbol) items;
	VEC(struct symbol_span) spans;	/* sorted */
	struct arena names;		/* those that are made up */
};

/*
 * `debug` is where .symtab is, and may be `object`. Both are borrowed and must outlive the table: names point into
 * them.
 */
void symbols_load(struct symbols *symbols, struct object *object, struct object *debug);

/*
 * From /proc/kallsyms; dso addresses are ips. Where `reference` (may be NULL) names a symbol, all are moved so that it
 * is at reference_address: where it was in the boot that was recorded. -1 with err where the table is not readable or
 * hides its addresses (kernel.kptr_restrict); then there are no symbols.
 */
int symbols_load_kernel(struct symbols *symbols, const char *reference, uint64_t reference_address, struct error *err);

void symbols_fini(struct symbols *symbols);

/* NULL in a gap. Valid as long as the table. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

#endif
