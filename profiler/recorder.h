/*
 * Records a program into a perf.data file: starts it, drains the rings in the order of time, and completes the file
 * when the program ends, at a signal, or when the disk is full.
 */
#ifndef PROFILER_RECORDER_H
#define PROFILER_RECORDER_H

#include "profiler/sampler.h"

struct recorder_options {
	struct sampler_options sampler;
	const char *output;
	const char *command_line;	/* as the recording shall name it */
	const char *version;		/* of this tool */
	char *const *argv;		/* the program and its arguments */
};

struct recorder_result {
	uint64_t samples;	/* in the file */
	uint64_t unwritten;	/* that found the disk full */
	uint64_t lost;		/* that the kernel had no room for */
	uint64_t bytes;		/* of the file */
	char events[128];	/* their names, cut where they are many */
	int exit_status;	/* the program's, as a shell gives it; 128 + signal where we were stopped before its end */
	bool still_running;	/* the program outlived a signal to us */
};

/*
 * 0 when there is a recording, even one that a full disk cut short (noted). -1 with nothing left behind; err->sys is
 * ENOENT or EACCES, and *not_run is set, where the program itself cannot be run.
 */
int recorder_run(const struct recorder_options *options, struct recorder_result *result, bool *not_run,
		 struct notes *notes, struct error *err);

#endif
