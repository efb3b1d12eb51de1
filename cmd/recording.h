/* A recording as the commands that show one need it: read, and its names at hand. */
#ifndef CMD_RECORDING_H
#define CMD_RECORDING_H

#include "analysis/names.h"

struct recording {
	const char *path;	/* borrowed */
	struct notes notes;
	struct profile profile;
	struct symbolizer *symbolizer;
	struct names names;
	bool told;		/* the notes have been printed */
};

/*
 * Reads the file. EXIT_RESULTS, or what to exit with after the reason has been printed; it is to be closed either way.
 */
int recording_open(struct recording *recording, const char *path);

/*
 * Prints why there is no result, with what was noted on the way, for that is often the cause; returns EXIT_FAILED.
 */
int recording_fail(struct recording *recording, const char *message);

/* Prints what was noted on the way; returns `status`, or EXIT_FAILED where the output was lost. */
int recording_close(struct recording *recording, int status);

#endif
