#include "object/cfi.h"

#include <dwarf.h>
#include <elf.h>

/* Sections are absent in a file stripped of its headers; then PT_GNU_EH_FRAME leads to .eh_frame (LSB 10.6.2). */
static void cfi_from_segments(struct cfi *cfi, struct object *object)
{
	uint64_t hdr, hdr_size, start;
	uint8_t head[16] = { 0 };
	struct bytes cursor;

	if (!object_eh_frame_hdr(object, &hdr, &hdr_size) || !object_read(object, hdr, head, sizeof(head)))
		return;
	cursor = bytes_of(head, sizeof(head), ".eh_frame_hdr");
	bytes_split(&cursor, 1, "version");
	start = bytes_u8(&cursor);
	bytes_split(&cursor, 2, "encodings");
	start = cfi_pointer(&cursor, hdr, (uint8_t)start);
	for (size_t i = 0; i < object->segments.len && !cursor.bad; i++) {
		const struct segment *segment = &object->segments.items[i];
		uint64_t into = start - segment->address;

		/* How long it is nobody says: up to its terminator, at most to the segment's end. */
		if (into >= segment->file_size || segment->file_size - into > UINT32_MAX)
			continue;
		cfi->owned = memory_resize(NULL, segment->file_size - into, 1);
		if (object_read(object, start, cfi->owned, segment->file_size - into)) {
			cfi->section = bytes_of(cfi->owned, segment->file_size - into, ".eh_frame");
			cfi->address = start;
		}
		return;
	}
}

void cfi_init(struct cfi *cfi, struct object *object, enum cfi_section kind)
{
	const char *name = kind == CFI_EH_FRAME ? ".eh_frame" : ".debug_frame";
	const struct section *section = object_section(object, name);

	*cfi = (struct cfi){ .kind = kind, .section = bytes_of("", 0, name), .cie_offset = CFI_NO_CIE };
	if (section) {
		cfi->section = object_section_bytes(object, section);
		cfi->address = section->address;
	} else if (kind == CFI_EH_FRAME) {
		cfi_from_segments(cfi, object);
	}
}

void cfi_fini(struct cfi *cfi)
{
	free(cfi->owned);
}

uint64_t cfi_pointer(struct bytes *from, uint64_t address, uint8_t encoding)
{
	uint64_t place = address + (uint64_t)(from->pos - from->start);
	uint64_t value;

	if (encoding == DW_EH_PE_omit)
		return 0;
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = bytes_u64(from);
		break;
	case DW_EH_PE_uleb128:
		value = bytes_uleb(from);
		break;
	case DW_EH_PE_udata2:
		value = bytes_u16(from);
		break;
	case DW_EH_PE_udata4:
		value = bytes_u32(from);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)bytes_sleb(from);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)(int16_t)bytes_u16(from);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int32_t)bytes_u32(from);
		break;
	default:
		from->bad = true;
		return 0;
	}
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return value + place;
	default:
		from->bad = true;
		return 0;
	}
}

/* The augmentation letters of a CIE whose string begins with 'z' (LSB 10.6.1.1.1). */
static void cie_augment(struct cie *cie, const char *letters, struct bytes *entry, uint64_t address)
{
	struct bytes data = bytes_split(entry, bytes_uleb(entry), "augmentation");

	cie->has_augmentation = true;
	address += (uint64_t)(data.start - entry->start);
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->fde_encoding = bytes_u8(&data);
			break;
		case 'P': {
			uint8_t encoding = bytes_u8(&data);

			/* The personality routine is of no interest, its length is; indirection does not change it. */
			cfi_pointer(&data, address, encoding & 0x0f);
			break;
		}
		case 'L':
			bytes_u8(&data);
			break;
		case 'S':
			cie->signal_frame = true;
			break;
		default:
			/* Unknown letters are skipped by the length; 'B' (AArch64 key B) has no data. */
			break;
		}
	}
	if (data.bad)
		entry->bad = true;
}

