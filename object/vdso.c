#include "object/vdso.h"

#include <stdio.h>

/* /proc/self/maps, proc(5): "7ffe…-7ffe… r-xp 00000000 00:00 0    [vdso]". */
static void *vdso_find(size_t *size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	void *found = NULL;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &start, &end) == 2) {
			found = (void *)start;
			*size = end - start;
		}
	if (maps)
		fclose(maps);
	return found;
}

int vdso_open(struct object *object, struct error *err)
{
	size_t size = 0;
	const void *found = vdso_find(&size);
	void *image;

	if (!found)
		return error_set(err, ERROR_UNSUPPORTED, "[vdso]: this process has none to compare with");
	image = memory_resize(NULL, size, 1);
	memcpy(image, found, size);
	return object_open_image(object, image, size, "[vdso]", err);
}
