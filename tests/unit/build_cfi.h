/*
 * .eh_frame entries (LSB 10.6.1) as a test writes them down. Registers by their DWARF numbers: 0 rax, 3 rbx, 6 rbp,
 * 7 rsp, 16 the return address. CIEs have code alignment 1, data alignment -8.
 */
#ifndef TESTS_UNIT_BUILD_CFI_H
#define TESTS_UNIT_BUILD_CFI_H

#include "tests/unit/build_elf.h"

/* Appends a CIE and returns its offset. `augmentation` is the string, `data` what its letters say. */
size_t cfi_cie(struct build *section, const char *augmentation, const void *data, size_t data_size, const void *program,
	       size_t size);

/* The CIE of ordinary code: cfa = rsp + 8, the return address at cfa - 8; absolute addresses in its FDEs. */
size_t cfi_plain_cie(struct build *section);

/* Appends an FDE of absolute addresses of a CIE at that offset and returns its own. */
size_t cfi_fde(struct build *section, size_t cie, uint64_t start, uint64_t size, const void *program,
	       size_t program_size);

/* Writes the length of the entry that begins at `at` and pads it to eight bytes with DW_CFA_nop. */
void cfi_close(struct build *section, size_t at);

/* Puts the section into an image with one code segment, [0x1000, 0x10000); frees it. */
void cfi_into_elf(struct build_elf *elf, struct build *section);

#endif
