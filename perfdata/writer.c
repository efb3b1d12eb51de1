#include "perfdata/writer.h"

#include <errno.h>
#include <unistd.h>

enum {
	/* Large writes cost a third of small ones per byte; beyond 1 MiB nothing is gained. */
	WRITER_BUFFER = 1 << 20,
};

uint32_t writer_attr_size(const struct perf_event_attr *attr)
{
	static const uint32_t published[] = {
		PERF_ATTR_SIZE_VER5, PERF_ATTR_SIZE_VER6, PERF_ATTR_SIZE_VER7,
	};
	const uint8_t *bytes = (const uint8_t *)attr;
	size_t used = sizeof(*attr);

	while (used && !bytes[used - 1])
		used--;
	for (size_t i = 0; i < sizeof(published) / sizeof(*published); i++)
		if (used <= published[i])
			return published[i];
	return sizeof(*attr);
}

/* Writes at an offset; *done tells how much of it got there. */
static int writer_pwrite(struct writer *writer, const void *data, size_t size, uint64_t offset, size_t *done,
			 struct error *err)
{
	for (*done = 0; *done < size;) {
		ssize_t wrote = pwrite(writer->fd, (const char *)data + *done, size - *done, (off_t)(offset + *done));

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return error_sys(err, "%s", writer->path);
		*done += (size_t)wrote;
	}
	return 0;
}

static int writer_put(struct writer *writer, const void *data, size_t size, uint64_t offset, struct error *err)
{
	size_t done;

	return writer_pwrite(writer, data, size, offset, &done, err);
}

int writer_init(struct writer *writer, int fd, const char *path, const struct event *events, size_t count,
		struct error *err)
{
	uint32_t attr_size = events[0].attr.size;
	uint64_t at = FORMAT_HEADER_SIZE;
	metadata_body attrs = { 0 };
	int status = 0;

	*writer = (struct writer){ .fd = fd, .path = path, .events = events, .event_count = count };
	memcpy(writer->header.magic, FORMAT_MAGIC, sizeof(writer->header.magic));
	writer->header.size = FORMAT_HEADER_SIZE;
	writer->header.attr_size = attr_size + sizeof(struct format_span);
	for (size_t i = 0; i < count && !status; i++) {
		struct format_span ids = { .offset = at, .size = events[i].ids.len * sizeof(uint64_t) };

		status = writer_put(writer, events[i].ids.items, ids.size, at, err);
		at += ids.size;
		vec_reserve(&attrs, attr_size + sizeof(ids));
		memcpy(attrs.items + attrs.len, &events[i].attr, attr_size);
		memcpy(attrs.items + attrs.len + attr_size, &ids, sizeof(ids));
		attrs.len += attr_size + sizeof(ids);
	}
	writer->header.attrs = (struct format_span){ .offset = at, .size = attrs.len };
	writer->header.data.offset = at + attrs.len;
	if (!status)
		status = writer_put(writer, attrs.items, attrs.len, at, err);
	vec_fini(&attrs);
	return status ? -1 : writer_checkpoint(writer, err);
}

void writer_fini(struct writer *writer)
{
	vec_fini(&writer->buffer);
}

/* How many of the first `size` bytes of the buffer are whole records, and how many of those are samples. */
static size_t writer_whole(const struct writer *writer, size_t size, uint64_t *samples)
{
	struct perf_event_header header;
	size_t whole = 0;

	*samples = 0;
	while (whole + sizeof(header) <= size) {
		memcpy(&header, writer->buffer.items + whole, sizeof(header));
		if (whole + header.size > size)
			break;
		*samples += header.type == PERF_RECORD_SAMPLE;
		whole += header.size;
	}
	return whole;
}

static int writer_flush(struct writer *writer, struct error *err)
{
	struct format_span *data = &writer->header.data;
	uint64_t samples = writer->buffered_samples;
	size_t done;
	int status =
		writer_pwrite(writer, writer->buffer.items, writer->buffer.len, data->offset + data->size, &done, err);

	if (status)
		done = writer_whole(writer, done, &samples);
	data->size += done;
	writer->samples += samples;
	writer->buffered_samples -= samples;
	vec_close(&writer->buffer, 0, done);
	return status;
}

int writer_record(struct writer *writer, const void *record, size_t size, struct error *err)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	if (writer->buffer.len + size > WRITER_BUFFER && writer_flush(writer, err))
		return -1;
	vec_reserve(&writer->buffer, size);
	memcpy(writer->buffer.items + writer->buffer.len, record, size);
	writer->buffer.len += size;
	writer->buffered_samples += header.type == PERF_RECORD_SAMPLE;
	return 0;
}

int writer_checkpoint(struct writer *writer, struct error *err)
{
	int status = writer_flush(writer, err);

	/* Also where the disk is full: the header's own block is there already. */
	return writer_put(writer, &writer->header, sizeof(writer->header), 0, status ? NULL : err) || status ? -1 : 0;
}

int writer_finish(struct writer *writer, const struct metadata *metadata, struct error *err)
{
	struct format_header *header = &writer->header;
	metadata_body table = { 0 }, bodies = { 0 };
	struct format_span spans[FORMAT_FEATURES];
	size_t count = 0;
	uint64_t at;
	int status = writer_flush(writer, err);

	for (unsigned int feature = 0; feature < FORMAT_FEATURES; feature++) {
		size_t before = bodies.len;

		metadata_write(metadata, feature, writer->events, writer->event_count, &bodies);
		if (bodies.len == before)
			continue;
		header->features[feature / 64] |= 1ul << (feature % 64);
		spans[count++] = (struct format_span){ .offset = before, .size = bodies.len - before };
	}
	at = header->data.offset + header->data.size;
	for (size_t i = 0; i < count; i++) {
		spans[i].offset += at + count * sizeof(*spans);
		vec_reserve(&table, sizeof(*spans));
		memcpy(table.items + table.len, &spans[i], sizeof(*spans));
		table.len += sizeof(*spans);
	}
	if (writer_put(writer, table.items, table.len, at, status ? NULL : err) ||
	    writer_put(writer, bodies.items, bodies.len, at + table.len, status ? NULL : err)) {
		/* Names may be lost so, samples not: a header without features is complete. */
		memset(header->features, 0, sizeof(header->features));
		status = -1;
	}
	/* A longer failed write may have left bytes that are no records. */
	if (ftruncate(writer->fd, (off_t)(at + (header->features[0] ? table.len + bodies.len : 0))) && !status)
		status = error_sys(err, "%s", writer->path);
	if (writer_put(writer, header, sizeof(*header), 0, status ? NULL : err))
		status = -1;
	vec_fini(&table);
	vec_fini(&bodies);
	return status;
}
