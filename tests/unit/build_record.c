#include "tests/unit/build_record.h"

#include <string.h>

size_t record_begin(struct build *build, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };
	size_t at = build->len;

	build_add(build, &header, sizeof(header));
	return at;
}

void record_end(struct build *build, size_t at)
{
	uint16_t size = (uint16_t)(build->len - at);

	build_put(build, at + 6, &size, sizeof(size));
}

void record_of_size(struct build *build, uint32_t type, uint16_t size)
{
	struct perf_event_header header = { .type = type, .size = size };

	build_add(build, &header, sizeof(header));
}

static uint64_t or_else(uint64_t stated, uint64_t right)
{
	return stated ? stated : right;
}

void perf_file(struct build *file, const struct build_perf *perf, const struct perf_event_attr *attrs,
	       const uint64_t *ids, size_t count, const struct build *records, const struct build *behind)
{
	uint64_t attrs_at = FORMAT_HEADER_SIZE + 8 * count;
	uint64_t attrs_size = count * (sizeof(*attrs) + sizeof(struct format_span));
	uint64_t data_size = records ? records->len : 0;
	struct format_header header = {
		.size = or_else(perf->header_size, FORMAT_HEADER_SIZE),
		.attr_size = or_else(perf->attr_size, sizeof(*attrs) + sizeof(struct format_span)),
		.attrs = { or_else(perf->attrs_offset, attrs_at), or_else(perf->attrs_size, attrs_size) },
		.data = { or_else(perf->data_offset, attrs_at + attrs_size), or_else(perf->data_size, data_size) },
	};

	if (perf->no_data_size)
		header.data.size = 0;
	memcpy(header.magic, perf->magic ? perf->magic : FORMAT_MAGIC, sizeof(header.magic));
	memcpy(header.features, perf->features, sizeof(header.features));
	build_add(file, &header, sizeof(header));
	for (size_t i = 0; i < count; i++)
		build_u64(file, ids ? ids[i] : 0);
	for (size_t i = 0; i < count; i++) {
		build_add(file, &attrs[i], sizeof(attrs[i]));
		build_u64(file, FORMAT_HEADER_SIZE + 8 * i);
		build_u64(file, ids ? 8 : 0);
	}
	if (records)
		build_add(file, records->items, records->len);
	if (behind)
		build_add(file, behind->items, behind->len);
}
