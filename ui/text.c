#include "ui/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

char *text_name(char text[TEXT_NAME_MAX], const char *name, size_t width)
{
	char *end = text;

	escape_text(text, TEXT_NAME_MAX, name);
	if (text_width(text) <= width)
		return text;
	for (size_t kept = 0; kept + 3 < width; kept++)
		do
			end++;
		while (((unsigned char)*end & 0xc0) == 0x80);
	memcpy(end, "...", sizeof("..."));
	return text;
}

char *text_weight(char text[32], uint64_t weight, bool is_ns)
{
	if (is_ns)
		snprintf(text, 32, "%.3f s", (double)weight / 1e9);
	else
		snprintf(text, 32, "%" PRIu64, weight);
	return text;
}
