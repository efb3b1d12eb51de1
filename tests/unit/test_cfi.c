#include "object/cfi.h"

#include <dwarf.h>

#include "tests/unit/build_cfi.h"
#include "tests/unit/suites.h"

/* The section of a test at dso address 0x8000. */
static struct cfi cfi_of(const struct build *section)
{
	return (struct cfi){
		.section = bytes_of(section->items, section->len, ".eh_frame"),
		.address = 0x8000,
		.cie_offset = CFI_NO_CIE,
	};
}

static bool only_fde(const struct build *section, struct fde *fde)
{
	struct cfi cfi = cfi_of(section);
	unsigned int malformed = 0;
	size_t offset = 0;

	return cfi_next(&cfi, &offset, fde, &malformed) && !malformed;
}

static uint64_t pointer(const uint8_t *bytes, size_t size, uint8_t encoding, bool *bad)
{
	struct bytes from = bytes_of(bytes, size, "pointer");
	uint64_t value = cfi_pointer(&from, 0x5000, encoding);

	*bad = from.bad;
	return value;
}

/* LSB 10.5: the low four bits tell the size and sign. */
START_TEST(pointers_have_the_size_and_sign_of_their_encoding)
{
	bool bad;

	ck_assert_uint_eq(pointer(BYTES(1, 2, 3, 4, 5, 6, 7, 0x88), DW_EH_PE_absptr, &bad), 0x8807060504030201);
	ck_assert_uint_eq(pointer(BYTES(0x80, 0x01), DW_EH_PE_uleb128, &bad), 128);
	ck_assert_uint_eq(pointer(BYTES(0xfe, 0xff), DW_EH_PE_udata2, &bad), 0xfffe);
	ck_assert_uint_eq(pointer(BYTES(0xfe, 0xff, 0xff, 0xff), DW_EH_PE_udata4, &bad), 0xfffffffe);
	ck_assert_uint_eq(pointer(BYTES(1, 2, 3, 4, 5, 6, 7, 8), DW_EH_PE_udata8, &bad), 0x0807060504030201);
	ck_assert_uint_eq(pointer(BYTES(0x7e), DW_EH_PE_sleb128, &bad), (uint64_t)-2);
	ck_assert_uint_eq(pointer(BYTES(0xfe, 0xff), DW_EH_PE_sdata2, &bad), (uint64_t)-2);
	ck_assert_uint_eq(pointer(BYTES(0xfe, 0xff, 0xff, 0xff), DW_EH_PE_sdata4, &bad), (uint64_t)-2);
	ck_assert_uint_eq(pointer(BYTES(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), DW_EH_PE_sdata8, &bad),
			  (uint64_t)-2);
	ck_assert(!bad);
}
END_TEST

START_TEST(pcrel_counts_from_the_pointers_own_place)
{
	struct bytes from = bytes_of("\xff\xff\x10\0\0\0", 6, "pointer");

	bytes_u16(&from);
	ck_assert_uint_eq(cfi_pointer(&from, 0x5000, DW_EH_PE_pcrel | DW_EH_PE_sdata4), 0x5012);
}
END_TEST

START_TEST(pointers_that_need_a_base_we_do_not_have_are_bad)
{
	bool bad;

	pointer(BYTES(1, 2, 3, 4), DW_EH_PE_datarel | DW_EH_PE_udata4, &bad);
	ck_assert(bad);
	pointer(BYTES(1, 2, 3, 4), DW_EH_PE_funcrel | DW_EH_PE_udata4, &bad);
	ck_assert(bad);
	pointer(BYTES(1, 2, 3, 4), 0x05, &bad);
	ck_assert(bad);
	pointer(BYTES(1, 2, 3), DW_EH_PE_udata4, &bad);
	ck_assert(bad);
}
END_TEST

START_TEST(an_omitted_pointer_takes_no_bytes)
{
	struct bytes from = bytes_of("\x01", 1, "pointer");

	ck_assert_uint_eq(cfi_pointer(&from, 0x5000, DW_EH_PE_omit), 0);
	ck_assert_uint_eq(bytes_left(&from), 1);
	ck_assert(!from.bad);
}
END_TEST

