#include "symbolize/symbols.h"

#include "tests/unit/build_cfi.h"
#include "tests/unit/suites.h"

/* An image whose .text is [0x1000, 0x1100) and has the number TEXT. */
enum { TEXT = 1 };

static void begin(struct build_elf *elf)
{
	static const uint8_t code[0x100];
	uint16_t text;

	*elf = (struct build_elf){ 0 };
	text = elf_section(elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code));
	ck_assert_uint_eq(text, TEXT);
}

static void function(struct build_elf *elf, const char *name, uint64_t start, uint64_t size)
{
	elf_symbol(elf, name, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), TEXT, start, size);
}

struct loaded {
	struct object object;
	struct symbols symbols;
};

static void load(struct loaded *loaded, struct build_elf *elf)
{
	elf_open(elf, &loaded->object);
	symbols_load(&loaded->symbols, &loaded->object, &loaded->object);
}

static void unload(struct loaded *loaded)
{
	symbols_fini(&loaded->symbols);
	object_close(&loaded->object);
}

static void assert_name(const struct loaded *loaded, uint64_t address, const char *name)
{
	const struct symbol *symbol = symbols_find(&loaded->symbols, address);

	ck_assert_pstr_eq(symbol ? symbol->name : NULL, name);
}

START_TEST(a_function_has_its_name_over_its_size)
{
	struct build_elf elf;
	struct loaded l;

	begin(&elf);
	function(&elf, "main", 0x1010, 0x20);
	load(&l, &elf);
	assert_name(&l, 0x100f, NULL);
	assert_name(&l, 0x1010, "main");
	assert_name(&l, 0x102f, "main");
	assert_name(&l, 0x1030, NULL);
	ck_assert_int_eq(symbols_find(&l.symbols, 0x1010)->origin, SYMBOL_TABLE);
	unload(&l);
}
END_TEST

START_TEST(a_label_without_a_size_reaches_to_the_next_symbol)
{
	struct build_elf elf;
	struct loaded l;

	begin(&elf);
	elf_symbol(&elf, "label", ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), TEXT, 0x1000, 0);
	function(&elf, "main", 0x1010, 0x20);
	load(&l, &elf);
	assert_name(&l, 0x1000, "label");
	assert_name(&l, 0x100f, "label");
	assert_name(&l, 0x1010, "main");
	ck_assert_int_eq(symbols_find(&l.symbols, 0x1000)->origin, SYMBOL_UNSIZED);
	unload(&l);
}
END_TEST

START_TEST(the_last_label_without_a_size_reaches_to_the_sections_end)
{
	struct build_elf elf;
	struct loaded l;

	begin(&elf);
	elf_symbol(&elf, "label", ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), TEXT, 0x1080, 0);
	load(&l, &elf);
	assert_name(&l, 0x10ff, "label");
	assert_name(&l, 0x1100, NULL);
	unload(&l);
}
END_TEST

START_TEST(a_label_without_a_size_ends_with_its_fde)
{
	struct build section = { 0 };
	struct build_elf elf;
	struct loaded l;

	begin(&elf);
	cfi_fde(&section, cfi_plain_cie(&section), 0x1000, 0x20, NO_BYTES);
	elf_symbol(&elf, "label", ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), TEXT, 0x1000, 0);
	cfi_into_elf(&elf, &section);
	load(&l, &elf);
	assert_name(&l, 0x101f, "label");
	assert_name(&l, 0x1020, NULL);
	unload(&l);
}
END_TEST

