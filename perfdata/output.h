/*
 * Makes the file that a recording goes to: readable by its owner only, never through a symbolic link, and an earlier
 * recording of that name is kept as NAME.old.
 */
#ifndef PERFDATA_OUTPUT_H
#define PERFDATA_OUTPUT_H

#include <stdbool.h>

#include "base/error.h"

struct output {
	char *path;
	char *old;	/* where an earlier file went; NULL: there was none */
	int fd;
};

/* Refuses whatever is there and no regular file: a device, a FIFO, a link. */
int output_create(struct output *output, const char *path, struct error *err);

/* Puts things back as they were before output_create. */
void output_abandon(struct output *output);

/* -1 with err where what was written did not reach the disk. */
int output_close(struct output *output, struct error *err);

#endif