START_TEST(a_plain_cie_is_read_field_by_field)
{
	struct build section = { 0 };
	struct fde fde;

	cfi_fde(&section, cfi_plain_cie(&section), 0x2000, 0x30, BYTES(DW_CFA_advance_loc | 1));
	ck_assert(only_fde(&section, &fde));
	ck_assert_uint_eq(fde.start, 0x2000);
	ck_assert_uint_eq(fde.size, 0x30);
	ck_assert_uint_eq(fde.cie.code_align, 1);
	ck_assert_int_eq(fde.cie.data_align, -8);
	ck_assert_uint_eq(fde.cie.return_register, 16);
	ck_assert(!fde.cie.has_augmentation && !fde.cie.signal_frame);
	ck_assert_uint_eq(*fde.cie.program.pos, DW_CFA_def_cfa);
	ck_assert_uint_eq(*fde.program.pos, DW_CFA_advance_loc | 1);
	build_free(&section);
}
END_TEST

/* In version 3 the return address column is a ULEB128, in version 1 a byte: there 0x90 is whole, here half of one. */
START_TEST(the_return_column_depends_on_the_version)
{
	struct build section = { 0 };
	struct fde fde;

	cfi_fde(&section, cfi_plain_cie(&section), 0x2000, 0x10, NO_BYTES);
	section.items[8] = 3;
	build_put(&section, 12, "\x90\x00", 2);	/* the second byte was DW_CFA_def_cfa */
	ck_assert(only_fde(&section, &fde));
	ck_assert_uint_eq(fde.cie.return_register, 16);
	section.items[8] = 1;
	ck_assert(only_fde(&section, &fde));
	ck_assert_uint_eq(fde.cie.return_register, 0x90);
	build_free(&section);
}
END_TEST

/* 'R': pcrel sdata4. The fields stand at fde + 8 and + 12; the size is never relative. */
START_TEST(letter_R_is_the_encoding_of_start_and_size)
{
	struct build section = { 0 };
	size_t cie = cfi_cie(&section, "zR", BYTES(DW_EH_PE_pcrel | DW_EH_PE_sdata4), NO_BYTES);
	size_t at = section.len;
	struct fde fde;

	build_u32(&section, 0);
	build_u32(&section, (uint32_t)(at + 4 - cie));
	build_u32(&section, (uint32_t)(0x2000 - (0x8000 + at + 8)));
	build_u32(&section, 0x30);
	build_u8(&section, 0);
	build_u8(&section, DW_CFA_advance_loc | 1);
	cfi_close(&section, at);
	ck_assert(only_fde(&section, &fde));
	ck_assert_uint_eq(fde.start, 0x2000);
	ck_assert_uint_eq(fde.size, 0x30);
	ck_assert_uint_eq(*fde.program.pos, DW_CFA_advance_loc | 1);
	ck_assert_uint_eq(fde.program_address, 0x8000 + at + 17);
	build_free(&section);
}
END_TEST

/* What g++ writes: personality (indirect pcrel sdata4), LSDA encoding, pointer encoding; the FDE has a LSDA pointer. */
START_TEST(letters_P_and_L_are_passed_over)
{
	struct build section = { 0 };
	size_t cie =
		cfi_cie(&section, "zPLR",
			BYTES(DW_EH_PE_indirect | DW_EH_PE_pcrel | DW_EH_PE_sdata4, 1, 2, 3, 4, 0x1b, DW_EH_PE_udata4),
			BYTES(DW_CFA_def_cfa, 7, 8));
	size_t at = section.len;
	struct fde fde;

	build_u32(&section, 0);
	build_u32(&section, (uint32_t)(at + 4 - cie));
	build_u32(&section, 0x2000);
	build_u32(&section, 0x30);
	build_u8(&section, 4);			/* augmentation: the LSDA */
	build_u32(&section, 0xdeadbeef);
	build_u8(&section, DW_CFA_advance_loc | 1);
	cfi_close(&section, at);
	ck_assert(only_fde(&section, &fde));
	ck_assert_uint_eq(fde.start, 0x2000);
	ck_assert_uint_eq(fde.cie.fde_encoding, DW_EH_PE_udata4);
	ck_assert_uint_eq(*fde.cie.program.pos, DW_CFA_def_cfa);
	ck_assert_uint_eq(*fde.program.pos, DW_CFA_advance_loc | 1);
	build_free(&section);
}
END_TEST

