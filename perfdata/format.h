/*
 * The perf.data format as it stands on disk: what the kernel's uapi header does not define. Source: the kernel tree's
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef PERFDATA_FORMAT_H
#define PERFDATA_FORMAT_H

#include <stdint.h>

#define FORMAT_MAGIC "PERFILE2"
#define FORMAT_MAGIC_SWAPPED "2ELIFREP"

struct format_span {
	uint64_t offset;
	uint64_t size;
};

struct format_header {
	char magic[8];
	uint64_t size;		/* FORMAT_HEADER_SIZE, 72 without the bitmap, 16 for a pipe stream */
	uint64_t attr_size;	/* of one entry of `attrs`: the attr and a format_span of its ids */
	struct format_span attrs;
	struct format_span data;
	struct format_span event_types;	/* obsolete */
	uint64_t features[4];		/* bit n: feature n has an entry in the table behind the data */
};

enum {
	FORMAT_HEADER_SIZE = sizeof(struct format_header),
	FORMAT_HEADER_OLD = 72,
	FORMAT_HEADER_PIPE = 16,
	FORMAT_RECORD_MAX = 65535,
	FORMAT_FEATURES = 256,
};

enum feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_PMUPROF = 240,	/* ours: struct of u64s, see pmuprof_feature in metadata.h */
};

/* Record types that tools add to the kernel's. */
enum {
	FORMAT_HEADER_ATTR = 64,
	FORMAT_TRACING_DATA = 66,	/* u32 size; that many bytes, 8-aligned, follow the record */
	FORMAT_FINISHED_ROUND = 68,
	FORMAT_AUXTRACE = 71,		/* u64 size; that many bytes follow the record */
	FORMAT_COMPRESSED = 81,
	FORMAT_FINISHED_INIT = 82,
	FORMAT_COMPRESSED2 = 83,
};

/* record.misc of a BUILD_ID entry: the byte behind the id tells its length. */
#define FORMAT_MISC_BUILD_ID_SIZE (1 << 15)

#endif
