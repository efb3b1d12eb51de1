#include "object/object.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/unit/build_elf.h"
#include "tests/unit/suites.h"

static uint64_t address_of(const struct object *object, uint64_t offset)
{
	uint64_t address = 0;

	ck_assert(object_address(object, offset, &address));
	return address;
}

/* lld: the code segment's address is its offset and 0x1000 more, the data's and 0x2000 more. */
START_TEST(each_segment_has_a_bias_of_its_own)
{
	struct build_elf elf = { 0 };
	struct object object;
	uint64_t address;

	elf_segment(&elf, PT_LOAD, PF_R, 0, 0, 0x680);
	elf_segment(&elf, PT_LOAD, PF_R | PF_X, 0x680, 0x1680, 0x200);
	elf_segment(&elf, PT_LOAD, PF_R | PF_W, 0x880, 0x2880, 0x100);
	elf_open(&elf, &object);
	ck_assert_uint_eq(address_of(&object, 0x10), 0x10);
	ck_assert_uint_eq(address_of(&object, 0x680), 0x1680);
	ck_assert_uint_eq(address_of(&object, 0x87f), 0x187f);
	ck_assert_uint_eq(address_of(&object, 0x880), 0x2880);
	ck_assert(!object_address(&object, 0x980, &address));
	object_close(&object);
}
END_TEST

START_TEST(of_segments_that_share_file_bytes_the_executable_one_counts)
{
	struct build_elf elf = { 0 };
	struct object object;

	elf_segment(&elf, PT_LOAD, PF_R, 0, 0, 0x1000);
	elf_segment(&elf, PT_LOAD, PF_R | PF_X, 0x680, 0x1680, 0x1000);
	elf_segment(&elf, PT_LOAD, PF_R | PF_W, 0x1000, 0x3000, 0x1000);
	elf_open(&elf, &object);
	ck_assert_uint_eq(address_of(&object, 0x67f), 0x67f);
	ck_assert_uint_eq(address_of(&object, 0x700), 0x1700);
	ck_assert_uint_eq(address_of(&object, 0x1100), 0x2100);
	ck_assert_uint_eq(address_of(&object, 0x1700), 0x3700);
	object_close(&object);
}
END_TEST

START_TEST(sections_are_found_by_name_with_their_bytes)
{
	struct build_elf elf = { 0 };
	struct object object;
	struct bytes bytes;

	elf_section(&elf, ".one", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "abc", 3);
	elf_section(&elf, ".two", SHT_PROGBITS, 0, 0x9999, "defg", 4);
	elf_section(&elf, ".bss", SHT_NOBITS, SHF_ALLOC, 0x5000, NO_BYTES);
	elf_open(&elf, &object);
	bytes = object_section_bytes(&object, object_section(&object, ".two"));
	ck_assert_uint_eq(bytes_left(&bytes), 4);
	ck_assert_mem_eq(bytes.pos, "defg", 4);
	ck_assert_uint_eq(object_section(&object, ".one")->address, 0x1000);
	ck_assert(object_section(&object, ".one")->executable);
	ck_assert_uint_eq(object_section(&object, ".two")->address, 0);	/* not loaded */
	bytes = object_section_bytes(&object, object_section(&object, ".bss"));
	ck_assert_uint_eq(bytes_left(&bytes), 0);
	ck_assert_ptr_null(object_section(&object, ".three"));
	bytes = object_section_bytes(&object, NULL);
	ck_assert_uint_eq(bytes_left(&bytes), 0);
	object_close(&object);
}
END_TEST

START_TEST(a_compressed_section_is_inflated)
{
	static const char text[] = "line line line line line line line line line line line line line line line";
	Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = sizeof(text), .ch_addralign = 1 };
	struct build section = { 0 };
	struct build_elf elf = { 0 };
	uLongf packed_size = 256;
	struct object object;
	struct bytes bytes;
	uint8_t packed[256];

	ck_assert_int_eq(compress(packed, &packed_size, (const Bytef *)text, sizeof(text)), Z_OK);
	build_add(&section, &header, sizeof(header));
	build_add(&section, packed, packed_size);
	elf_section(&elf, ".debug_line", SHT_PROGBITS, SHF_COMPRESSED, 0, section.items, section.len);
	build_free(&section);
	elf_open(&elf, &object);
	bytes = object_section_bytes(&object, object_section(&object, ".debug_line"));
	ck_assert_uint_eq(bytes_left(&bytes), sizeof(text));
	ck_assert_mem_eq(bytes.pos, text, sizeof(text));
	object_close(&object);
}
END_TEST

static const uint8_t note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0xef };

START_TEST(the_build_id_is_found_in_a_loaded_note)
{
	struct build_elf elf = { 0 };
	char text[BUILD_ID_TEXT];
	struct object object;

	elf_section(&elf, ".note", SHT_PROGBITS, SHF_ALLOC, 0x1000, note, sizeof(note));
	elf_segment(&elf, PT_NOTE, PF_R, ELF_CONTENT, 0x1000, sizeof(note));
	elf_open(&elf, &object);
	ck_assert_str_eq(build_id_text(&object.build_id, text), "deadbeef");
	object_close(&object);
}
END_TEST