START_TEST(letter_S_marks_a_signal_frame)
{
	struct build section = { 0 };
	struct fde fde;

	cfi_fde(&section, cfi_cie(&section, "zS", NO_BYTES, NO_BYTES), 0x2000, 0x10, NO_BYTES);
	ck_assert(only_fde(&section, &fde));
	ck_assert(fde.cie.signal_frame);
	build_free(&section);
}
END_TEST

START_TEST(unknown_letters_are_skipped_by_the_augmentations_length)
{
	struct build section = { 0 };
	size_t cie = cfi_cie(&section, "zSQ", BYTES(1, 2, 3), BYTES(DW_CFA_def_cfa, 7, 8));
	struct fde fde;

	cfi_fde(&section, cie, 0x2000, 0x10, NO_BYTES);
	ck_assert(only_fde(&section, &fde));
	ck_assert_uint_eq(*fde.cie.program.pos, DW_CFA_def_cfa);
	build_free(&section);
}
END_TEST

START_TEST(an_augmentation_without_length_cannot_be_read)
{
	struct build section = { 0 };
	struct fde fde;

	cfi_fde(&section, cfi_cie(&section, "eh", NO_BYTES, NO_BYTES), 0x2000, 0x10, NO_BYTES);
	ck_assert(!only_fde(&section, &fde));
	build_free(&section);
}
END_TEST

/* LSB 10.6.1: a length of 0xffffffff has the real one behind it, in eight bytes; the id stays one of four. */
START_TEST(a_length_may_have_64_bits)
{
	struct build section = { 0 };
	size_t cie = cfi_plain_cie(&section);
	size_t at = section.len;
	struct fde fde;

	build_u32(&section, 0xffffffff);
	build_u64(&section, 4 + 16 + 4);
	build_u32(&section, (uint32_t)(at + 12 - cie));
	build_u64(&section, 0x2000);
	build_u64(&section, 0x10);
	build_u32(&section, 0);
	ck_assert(only_fde(&section, &fde));
	ck_assert_uint_eq(fde.start, 0x2000);
	ck_assert_uint_eq(fde.offset, at);
	build_free(&section);
}
END_TEST

START_TEST(a_length_of_zero_ends_the_section)
{
	struct build section = { 0 };
	unsigned int malformed = 0;
	size_t cie = cfi_plain_cie(&section), offset = 0;
	struct fde fde;
	struct cfi cfi;

	cfi_fde(&section, cie, 0x2000, 0x10, NO_BYTES);
	build_u32(&section, 0);
	cfi_fde(&section, cie, 0x3000, 0x10, NO_BYTES);
	cfi = cfi_of(&section);
	ck_assert(cfi_next(&cfi, &offset, &fde, &malformed));
	ck_assert(!cfi_next(&cfi, &offset, &fde, &malformed));
	ck_assert_uint_eq(malformed, 0);
	build_free(&section);
}
END_TEST

START_TEST(a_length_that_leaves_the_section_ends_the_walk)
{
	struct build section = { 0 };
	unsigned int malformed = 0;
	size_t cie = cfi_plain_cie(&section), offset = 0, second;
	struct fde fde;
	struct cfi cfi;

	cfi_fde(&section, cie, 0x2000, 0x10, NO_BYTES);
	second = cfi_fde(&section, cie, 0x3000, 0x10, NO_BYTES);
	build_put(&section, second, "\xff\xff\x00\x00", 4);
	cfi = cfi_of(&section);
	ck_assert(cfi_next(&cfi, &offset, &fde, &malformed));
	ck_assert_uint_eq(fde.start, 0x2000);
	ck_assert(!cfi_next(&cfi, &offset, &fde, &malformed));
	build_free(&section);
}
END_TEST

