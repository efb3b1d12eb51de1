#include "object/dso.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/escape.h"
#include "object/debug_file.h"
#include "object/vdso.h"

static enum dso_kind dso_kind_of(const char *path)
{
	static const struct {
		const char *prefix;
		enum dso_kind kind;
	} kinds[] = {
		{ "[kernel.kallsyms]", DSO_KERNEL }, { "[guest.kernel.kallsyms", DSO_SPECIAL },
		{ "[vdso]", DSO_VDSO },              { "//", DSO_SPECIAL },
		{ "/memfd:", DSO_SPECIAL },          { "/SYSV", DSO_SPECIAL },
		{ "/dev/", DSO_SPECIAL },            { "/anon_hugepage", DSO_SPECIAL },
		{ "/", DSO_FILE },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(path, kinds[i].prefix, strlen(kinds[i].prefix)))
			return kinds[i].kind;
	return DSO_SPECIAL;
}

static struct dso *dso_new(const struct dso_key *key)
{
	struct dso *dso = memory_new(1, sizeof(*dso));
	const char *slash;

	dso->path = memory_strdup(key->path);
	dso->key = *key;
	dso->key.path = dso->path;
	dso->kind = dso_kind_of(key->path);
	slash = dso->kind == DSO_FILE ? strrchr(dso->path, '/') : NULL;
	dso->name = slash && slash[1] ? slash + 1 : dso->path;
	return dso;
}

static void dso_free(struct dso *dso)
{
	if (dso->state == DSO_OPEN)
		object_close(&dso->object);
	if (dso->has_debug)
		object_close(&dso->debug);
	free(dso->reference);
	free(dso->path);
	free(dso);
}

void dsos_fini(struct dsos *dsos)
{
	for (size_t i = 0; i < dsos->items.len; i++)
		dso_free(dsos->items.items[i]);
	vec_fini(&dsos->items);
	index_fini(&dsos->index);
	for (size_t i = 0; i < dsos->told.len; i++)
		free(dsos->told.items[i].path);
	vec_fini(&dsos->told);
}

static bool dso_key_equal(const struct dso_key *a, const struct dso_key *b)
{
	if (strcmp(a->path, b->path) != 0)
		return false;
	if (build_id_is_known(&a->build_id) && build_id_is_known(&b->build_id))
		return build_id_equal(&a->build_id, &b->build_id);
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

void dsos_tell_build_id(struct dsos *dsos, const char *path, const struct build_id *id)
{
	vec_push(&dsos->told, (struct dso_told){ .path = memory_strdup(path), .build_id = *id });
}

static void dsos_complete(const struct dsos *dsos, struct dso_key *key)
{
	for (size_t i = 0; i < dsos->told.len && !build_id_is_known(&key->build_id); i++)
		if (!strcmp(dsos->told.items[i].path, key->path))
			key->build_id = dsos->told.items[i].build_id;
}

uint32_t dsos_id(struct dsos *dsos, const struct dso_key *stated)
{
	uint64_t hash = hash_bytes(stated->path, strlen(stated->path));
	struct dso_key completed = *stated;
	const struct dso_key *key = &completed;
	uint32_t at, id;

	dsos_complete(dsos, &completed);
	for (id = index_first(&dsos->index, hash, &at); id != INDEX_NONE; id = index_next(&dsos->index, hash, &at))
		if (dso_key_equal(&dsos_at(dsos, id)->key, key))
			return id;
	id = (uint32_t)dsos->items.len;
	vec_push(&dsos->items, dso_new(key));
	index_add(&dsos->index, hash, id);
	return id;
}

/*
 * Paths come from a file somebody may have made to hurt us: no waiting on a FIFO, no device, no symbolic link (the
 * kernel records paths with their links resolved).
 */
static int dso_open_path(const char *path, struct stat *st, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);

	if (fd < 0)
		return error_sys(err, "%s", path);
	if (fstat(fd, st) || !S_ISREG(st->st_mode)) {
		close(fd);
		return error_set(err, ERROR_UNSUPPORTED, "%s: not a regular file", path);
	}
	return fd;
}

static bool dso_is_recorded_file(const struct dso *dso, const struct object *object, const struct stat *st)
{
	const struct dso_key *key = &dso->key;

	if (build_id_is_known(&key->build_id))
		return build_id_equal(&key->build_id, &object->build_id);
	/* Device numbers differ between mounts of one file system (btrfs), inodes do not. */
	return !key->inode || key->inode == st->st_ino;
}

static int dso_open_file(struct dso *dso, struct error *err)
{
	struct stat st;
	int fd = dso_open_path(dso->path, &st, err);

	if (fd < 0)
		return -1;
	if (object_open(&dso->object, fd, dso->path, err))
		return -1;
	if (!dso_is_recorded_file(dso, &dso->object, &st)) {
		object_close(&dso->object);
		return error_set(err, ERROR_CORRUPT, "%s: file changed since the recording (%s differs)", dso->path,
				 build_id_is_known(&dso->key.build_id) ? "build-id" : "inode");
	}
	return 0;
}

/* perf keeps copies of what it saw in ~/.debug; with the build-id they are as good as the file. */
static int dso_open_cached(struct dso *dso, struct error *err)
{
	if (!build_id_is_known(&dso->key.build_id))
		return -1;
	return debug_file_open_cached(&dso->object, &dso->key.build_id, err);
}

static int dso_open_vdso(struct dso *dso, struct error *err)
{
	if (vdso_open(&dso->object, err))
		return -1;
	if (build_id_is_known(&dso->key.build_id) && !build_id_equal(&dso->key.build_id, &dso->object.build_id)) {
		object_close(&dso->object);
		return error_set(err, ERROR_UNSUPPORTED, "[vdso]: recorded under another kernel");
	}
	return 0;
}

static int dso_open(struct dso *dso, struct error *err)
{
	switch (dso->kind) {
	case DSO_FILE:
		return dso_open_file(dso, err) && dso_open_cached(dso, NULL) ? -1 : 0;
	case DSO_VDSO:
		return dso_open_vdso(dso, err);
	default:
		return error_set(err, ERROR_NONE, "%s: no file", dso->path);
	}
}

struct object *dsos_object(struct dsos *dsos, uint32_t id)
{
	struct dso *dso = dsos_at(dsos, id);
	struct error err = { 0 };
	char text[sizeof(err.message)];

	if (dso->state == DSO_UNOPENED) {
		dso->state = dso_open(dso, &err) ? DSO_FAILED : DSO_OPEN;
		if (dso->state == DSO_FAILED && err.code != ERROR_NONE)
			notes_add(dsos->notes, "%s; its functions have no names",
				  escape_text(text, sizeof(text), err.message));
	}
	return dso->state == DSO_OPEN ? &dso->object : NULL;
}

struct object *dsos_debug_object(struct dsos *dsos, uint32_t id)
{
	struct dso *dso = dsos_at(dsos, id);
	struct object *object = dsos_object(dsos, id);

	if (object && !dso->debug_sought) {
		dso->debug_sought = true;
		dso->has_debug = debug_file_find(&dso->debug, object, dsos->notes);
	}
	return dso->has_debug ? &dso->debug : object;
}