START_TEST(the_build_id_is_found_in_a_note_section)
{
	struct build_elf elf = { 0 };
	char text[BUILD_ID_TEXT];
	struct object object;

	elf_section(&elf, ".note.gnu.build-id", SHT_NOTE, 0, 0, note, sizeof(note));
	elf_open(&elf, &object);
	ck_assert_str_eq(build_id_text(&object.build_id, text), "deadbeef");
	object_close(&object);
}
END_TEST

START_TEST(code_is_read_at_its_dso_address)
{
	struct build_elf elf = { 0 };
	struct object object;
	char code[8] = { 0 };

	elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x7000, "\x55\x48\x89\xe5\xc3", 5);
	elf_segment(&elf, PT_LOAD, PF_R | PF_X, ELF_CONTENT, 0x7000, 5);
	elf_open(&elf, &object);
	ck_assert(object_read(&object, 0x7001, code, 4));
	ck_assert_mem_eq(code, "\x48\x89\xe5\xc3", 4);
	ck_assert(!object_read(&object, 0x7001, code, 5));
	ck_assert(!object_read(&object, 0x6fff, code, 1));
	object_close(&object);
}
END_TEST

START_TEST(bytes_that_a_segment_claims_but_the_image_has_not_are_not_read)
{
	struct build_elf elf = { 0 };
	struct object object;
	char code[8];

	elf_segment(&elf, PT_LOAD, PF_R | PF_X, 1ull << 40, 0x7000, 0x1000);
	elf_open(&elf, &object);
	ck_assert(!object_read(&object, 0x7000, code, sizeof(code)));
	object_close(&object);
}
END_TEST

START_TEST(the_same_file_on_disk_reads_the_same)
{
	struct build_elf elf = { .entry = 0x7000 };
	struct build file = { 0 };
	struct object object;
	struct error err;
	char path[64], code[4];
	size_t size;

	elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x7000, "\x55\x48\x89\xe5\xc3", 5);
	elf_segment(&elf, PT_LOAD, PF_R | PF_X, ELF_CONTENT, 0x7000, 5);
	file.items = elf_image(&elf, false, &size);
	file.len = size;
	build_file(&file, path);
	build_free(&file);
	ck_assert_int_eq(object_open(&object, open(path, O_RDONLY | O_CLOEXEC), path, &err), 0);
	ck_assert_uint_eq(object.entry, 0x7000);
	ck_assert_uint_eq(object.machine, EM_X86_64);
	ck_assert(object.is_64);
	ck_assert(object_read(&object, 0x7001, code, 4));
	ck_assert_mem_eq(code, "\x48\x89\xe5\xc3", 4);
	object_close(&object);
	unlink(path);
}
END_TEST

START_TEST(what_is_no_elf_file_is_refused_by_name)
{
	struct object object;
	struct error err;

	ck_assert_int_eq(object_open_image(&object, memory_strdup("#!/bin/sh\necho\n"), 15, "script", &err), -1);
	ck_assert_int_eq(err.code, ERROR_UNSUPPORTED);
	ck_assert_str_eq(err.message, "script: not an ELF file");
}
END_TEST

START_TEST(the_range_of_the_frame_header_is_told)
{
	struct build_elf elf = { 0 };
	uint64_t address, size;
	struct object object;

	elf_segment(&elf, PT_GNU_EH_FRAME, PF_R, 0x100, 0x2100, 0x24);
	elf_open(&elf, &object);
	ck_assert(object_eh_frame_hdr(&object, &address, &size));
	ck_assert_uint_eq(address, 0x2100);
	ck_assert_uint_eq(size, 0x24);
	object_close(&object);
	elf_segment(&elf, PT_LOAD, PF_R, 0x100, 0x2100, 0x24);
	elf_open(&elf, &object);
	ck_assert(!object_eh_frame_hdr(&object, &address, &size));
	object_close(&object);
}
END_TEST

Suite *suite_object(void)
{
	Suite *suite = suite_create("object/object");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, each_segment_has_a_bias_of_its_own);
	tcase_add_test(tc, of_segments_that_share_file_bytes_the_executable_one_counts);
	tcase_add_test(tc, sections_are_found_by_name_with_their_bytes);
	tcase_add_test(tc, a_compressed_section_is_inflated);
	tcase_add_test(tc, the_build_id_is_found_in_a_loaded_note);
	tcase_add_test(tc, the_build_id_is_found_in_a_note_section);
	tcase_add_test(tc, code_is_read_at_its_dso_address);
	tcase_add_test(tc, bytes_that_a_segment_claims_but_the_image_has_not_are_not_read);
	tcase_add_test(tc, the_same_file_on_disk_reads_the_same);
	tcase_add_test(tc, what_is_no_elf_file_is_refused_by_name);
	tcase_add_test(tc, the_range_of_the_frame_header_is_told);
	suite_add_tcase(suite, tc);
	return suite;
}
