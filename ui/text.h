/* What texts for people have in common: names cut to a width, numbers with their unit. */
#ifndef UI_TEXT_H
#define UI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_NAME_MAX = 240 };

/*
 * `name` escaped, and cut to `width` characters with "..." where it is longer; returns `text`, whose size must be at
 * least TEXT_NAME_MAX and more than the width.
 */
char *text_name(char text[TEXT_NAME_MAX], const char *name, size_t width);

/* The columns a UTF-8 text takes, one for each character. */
size_t text_width(const char *text);

/* "2.043 s" for nanoseconds, "2043" for events; returns `text`. */
char *text_weight(char text[32], uint64_t weight, bool is_ns);

#endif
