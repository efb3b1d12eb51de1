#include "perfdata/record.h"

static bool record_is_tool_made(uint32_t type)
{
	return type >= 64;
}

/* The fields of the sample_id trailer in its order (perf_event_open(2), "sample_id"). */
static const uint64_t record_trailer[] = {
	PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,	 PERF_SAMPLE_IDENTIFIER,
};

/* The first fields of a sample in their order, of eight bytes each. */
static const uint64_t record_head[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID,       PERF_SAMPLE_TIME,
	PERF_SAMPLE_ADDR,       PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Byte offset of a field of the sample's head behind the record header. */
static size_t record_head_offset(uint64_t sample_type, uint64_t field)
{
	size_t offset = 0;

	for (size_t i = 0; record_head[i] != field; i++)
		offset += sample_type & record_head[i] ? 8 : 0;
	return offset;
}

/* Byte offset of a field of the trailer from the record's end. */
static size_t record_trailer_offset(uint64_t sample_type, uint64_t field)
{
	size_t offset = 0;

	for (size_t i = COUNT(record_trailer); i--;) {
		offset += sample_type & record_trailer[i] ? 8 : 0;
		if (record_trailer[i] == field)
			break;
	}
	return offset;
}

static uint64_t record_word(const uint8_t *bytes, size_t size, size_t offset)
{
	uint64_t word = 0;

	/* A trailer longer than its record has an offset that wrapped below 0. */
	if (offset >= sizeof(struct perf_event_header) && size >= sizeof(word) && offset <= size - sizeof(word))
		memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/* A word that samples hold in their head and other records in their trailer. */
static uint64_t record_field(const uint8_t *bytes, size_t size, const struct event *event, uint64_t field)
{
	uint64_t sample_type = event->attr.sample_type;
	struct perf_event_header header;

	memcpy(&header, bytes, sizeof(header));
	if (!(sample_type & field) || record_is_tool_made(header.type))
		return 0;
	if (header.type == PERF_RECORD_SAMPLE)
		return record_word(bytes, size, sizeof(header) + record_head_offset(sample_type, field));
	if (!event->attr.sample_id_all || size < header.size)
		return 0;
	return record_word(bytes, size, header.size - record_trailer_offset(sample_type, field));
}

/* All ones is perf's mark for "no time". */
static uint64_t record_real_time(uint64_t time)
{
	return time == UINT64_MAX ? 0 : time;
}

uint64_t record_time(const uint8_t *bytes, size_t size, const struct event *event)
{
	return record_real_time(record_field(bytes, size, event, PERF_SAMPLE_TIME));
}

uint64_t record_id(const uint8_t *bytes, size_t size, const struct event *event)
{
	bool fixed = event->attr.sample_type & PERF_SAMPLE_IDENTIFIER;

	return record_field(bytes, size, event, fixed ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID);
}

static struct words record_words(struct bytes *from, uint64_t count)
{
	struct bytes part;

	if (count > bytes_left(from) / 8)
		from->bad = true;
	part = bytes_split(from, from->bad ? 0 : count * 8, "words");
	return (struct words){ .at = part.pos, .count = from->bad ? 0 : (uint32_t)count };
}

static void record_skip(struct bytes *from, uint64_t size)
{
	bytes_split(from, size, "skipped");
}

/* `count` items of `each` words, where count comes from the file. */
static void record_skip_items(struct bytes *from, uint64_t count, uint64_t each)
{
	if (count > bytes_left(from))
		from->bad = true;
	else
		record_words(from, count * each);
}

/* PERF_SAMPLE_READ: one counter or a group (perf_event_open(2), "read_format"). */
static void sample_skip_read(struct bytes *from, uint64_t format)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint64_t count = format & PERF_FORMAT_GROUP ? bytes_u64(from) : 1;

	record_skip_items(from, times, 1);
	record_skip_items(from, count, each);
}

/*
 * Each branch is {from, to, flags}; PERF_SAMPLE_BRANCH_COUNTERS (Linux 6.8, bit 19) adds a word for each behind them.
 */
static void sample_skip_branches(struct bytes *from, uint64_t branch_type)
{
	uint64_t count = bytes_u64(from);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		bytes_u64(from);
	record_skip_items(from, count, branch_type & 1u << 19 ? 4 : 3);
}

static void sample_read_regs(struct sample *sample, struct bytes *from, uint64_t mask)
{
	sample->regs_abi = bytes_u64(from);
	if (sample->regs_abi)
		sample->regs = record_words(from, (uint64_t)__builtin_popcountll(mask));
}

static void sample_read_stack(struct sample *sample, struct bytes *from)
{
	uint64_t size = bytes_u64(from);
	struct bytes copy;
	uint64_t real;

	if (!size)
		return;
	copy = bytes_split(from, size, "stack copy");
	real = bytes_u64(from);
	if (real > size)
		from->bad = true;
	if (from->bad)
		return;
	sample->stack = copy.pos;
	sample->stack_size = (uint32_t)real;
	sample->stack_asked = (uint32_t)size;
}

/* Fields stand in this order whatever the order of their bits (perf_event_open(2), PERF_RECORD_SAMPLE). */
static void sample_read(struct record *record, struct bytes *from, const struct perf_event_attr *attr)
{
	struct sample *sample = &record->sample;
	uint64_t type = attr->sample_type;

	*sample = (struct sample){ .period = attr->freq || !attr->sample_period ? 1 : attr->sample_period };
	if (type & PERF_SAMPLE_IDENTIFIER)
		bytes_u64(from);
	if (type & PERF_SAMPLE_IP)
		sample->ip = bytes_u64(from);
	if (type & PERF_SAMPLE_TID) {
		record->pid = bytes_u32(from);
		record->tid = bytes_u32(from);
	}
	if (type & PERF_SAMPLE_TIME)
		record->time = record_real_time(bytes_u64(from));
	if (type & PERF_SAMPLE_ADDR)
		sample->addr = bytes_u64(from);
	if (type & PERF_SAMPLE_ID)
		bytes_u64(from);
	if (type & PERF_SAMPLE_STREAM_ID)
		bytes_u64(from);
	if (type & PERF_SAMPLE_CPU) {
		record->cpu = bytes_u32(from);
		bytes_u32(from);
	}
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = bytes_u64(from);
	if (type & PERF_SAMPLE_READ)
		sample_skip_read(from, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		sample->chain = record_words(from, bytes_u64(from));
	if (type & PERF_SAMPLE_RAW)
		record_skip(from, bytes_u32(from));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		sample_skip_branches(from, attr->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		sample_read_regs(sample, from, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		sample_read_stack(sample, from);
}

static void mapping_read(struct record *record, struct bytes *from)
{
	struct mapping *mapping = &record->mapping;

	*mapping = (struct mapping){ .executable = !(record->misc & PERF_RECORD_MISC_MMAP_DATA) };
	record->pid = bytes_u32(from);
	record->tid = bytes_u32(from);
	mapping->start = bytes_u64(from);
	mapping->size = bytes_u64(from);
	mapping->file_offset = bytes_u64(from);
	if (record->type == PERF_RECORD_MMAP2) {
		struct bytes identity = bytes_split(from, 24, "identity");

		if (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			uint8_t size = bytes_u8(&identity);

			record_skip(&identity, 3);
			mapping->build_id = build_id_of(identity.pos, size <= BUILD_ID_MAX ? size : 0);
		} else {
			mapping->major = bytes_u32(&identity);
			mapping->minor = bytes_u32(&identity);
			mapping->inode = bytes_u64(&identity);
		}
		mapping->executable = bytes_u32(from) & 4 /* PROT_EXEC */;
		bytes_u32(from);
	}
	mapping->path = bytes_string(from);
}

static void task_read(struct record *record, struct bytes *from)
{
	record->pid = bytes_u32(from);
	record->task.parent_pid = bytes_u32(from);
	record->tid = bytes_u32(from);
	record->task.parent_tid = bytes_u32(from);
}

static void record_read(struct record *record, struct bytes *from, const struct perf_event_attr *attr)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		sample_read(record, from, attr);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		mapping_read(record, from);
		break;
	case PERF_RECORD_COMM:
		record->pid = bytes_u32(from);
		record->tid = bytes_u32(from);
		record->comm = bytes_string(from);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		task_read(record, from);
		break;
	case PERF_RECORD_LOST:
		bytes_u64(from);
		record->lost = bytes_u64(from);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		record->lost = bytes_u64(from);
		break;
	default:
		break;
	}
}

/* tid and cpu of records that hold them in their trailer only. */
static void record_read_trailer(struct record *record, const uint8_t *bytes, size_t size, const struct event *event)
{
	uint64_t cpu = record_field(bytes, size, event, PERF_SAMPLE_CPU);

	record->cpu = (uint32_t)cpu;
	record->time = record_time(bytes, size, event);
}

bool record_decode(struct record *record, const uint8_t *bytes, const struct event *event)
{
	struct perf_event_header header;
	struct bytes from;

	memcpy(&header, bytes, sizeof(header));
	*record = (struct record){ .type = header.type, .misc = header.misc };
	if (record_is_tool_made(header.type))
		return true;
	from = bytes_of(bytes, header.size, "record");
	bytes_u64(&from);
	record_read(record, &from, &event->attr);
	if (record->type != PERF_RECORD_SAMPLE)
		record_read_trailer(record, bytes, header.size, event);
	return !from.bad;
}
