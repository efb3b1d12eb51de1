/*
 * From (dso, dso address) to the function and source line there, and where the name came from. Each DSO's tables are
 * made when first needed, each function is named once. Belongs to one thread, as libdw does.
 */
#ifndef SYMBOLIZE_SYMBOLIZER_H
#define SYMBOLIZE_SYMBOLIZER_H

#include "object/dso.h"
#include "symbolize/lines.h"
#include "symbolize/symbols.h"

struct function {
	uint32_t dso;		/* UINT32_MAX: none */
	uint64_t start, end;	/* dso addresses; equal where it has no code */
	const char *name;	/* for people: demangled, "lib!func_0x9f2a0", "lib+0x1234", "[unknown]" */
	uint8_t origin;		/* enum symbol_origin */
};

struct symbolizer;

/* `dsos` is borrowed. */
struct symbolizer *symbolizer_new(struct dsos *dsos);
void symbolizer_free(struct symbolizer *symbolizer);

/* The id of the function at an address; there always is one, if only "lib+0x1234". */
uint32_t symbolizer_function(struct symbolizer *symbolizer, uint32_t dso, uint64_t address);

/* The id of a function without code that stands for something else in a stack, by its name. */
uint32_t symbolizer_label(struct symbolizer *symbolizer, uint32_t dso, const char *name);

/* Valid until the next function is found; its name as long as the symbolizer. */
const struct function *symbolizer_at(const struct symbolizer *symbolizer, uint32_t function);

/* The file that a DSO's code is in; NULL where it cannot be had. */
struct object *symbolizer_object(struct symbolizer *symbolizer, uint32_t dso);

/* How many ids there are. */
uint32_t symbolizer_count(const struct symbolizer *symbolizer);

/* False where no line is known. */
bool symbolizer_line(struct symbolizer *symbolizer, uint32_t dso, uint64_t address, struct line *line);

#endif
