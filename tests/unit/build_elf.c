#include "tests/unit/build_elf.h"

#include <check.h>

void elf_segment(struct build_elf *elf, uint32_t type, uint32_t flags, uint64_t offset, uint64_t address,
		 uint64_t size)
{
	vec_push(&elf->segments, (Elf64_Phdr){
		.p_type = type,
		.p_flags = flags,
		.p_offset = offset,
		.p_vaddr = address,
		.p_filesz = size,
		.p_memsz = size,
		.p_align = 1,
	});
}

uint16_t elf_section(struct build_elf *elf, const char *name, uint32_t type, uint64_t flags, uint64_t address,
		     const void *bytes, size_t size)
{
	if (!elf->names.len)
		build_u8(&elf->names, 0);
	build_pad(&elf->content, 0, 8);
	vec_push(&elf->sections, (Elf64_Shdr){
		.sh_name = (uint32_t)elf->names.len,
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = address,
		.sh_offset = ELF_CONTENT + elf->content.len,
		.sh_size = size,
		.sh_addralign = 1,
	});
	build_string(&elf->names, name);
	build_add(&elf->content, bytes, size);
	return (uint16_t)elf->sections.len;
}

void elf_symbol(struct build_elf *elf, const char *name, uint8_t info, uint16_t section, uint64_t value, uint64_t size)
{
	Elf64_Sym symbol = { .st_info = info, .st_shndx = section, .st_value = value, .st_size = size };
	Elf64_Sym none = { 0 };

	if (!elf->symbols.len) {
		build_add(&elf->symbols, &none, sizeof(none));
		build_u8(&elf->strings, 0);
	}
	symbol.st_name = (uint32_t)elf->strings.len;
	build_add(&elf->symbols, &symbol, sizeof(symbol));
	build_string(&elf->strings, name);
}

static void elf_add_symbol_table(struct build_elf *elf)
{
	uint16_t strings, symbols;

	if (!elf->symbols.len)
		return;
	strings = elf_section(elf, ".strtab", SHT_STRTAB, 0, 0, elf->strings.items, elf->strings.len);
	symbols = elf_section(elf, ".symtab", SHT_SYMTAB, 0, 0, elf->symbols.items, elf->symbols.len);
	elf->sections.items[symbols - 1].sh_link = strings;
	elf->sections.items[symbols - 1].sh_entsize = sizeof(Elf64_Sym);
	elf->sections.items[symbols - 1].sh_addralign = 8;
}

static void elf_add_headers(struct build_elf *elf, struct build *image, bool stripped)
{
	Elf64_Shdr none = { 0 };
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = elf->machine ? elf->machine : EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = elf->entry,
		.e_phoff = elf->segments.len ? sizeof(header) : 0,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)elf->segments.len,
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	if (!stripped) {
		header.e_shoff = image->len;
		header.e_shnum = (uint16_t)(elf->sections.len + 1);
		header.e_shstrndx = (uint16_t)elf->sections.len;
		build_add(image, &none, sizeof(none));
		build_add(image, elf->sections.items, elf->sections.len * sizeof(Elf64_Shdr));
	}
	build_put(image, 0, &header, sizeof(header));
	build_put(image, sizeof(header), elf->segments.items, elf->segments.len * sizeof(Elf64_Phdr));
}

void *elf_image(struct build_elf *elf, bool stripped, size_t *size)
{
	struct build image = { 0 };

	ck_assert_uint_le(sizeof(Elf64_Ehdr) + elf->segments.len * sizeof(Elf64_Phdr), ELF_CONTENT);
	elf_add_symbol_table(elf);
	elf_section(elf, ".shstrtab", SHT_STRTAB, 0, 0, NO_BYTES);
	elf->sections.items[elf->sections.len - 1].sh_size = elf->names.len;
	build_add(&elf->content, elf->names.items, elf->names.len);
	vec_reserve(&image, ELF_CONTENT);
	memset(image.items, 0, ELF_CONTENT);
	image.len = ELF_CONTENT;
	build_add(&image, elf->content.items, elf->content.len);
	build_pad(&image, 0, 8);
	elf_add_headers(elf, &image, stripped);
	build_free(&elf->content);
	build_free(&elf->names);
	build_free(&elf->symbols);
	build_free(&elf->strings);
	vec_fini(&elf->segments);
	vec_fini(&elf->sections);
	*size = image.len;
	return image.items;
}

void elf_open(struct build_elf *elf, struct object *object)
{
	struct error err;
	size_t size;
	void *image = elf_image(elf, false, &size);

	ck_assert_int_eq(object_open_image(object, image, size, "image", &err), 0);
}

uint32_t elf_dso(struct build_elf *elf, struct dsos *dsos, const char *path)
{
	uint32_t id = dsos_id(dsos, &(struct dso_key){ .path = path });
	struct dso *dso = dsos_at(dsos, id);

	elf_open(elf, &dso->object);
	dso->state = DSO_OPEN;
	return id;
}
