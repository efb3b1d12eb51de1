#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>

void notes_fini(struct notes *notes)
{
	strtab_fini(&notes->sentences);
}

void notes_add(struct notes *notes, const char *format, ...)
{
	char sentence[512];
	va_list args;

	if (!notes)
		return;
	if (notes->sentences.strings.len >= NOTES_MAX) {
		notes->dropped++;
		return;
	}
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	strtab_id(&notes->sentences, sentence);
}
