#include "perfdata/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	READER_EVENTS_MAX = 4096,
	READER_IDS_MAX = 1 << 20,
	READER_FEATURE_MAX = 16 << 20,	/* bytes of a feature that we are ready to look at */
};

static int reader_fail(const struct reader *reader, struct error *err, const char *why)
{
	return error_set(err, ERROR_CORRUPT, "%s: %s", reader->path, why);
}

/* Bytes of the file into memory the caller frees; NULL where the file does not have them. */
static uint8_t *reader_bytes(const struct reader *reader, struct format_span span)
{
	uint8_t *bytes;

	if (span.offset > reader->size || span.size > reader->size - span.offset)
		return NULL;
	bytes = memory_resize(NULL, span.size, 1);
	if (pread(reader->fd, bytes, span.size, (off_t)span.offset) == (ssize_t)span.size)
		return bytes;
	free(bytes);
	return NULL;
}

static int reader_open_file(struct reader *reader, struct error *err)
{
	struct stat st;

	reader->fd = open(reader->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (reader->fd < 0 && errno == ENOENT)
		return error_set(err, ERROR_SYSTEM, "%s: no such file (record one with: pmuprof record PROGRAM)",
				 reader->path);
	if (reader->fd < 0 && errno == EACCES)
		return error_set(err, ERROR_NOT_PERMITTED,
				 "%s: permission denied (a recording is readable by its owner only: read it as that user)",
				 reader->path);
	if (reader->fd < 0)
		return error_sys(err, "%s", reader->path);
	if (fstat(reader->fd, &st))
		return error_sys(err, "%s", reader->path);
	if (S_ISDIR(st.st_mode))
		return error_set(err, ERROR_UNSUPPORTED, "%s: a directory; directory recordings cannot be read yet",
				 reader->path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_UNSUPPORTED, "%s: not a regular file", reader->path);
	reader->size = (uint64_t)st.st_size;
	return 0;
}

static int reader_check_magic(struct reader *reader, struct error *err)
{
	struct format_header *header = &reader->header;

	if (!reader->size)
		return reader_fail(reader, err, "empty file");
	if (pread(reader->fd, header, sizeof(*header), 0) < (ssize_t)FORMAT_HEADER_PIPE)
		return reader_fail(reader, err, "not a perf.data file: too short");
	if (!memcmp(header->magic, "PERFFILE", 8))
		return error_set(err, ERROR_UNSUPPORTED, "%s: version 1 of the format (before 2012) cannot be read",
				 reader->path);
	if (!memcmp(header->magic, FORMAT_MAGIC_SWAPPED, 8))
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s: recorded on a big-endian machine, which cannot be read yet", reader->path);
	if (memcmp(header->magic, FORMAT_MAGIC, 8) != 0)
		return error_set(err, ERROR_UNSUPPORTED, "%s: not a perf.data file", reader->path);
	if (header->size == FORMAT_HEADER_PIPE)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s: a pipe-mode stream (perf record -o -), which cannot be read yet", reader->path);
	return 0;
}

static int reader_check_header(struct reader *reader, struct error *err)
{
	struct format_header *header = &reader->header;

	if (header->size == FORMAT_HEADER_OLD)
		memset(header->features, 0, sizeof(header->features));
	else if (header->size != FORMAT_HEADER_SIZE)
		return reader_fail(reader, err, "header of an unknown size");
	if (reader->size < header->size)
		return reader_fail(reader, err, "cut short within its header");
	if (header->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct format_span) || header->attr_size > 4096)
		return reader_fail(reader, err, "event attributes of an impossible size");
	if (header->attrs.size / header->attr_size > READER_EVENTS_MAX)
		return reader_fail(reader, err, "more events than can be");
	if (header->data.offset > reader->size)
		return reader_fail(reader, err, "its data lies behind the end of the file");
	return 0;
}

