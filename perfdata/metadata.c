#include "perfdata/metadata.h"

void metadata_fini(struct metadata *metadata)
{
	free(metadata->hostname);
	free(metadata->release);
	free(metadata->version);
	free(metadata->arch);
	free(metadata->command);
	for (size_t i = 0; i < metadata->build_ids.len; i++)
		free(metadata->build_ids.items[i].path);
	vec_fini(&metadata->build_ids);
	*metadata = (struct metadata){ 0 };
}

/* A length, then that many bytes with a NUL among them. NULL where it is malformed. */
static const char *metadata_string(struct bytes *from)
{
	struct bytes text = bytes_split(from, bytes_u32(from), "string");

	return bytes_string(&text);
}

static void metadata_take_string(char **to, struct bytes *from)
{
	const char *text = metadata_string(from);

	if (text && !*to)
		*to = memory_strdup(text);
}

static void metadata_read_command(struct metadata *metadata, struct bytes *from)
{
	uint32_t count = bytes_u32(from);
	VEC(char) line = { 0 };

	for (uint32_t i = 0; i < count && !from->bad; i++) {
		const char *word = metadata_string(from);
		size_t len;

		if (!word)
			break;
		len = strlen(word);
		vec_reserve(&line, len + 2);
		memcpy(line.items + line.len, word, len);
		line.len += len;
		line.items[line.len++] = ' ';
	}
	if (line.len) {
		line.items[line.len - 1] = '\0';
		free(metadata->command);
		metadata->command = memory_strdup(line.items);
	}
	vec_fini(&line);
}

static bool event_has_id(const struct event *event, uint64_t id)
{
	for (size_t i = 0; i < event->ids.len; i++)
		if (event->ids.items[i] == id)
			return true;
	return false;
}

/* The event a description belongs to: the one with its first id, else the one at its place. */
static struct event *metadata_described(struct event *events, size_t count, size_t place, struct bytes ids)
{
	uint64_t id = bytes_u64(&ids);

	for (size_t i = 0; i < count && !ids.bad; i++)
		if (event_has_id(&events[i], id))
			return &events[i];
	return place < count ? &events[place] : NULL;
}

static void metadata_read_event_desc(struct bytes *from, struct event *events, size_t count)
{
	uint32_t described = bytes_u32(from);
	uint32_t attr_size = bytes_u32(from);

	for (uint32_t i = 0; i < described && !from->bad; i++) {
		uint32_t ids;
		const char *name;
		struct event *event;

		bytes_split(from, attr_size, "attr");
		ids = bytes_u32(from);
		name = metadata_string(from);
		event = metadata_described(events, count, i, bytes_split(from, 8 * (uint64_t)ids, "ids"));
		if (!event || !name || !*name || from->bad)
			continue;
		free(event->name);
		event->name = memory_strdup(name);
	}
}

static void metadata_read_build_ids(struct metadata *metadata, struct bytes *from)
{
	while (bytes_left(from) && !from->bad) {
		uint16_t misc, size;
		struct bytes entry;
		uint8_t id_size;
		const char *path;
		const uint8_t *id;

		bytes_u32(from);
		misc = bytes_u16(from);
		size = bytes_u16(from);
		entry = bytes_split(from, size - 8u, "build-id");
		bytes_u32(&entry);
		id = bytes_split(&entry, BUILD_ID_MAX, "id").start;
		id_size = bytes_u8(&entry);
		bytes_split(&entry, 3, "padding");
		path = bytes_string(&entry);
		if (!path)
			continue;
		if (!(misc & FORMAT_MISC_BUILD_ID_SIZE) || id_size > BUILD_ID_MAX)
			id_size = BUILD_ID_MAX;
		vec_push(&metadata->build_ids, (struct dso_build_id){
			.id = build_id_of(id, id_size),
			.kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL,
			.path = memory_strdup(path),
		});
	}
}

static void metadata_read_clock(struct metadata *metadata, struct bytes *from)
{
	bytes_u32(from);
	metadata->clock_id = bytes_u32(from);
	metadata->clock_wall_ns = bytes_u64(from);
	metadata->clock_ns = bytes_u64(from);
	metadata->has_clock = !from->bad;
}

static const enum feature metadata_features[] = {
	FEATURE_BUILD_ID, FEATURE_HOSTNAME,   FEATURE_OSRELEASE,   FEATURE_VERSION,    FEATURE_ARCH,    FEATURE_NRCPUS,
	FEATURE_CMDLINE,  FEATURE_EVENT_DESC, FEATURE_SAMPLE_TIME, FEATURE_CLOCK_DATA, FEATURE_PMUPROF,
};

bool metadata_wants(enum feature feature)
{
	for (size_t i = 0; i < sizeof(metadata_features) / sizeof(*metadata_features); i++)
		if (metadata_features[i] == feature)
			return true;
	return false;
}

