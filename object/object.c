#include "object/object.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

static int object_fail(struct object *object, struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "%s: %s", object->path, elf_errmsg(-1));
}

static int object_load_segments(struct object *object, struct error *err)
{
	size_t count;
	GElf_Phdr phdr;

	if (elf_getphdrnum(object->elf, &count))
		return object_fail(object, err);
	for (size_t i = 0; i < count && gelf_getphdr(object->elf, (int)i, &phdr); i++)
		if (phdr.p_type == PT_LOAD)
			vec_push(&object->segments, (struct segment){
				.address = phdr.p_vaddr,
				.offset = phdr.p_offset,
				.file_size = phdr.p_filesz,
				.memory_size = phdr.p_memsz,
				.executable = phdr.p_flags & PF_X,
			});
	return 0;
}

/* Section headers may be missing (sstrip): then there are simply no sections. */
static void object_load_sections(struct object *object)
{
	size_t count = 0, names = 0;
	GElf_Shdr shdr;

	if (elf_getshdrnum(object->elf, &count) || elf_getshdrstrndx(object->elf, &names))
		return;
	for (size_t i = 0; i < count; i++) {
		Elf_Scn *scn = elf_getscn(object->elf, i);
		struct section section = { .name = "" };

		if (i && scn && gelf_getshdr(scn, &shdr)) {
			const char *name = elf_strptr(object->elf, names, shdr.sh_name);

			section = (struct section){
				.name = name ? name : "",
				.address = shdr.sh_flags & SHF_ALLOC ? shdr.sh_addr : 0,
				.offset = shdr.sh_offset,
				.size = shdr.sh_size,
				.entry_size = shdr.sh_entsize,
				.type = shdr.sh_type,
				.link = shdr.sh_link,
				.executable = shdr.sh_flags & SHF_EXECINSTR,
			};
		}
		vec_push(&object->sections, section);
	}
}

/* From the notes that are loaded (they survive strip), else from note sections. */
static void object_load_build_id(struct object *object)
{
	size_t count = 0;
	GElf_Phdr phdr;

	elf_getphdrnum(object->elf, &count);
	for (size_t i = 0; i < count && !object->build_id.size && gelf_getphdr(object->elf, (int)i, &phdr); i++) {
		Elf_Data *data;

		if (phdr.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(object->elf, (int64_t)phdr.p_offset, phdr.p_filesz, ELF_T_BYTE);
		if (data && data->d_buf)
			object->build_id = build_id_from_notes(bytes_of(data->d_buf, data->d_size, "notes"));
	}
	for (size_t i = 0; i < object->sections.len && !object->build_id.size; i++)
		if (object->sections.items[i].type == SHT_NOTE)
			object->build_id = build_id_from_notes(
				object_section_bytes(object, &object->sections.items[i]));
}

static int object_load(struct object *object, struct error *err)
{
	GElf_Ehdr ehdr;

	if (!object->elf)
		return object_fail(object, err);
	if (elf_kind(object->elf) != ELF_K_ELF || !gelf_getehdr(object->elf, &ehdr))
		return error_set(err, ERROR_UNSUPPORTED, "%s: not an ELF file", object->path);
	object->machine = ehdr.e_machine;
	object->entry = ehdr.e_entry;
	object->is_64 = ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	if (object_load_segments(object, err))
		return -1;
	object_load_sections(object);
	object_load_build_id(object);
	return 0;
}

int object_open(struct object *object, int fd, const char *path, struct error *err)
{
	elf_version(EV_CURRENT);
	*object = (struct object){ .path = memory_strdup(path), .fd = fd };
	object->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (object_load(object, err)) {
		object_close(object);
		return -1;
	}
	return 0;
}

int object_open_image(struct object *object, void *image, size_t size, const char *path, struct error *err)
{
	elf_version(EV_CURRENT);
	*object = (struct object){ .path = memory_strdup(path), .fd = -1, .image = image, .image_size = size };
	object->elf = elf_memory(image, size);
	if (object_load(object, err)) {
		object_close(object);
		return -1;
	}
	return 0;
}

void object_close(struct object *object)
{
	elf_end(object->elf);
	if (object->fd >= 0)
		close(object->fd);
	free(object->image);
	free(object->path);
	vec_fini(&object->segments);
	vec_fini(&object->sections);
	*object = (struct object){ .fd = -1 };
}

bool object_address(const struct object *object, uint64_t file_offset, uint64_t *address)
{
	const struct segment *best = NULL;

	for (size_t i = 0; i < object->segments.len; i++) {
		const struct segment *segment = &object->segments.items[i];

		/* lld puts the end of one segment and the start of the next into the same page: prefer code. */
		if (file_offset - segment->offset < segment->file_size && (!best || segment->executable))
			best = segment;
	}
	if (!best)
		return false;
	*address = file_offset - best->offset + best->address;
	return true;
}

const struct section *object_section(const struct object *object, const char *name)
{
	for (size_t i = 1; i < object->sections.len; i++)
		if (!strcmp(object->sections.items[i].name, name))
			return &object->sections.items[i];
	return NULL;
}

struct bytes object_section_bytes(struct object *object, const struct section *section)
{
	size_t number = section ? (size_t)(section - object->sections.items) : 0;
	Elf_Scn *scn = number ? elf_getscn(object->elf, number) : NULL;
	Elf_Data *data = NULL;
	GElf_Shdr shdr;

	if (!scn || section->type == SHT_NOBITS || !gelf_getshdr(scn, &shdr))
		return bytes_of("", 0, "no section");
	if (shdr.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
		return bytes_of("", 0, section->name);
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return bytes_of("", 0, section->name);
	return bytes_of(data->d_buf, data->d_size, section->name);
}

static bool object_read_image(const struct object *object, uint64_t offset, void *to, size_t size)
{
	if (offset > object->image_size || size > object->image_size - offset)
		return false;
	memcpy(to, (char *)object->image + offset, size);
	return true;
}

bool object_read(const struct object *object, uint64_t address, void *to, size_t size)
{
	for (size_t i = 0; i < object->segments.len; i++) {
		const struct segment *segment = &object->segments.items[i];
		uint64_t into = address - segment->address;

		if (into >= segment->file_size || size > segment->file_size - into)
			continue;
		if (object->image)
			return object_read_image(object, segment->offset + into, to, size);
		return pread(object->fd, to, size, (off_t)(segment->offset + into)) == (ssize_t)size;
	}
	return false;
}

bool object_eh_frame_hdr(const struct object *object, uint64_t *address, uint64_t *size)
{
	size_t count = 0;
	GElf_Phdr phdr;

	elf_getphdrnum(object->elf, &count);
	for (size_t i = 0; i < count && gelf_getphdr(object->elf, (int)i, &phdr); i++)
		if (phdr.p_type == PT_GNU_EH_FRAME) {
			*address = phdr.p_vaddr;
			*size = phdr.p_memsz;
			return true;
		}
	return false;
}