static int reader_load_ids(struct reader *reader, struct event *event, struct format_span span)
{
	autofree uint8_t *bytes = NULL;
	struct bytes from;

	if (span.size / 8 > READER_IDS_MAX || !(bytes = reader_bytes(reader, span)))
		return -1;
	from = bytes_of(bytes, span.size, "ids");
	while (bytes_left(&from) >= 8) {
		struct reader_id id = { .id = bytes_u64(&from), .event = (uint32_t)reader->events.len - 1 };

		vec_push(&event->ids, id.id);
		index_add(&reader->ids, hash_mix(0, id.id), (uint32_t)reader->id_events.len);
		vec_push(&reader->id_events, id);
	}
	return 0;
}

static int reader_load_events(struct reader *reader, struct error *err)
{
	const struct format_header *header = &reader->header;
	size_t count = header->attrs.size / header->attr_size;
	autofree uint8_t *attrs = reader_bytes(reader, header->attrs);

	if (!attrs || !count)
		return reader_fail(reader, err, attrs ? "no events" : "its events lie behind the end of the file");
	for (size_t i = 0; i < count; i++) {
		struct bytes entry = bytes_of(attrs + i * header->attr_size, header->attr_size, "event");
		struct bytes attr = bytes_split(&entry, header->attr_size - sizeof(struct format_span), "attr");
		struct format_span ids;
		struct event *event = vec_add(&reader->events);

		if (!event_read_attr(&attr, &event->attr))
			return reader_fail(reader, err, "malformed event attributes");
		ids.offset = bytes_u64(&entry);
		ids.size = bytes_u64(&entry);
		if (reader_load_ids(reader, event, ids))
			notes_add(reader->notes, "%s: the ids of event %zu cannot be read", reader->path, i);
		event->name = event_default_name(&event->attr);
	}
	return 0;
}

static bool header_has_feature(const struct format_header *header, unsigned int feature)
{
	return header->features[feature / 64] >> (feature % 64) & 1;
}

/* Reads the features we know; a table that lies is a loss of names, not of samples. */
static void reader_load_features(struct reader *reader)
{
	uint64_t at = reader->header.data.offset + reader->header.data.size;

	/* Nobody has said where the data ends, so nobody knows where this begins; or it was cut off. */
	if (!reader->header.data.size || reader->cut)
		return;
	for (unsigned int feature = 0; feature < FORMAT_FEATURES; feature++) {
		struct format_span span;
		autofree uint8_t *body = NULL;

		if (!header_has_feature(&reader->header, feature))
			continue;
		if (pread(reader->fd, &span, sizeof(span), (off_t)at) != sizeof(span)) {
			notes_add(reader->notes, "%s: cut short: what it says about itself is missing", reader->path);
			return;
		}
		at += sizeof(span);
		if (!metadata_wants(feature))
			continue;
		body = span.size <= READER_FEATURE_MAX ? reader_bytes(reader, span) : NULL;
		if (body)
			metadata_read(&reader->metadata, feature, bytes_of(body, span.size, "feature"),
				      reader->events.items, reader->events.len);
		else
			notes_add(reader->notes, "%s: header feature %u cannot be read", reader->path, feature);
	}
}

/*
 * How much data there really is. A recorder that was killed leaves a header without features whose size is that of its
 * last update, or 0; then all whole records up to the end of the file count.
 */
static struct format_span reader_data(struct reader *reader)
{
	struct format_span data = reader->header.data;
	uint64_t there = reader->size - data.offset;
	bool features = false;

	for (size_t i = 0; i < 4; i++)
		features |= reader->header.features[i] != 0;
	if (data.size > there) {
		notes_add(reader->notes, "%s: cut short: %" PRIu64 " of %" PRIu64 " bytes of data are there",
			  reader->path, there, data.size);
		data.size = there;
		reader->cut = true;
	} else if (reader->header.size == FORMAT_HEADER_SIZE && (!data.size || !features) && there > data.size) {
		notes_add(reader->notes, "%s: the recording was not finished; read to the end of the file", reader->path);
		data.size = there;
	}
	return data;
}

static uint64_t reader_time(const void *context, const uint8_t *record, size_t size);

