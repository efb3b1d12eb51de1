/*
 * Turns records, in the order of time, into a profile: side-band records move the process table, each sample gets its
 * stack (the kernel's chain, then the user's: unwound from its copy of the stack, or as the kernel walked it) and
 * becomes a row.
 */
#ifndef PROFILER_SESSION_H
#define PROFILER_SESSION_H

#include "perfdata/metadata.h"
#include "profiler/process.h"
#include "profiler/profile.h"

struct session;

/* The profile's events must be those of the records; all pointers are borrowed. */
struct session *session_new(struct profile *profile, const struct event *events, size_t count);
void session_free(struct session *session);

void session_apply(struct session *session, const struct record *record);

/* For tests and comparisons: sees every unwound user stack. */
typedef void session_stack_fn(void *context, const struct record *record, const struct unwind_stack *stack);
void session_watch(struct session *session, session_stack_fn *watch, void *context);

/* Reads a whole perf.data file into a profile, which profile_init has made. */
int session_read_file(struct profile *profile, const char *path, session_stack_fn *watch, void *context,
		      struct error *err);

#endif
