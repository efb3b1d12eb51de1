/* ELF images (x86-64) as a test writes them down: segments, sections and symbols at the addresses it chooses. */
#ifndef TESTS_UNIT_BUILD_ELF_H
#define TESTS_UNIT_BUILD_ELF_H

#include <elf.h>

#include "object/dso.h"
#include "tests/unit/build_bytes.h"

/* Zero-initialised is an image of nothing. */
struct build_elf {
	uint64_t entry;
	uint16_t machine;	/* 0: EM_X86_64 */
	struct build content;	/* from file offset ELF_CONTENT on */
	VEC(Elf64_Phdr) segments;
	VEC(Elf64_Shdr) sections;	/* from number 1 on */
	struct build names;
	struct build symbols, strings;	/* .symtab and .strtab, where there are symbols */
};

/* Where content begins: behind the header and room for the segments' table. */
enum { ELF_CONTENT = 0x1000 };

/* A segment; its bytes are whatever is at that file offset. */
void elf_segment(struct build_elf *elf, uint32_t type, uint32_t flags, uint64_t offset, uint64_t address,
		 uint64_t size);

/* A section with these bytes (copied). With an address it is allocated. Returns its number. */
uint16_t elf_section(struct build_elf *elf, const char *name, uint32_t type, uint64_t flags, uint64_t address,
		     const void *bytes, size_t size);

/* A symbol of .symtab; `info` as ELF64_ST_INFO gives it. */
void elf_symbol(struct build_elf *elf, const char *name, uint8_t info, uint16_t section, uint64_t value, uint64_t size);

/* The image, malloc'ed, without its section headers where `stripped`. The builder is empty again. */
void *elf_image(struct build_elf *elf, bool stripped, size_t *size);

/* The image opened as an object. */
void elf_open(struct build_elf *elf, struct object *object);

/* The image as the opened file of a new DSO of that path. */
uint32_t elf_dso(struct build_elf *elf, struct dsos *dsos, const char *path);

#endif