static int reader_load(struct reader *reader, struct error *err)
{
	struct format_span data;

	if (reader_open_file(reader, err) || reader_check_magic(reader, err) || reader_check_header(reader, err) ||
	    reader_load_events(reader, err))
		return -1;
	if (header_has_feature(&reader->header, FEATURE_COMPRESSED))
		return error_set(err, ERROR_UNSUPPORTED, "%s: compressed (perf record -z), which cannot be read yet",
				 reader->path);
	if (header_has_feature(&reader->header, FEATURE_DIR_FORMAT))
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s: part of a directory recording, which cannot be read yet", reader->path);
	data = reader_data(reader);
	reader_load_features(reader);
	runs_init(&reader->runs, reader->fd, data, reader_time, reader);
	/* That the last record of a file that was cut short is not whole goes without saying. */
	if (reader->runs.damage && !(reader->cut && data.offset + data.size - reader->runs.damage <= FORMAT_RECORD_MAX))
		notes_add(reader->notes, "%s: damaged at offset %" PRIu64 "; what follows was not read", reader->path,
			  reader->runs.damage);
	return 0;
}

int reader_open(struct reader *reader, const char *path, struct notes *notes, struct error *err)
{
	*reader = (struct reader){ .path = memory_strdup(path), .fd = -1, .notes = notes };
	if (reader_load(reader, err)) {
		reader_close(reader);
		return -1;
	}
	return 0;
}

void reader_close(struct reader *reader)
{
	runs_fini(&reader->runs);
	metadata_fini(&reader->metadata);
	for (size_t i = 0; i < reader->events.len; i++)
		event_fini(&reader->events.items[i]);
	vec_fini(&reader->events);
	vec_fini(&reader->id_events);
	index_fini(&reader->ids);
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->path);
}

static uint32_t reader_find_id(const struct reader *reader, uint64_t id)
{
	uint64_t hash = hash_mix(0, id);
	uint32_t at, i;

	for (i = index_first(&reader->ids, hash, &at); i != INDEX_NONE; i = index_next(&reader->ids, hash, &at))
		if (reader->id_events.items[i].id == id)
			return reader->id_events.items[i].event;
	return INDEX_NONE;
}

/*
 * The event a record belongs to. Several events have ids at the same place (a fixed one with PERF_SAMPLE_IDENTIFIER),
 * so the first one's layout finds them. Id 0 is on records that tools made: the first event's.
 */
static uint32_t reader_event(const struct reader *reader, const uint8_t *record, size_t size)
{
	uint64_t id;

	if (reader->events.len == 1)
		return 0;
	id = record_id(record, size, &reader->events.items[0]);
	return id ? reader_find_id(reader, id) : 0;
}

static uint64_t reader_time(const void *context, const uint8_t *record, size_t size)
{
	const struct reader *reader = context;
	uint32_t event = reader_event(reader, record, size);

	return record_time(record, size, &reader->events.items[event == INDEX_NONE ? 0 : event]);
}

static void reader_note_counts(struct reader *reader)
{
	if (reader->malformed)
		notes_add(reader->notes, "%s: %" PRIu64 " malformed records were passed over", reader->path,
			  reader->malformed);
	if (reader->unknown_ids)
		notes_add(reader->notes,
			  "%s: %" PRIu64 " samples of events that its header does not name were passed over",
			  reader->path, reader->unknown_ids);
	if (reader->unknown_types)
		notes_add(reader->notes, "%s: %" PRIu64 " records of unknown kinds were passed over", reader->path,
			  reader->unknown_types);
}

/* Whether a record type is one that is known, if only to be ignored. */
static bool reader_knows(uint32_t type)
{
	return (type >= PERF_RECORD_MMAP && type <= PERF_RECORD_AUX_OUTPUT_HW_ID) || (type >= 64 && type <= 86);
}

bool reader_next(struct reader *reader, struct record *record)
{
	const uint8_t *bytes;

	while ((bytes = runs_next(&reader->runs))) {
		struct perf_event_header header;
		uint32_t event;

		memcpy(&header, bytes, sizeof(header));
		event = reader_event(reader, bytes, header.size);
		if (event == INDEX_NONE) {
			reader->unknown_ids += header.type == PERF_RECORD_SAMPLE;
			continue;
		}
		if (!reader_knows(header.type)) {
			reader->unknown_types++;
			continue;
		}
		if (!record_decode(record, bytes, &reader->events.items[event])) {
			reader->malformed++;
			continue;
		}
		record->event = event;
		return true;
	}
	reader_note_counts(reader);
	return false;
}
