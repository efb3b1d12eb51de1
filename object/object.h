/*
 * One ELF file: segments, sections (inflated where they were compressed), build-id, code bytes. It maps between the two
 * kinds of address it knows, *dso address* (p_vaddr, as the file states it) and *file offset*; ips are not its
 * business.
 *
 * Read with pread, never mapped: a file that shrinks or lies must not kill us. Not safe for several threads (libelf).
 */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/vec.h"
#include "object/build_id.h"

/* A PT_LOAD. */
struct segment {
	uint64_t address;	/* dso address */
	uint64_t offset;	/* file offset */
	uint64_t file_size;
	uint64_t memory_size;
	bool executable;
};

struct section {
	const char *name;	/* borrowed from the file */
	uint64_t address;	/* dso address, 0 where it is not loaded */
	uint64_t offset;
	uint64_t size;
	uint64_t entry_size;
	uint32_t type;		/* SHT_… */
	uint32_t link;
	bool executable;
};

struct object {
	char *path;		/* for messages */
	int fd;			/* -1 for an image in memory */
	void *image;		/* NULL for a file */
	size_t image_size;
	Elf *elf;
	uint16_t machine;	/* EM_… */
	uint64_t entry;		/* dso address where a program (or ld.so) begins; 0: nowhere */
	bool is_64;
	VEC(struct segment) segments;
	VEC(struct section) sections;	/* by ELF section number; [0] is empty */
	struct build_id build_id;
};

/* Takes fd, on failure too. ERROR_UNSUPPORTED where it is not an ELF file that can be run or linked. */
int object_open(struct object *object, int fd, const char *path, struct error *err);

/* The same from memory, such as the vdso. Takes the malloc'ed image, on failure too. */
int object_open_image(struct object *object, void *image, size_t size, const char *path, struct error *err);

void object_close(struct object *object);

/* The dso address of a file offset through the PT_LOAD that holds it, an executable one where several do. */
bool object_address(const struct object *object, uint64_t file_offset, uint64_t *address);

/* NULL where there is none of that name. */
const struct section *object_section(const struct object *object, const char *name);

/*
 * A section's bytes, borrowed until object_close; inflated (zlib). Empty where it has none in the file or they cannot
 * be read.
 */
struct bytes object_section_bytes(struct object *object, const struct section *section);

/* Bytes of a segment at a dso address into `to`; false where not all of them are in the file. */
bool object_read(const struct object *object, uint64_t address, void *to, size_t size);

/* The dso address range of PT_GNU_EH_FRAME; false where there is none. */
bool object_eh_frame_hdr(const struct object *object, uint64_t *address, uint64_t *size);

#endif
