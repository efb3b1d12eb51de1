#include "object/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static int debug_file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool debug_file_by_build_id(struct object *debug, const struct build_id *id, struct notes *notes)
{
	char text[BUILD_ID_TEXT];
	autofree char *path = NULL;
	int fd;

	if (id->size < 2)
		return false;
	build_id_text(id, text);
	path = memory_format("/usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2);
	fd = debug_file_open(path);
	if (fd < 0 || object_open(debug, fd, path, NULL))
		return false;
	if (!build_id_equal(&debug->build_id, id)) {
		notes_add(notes, "%s: not used, its build-id is not the one it is filed under", path);
		object_close(debug);
		return false;
	}
	return true;
}

/* The CRC of .gnu_debuglink is the one of zlib (gdb manual, "Separate Debug Files"). */
static bool debug_file_crc_matches(int fd, uint32_t wanted)
{
	uint8_t buffer[65536];
	uLong crc = crc32(0, NULL, 0);
	ssize_t got;

	for (off_t at = 0; (got = pread(fd, buffer, sizeof(buffer), at)) > 0; at += got)
		crc = crc32(crc, buffer, (uInt)got);
	return got == 0 && crc == wanted;
}

static bool debug_file_try_link(struct object *debug, const char *path, uint32_t crc, struct notes *notes)
{
	int fd = debug_file_open(path);

	if (fd < 0)
		return false;
	if (!debug_file_crc_matches(fd, crc)) {
		notes_add(notes, "%s: not used, its checksum is not the one the program asks for", path);
		close(fd);
		return false;
	}
	return !object_open(debug, fd, path, NULL);
}

static bool debug_file_by_link(struct object *debug, struct object *object, struct notes *notes)
{
	struct bytes link = object_section_bytes(object, object_section(object, ".gnu_debuglink"));
	const char *name = bytes_string(&link);
	autofree char *copy = memory_strdup(object->path);
	const char *folder = dirname(copy);
	static const struct {
		const char *before, *after;
	} places[] = { { "", "" }, { "", "/.debug" }, { "/usr/lib/debug", "" } };
	uint32_t crc;

	if (!name || strchr(name, '/'))
		return false;
	bytes_split(&link, -(strlen(name) + 1) & 3u, "padding");
	crc = bytes_u32(&link);
	if (link.bad)
		return false;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		autofree char *path =
			memory_format("%s%s%s/%s", places[i].before, folder, places[i].after, name);

		if (strcmp(path, object->path) != 0 && debug_file_try_link(debug, path, crc, notes))
			return true;
	}
	return false;
}

bool debug_file_find(struct object *debug, struct object *object, struct notes *notes)
{
	return debug_file_by_build_id(debug, &object->build_id, notes) || debug_file_by_link(debug, object, notes);
}

int debug_file_open_cached(struct object *object, const struct build_id *id, struct error *err)
{
	const char *home = getenv("HOME");
	char text[BUILD_ID_TEXT];
	autofree char *path = NULL;
	int fd;

	if (!home || id->size < 2)
		return error_set(err, ERROR_UNSUPPORTED, "no cache");
	build_id_text(id, text);
	path = memory_format("%s/.debug/.build-id/%.2s/%s/elf", home, text, text + 2);
	fd = debug_file_open(path);
	if (fd < 0)
		return error_sys(err, "%s", path);
	if (object_open(object, fd, path, err))
		return -1;
	if (build_id_equal(&object->build_id, id))
		return 0;
	object_close(object);
	return error_set(err, ERROR_CORRUPT, "%s: its build-id is not the one it is filed under", path);
}
