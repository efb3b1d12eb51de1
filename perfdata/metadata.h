/*
 * What a recording says about itself in its feature sections: read from a file by reader_open, written by
 * writer_finish. Strings are NULL and numbers 0 where it does not say.
 */
#ifndef PERFDATA_METADATA_H
#define PERFDATA_METADATA_H

#include "base/error.h"
#include "object/build_id.h"
#include "perfdata/event.h"
#include "perfdata/format.h"

struct dso_build_id {
	struct build_id id;
	bool kernel;
	char *path;	/* "[kernel.kallsyms]", "[vdso]", or a file's */
};

struct metadata {
	char *hostname;
	char *release;		/* uname -r */
	char *version;		/* of the tool that recorded */
	char *arch;		/* uname -m */
	char *command;		/* its command line, for display */
	uint32_t cpus_present, cpus_online;
	VEC(struct dso_build_id) build_ids;
	uint64_t first_time, last_time;	/* of the samples */
	bool has_clock;
	uint32_t clock_id;
	uint64_t clock_wall_ns, clock_ns;	/* read at one moment: maps sample times to the wall clock */
	uint64_t consumed_ns;	/* CPU time (user and system) that the launched program took */
};

/* A growing feature body. */
typedef VEC(uint8_t) metadata_body;

void metadata_fini(struct metadata *metadata);

/* Whether we know how to read it. */
bool metadata_wants(enum feature feature);

/* Takes over what one feature section says; EVENT_DESC goes to the events' names. */
void metadata_read(struct metadata *metadata, enum feature feature, struct bytes body, struct event *events,
		   size_t count);

/* Appends a feature's body; nothing where there is nothing to say, and then the file must not have the feature. */
void metadata_write(const struct metadata *metadata, enum feature feature, const struct event *events, size_t count,
		    metadata_body *body);

#endif