/* `entry` holds what follows the CIE's id field; `address` is the dso address of entry->start. */
static bool cie_parse(struct cie *cie, struct bytes entry, uint64_t address)
{
	uint8_t version = bytes_u8(&entry);
	const char *letters = bytes_string(&entry);

	*cie = (struct cie){ .fde_encoding = DW_EH_PE_absptr };
	if (!letters || (version != 1 && version != 3 && version != 4))
		return false;
	/* Version 4 (DWARF 4 on) says how large addresses and segment selectors are. */
	if (version == 4 && (bytes_u8(&entry) != sizeof(uint64_t) || bytes_u8(&entry) != 0))
		return false;
	cie->code_align = bytes_uleb(&entry);
	cie->data_align = bytes_sleb(&entry);
	cie->return_register = version == 1 ? bytes_u8(&entry) : bytes_uleb(&entry);
	if (*letters == 'z')
		cie_augment(cie, letters + 1, &entry, address);
	else if (*letters)
		return false;	/* "eh" and its kind: gcc 2 */
	cie->program = entry;
	return !entry.bad;
}

/* An entry, up to its id, which tells a CIE from an FDE. */
struct cfi_entry {
	struct bytes body;	/* what follows the id */
	uint64_t id;
	size_t id_offset;	/* in the section */
	uint64_t address;	/* dso address of the body */
	bool is_cie;
};

/* The entry at the section's cursor, which moves behind it. False at the end or where the length leaves the section. */
static bool cfi_entry_read(const struct cfi *cfi, struct bytes *section, struct cfi_entry *entry)
{
	uint64_t length = bytes_u32(section);
	bool is_64 = length == UINT32_MAX;
	bool debug = cfi->kind == CFI_DEBUG_FRAME;

	if (is_64)
		length = bytes_u64(section);
	entry->id_offset = (size_t)(section->pos - section->start);
	if (length < 4 || section->bad || length > bytes_left(section))
		return false;
	entry->body = bytes_split(section, length, section->what);
	/* Of .eh_frame the id has four bytes whatever the length's form. */
	entry->id = debug && is_64 ? bytes_u64(&entry->body) : bytes_u32(&entry->body);
	entry->is_cie = entry->id == (!debug ? 0 : is_64 ? UINT64_MAX : UINT32_MAX);
	entry->address = cfi->address + entry->id_offset + (uint64_t)(entry->body.pos - entry->body.start);
	entry->body.start = entry->body.pos;
	return !entry->body.bad;
}

static struct bytes cfi_from(const struct cfi *cfi, size_t offset)
{
	struct bytes section = cfi->section;

	bytes_split(&section, offset, section.what);
	return section;
}

static bool cfi_load_cie(struct cfi *cfi, uint64_t offset)
{
	struct cfi_entry entry;
	struct bytes section;

	if (offset == cfi->cie_offset)
		return true;
	if (offset >= bytes_left(&cfi->section))
		return false;
	section = cfi_from(cfi, offset);
	if (!cfi_entry_read(cfi, &section, &entry) || !entry.is_cie)
		return false;
	/* The one that is held is gone even where this one makes no sense. */
	cfi->cie_offset = CFI_NO_CIE;
	if (!cie_parse(&cfi->cie, entry.body, entry.address))
		return false;
	cfi->cie_offset = offset;
	return true;
}

static bool fde_parse(struct cfi *cfi, struct fde *fde, struct cfi_entry *entry)
{
	struct bytes *body = &entry->body;
	struct cie *cie = &cfi->cie;
	/* .eh_frame counts back from the id, .debug_frame from the section's start. */
	uint64_t cie_offset = cfi->kind == CFI_EH_FRAME ? entry->id_offset - entry->id : entry->id;

	if (!cfi_load_cie(cfi, cie_offset))
		return false;
	fde->start = cfi_pointer(body, entry->address, cie->fde_encoding);
	fde->size = cfi_pointer(body, entry->address, cie->fde_encoding & 0x0f);
	if (cie->has_augmentation)
		bytes_split(body, bytes_uleb(body), "augmentation");
	fde->cie = *cie;
	fde->program_address = entry->address + (uint64_t)(body->pos - body->start);
	body->start = body->pos;
	fde->program = *body;
	return !body->bad && fde->start + fde->size >= fde->start;
}

bool cfi_next(struct cfi *cfi, size_t *offset, struct fde *fde, unsigned int *malformed)
{
	struct bytes section = cfi_from(cfi, *offset);
	struct cfi_entry entry;

	while (cfi_entry_read(cfi, &section, &entry)) {
		fde->offset = *offset;
		*offset = (size_t)(section.pos - cfi->section.start);
		if (entry.is_cie)
			continue;
		if (fde_parse(cfi, fde, &entry))
			return true;
		++*malformed;
	}
	return false;
}

bool cfi_fde_at(struct cfi *cfi, size_t offset, struct fde *fde)
{
	unsigned int malformed = 0;

	return cfi_next(cfi, &offset, fde, &malformed) && !malformed;
}
