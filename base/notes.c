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
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	if (notes->sentences.strings.len < NOTES_MAX)
		strtab_id(&notes->sentences, sentence);
	else if (strtab_find(&notes->sentences, sentence) == INDEX_NONE)
		notes->dropped++;
}
