#include "symbolize/symbols.h"

#include <gelf.h>

#include "object/cfi.h"
#include "symbolize/plt.h"
#include "symbolize/spans.h"

void symbols_fini(struct symbols *symbols)
{
	vec_fini(&symbols->items);
	vec_fini(&symbols->spans);
	arena_fini(&symbols->names);
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
	size_t above = vec_first_above(&symbols->spans, start, address);
	uint32_t id = above ? symbols->spans.items[above - 1].symbol : SYMBOLS_GAP;

	return id == SYMBOLS_GAP ? NULL : &symbols->items.items[id];
}

/* Of aliases show the exported one with the plainest name: malloc rather than __libc_malloc. */
static uint8_t symbol_rank(const GElf_Sym *sym, const char *name)
{
	unsigned int underscores = (unsigned int)strspn(name, "_");
	unsigned int binding = GELF_ST_BIND(sym->st_info) == STB_LOCAL ? 2 : GELF_ST_BIND(sym->st_info) == STB_WEAK;

	/* A mangled name begins with an underscore that is no alias's. */
	if (underscores == 1 && (name[1] == 'Z' || name[1] == 'R'))
		underscores = 0;
	return (uint8_t)(binding * 64 + (underscores < 63 ? underscores : 63));
}

/* Functions, and untyped labels in code, which assembly makes; not the assembler's and the linker's own. */
static bool symbol_is_code(const struct object *object, const GElf_Sym *sym, const char *name)
{
	uint8_t type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= object->sections.len || !name || !*name)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && object->sections.items[sym->st_shndx].executable && strncmp(name, ".L", 2) != 0 &&
	       name[0] != '$';
}

static void symbols_add_table(struct symbols *symbols, struct object *object, const char *section_name)
{
	const struct section *section = object_section(object, section_name);
	Elf_Scn *scn = section ? elf_getscn(object->elf, (size_t)(section - object->sections.items)) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t count = data && section->entry_size ? data->d_size / section->entry_size : 0;
	GElf_Sym sym;

	for (size_t i = 1; i < count && i <= INT32_MAX && gelf_getsym(data, (int)i, &sym); i++) {
		const char *name = elf_strptr(object->elf, section->link, sym.st_name);

		if (symbol_is_code(object, &sym, name))
			vec_push(&symbols->items, (struct symbol){
				.start = sym.st_value,
				.end = sym.st_value + sym.st_size,
				.name = name,
				.origin = sym.st_size ? SYMBOL_TABLE : SYMBOL_UNSIZED,
				.rank = symbol_rank(&sym, name),
			});
	}
}

/* FDEs as symbols without a name, sorted by address. */
static void symbols_find_fdes(struct symbols *fdes, struct object *object)
{
	unsigned int malformed = 0;
	size_t offset = 0;
	struct cfi cfi;
	struct fde fde;

	cfi_init(&cfi, object, CFI_EH_FRAME);
	while (cfi_next(&cfi, &offset, &fde, &malformed))
		if (fde.size && fde.start)
			vec_push(&fdes->items, (struct symbol){
				.start = fde.start,
				.end = fde.start + fde.size,
				.origin = SYMBOL_FDE,
			});
	cfi_fini(&cfi);
	spans_sort(fdes);
	spans_build(fdes);
}

static uint64_t object_section_end(const struct object *object, uint64_t address)
{
	for (size_t i = 0; i < object->sections.len; i++) {
		const struct section *section = &object->sections.items[i];

		if (section->executable && address - section->address < section->size)
			return section->address + section->size;
	}
	return address + 1;
}

/* Gives symbols without a size one: to the end of their FDE, else up to the next symbol or the section's end. */
static void symbols_size(struct symbols *symbols, const struct symbols *fdes, const struct object *object)
{
	for (size_t i = 0; i < symbols->items.len; i++) {
		struct symbol *symbol = &symbols->items.items[i];
		const struct symbol *fde;
		size_t next = i + 1;

		if (symbol->end > symbol->start)
			continue;
		fde = symbols_find(fdes, symbol->start);
		symbol->end = fde ? fde->end : object_section_end(object, symbol->start);
		while (next < symbols->items.len && symbols->items.items[next].start == symbol->start)
			next++;
		if (next < symbols->items.len && symbols->items.items[next].start < symbol->end)
			symbol->end = symbols->items.items[next].start;
	}
}

void symbols_load(struct symbols *symbols, struct object *object, struct object *debug)
{
	struct symbols fdes = { 0 };

	*symbols = (struct symbols){ 0 };
	symbols_find_fdes(&fdes, object);
	symbols_add_table(symbols, debug, ".symtab");
	symbols_add_table(symbols, object, ".dynsym");
	plt_add_symbols(symbols, object);
	spans_sort(symbols);
	symbols_size(symbols, &fdes, object);
	spans_sort(symbols);
	spans_build(symbols);
	spans_fill_gaps(symbols, &fdes);
	symbols_fini(&fdes);
}
