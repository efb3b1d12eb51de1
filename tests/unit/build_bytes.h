/* Bytes as a test writes them down, word by word: what files, sections and records are made from. */
#ifndef TESTS_UNIT_BUILD_BYTES_H
#define TESTS_UNIT_BUILD_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. A test's process ends with it, but the sanitizers want it freed. */
struct build {
	uint8_t *items;
	size_t len;
	size_t room;
};

/* Bytes and their number, as two arguments: `build_add(&b, BYTES(1, 2, 3))`. */
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define NO_BYTES (const uint8_t *)"", 0

void build_free(struct build *build);

void build_add(struct build *build, const void *bytes, size_t size);
void build_u8(struct build *build, uint8_t value);
void build_u16(struct build *build, uint16_t value);
void build_u32(struct build *build, uint32_t value);
void build_u64(struct build *build, uint64_t value);

/* With its NUL. */
void build_string(struct build *build, const char *text);

/* Zeros up to a multiple of `align`, counted from `from`. */
void build_pad(struct build *build, size_t from, size_t align);

/* Writes over what is there. */
void build_put(struct build *build, size_t at, const void *bytes, size_t size);

/* A new file with these bytes below /tmp, whose path is written to `path`. */
void build_file(const struct build *build, char path[64]);

#endif
