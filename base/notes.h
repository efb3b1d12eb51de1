/*
 * What a person should be told beside the result: sentences collected by the rooms that notice something (a file that
 * was cut short, a binary that changed since), printed by cmd/. The same sentence is kept once.
 */
#ifndef BASE_NOTES_H
#define BASE_NOTES_H

#include "base/strtab.h"

struct notes {
	struct strtab sentences;	/* in the order in which they came up */
	unsigned int dropped;		/* beyond NOTES_MAX */
};

enum { NOTES_MAX = 64 };

void notes_fini(struct notes *notes);

/* notes may be NULL when nobody listens. */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
