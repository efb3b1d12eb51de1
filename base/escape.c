#include "base/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * The length of the UTF-8 character at `p` (RFC 3629: shortest form, no surrogates, at most U+10FFFF), 0 where there is
 * none; *code receives it. A NUL ends the text, so a cut character fails on it.
 */
static size_t escape_utf8(const char *text, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *p = (const uint8_t *)text;
	size_t len = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;

	if (len <= 1) {
		*code = p[0];
		return len;
	}
	*code = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	if (*code < least[len] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return len;
}

char *escape_text(char *out, size_t size, const char *text)
{
	size_t used = 0;
	uint32_t code;

	while (*text) {
		size_t len = escape_utf8(text, &code);
		bool plain = len && code >= 0x20 && (code < 0x7f || code >= 0xa0);
		size_t need = plain ? len : 4 * (len ? len : 1);

		if (used + need + 1 > size)
			break;
		if (plain)
			memcpy(out + used, text, len);
		else
			for (size_t i = 0; i < need / 4; i++)
				snprintf(out + used + 4 * i, 5, "\\x%02x", (uint8_t)text[i]);
		used += need;
		text += len ? len : 1;
	}
	if (size)
		out[used] = '\0';
	return out;
}

void escape_json(FILE *out, const char *text)
{
	uint32_t code;

	fputc('"', out);
	while (*text) {
		size_t len = escape_utf8(text, &code);

		if (!len)
			fputs("\\ufffd", out);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
			fprintf(out, "\\u%04x", code);
		else
			fwrite(text, 1, len, out);
		text += len ? len : 1;
	}
	fputc('"', out);
}
