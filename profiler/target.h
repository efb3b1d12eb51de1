/* The program that is recorded: started, but held before its first instruction until the recorder is ready. */
#ifndef PROFILER_TARGET_H
#define PROFILER_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct target {
	pid_t pid;
	int go;			/* write end: closing it after a byte starts the program */
	int failed;		/* read end: the errno of a failed exec */
	bool exited;
	int status;		/* of wait(2), once exited */
	uint64_t consumed_ns;	/* CPU time it and the children it waited for took, once exited */
};

/* Makes the process; the program begins with target_start. `mask` is the signal mask it is to have. */
int target_prepare(struct target *target, char *const argv[], const sigset_t *mask, struct error *err);

/* Runs the program. -1 with err->sys the errno of exec. */
int target_start(struct target *target, const char *name, struct error *err);

/* Takes note of the program's end, if it has come. */
void target_poll(struct target *target);

/* The exit status as a shell would give it. */
int target_exit_status(const struct target *target);

/* Ends a program that has not been started, and forgets the target. */
void target_fini(struct target *target);

/* 0 where a command can be run; else -1 with err->sys ENOENT or EACCES, before anything else has been done. */
int target_check(const char *command, struct error *err);

#endif
