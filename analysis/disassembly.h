/*
 * The instructions of a stretch of code, by objdump as a process of its own (without a shell), one call for each
 * function.
 */
#ifndef ANALYSIS_DISASSEMBLY_H
#define ANALYSIS_DISASSEMBLY_H

#include "object/object.h"

struct instruction {
	uint64_t address;	/* dso address */
	uint32_t size;
	const char *bytes;	/* "48 89 e5" */
	const char *text;	/* "mov    %rsp,%rbp", names in it demangled */
};

struct disassembly {
	VEC(struct instruction) instructions;	/* in the order of their addresses */
	VEC(char *) strings;
};

/*
 * Disassembles the dso addresses [start, end). `objdump` is its name or path. -1 with the cure where it is not
 * installed or gives nothing.
 */
int disassembly_init(struct disassembly *disassembly, struct object *object, uint64_t start, uint64_t end,
		     const char *objdump, struct error *err);
void disassembly_fini(struct disassembly *disassembly);

#endif
