/*
 * Text from outside (comms, paths, symbols) on its way to a terminal or into JSON: what could act on the reader's
 * terminal or break the syntax is spelled out instead.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Control characters (C0, DEL, C1) and bytes that are not UTF-8 become \xNN. Writes at most `size` bytes with the NUL
 * and never half an escape or half a character; returns `out`.
 */
char *escape_text(char *out, size_t size, const char *text);

/* A JSON string (RFC 8259 section 7) with its quotes; bytes that are not UTF-8 become U+FFFD. */
void escape_json(FILE *out, const char *text);

#endif
