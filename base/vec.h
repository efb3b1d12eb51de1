/*
 * Growable arrays: `VEC(struct map) maps = {0};`. Items move when the array grows, so keep indexes, not pointers. The
 * fields may be read freely; zero-initialised is empty; vec_fini leaves it empty again.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <string.h>

#include "base/memory.h"

#define VEC(type)                   \
	struct {                    \
		type *items;        \
		size_t len;         \
		size_t room;        \
	}

/* Makes room for `more` items behind the last one. */
#define vec_reserve(v, more)                                                               \
	do {                                                                               \
		size_t vec_need = (v)->len + (more);                                       \
		if (vec_need > (v)->room) {                                                \
			(v)->room = vec_need > 2 * (v)->room ? vec_need : 2 * (v)->room;   \
			(v)->room = (v)->room < 8 ? 8 : (v)->room;                         \
			(v)->items = memory_resize((v)->items, (v)->room, sizeof(*(v)->items)); \
		}                                                                          \
	} while (0)

/* Appends an item: `vec_push(&v, item)`. */
#define vec_push(v, ...)                                  \
	do {                                              \
		vec_reserve(v, 1);                        \
		(v)->items[(v)->len++] = (__VA_ARGS__);   \
	} while (0)

/* Appends a zeroed item and yields its address. */
#define vec_add(v)                                                                         \
	({                                                                                 \
		vec_reserve(v, 1);                                                         \
		memset(&(v)->items[(v)->len], 0, sizeof(*(v)->items));                     \
		&(v)->items[(v)->len++];                                                   \
	})

/* Opens a gap of `count` items at `at`; what is in it is not initialised. */
#define vec_open(v, at, count)                                                             \
	do {                                                                               \
		vec_reserve(v, count);                                                     \
		memmove((v)->items + (at) + (count), (v)->items + (at),                    \
			((v)->len - (at)) * sizeof(*(v)->items));                          \
		(v)->len += (count);                                                       \
	} while (0)

/* Removes `count` items from `at` on. */
#define vec_close(v, at, count)                                                            \
	do {                                                                               \
		if ((count) == 0)                                                          \
			break;                                                             \
		memmove((v)->items + (at), (v)->items + (at) + (count),                    \
			((v)->len - (at) - (count)) * sizeof(*(v)->items));                \
		(v)->len -= (count);                                                       \
	} while (0)

/* Of items sorted by `field`, the index of the first whose field is greater than `value`; the length where none is. */
#define vec_first_above(v, field, value)                                                   \
	({                                                                                 \
		size_t vec_low = 0, vec_high = (v)->len;                                   \
		while (vec_low < vec_high) {                                               \
			size_t vec_middle = vec_low + (vec_high - vec_low) / 2;            \
			if ((v)->items[vec_middle].field <= (value))                       \
				vec_low = vec_middle + 1;                                  \
			else                                                               \
				vec_high = vec_middle;                                     \
		}                                                                          \
		vec_low;                                                                   \
	})

/* By a comparison as of qsort(3), which takes no empty array for granted. */
#define vec_sort(v, compare)                                                               \
	do {                                                                               \
		if ((v)->len)                                                              \
			qsort((v)->items, (v)->len, sizeof(*(v)->items), compare);         \
	} while (0)

#define vec_fini(v)                        \
	do {                               \
		free((v)->items);          \
		(v)->items = NULL;         \
		(v)->len = (v)->room = 0;  \
	} while (0)

#endif