void metadata_read(struct metadata *metadata, enum feature feature, struct bytes body, struct event *events, size_t count)
{
	switch (feature) {
	case FEATURE_BUILD_ID:
		metadata_read_build_ids(metadata, &body);
		break;
	case FEATURE_HOSTNAME:
		metadata_take_string(&metadata->hostname, &body);
		break;
	case FEATURE_OSRELEASE:
		metadata_take_string(&metadata->release, &body);
		break;
	case FEATURE_VERSION:
		metadata_take_string(&metadata->version, &body);
		break;
	case FEATURE_ARCH:
		metadata_take_string(&metadata->arch, &body);
		break;
	case FEATURE_NRCPUS:
		metadata->cpus_present = bytes_u32(&body);
		metadata->cpus_online = bytes_u32(&body);
		break;
	case FEATURE_CMDLINE:
		metadata_read_command(metadata, &body);
		break;
	case FEATURE_EVENT_DESC:
		metadata_read_event_desc(&body, events, count);
		break;
	case FEATURE_SAMPLE_TIME:
		metadata->first_time = bytes_u64(&body);
		metadata->last_time = bytes_u64(&body);
		break;
	case FEATURE_CLOCK_DATA:
		metadata_read_clock(metadata, &body);
		break;
	case FEATURE_PMUPROF:
		bytes_u64(&body);	/* version: later ones only append */
		metadata->consumed_ns = bytes_u64(&body);
		break;
	default:
		break;
	}
}

static void body_add(metadata_body *body, const void *data, size_t size)
{
	vec_reserve(body, size);
	memcpy(body->items + body->len, data, size);
	body->len += size;
}

static void body_u32(metadata_body *body, uint32_t value)
{
	body_add(body, &value, sizeof(value));
}

static void body_u64(metadata_body *body, uint64_t value)
{
	body_add(body, &value, sizeof(value));
}

/* NUL-padded to 64, as perf does. */
static size_t body_padded(size_t len)
{
	return (len + 1 + 63) & ~(size_t)63;
}

static void body_text(metadata_body *body, const char *text)
{
	size_t padded = body_padded(strlen(text));

	vec_reserve(body, padded);
	memset(body->items + body->len, 0, padded);
	memcpy(body->items + body->len, text, strlen(text));
	body->len += padded;
}

static void body_string(metadata_body *body, const char *text)
{
	if (!text)
		return;
	body_u32(body, (uint32_t)body_padded(strlen(text)));
	body_text(body, text);
}

static void metadata_write_event_desc(const struct event *events, size_t count, metadata_body *body)
{
	body_u32(body, (uint32_t)count);
	body_u32(body, count ? events[0].attr.size : 0);
	for (size_t i = 0; i < count; i++) {
		body_add(body, &events[i].attr, events[0].attr.size);
		body_u32(body, (uint32_t)events[i].ids.len);
		body_string(body, events[i].name);
		body_add(body, events[i].ids.items, events[i].ids.len * sizeof(uint64_t));
	}
}

static void metadata_write_build_ids(const struct metadata *metadata, metadata_body *body)
{
	for (size_t i = 0; i < metadata->build_ids.len; i++) {
		const struct dso_build_id *dso = &metadata->build_ids.items[i];
		uint16_t mode = dso->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
		struct perf_event_header header = {
			.misc = mode | FORMAT_MISC_BUILD_ID_SIZE,
			.size = (uint16_t)(sizeof(header) + 4 + 24 + body_padded(strlen(dso->path))),
		};
		uint8_t id[24] = { 0 };

		memcpy(id, dso->id.data, dso->id.size);
		id[BUILD_ID_MAX] = dso->id.size;
		body_add(body, &header, sizeof(header));
		body_u32(body, UINT32_MAX);	/* pid -1: the host */
		body_add(body, id, sizeof(id));
		body_text(body, dso->path);
	}
}

void metadata_write(const struct metadata *metadata, enum feature feature, const struct event *events, size_t count,
		    metadata_body *body)
{
	switch (feature) {
	case FEATURE_BUILD_ID:
		metadata_write_build_ids(metadata, body);
		break;
	case FEATURE_HOSTNAME:
		body_string(body, metadata->hostname);
		break;
	case FEATURE_OSRELEASE:
		body_string(body, metadata->release);
		break;
	case FEATURE_VERSION:
		body_string(body, metadata->version);
		break;
	case FEATURE_ARCH:
		body_string(body, metadata->arch);
		break;
	case FEATURE_NRCPUS:
		body_u32(body, metadata->cpus_present);
		body_u32(body, metadata->cpus_online);
		break;
	case FEATURE_CMDLINE:
		if (metadata->command) {
			body_u32(body, 1);
			body_string(body, metadata->command);
		}
		break;
	case FEATURE_EVENT_DESC:
		metadata_write_event_desc(events, count, body);
		break;
	case FEATURE_SAMPLE_TIME:
		body_u64(body, metadata->first_time);
		body_u64(body, metadata->last_time);
		break;
	case FEATURE_CLOCKID:
		if (metadata->has_clock)
			body_u64(body, 1);	/* its resolution, ns */
		break;
	case FEATURE_CLOCK_DATA:
		if (metadata->has_clock) {
			body_u32(body, 1);
			body_u32(body, metadata->clock_id);
			body_u64(body, metadata->clock_wall_ns);
			body_u64(body, metadata->clock_ns);
		}
		break;
	case FEATURE_PMUPROF:
		body_u64(body, 1);
		body_u64(body, metadata->consumed_ns);
		break;
	default:
		break;
	}
}
