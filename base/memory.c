#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void *memory_or_abort(void *memory)
{
	if (!memory) {
		fputs("pmuprof: out of memory\n", stderr);
		abort();
	}
	return memory;
}

void *memory_new(size_t count, size_t size)
{
	return memory_or_abort(calloc(count ? count : 1, size));
}

void *memory_resize(void *old, size_t count, size_t size)
{
	return memory_or_abort(reallocarray(old, count ? count : 1, size));
}

char *memory_strdup(const char *text)
{
	return memory_or_abort(strdup(text));
}

char *memory_format(const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	return memory_or_abort(len < 0 ? NULL : text);
}
