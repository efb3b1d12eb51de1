#include "tests/unit/build_bytes.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

void build_free(struct build *build)
{
	vec_fini(build);
}

void build_add(struct build *build, const void *bytes, size_t size)
{
	vec_reserve(build, size);
	if (size)
		memcpy(build->items + build->len, bytes, size);
	build->len += size;
}

void build_u8(struct build *build, uint8_t value)
{
	build_add(build, &value, sizeof(value));
}

void build_u16(struct build *build, uint16_t value)
{
	build_add(build, &value, sizeof(value));
}

void build_u32(struct build *build, uint32_t value)
{
	build_add(build, &value, sizeof(value));
}

void build_u64(struct build *build, uint64_t value)
{
	build_add(build, &value, sizeof(value));
}

void build_string(struct build *build, const char *text)
{
	build_add(build, text, strlen(text) + 1);
}

void build_pad(struct build *build, size_t from, size_t align)
{
	while ((build->len - from) % align)
		build_u8(build, 0);
}

void build_put(struct build *build, size_t at, const void *bytes, size_t size)
{
	/* No ck_assert, which writes down where it is each time. */
	if (at + size > build->len)
		ck_abort_msg("nothing was built at %zu yet", at + size);
	if (size)
		memcpy(build->items + at, bytes, size);
}

void build_file(const struct build *build, char path[64])
{
	int fd;

	strcpy(path, "/tmp/pmuprof-unit-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	if (build->len)
		ck_assert_int_eq(write(fd, build->items, build->len), (ssize_t)build->len);
	close(fd);
}
