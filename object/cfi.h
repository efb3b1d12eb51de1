/*
 * The call-frame entries of one ELF file: .eh_frame (LSB 10.6) or .debug_frame (DWARF 5, section 6.4.1) cut into CIEs and
 * FDEs. It tells which address range
 * each FDE describes and hands out the instruction bytes; what they mean is unwind/'s business.
 */
#ifndef OBJECT_CFI_H
#define OBJECT_CFI_H

#include "object/object.h"

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;	/* the column that holds the return address */
	uint8_t fde_encoding;		/* DW_EH_PE_… */
	bool has_augmentation;		/* 'z': FDEs carry augmentation data */
	bool signal_frame;		/* 'S': the caller was interrupted, it did not call */
	struct bytes program;		/* the initial instructions */
};

struct fde {
	uint64_t start;		/* dso address */
	uint64_t size;
	size_t offset;		/* of the entry within the section: its name for cfi_fde_at */
	struct cie cie;
	struct bytes program;
	uint64_t program_address;	/* dso address of program.start */
};

enum cfi_section { CFI_EH_FRAME, CFI_DEBUG_FRAME };

struct cfi {
	enum cfi_section kind;
	struct bytes section;	/* borrowed from the object; empty where it has none */
	uint64_t address;	/* its dso address */
	uint8_t *owned;		/* the bytes, where they had to be read through segments */
	struct cie cie;		/* the last one parsed: neighbours share it */
	size_t cie_offset;	/* CFI_NO_CIE: none yet */
};

#define CFI_NO_CIE SIZE_MAX

/* Never fails: a file without call-frame information has none to walk. */
void cfi_init(struct cfi *cfi, struct object *object, enum cfi_section kind);
void cfi_fini(struct cfi *cfi);

/*
 * The next FDE from *offset on (start at 0), which moves behind it; false at the end. Entries that make no sense are
 * passed over and counted in *malformed; a length that leaves the section ends the walk.
 */
bool cfi_next(struct cfi *cfi, size_t *offset, struct fde *fde, unsigned int *malformed);

/* The FDE at an offset that cfi_next gave. */
bool cfi_fde_at(struct cfi *cfi, size_t offset, struct fde *fde);

/*
 * A pointer in one of the DW_EH_PE encodings; `address` is the dso address of from->start. Marks `from` bad for those
 * that need a base we do not have (text, data, function relative) and passes indirection over.
 */
uint64_t cfi_pointer(struct bytes *from, uint64_t address, uint8_t encoding);

#endif
