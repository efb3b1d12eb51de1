/*
 * One event of a recording: its perf_event_attr, its ids and its name, and where in its records the kernel puts what.
 */
#ifndef PERFDATA_EVENT_H
#define PERFDATA_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/vec.h"

struct event {
	struct perf_event_attr attr;	/* of whatever size the file had, zero-filled */
	VEC(uint64_t) ids;		/* PERF_EVENT_IOC_ID, one per opened fd */
	char *name;			/* "cpu-clock:u" */
};

void event_fini(struct event *event);

/* An attr of attr.size bytes (0 means 64); reads all of them and ignores what this kernel header does not know. */
bool event_read_attr(struct bytes *from, struct perf_event_attr *attr);

/*
 * Fills type, config, exclude bits and precision from a name: those of perf's hardware and software events, with
 * modifiers u (user), k (kernel) and p, pp, ppp (precise) behind a colon. ERROR_USAGE with the known names.
 */
int event_parse(struct perf_event_attr *attr, const char *name, struct error *err);

/* The name that perf would show for an attr that nobody named: "cycles:u", "raw 0x1c2". The caller frees it. */
char *event_default_name(const struct perf_event_attr *attr);

/* True for the software clocks, whose periods are nanoseconds. */
bool event_counts_ns(const struct perf_event_attr *attr);

/* True for the event that counts nothing, which carries side-band records. */
bool event_is_dummy(const struct perf_event_attr *attr);

#endif
