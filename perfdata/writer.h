/*
 * Writes a perf.data file, such that at every moment what is on the disk can be read: the header counts whole records
 * only and is brought up to date from time to time, so a killed recorder or a full disk loses the last moments at most.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include "perfdata/metadata.h"

struct writer {
	int fd;				/* borrowed */
	const char *path;		/* borrowed, for messages */
	const struct event *events;	/* borrowed */
	size_t event_count;
	struct format_header header;	/* its data.size counts what is on the disk */
	uint64_t samples;		/* SAMPLE records that are on the disk */
	VEC(uint8_t) buffer;		/* whole records that are not */
	uint64_t buffered_samples;	/* of them SAMPLE */
};

/* Writes the header and the events; all events need attrs of one size (writer_attr_size). */
int writer_init(struct writer *writer, int fd, const char *path, const struct event *events, size_t count,
		struct error *err);
void writer_fini(struct writer *writer);

/* The size that a reader as old as can be still takes: the smallest published one that holds all that is set. */
uint32_t writer_attr_size(const struct perf_event_attr *attr);

/* Appends a whole record. After an error (a full disk) nothing more can be written but writer_finish. */
int writer_record(struct writer *writer, const void *record, size_t size, struct error *err);

/* Brings the file on disk up to date. */
int writer_checkpoint(struct writer *writer, struct error *err);

/* Completes the file with what it says about itself. */
int writer_finish(struct writer *writer, const struct metadata *metadata, struct error *err);

#endif
