/*
 * Reads a perf.data file: checks its header, finds its events and what it says about itself, and gives its records in
 * the order of time. What is damaged or cut off is passed over, counted and noted; what can be read is read.
 *
 * It reads seekable little-endian files; pipe streams, compressed and directory recordings and those of big-endian
 * machines are refused by name.
 */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include "base/index.h"
#include "base/notes.h"
#include "perfdata/metadata.h"
#include "perfdata/record.h"
#include "perfdata/runs.h"

struct reader {
	char *path;
	int fd;
	uint64_t size;			/* of the file */
	struct format_header header;
	VEC(struct event) events;
	struct index ids;		/* event id -> index into id_events */
	VEC(struct reader_id) id_events;
	struct metadata metadata;
	struct runs runs;
	bool cut;			/* the file ends before its data does */
	struct notes *notes;
	uint64_t malformed;		/* records that could not be decoded */
	uint64_t unknown_ids;		/* samples of no event in the header */
	uint64_t unknown_types;		/* records of a kind newer than we are */
};

struct reader_id {
	uint64_t id;
	uint32_t event;
};

/* ERROR_SYSTEM, ERROR_CORRUPT or ERROR_UNSUPPORTED with the file's name and the reason. `notes` is borrowed. */
int reader_open(struct reader *reader, const char *path, struct notes *notes, struct error *err);
void reader_close(struct reader *reader);

/*
 * The next record in time, borrowed until the next call; false at the end, when the counters above are final and noted.
 */
bool reader_next(struct reader *reader, struct record *record);

#endif
