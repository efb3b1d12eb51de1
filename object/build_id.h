/* The build-id: what makes two files the same program. An ELF note of type NT_GNU_BUILD_ID, usually 20 bytes. */
#ifndef OBJECT_BUILD_ID_H
#define OBJECT_BUILD_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum { BUILD_ID_MAX = 20, BUILD_ID_TEXT = 2 * BUILD_ID_MAX + 1 };

struct build_id {
	uint8_t size;		/* 0: not known */
	uint8_t data[BUILD_ID_MAX];
};

static inline bool build_id_is_known(const struct build_id *id)
{
	return id->size != 0;
}

/* False where either is not known. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);

/* An all-zero or empty id is not known; what is longer than BUILD_ID_MAX is cut (perf.data holds no more). */
struct build_id build_id_of(const void *data, size_t size);

/* From the bytes of a note section, segment or /sys/kernel/notes; not known where it has none. */
struct build_id build_id_from_notes(struct bytes notes);

/* Lower-case hexadecimal; returns `text`. */
char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);

/* The id of the running kernel, from /sys/kernel/notes. */
struct build_id build_id_of_kernel(void);

#endif
