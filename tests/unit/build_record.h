/* perf records and perf.data files as a test writes them down. */
#ifndef TESTS_UNIT_BUILD_RECORD_H
#define TESTS_UNIT_BUILD_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "perfdata/format.h"
#include "tests/unit/build_bytes.h"

/* Begins a record and returns where; what is built from then on is its body, until record_end sets its size. */
size_t record_begin(struct build *build, uint32_t type, uint16_t misc);
void record_end(struct build *build, size_t at);

/* A record of a header only whose size field says `size`. */
void record_of_size(struct build *build, uint32_t type, uint16_t size);

/* What the header of a file says; 0 means what is right. */
struct build_perf {
	const char *magic;
	uint64_t header_size;
	uint64_t attr_size;	/* of an entry, with its ids' span */
	uint64_t data_size;
	uint64_t data_offset;
	uint64_t attrs_size;
	uint64_t attrs_offset;
	uint64_t features[4];
	bool no_data_size;	/* the recorder was killed before it could write it */
};

/* A file with these events (attr and one id each, 0: none), these records and behind them these bytes, for features. */
void perf_file(struct build *file, const struct build_perf *perf, const struct perf_event_attr *attrs,
	       const uint64_t *ids, size_t count, const struct build *records, const struct build *behind);

#endif
