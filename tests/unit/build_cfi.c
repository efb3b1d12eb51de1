#include "tests/unit/build_cfi.h"

#include <dwarf.h>

void cfi_close(struct build *section, size_t at)
{
	uint32_t length;

	build_pad(section, at, 8);
	length = (uint32_t)(section->len - at - sizeof(length));
	build_put(section, at, &length, sizeof(length));
}

size_t cfi_cie(struct build *section, const char *augmentation, const void *data, size_t data_size, const void *program,
	       size_t size)
{
	size_t at = section->len;

	build_u32(section, 0);		/* length, see cfi_close */
	build_u32(section, 0);		/* CIE id */
	build_u8(section, 1);		/* version */
	build_string(section, augmentation);
	build_u8(section, 1);		/* code alignment */
	build_u8(section, 0x78);	/* data alignment: -8 */
	build_u8(section, 16);		/* return address column */
	if (augmentation[0] == 'z')
		build_u8(section, (uint8_t)data_size);
	build_add(section, data, data_size);
	build_add(section, program, size);
	cfi_close(section, at);
	return at;
}

size_t cfi_plain_cie(struct build *section)
{
	return cfi_cie(section, "", NO_BYTES, BYTES(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
}

size_t cfi_fde(struct build *section, size_t cie, uint64_t start, uint64_t size, const void *program,
	       size_t program_size)
{
	size_t at = section->len;

	build_u32(section, 0);
	build_u32(section, (uint32_t)(at + 4 - cie));	/* back from this field to the CIE */
	build_u64(section, start);
	build_u64(section, size);
	if (section->items[cie + 9] == 'z')
		build_u8(section, 0);
	build_add(section, program, program_size);
	cfi_close(section, at);
	return at;
}

void cfi_into_elf(struct build_elf *elf, struct build *section)
{
	elf_segment(elf, PT_LOAD, PF_R | PF_X, 0, 0x1000, 0xf000);
	elf_section(elf, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x8000, section->items, section->len);
	build_free(section);
}
