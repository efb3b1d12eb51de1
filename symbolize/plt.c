#include "symbolize/plt.h"

#include <gelf.h>
#include <stdio.h>

/* A GOT slot and the dynamic symbol that the loader writes into it. */
struct plt_slot {
	uint64_t address;
	const char *name;
};

struct plt_slots {
	VEC(struct plt_slot) items;	/* sorted by address */
	VEC(struct plt_slot) lazy;	/* of .rela.plt, by number: what a lazy stub pushes */
};

static int plt_compare(const void *left, const void *right)
{
	const struct plt_slot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* The name of dynamic symbol `number` of the table that a relocation section links to. */
static const char *plt_symbol_name(struct object *object, uint32_t table, uint64_t number)
{
	const struct section *section = table < object->sections.len ? &object->sections.items[table] : NULL;
	Elf_Scn *scn = section ? elf_getscn(object->elf, table) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	if (!data || number > INT32_MAX || !gelf_getsym(data, (int)number, &sym))
		return NULL;
	return elf_strptr(object->elf, section->link, sym.st_name);
}

static void plt_load_slots(struct plt_slots *slots, struct object *object, const char *name)
{
	const struct section *section = object_section(object, name);
	Elf_Scn *scn = section ? elf_getscn(object->elf, (size_t)(section - object->sections.items)) : NULL;
	Elf_Data *data = scn && section->type == SHT_RELA ? elf_getdata(scn, NULL) : NULL;
	bool lazy = !strcmp(name, ".rela.plt");
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		uint64_t number = GELF_R_SYM(rela.r_info);
		struct plt_slot slot = { .address = rela.r_offset };

		/* IRELATIVE has no symbol: the function is found by running its resolver. */
		slot.name = number ? plt_symbol_name(object, section->link, number) : NULL;
		if (slot.name && *slot.name)
			vec_push(&slots->items, slot);
		if (lazy)
			vec_push(&slots->lazy, slot);
	}
}

static const char *plt_slot_name(const struct plt_slots *slots, uint64_t address)
{
	struct plt_slot key = { .address = address };
	const struct plt_slot *found = slots->items.len ? bsearch(&key, slots->items.items, slots->items.len,
								   sizeof(key), plt_compare) : NULL;

	return found ? found->name : NULL;
}

/*
 * Where a stub leads. It jumps through its GOT slot, `ff 25 disp32` (jmp *disp(%rip)); with CET the lazy half, in .plt,
 * only pushes its number, `68 imm32`, and jumps to the resolver.
 */
static const char *plt_stub_name(const struct plt_slots *slots, const uint8_t *stub, size_t size, uint64_t address)
{
	int32_t operand;

	for (size_t i = 0; i + 6 <= size; i++)
		if (stub[i] == 0xff && stub[i + 1] == 0x25) {
			memcpy(&operand, stub + i + 2, sizeof(operand));
			return plt_slot_name(slots, address + i + 6 + (uint64_t)(int64_t)operand);
		}
	for (size_t i = 0; i + 5 <= size && i <= 4; i++)
		if (stub[i] == 0x68) {
			memcpy(&operand, stub + i + 1, sizeof(operand));
			return operand >= 0 && (size_t)operand < slots->lazy.len ? slots->lazy.items[operand].name :
										     NULL;
		}
	return NULL;
}

static void plt_add_section(struct symbols *symbols, struct object *object, const struct plt_slots *slots,
			    const char *section_name, size_t stub_size)
{
	const struct section *section = object_section(object, section_name);
	struct bytes code = object_section_bytes(object, section);

	for (uint64_t at = 0; at + stub_size <= bytes_left(&code); at += stub_size) {
		uint64_t address = section->address + at;
		const char *name = plt_stub_name(slots, code.start + at, stub_size, address);
		size_t len = name ? strlen(name) : 0;
		char *stub_name;

		if (!name)
			continue;
		stub_name = arena_alloc(&symbols->names, len + sizeof("@plt"));
		snprintf(stub_name, len + sizeof("@plt"), "%s@plt", name);
		vec_push(&symbols->items, (struct symbol){
			.start = address,
			.end = address + stub_size,
			.name = stub_name,
			.origin = SYMBOL_PLT,
		});
	}
}

void plt_add_symbols(struct symbols *symbols, struct object *object)
{
	static const struct {
		const char *name;
		size_t stub_size;
	} sections[] = { { ".plt", 16 }, { ".plt.sec", 16 }, { ".plt.bnd", 16 }, { ".plt.got", 8 } };
	struct plt_slots slots = { 0 };
	const struct section *got;

	if (object->machine != EM_X86_64)
		return;
	plt_load_slots(&slots, object, ".rela.plt");
	plt_load_slots(&slots, object, ".rela.dyn");
	vec_sort(&slots.items, plt_compare);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		size_t stub_size = sections[i].stub_size;

		/* With CET the stubs of .plt.got are as long as all others, which their section says. */
		got = object_section(object, sections[i].name);
		if (got && (got->entry_size == 8 || got->entry_size == 16))
			stub_size = got->entry_size;
		plt_add_section(symbols, object, &slots, sections[i].name, stub_size);
	}
	vec_fini(&slots.items);
	vec_fini(&slots.lazy);
}