START_TEST(code_with_an_fde_and_no_symbol_is_a_nameless_function)
{
	struct build section = { 0 };
	const struct symbol *symbol;
	struct build_elf elf;
	struct loaded l;

	begin(&elf);
	cfi_fde(&section, cfi_plain_cie(&section), 0x1040, 0x20, NO_BYTES);
	function(&elf, "main", 0x1010, 0x20);
	cfi_into_elf(&elf, &section);
	load(&l, &elf);
	symbol = symbols_find(&l.symbols, 0x1050);
	ck_assert_ptr_nonnull(symbol);
	ck_assert_int_eq(symbol->origin, SYMBOL_FDE);
	ck_assert_uint_eq(symbol->start, 0x1040);
	ck_assert_uint_eq(symbol->end, 0x1060);
	assert_name(&l, 0x1010, "main");
	unload(&l);
}
END_TEST

START_TEST(of_aliases_the_exported_and_plainest_is_shown)
{
	struct build_elf elf;
	struct loaded l;

	begin(&elf);
	function(&elf, "__libc_malloc", 0x1000, 0x10);
	function(&elf, "malloc", 0x1000, 0x10);
	elf_symbol(&elf, "aaa", ELF64_ST_INFO(STB_LOCAL, STT_FUNC), TEXT, 0x1000, 0x10);
	elf_symbol(&elf, "bbb", ELF64_ST_INFO(STB_WEAK, STT_FUNC), TEXT, 0x1000, 0x10);
	function(&elf, "_Z3foov", 0x1010, 0x10);
	function(&elf, "_foo", 0x1010, 0x10);
	load(&l, &elf);
	assert_name(&l, 0x1000, "malloc");
	assert_name(&l, 0x1010, "_Z3foov");
	unload(&l);
}
END_TEST

START_TEST(what_is_no_code_has_no_name_there)
{
	struct build_elf elf;
	struct loaded l;

	begin(&elf);
	elf_section(&elf, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, "data", 4);
	elf_symbol(&elf, "object", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), TEXT, 0x1000, 0x10);
	elf_symbol(&elf, "imported", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), SHN_UNDEF, 0x1010, 0x10);
	elf_symbol(&elf, "label", ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 2, 0x3000, 4);
	elf_symbol(&elf, ".Llocal", ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), TEXT, 0x1020, 0x10);
	elf_symbol(&elf, "$x", ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), TEXT, 0x1030, 0x10);
	elf_symbol(&elf, "", ELF64_ST_INFO(STB_LOCAL, STT_FUNC), TEXT, 0x1040, 0x10);
	elf_symbol(&elf, "absolute", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), SHN_ABS, 0x1050, 0x10);
	load(&l, &elf);
	for (uint64_t address = 0x1000; address < 0x1060; address += 0x10)
		assert_name(&l, address, NULL);
	assert_name(&l, 0x3000, NULL);
	unload(&l);
}
END_TEST

START_TEST(symbols_may_come_from_the_debug_file)
{
	struct build_elf stripped, debug;
	struct object object, other;
	struct symbols symbols;

	begin(&stripped);
	begin(&debug);
	function(&debug, "main", 0x1010, 0x20);
	elf_open(&stripped, &object);
	elf_open(&debug, &other);
	symbols_load(&symbols, &object, &other);
	ck_assert_str_eq(symbols_find(&symbols, 0x1010)->name, "main");
	symbols_fini(&symbols);
	object_close(&object);
	object_close(&other);
}
END_TEST

Suite *suite_symbols(void)
{
	Suite *suite = suite_create("symbolize/symbols");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_function_has_its_name_over_its_size);
	tcase_add_test(tc, a_label_without_a_size_reaches_to_the_next_symbol);
	tcase_add_test(tc, the_last_label_without_a_size_reaches_to_the_sections_end);
	tcase_add_test(tc, a_label_without_a_size_ends_with_its_fde);
	tcase_add_test(tc, code_with_an_fde_and_no_symbol_is_a_nameless_function);
	tcase_add_test(tc, of_aliases_the_exported_and_plainest_is_shown);
	tcase_add_test(tc, what_is_no_code_has_no_name_there);
	tcase_add_test(tc, symbols_may_come_from_the_debug_file);
	suite_add_tcase(suite, tc);
	return suite;
}
