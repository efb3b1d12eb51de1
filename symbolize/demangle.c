#include "symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "base/memory.h"

enum {
	DEMANGLE_INPUT_MAX = 16 * 1024,
	DEMANGLE_OUTPUT_MAX = 64 * 1024,
};

struct demangled {
	char *text;
	size_t len;
	jmp_buf too_long;
};

/*
 * libiberty writes piecewise and cannot be told to stop; its callback forms allocate nothing that a longjmp would leak
 * (cp-demangle.c works on the stack).
 */
static void demangle_append(const char *piece, size_t len, void *opaque)
{
	struct demangled *demangled = opaque;

	if (len > DEMANGLE_OUTPUT_MAX - demangled->len)
		longjmp(demangled->too_long, 1);
	memcpy(demangled->text + demangled->len, piece, len);
	demangled->len += len;
}

static int demangle_into(const char *name, struct demangled *demangled)
{
	int options = DMGL_PARAMS | DMGL_ANSI;

	/* Rust's older mangling looks like C++; it must be asked first. */
	if (rust_demangle_callback(name, options, demangle_append, demangled))
		return 1;
	demangled->len = 0;
	return cplus_demangle_v3_callback(name, options, demangle_append, demangled);
}

/* A name without anything behind it. */
static char *demangle_bare(const char *name)
{
	struct demangled *demangled;
	char *text = NULL;

	demangled = memory_new(1, sizeof(*demangled));
	demangled->text = memory_resize(NULL, DEMANGLE_OUTPUT_MAX, 1);
	if (!setjmp(demangled->too_long) && demangle_into(name, demangled) && demangled->len)
		text = memory_format("%.*s", (int)demangled->len, demangled->text);
	free(demangled->text);
	free(demangled);
	return text;
}

char *demangle(const char *name)
{
	/* "_Znwm@plt": what stands behind an @ is not mangled. */
	size_t len = strcspn(name, "@");
	autofree char *bare = NULL;
	autofree char *text = NULL;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') || len > DEMANGLE_INPUT_MAX)
		return NULL;
	bare = memory_format("%.*s", (int)len, name);
	text = demangle_bare(bare);
	return text ? memory_format("%s%s", text, name + len) : NULL;
}
