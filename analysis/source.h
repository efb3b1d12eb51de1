/* The text of source lines, where their files are at hand. */
#ifndef ANALYSIS_SOURCE_H
#define ANALYSIS_SOURCE_H

#include "base/notes.h"
#include "base/vec.h"

struct source_file {
	char *path;
	char *text;		/* NULL: cannot be read */
	VEC(const char *) lines;
};

struct sources {
	VEC(struct source_file) files;
};

void sources_fini(struct sources *sources);

/* Says how many files could not be read, and which was the first. */
void sources_note(const struct sources *sources, struct notes *notes);

/* Line 1 is the first. NULL where the file or the line is not there; borrowed. */
const char *sources_line(struct sources *sources, const char *path, unsigned int line);

#endif