START_TEST(entries_that_make_no_sense_are_counted_and_passed_over)
{
	struct build section = { 0 };
	unsigned int malformed = 0;
	size_t cie = cfi_plain_cie(&section), offset = 0, lost;
	size_t strange = cfi_cie(&section, "", NO_BYTES, NO_BYTES);
	struct fde fde;
	struct cfi cfi;

	section.items[strange + 8] = 7;					/* a version nobody has defined */
	cfi_fde(&section, strange, 0x2000, 0x10, NO_BYTES);
	lost = cfi_fde(&section, cie, 0x2100, 0x10, NO_BYTES);
	build_put(&section, lost + 4, "\xff\xff\xff\x0f", 4);		/* a CIE before the section */
	cfi_fde(&section, cie, UINT64_MAX - 0xf, 0x20, NO_BYTES);	/* a range over the end of memory */
	cfi_fde(&section, cie, 0x3000, 0x10, NO_BYTES);
	cfi = cfi_of(&section);
	ck_assert(cfi_next(&cfi, &offset, &fde, &malformed));
	ck_assert_uint_eq(fde.start, 0x3000);
	ck_assert_uint_eq(malformed, 3);
	build_free(&section);
}
END_TEST

START_TEST(an_fde_is_found_again_by_its_offset)
{
	struct build section = { 0 };
	size_t cie = cfi_plain_cie(&section), at;
	struct fde fde;
	struct cfi cfi;

	cfi_fde(&section, cie, 0x2000, 0x10, NO_BYTES);
	at = cfi_fde(&section, cie, 0x3000, 0x10, NO_BYTES);
	cfi = cfi_of(&section);
	ck_assert(cfi_fde_at(&cfi, at, &fde));
	ck_assert_uint_eq(fde.start, 0x3000);
	ck_assert_uint_eq(fde.offset, at);
	build_free(&section);
}
END_TEST

START_TEST(fdes_of_several_cies_get_their_own)
{
	struct build section = { 0 };
	unsigned int malformed = 0;
	size_t plain = cfi_plain_cie(&section), offset = 0;
	size_t signal = cfi_cie(&section, "zS", NO_BYTES, NO_BYTES);
	struct fde fde;
	struct cfi cfi;

	cfi_fde(&section, plain, 0x2000, 0x10, NO_BYTES);
	cfi_fde(&section, signal, 0x3000, 0x10, NO_BYTES);
	cfi_fde(&section, plain, 0x4000, 0x10, NO_BYTES);
	cfi = cfi_of(&section);
	ck_assert(cfi_next(&cfi, &offset, &fde, &malformed) && !fde.cie.signal_frame);
	ck_assert(cfi_next(&cfi, &offset, &fde, &malformed) && fde.cie.signal_frame);
	ck_assert(cfi_next(&cfi, &offset, &fde, &malformed) && !fde.cie.signal_frame);
	ck_assert(!cfi_next(&cfi, &offset, &fde, &malformed));
	build_free(&section);
}
END_TEST

/* sstrip: no section headers; PT_GNU_EH_FRAME leads to .eh_frame_hdr and that to .eh_frame (LSB 10.6.2). */
/* DWARF 5, 6.4.1: the id of a CIE is all ones, an FDE names its CIE by offset, version 4 tells the size of addresses. */
START_TEST(debug_frame_counts_its_cies_from_the_sections_start)
{
	struct build section = { 0 };
	unsigned int malformed = 0;
	size_t offset = 0, fde_at;
	struct cfi cfi;
	struct fde fde;

	build_u32(&section, 0);
	build_u32(&section, 0xffffffff);
	build_add(&section, BYTES(4, 0, 8, 0, 1, 0x78, 16));	/* version, no letters, sizes, align 1 and -8, rip */
	build_add(&section, BYTES(DW_CFA_def_cfa, 7, 8));
	cfi_close(&section, 0);
	fde_at = section.len;
	build_u32(&section, 0);
	build_u32(&section, 0);
	build_u64(&section, 0x401000);
	build_u64(&section, 0x20);
	cfi_close(&section, fde_at);
	cfi = cfi_of(&section);
	cfi.kind = CFI_DEBUG_FRAME;
	ck_assert(cfi_next(&cfi, &offset, &fde, &malformed));
	ck_assert_uint_eq(fde.start, 0x401000);
	ck_assert_uint_eq(fde.size, 0x20);
	ck_assert_uint_eq(fde.cie.return_register, 16);
	ck_assert_int_eq(fde.cie.data_align, -8);
	ck_assert(!cfi_next(&cfi, &offset, &fde, &malformed));
	ck_assert_uint_eq(malformed, 0);
	build_free(&section);
}
END_TEST

