/*
 * The files that code comes from, and their identity: a build-id where the recording tells one, else path, device and
 * inode. One table per session; the other rooms name a DSO by its id and keep what they know about it beside that id.
 *
 * The file behind a DSO is opened at first use, and only if it still is the file that was recorded.
 */
#ifndef OBJECT_DSO_H
#define OBJECT_DSO_H

#include "base/notes.h"
#include "object/object.h"

enum dso_kind {
	DSO_FILE,
	DSO_VDSO,	/* the kernel's code page in every process */
	DSO_KERNEL,	/* dso address = ip */
	DSO_MODULE,	/* a kernel module; likewise */
	DSO_SPECIAL,	/* //anon, [heap], [stack], /memfd:…, a device: nothing to open */
};

/* What a recording says of a mapped file. */
struct dso_key {
	const char *path;
	struct build_id build_id;
	uint32_t major, minor;	/* 0 where not known */
	uint64_t inode;
};

enum dso_state { DSO_UNOPENED, DSO_OPEN, DSO_FAILED };

struct dso {
	char *path;
	const char *name;	/* the path's last part, as the dso sort key shows it */
	enum dso_kind kind;
	enum dso_state state;
	struct dso_key key;	/* its path is the one above */
	struct object object;	/* while DSO_OPEN */
	struct object debug;	/* the separate debug file; has_debug */
	bool has_debug;
	bool debug_sought;
	char *reference;	/* of the kernel: a symbol ("_text") and its address when it was recorded; may be NULL */
	uint64_t reference_address;
};

/* A build-id that a recording's own table gives for a path. */
struct dso_told {
	char *path;
	struct build_id build_id;
};

struct dsos {
	VEC(struct dso *) items;	/* by id */
	struct index index;
	VEC(struct dso_told) told;
	struct notes *notes;		/* where to say what could not be opened; may be NULL */
};

void dsos_fini(struct dsos *dsos);

/* The id of the DSO with this key; the same file always has the same id. */
uint32_t dsos_id(struct dsos *dsos, const struct dso_key *key);

static inline struct dso *dsos_at(const struct dsos *dsos, uint32_t id)
{
	return dsos->items.items[id];
}

/* The build-id of DSOs of that path whose keys, from now on, come without one. */
void dsos_tell_build_id(struct dsos *dsos, const char *path, const struct build_id *id);

/* The opened file, borrowed; NULL (with a note, once) where it cannot be had or is not the recorded one any more. */
struct object *dsos_object(struct dsos *dsos, uint32_t id);

/* The file with symbols and DWARF: the separate debug file where one matches, else the same as dsos_object. */
struct object *dsos_debug_object(struct dsos *dsos, uint32_t id);

#endif
