#include "object/build_id.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return build_id_is_known(a) && a->size == b->size && !memcmp(a->data, b->data, a->size);
}

struct build_id build_id_of(const void *data, size_t size)
{
	struct build_id id = { 0 };
	bool any = false;

	if (size > BUILD_ID_MAX)
		size = BUILD_ID_MAX;
	memcpy(id.data, data, size);
	for (size_t i = 0; i < size; i++)
		any |= id.data[i] != 0;
	id.size = any ? (uint8_t)size : 0;
	return id;
}

struct build_id build_id_from_notes(struct bytes notes)
{
	while (bytes_left(&notes) && !notes.bad) {
		uint32_t name_size = bytes_u32(&notes);
		uint32_t size = bytes_u32(&notes);
		uint32_t type = bytes_u32(&notes);
		struct bytes name = bytes_split(&notes, (name_size + 3u) & ~3u, "note name");
		struct bytes data = bytes_split(&notes, size, "note");

		if (!notes.bad && type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name.pos, "GNU", 4))
			return build_id_of(data.pos, size);
		bytes_split(&notes, -size & 3u, "note padding");
	}
	return (struct build_id){ 0 };
}

char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	text[0] = '\0';
	for (size_t i = 0; i < id->size; i++)
		snprintf(text + 2 * i, 3, "%02x", id->data[i]);
	return text;
}

struct build_id build_id_of_kernel(void)
{
	uint8_t notes[8192];
	size_t size;
	FILE *file = fopen("/sys/kernel/notes", "re");

	if (!file)
		return (struct build_id){ 0 };
	size = fread(notes, 1, sizeof(notes), file);
	fclose(file);
	return build_id_from_notes(bytes_of(notes, size, "/sys/kernel/notes"));
}