START_TEST(a_file_without_sections_is_read_through_its_segments)
{
	struct build content = { 0 };
	struct build_elf elf = { 0 };
	unsigned int malformed = 0;
	struct object object;
	size_t offset = 0, size;
	struct error err;
	struct cfi cfi;
	struct fde fde;
	void *image;

	/* .eh_frame_hdr at 0x8000: version, encodings, pointer to .eh_frame at 0x8010 from its own place 0x8004. */
	build_add(&content, BYTES(1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_omit, DW_EH_PE_omit, 0x0c, 0, 0, 0));
	build_u64(&content, 0);
	cfi_fde(&content, cfi_plain_cie(&content), 0x2000, 0x10, NO_BYTES);
	build_u32(&content, 0);
	elf_section(&elf, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 0x8000, content.items, content.len);
	elf_segment(&elf, PT_LOAD, PF_R, ELF_CONTENT, 0x8000, content.len);
	elf_segment(&elf, PT_GNU_EH_FRAME, PF_R, ELF_CONTENT, 0x8000, 16);
	image = elf_image(&elf, true, &size);
	ck_assert_int_eq(object_open_image(&object, image, size, "stripped", &err), 0);
	cfi_init(&cfi, &object, CFI_EH_FRAME);
	ck_assert_uint_eq(cfi.address, 0x8010);
	ck_assert(cfi_next(&cfi, &offset, &fde, &malformed));
	ck_assert_uint_eq(fde.start, 0x2000);
	ck_assert(!cfi_next(&cfi, &offset, &fde, &malformed));
	cfi_fini(&cfi);
	object_close(&object);
	build_free(&content);
}
END_TEST

Suite *suite_cfi(void)
{
	Suite *suite = suite_create("object/cfi");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, pointers_have_the_size_and_sign_of_their_encoding);
	tcase_add_test(tc, pcrel_counts_from_the_pointers_own_place);
	tcase_add_test(tc, pointers_that_need_a_base_we_do_not_have_are_bad);
	tcase_add_test(tc, an_omitted_pointer_takes_no_bytes);
	tcase_add_test(tc, a_plain_cie_is_read_field_by_field);
	tcase_add_test(tc, the_return_column_depends_on_the_version);
	tcase_add_test(tc, letter_R_is_the_encoding_of_start_and_size);
	tcase_add_test(tc, letters_P_and_L_are_passed_over);
	tcase_add_test(tc, letter_S_marks_a_signal_frame);
	tcase_add_test(tc, unknown_letters_are_skipped_by_the_augmentations_length);
	tcase_add_test(tc, an_augmentation_without_length_cannot_be_read);
	tcase_add_test(tc, a_length_may_have_64_bits);
	tcase_add_test(tc, a_length_of_zero_ends_the_section);
	tcase_add_test(tc, a_length_that_leaves_the_section_ends_the_walk);
	tcase_add_test(tc, entries_that_make_no_sense_are_counted_and_passed_over);
	tcase_add_test(tc, an_fde_is_found_again_by_its_offset);
	tcase_add_test(tc, fdes_of_several_cies_get_their_own);
	tcase_add_test(tc, debug_frame_counts_its_cies_from_the_sections_start);
	tcase_add_test(tc, a_file_without_sections_is_read_through_its_segments);
	suite_add_tcase(suite, tc);
	return suite;
}
