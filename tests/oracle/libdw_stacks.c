/*
 * A second opinion on our unwinder: unwinds the stack copies of a recording with elfutils' libdwfl. It shares no code
 * with pmuprof, down to the reading of the file, so that a mistake would have to be made twice to stay unseen.
 *
 *	libdw_stacks FILE
 *
 * FILE is a file-mode, little-endian, uncompressed perf.data of an x86-64 machine, best this one: the ELF files are
 * opened under their recorded paths and are not checked for being the same; the vdso is this process's own. Per sample
 * with user registers and a stack copy one line is written, ordered by time:
 *
 *	TID TIME STOP ip ip ip ...
 *
 * TIME in ns; STOP `end` where the root of the stack was reached, else `error`; ips in hexadecimal, leaf first, as they
 * are in the registers and on the stack (a return address points behind its call). A 32-bit process gets its leaf only.
 * Where there is no CFI libdw tries the frame pointer, without validating much: frames behind such a step may be wrong.
 * Exit status: 0, 1 with one line on stderr for a malformed or unsupported file, 2 for wrong usage.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

enum {
	FRAMES_MAX = 10000,
	UNWINDERS_MAX = 64,	/* Dwfls alive at a time: each keeps its modules open */
	PAGE_SIZE = 4096,
	DWARF_REGS = 17,	/* psABI 3.6.2: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, return address */
	DWARF_SP = 7,
	DWARF_IP = 16,
	PERF_IP = 8,		/* PERF_REG_X86_IP */
	PERF_REGS = 24,		/* up to PERF_REG_X86_R15 */
	HEADER_SIZE = 104,
	HEADER_SIZE_OLD = 72,	/* without the feature bitmap */
	ID_SECTION_SIZE = 16,	/* offset and size behind each attr */
};

/* perf's own record types that matter for walking the file; linux/perf_event.h ends below 64. */
enum {
	RECORD_TRACING_DATA = 66,
	RECORD_AUXTRACE = 71,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};

/* In kernel 6.8 and later only. */
#define BRANCH_COUNTERS (UINT64_C(1) << 19)

/*
 * A sample begins with IDENTIFIER, IP, TID, TIME, ADDR, ID; any other record ends with TID, TIME, ID, STREAM_ID, CPU,
 * IDENTIFIER, where it has such a trailer. An IDENTIFIER, being first and last, is read in place of an ID.
 */
enum {
	FIELDS_BEFORE_ID = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
	FIELDS_BEFORE_TIME = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	FIELDS_FROM_ID = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER,
	FIELDS_FROM_TIME = FIELDS_FROM_ID | PERF_SAMPLE_TIME,
};

/* Set by perf on the FORK records it makes up from /proc: the child's maps follow, the parent's must not be copied. */
#define MISC_FORK_EXEC (1 << 13)

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list args;

	fputs("libdw_stacks: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void *grow(void *array, size_t count, size_t size)
{
	void *grown = reallocarray(array, count ? count : 1, size);

	if (!grown)
		die("out of memory");
	return grown;
}

static bool is_power_of_two(size_t n)
{
	return (n & (n - 1)) == 0;
}

/* Room for one more element in an array whose capacity is the power of two at or above its count. */
#define GROW_BY_ONE(array, count) \
	do { \
		if (is_power_of_two(count)) \
			(array) = grow(array, (count) ? (count) * 2 : 1, sizeof(*(array))); \
	} while (0)

/* Bytes of the file that are still to be read. Reading past their end ends the program. */
struct view {
	const uint8_t *pos;
	const uint8_t *end;
	const char *what;
};

static const uint8_t *view_take(struct view *v, uint64_t count, size_t size)
{
	const uint8_t *taken = v->pos;

	if (count > (size_t)(v->end - v->pos) / size)
		die("%s is cut short or states a wrong size", v->what);
	v->pos += count * size;
	return taken;
}

static uint64_t view_u64(struct view *v)
{
	uint64_t value;

	memcpy(&value, view_take(v, 1, sizeof(value)), sizeof(value));
	return value;
}

static uint32_t view_u32(struct view *v)
{
	uint32_t value;

	memcpy(&value, view_take(v, 1, sizeof(value)), sizeof(value));
	return value;
}

static const char *view_string(struct view *v)
{
	const uint8_t *nul = memchr(v->pos, 0, (size_t)(v->end - v->pos));

	if (!nul)
		die("%s has a string without an end", v->what);
	return (const char *)view_take(v, (uint64_t)(nul + 1 - v->pos), 1);
}

/* The u64 that begins `back` words before the end, or `forth` words after the start. */
static uint64_t view_word_from_end(struct view v, unsigned int back)
{
	if (back > (size_t)(v.end - v.pos) / 8)
		die("%s is too short for its ids", v.what);
	v.pos = v.end - 8 * (size_t)back;
	return view_u64(&v);
}

static uint64_t view_word(struct view v, unsigned int forth)
{
	view_take(&v, forth, 8);
	return view_u64(&v);
}

static unsigned int bits_in(uint64_t mask)
{
	return (unsigned int)__builtin_popcountll(mask);
}

struct event_id {
	uint64_t id;
	size_t event;
};

struct entry {
	uint64_t time;
	uint64_t offset;
};

struct recording {
	const uint8_t *bytes;
	uint64_t size;
	struct perf_event_attr *events;
	size_t event_count;
	struct event_id *ids;	/* sorted */
	size_t id_count;
	struct entry *entries;	/* the records we use, in time order */
	size_t entry_count;
	uint64_t unknown_ids;	/* samples that belong to no event */
};

static struct view recording_section(const struct recording *rec, uint64_t offset, uint64_t size, const char *what)
{
	if (offset > rec->size || size > rec->size - offset)
		die("%s lies outside of the file", what);
	return (struct view){ .pos = rec->bytes + offset, .end = rec->bytes + offset + size, .what = what };
}

static void recording_map(struct recording *rec, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *bytes;

	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size < HEADER_SIZE_OLD)
		die("%s: no perf.data file", path);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		die("%s: %s", path, strerror(errno));
	close(fd);
	rec->bytes = bytes;
	rec->size = (uint64_t)st.st_size;
}

static void recording_add_event(struct recording *rec, struct view *entry, uint64_t attr_size)
{
	const uint8_t *bytes = view_take(entry, attr_size, 1);
	uint64_t ids_offset = view_u64(entry);
	uint64_t ids_size = view_u64(entry);
	struct view ids = recording_section(rec, ids_offset, ids_size, "an event's id array");
	struct perf_event_attr attr = { .type = 0 };

	memcpy(&attr, bytes, attr_size < sizeof(attr) ? attr_size : sizeof(attr));
	if ((attr.size ? attr.size : PERF_ATTR_SIZE_VER0) != attr_size)
		die("an attr of %" PRIu32 " bytes in an entry for %" PRIu64, attr.size, attr_size);
	while (ids.pos < ids.end) {
		GROW_BY_ONE(rec->ids, rec->id_count);
		rec->ids[rec->id_count++] = (struct event_id){ .id = view_u64(&ids), .event = rec->event_count };
	}
	GROW_BY_ONE(rec->events, rec->event_count);
	rec->events[rec->event_count++] = attr;
}

static int event_id_compare(const void *a, const void *b)
{
	const struct event_id *x = a;
	const struct event_id *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* What decides where an event's id is found, and so must be common to all events. */
static uint64_t event_id_layout(const struct perf_event_attr *attr)
{
	uint64_t fields = attr->sample_type;
	unsigned int before = bits_in(fields & FIELDS_BEFORE_ID);
	unsigned int from = bits_in(fields & FIELDS_FROM_ID);

	if (fields & PERF_SAMPLE_IDENTIFIER)
		return PERF_SAMPLE_IDENTIFIER;
	return (fields & PERF_SAMPLE_ID) | before << 16 | from << 24;
}

static void recording_read_events(struct recording *rec, struct view attrs, uint64_t entry_size)
{
	if (entry_size < PERF_ATTR_SIZE_VER0 + ID_SECTION_SIZE || attrs.pos == attrs.end)
		die("no usable events in the header");
	while (attrs.pos < attrs.end)
		recording_add_event(rec, &attrs, entry_size - ID_SECTION_SIZE);
	if (rec->id_count)
		qsort(rec->ids, rec->id_count, sizeof(*rec->ids), event_id_compare);
	for (size_t i = 1; i < rec->event_count; i++) {
		const struct perf_event_attr *first = &rec->events[0];
		const struct perf_event_attr *attr = &rec->events[i];

		if (!(first->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)) ||
		    event_id_layout(attr) != event_id_layout(first) || attr->sample_id_all != first->sample_id_all)
			die("several events that cannot be told apart");
	}
}

/* The event a record belongs to; NULL for a sample of none we know. Id 0 is that of records that perf made up. */
static const struct perf_event_attr *recording_event(const struct recording *rec, uint32_t type, struct view body)
{
	const struct perf_event_attr *first = &rec->events[0];
	uint64_t fields = first->sample_type;
	struct event_id key = { .id = 0 };
	const struct event_id *found;

	if (rec->event_count == 1 || (type != PERF_RECORD_SAMPLE && !first->sample_id_all))
		return first;
	if (fields & PERF_SAMPLE_IDENTIFIER)
		fields = PERF_SAMPLE_IDENTIFIER;
	if (type == PERF_RECORD_SAMPLE)
		key.id = view_word(body, bits_in(fields & FIELDS_BEFORE_ID));
	else
		key.id = view_word_from_end(body, bits_in(fields & FIELDS_FROM_ID));
	found = rec->id_count ? bsearch(&key, rec->ids, rec->id_count, sizeof(key), event_id_compare) : NULL;
	if (found)
		return &rec->events[found->event];
	return key.id == 0 || type != PERF_RECORD_SAMPLE ? first : NULL;
}

/* False when the record carries no time. */
static bool record_time(const struct perf_event_attr *attr, uint32_t type, struct view body, uint64_t *time)
{
	uint64_t fields = attr->sample_type;

	if (type == PERF_RECORD_SAMPLE && fields & PERF_SAMPLE_TIME)
		*time = view_word(body, bits_in(fields & FIELDS_BEFORE_TIME));
	else if (type != PERF_RECORD_SAMPLE && attr->sample_id_all && fields & PERF_SAMPLE_TIME)
		*time = view_word_from_end(body, bits_in(fields & FIELDS_FROM_TIME));
	else if (type == PERF_RECORD_FORK)
		*time = view_word(body, 2);
	else
		return false;
	return *time != UINT64_MAX;
}

static int entry_compare(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Reads a record's header and returns its body; *next is moved behind the record and the data that may trail it. */
static struct view record_open(struct view *next, struct perf_event_header *header)
{
	struct view start = *next;
	struct view body;

	memcpy(header, view_take(next, 1, sizeof(*header)), sizeof(*header));
	if (header->size < sizeof(*header))
		die("a record of %d bytes", header->size);
	*next = start;
	body.pos = view_take(next, header->size, 1) + sizeof(*header);
	body.end = next->pos;
	body.what = "a record";
	if (header->type == RECORD_AUXTRACE)
		view_take(next, view_word(body, 0), 1);
	else if (header->type == RECORD_TRACING_DATA) {
		struct view trailing = body;

		view_take(next, ((uint64_t)view_u32(&trailing) + 7) & ~UINT64_C(7), 1);
	}
	return body;
}

static void recording_index(struct recording *rec, struct view data)
{
	uint64_t latest = 0;

	while (data.pos < data.end) {
		uint64_t offset = (uint64_t)(data.pos - rec->bytes);
		struct perf_event_header header;
		struct view body = record_open(&data, &header);
		const struct perf_event_attr *attr;
		struct entry entry = { .offset = offset };

		switch (header.type) {
		case RECORD_COMPRESSED:
		case RECORD_COMPRESSED2:
			die("a compressed recording; not supported");
		case PERF_RECORD_SAMPLE:
		case PERF_RECORD_MMAP:
		case PERF_RECORD_MMAP2:
		case PERF_RECORD_COMM:
		case PERF_RECORD_FORK:
			break;
		default:
			continue;
		}
		attr = recording_event(rec, header.type, body);
		if (!attr) {
			rec->unknown_ids++;
			continue;
		}
		/* What has no time stays behind what precedes it in the file. */
		if (record_time(attr, header.type, body, &entry.time))
			latest = entry.time;
		else
			entry.time = latest;
		GROW_BY_ONE(rec->entries, rec->entry_count);
		rec->entries[rec->entry_count++] = entry;
	}
	if (rec->entry_count)
		qsort(rec->entries, rec->entry_count, sizeof(*rec->entries), entry_compare);
}

static void recording_open(struct recording *rec, const char *path)
{
	struct view header;
	uint64_t header_size, entry_size, attrs_offset, attrs_size, data_offset, data_size;
	const uint8_t *magic;

	recording_map(rec, path);
	header = recording_section(rec, 0, HEADER_SIZE_OLD, "the header");
	magic = view_take(&header, 8, 1);
	if (memcmp(magic, "PERFILE2", 8))
		die("%s: not a little-endian perf.data file", path);
	header_size = view_u64(&header);
	if (header_size != HEADER_SIZE && header_size != HEADER_SIZE_OLD)
		die("%s: a header of %" PRIu64 " bytes (pipe mode is not supported)", path, header_size);
	entry_size = view_u64(&header);
	attrs_offset = view_u64(&header);
	attrs_size = view_u64(&header);
	data_offset = view_u64(&header);
	data_size = view_u64(&header);
	if (!data_size)
		die("%s: no data: the recording was not finished", path);
	recording_read_events(rec, recording_section(rec, attrs_offset, attrs_size, "the attrs section"), entry_size);
	recording_index(rec, recording_section(rec, data_offset, data_size, "the data section"));
}

static void recording_close(struct recording *rec)
{
	free(rec->events);
	free(rec->ids);
	free(rec->entries);
	munmap((void *)rec->bytes, rec->size);
}

struct sample {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint64_t abi;		/* PERF_SAMPLE_REGS_ABI_* */
	uint64_t regs[DWARF_REGS];
	uint32_t known;		/* bit n: regs[n] was recorded */
	const uint8_t *stack;	/* what sp pointed to */
	uint64_t stack_size;
};

/* asm/perf_regs.h has its own order: ax, bx, cx, dx, si, di, bp, sp, ip, flags, cs, ss, ds, es, fs, gs, r8 to r15. */
static int dwarf_register(unsigned int perf_register)
{
	static const int8_t low[] = { 0, 3, 2, 1, 4, 5, 6, 7, DWARF_IP, -1, -1, -1, -1, -1, -1, -1 };

	if (perf_register < sizeof(low))
		return low[perf_register];
	return perf_register < PERF_REGS ? (int)perf_register - 8 : -1;
}

static void sample_read_regs(struct sample *sample, struct view *v, uint64_t mask)
{
	sample->abi = view_u64(v);
	if (sample->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	for (unsigned int reg = 0; reg < 64; reg++) {
		int number = dwarf_register(reg);
		uint64_t value;

		if (!(mask >> reg & 1))
			continue;
		value = view_u64(v);
		if (number < 0)
			continue;
		sample->regs[number] = value;
		sample->known |= 1u << number;
	}
}

static void sample_read_stack(struct sample *sample, struct view *v)
{
	uint64_t size = view_u64(v);

	if (!size)
		return;
	sample->stack = view_take(v, size, 1);
	sample->stack_size = view_u64(v);
	if (sample->stack_size > size)
		die("a stack copy of %" PRIu64 " bytes claims %" PRIu64, size, sample->stack_size);
}

static void sample_skip_read_values(struct view *v, uint64_t format)
{
	unsigned int words = 1 + bits_in(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	unsigned int times = bits_in(format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	uint64_t count = format & PERF_FORMAT_GROUP ? view_u64(v) : 1;

	view_take(v, times, 8);
	view_take(v, count, 8 * (size_t)words);
}

static void sample_skip_branches(struct view *v, uint64_t branch_type)
{
	uint64_t count = view_u64(v);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		view_u64(v);
	view_take(v, count, branch_type & BRANCH_COUNTERS ? 32 : 24);
}

/* The order on disk is that of perf_output_sample() in kernel/events/core.c; we need nothing behind the stack. */
static struct sample sample_read(struct view v, const struct perf_event_attr *attr)
{
	static const uint64_t before_read[] = {
		PERF_SAMPLE_ADDR, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD,
	};
	struct sample sample = { .pid = 0 };
	uint64_t type = attr->sample_type;

	v.what = "a sample";
	if (type & PERF_SAMPLE_IDENTIFIER)
		view_u64(&v);
	if (type & PERF_SAMPLE_IP)
		view_u64(&v);
	if (type & PERF_SAMPLE_TID) {
		sample.pid = view_u32(&v);
		sample.tid = view_u32(&v);
	}
	if (type & PERF_SAMPLE_TIME)
		sample.time = view_u64(&v);
	for (size_t i = 0; i < sizeof(before_read) / sizeof(before_read[0]); i++)
		if (type & before_read[i])
			view_u64(&v);
	if (type & PERF_SAMPLE_READ)
		sample_skip_read_values(&v, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		view_take(&v, view_u64(&v), 8);
	if (type & PERF_SAMPLE_RAW)
		view_take(&v, view_u32(&v), 1);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		sample_skip_branches(&v, attr->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		sample_read_regs(&sample, &v, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		sample_read_stack(&sample, &v);
	return sample;
}

/* An ELF file as the maps name it; it is opened when the first executable map of it is met. */
struct object {
	struct object *next;
	char *path;
	Elf *elf;		/* NULL when there is no such x86-64 file */
	const uint8_t *image;	/* the whole file */
	size_t size;
	GElf_Phdr *loads;	/* its PT_LOADs */
	size_t load_count;
	bool is_opened;
};

struct map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct object *object;	/* NULL where no file is mapped */
	bool is_exec;
};

/* One loading of an object: all its maps together. */
struct module {
	struct object *object;
	uint64_t bias;
	Dwfl_Module *dwfl;
};

/* An executable map, and which of the process's modules it is part of. */
struct code {
	uint64_t start;
	uint64_t end;
	size_t module;
};

/* One unwinding: the sample it is of, and what has been found. */
struct walk {
	const struct sample *sample;
	uint64_t ips[FRAMES_MAX];
	size_t count;
	bool is_deviant;	/* libdw took a module for code that is not mapped from it */
	uint64_t lookup_pc;	/* of the last frame, to find its rule */
	bool has_read;		/* memory was asked for since the last frame... */
	bool last_read_ok;	/* ...and this is what the last such read gave */
	uint64_t last_word;
};

struct process {
	struct process *next;
	uint32_t pid;
	struct map *maps;	/* never overlapping, oldest first */
	size_t map_count;
	bool is_stale;		/* the maps have changed since the modules were listed */
	struct module *modules;	/* oldest first */
	size_t module_count;
	struct code *code;
	size_t code_count;
	Dwfl *dwfl;
	uint64_t last_use;
	struct walk *walk;
};

struct world {
	struct process *processes[1024];
	struct object *objects;
	Elf *own_elf;		/* tells libdw the machine even where a process has no readable module */
	int vdso_fd;
	uint64_t clock;		/* counts unwindings */
	size_t unwinder_count;
	struct walk walk;
};

/* dwfl_report_elf takes files only, so the vdso becomes one. */
static int vdso_file(void)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	size_t size;

	if (!image || fd < 0)
		return -1;
	size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	if (write(fd, image, size) != (ssize_t)size)
		die("the vdso cannot be copied");
	return fd;
}

/* A descriptor of the object's file, or -1. A path may well name a FIFO or a device today. */
static int object_file(const struct world *world, const struct object *object)
{
	struct stat st;
	int fd;

	if (!strcmp(object->path, "[vdso]"))
		return world->vdso_fd < 0 ? -1 : fcntl(world->vdso_fd, F_DUPFD_CLOEXEC, 0);
	fd = open(object->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static void object_open(const struct world *world, struct object *object)
{
	int fd = object_file(world, object);
	GElf_Ehdr header;
	size_t count;

	object->is_opened = true;
	if (fd < 0)
		return;
	object->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (object->elf)
		object->image = (const uint8_t *)elf_rawfile(object->elf, &object->size);
	close(fd);
	if (!object->image || !gelf_getehdr(object->elf, &header) || header.e_machine != EM_X86_64 ||
	    elf_getphdrnum(object->elf, &count)) {
		elf_end(object->elf);
		object->elf = NULL;
		return;
	}
	object->loads = grow(NULL, count, sizeof(*object->loads));
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(object->elf, (int)i, &object->loads[object->load_count]) &&
		    object->loads[object->load_count].p_type == PT_LOAD)
			object->load_count++;
}

/*
 * Run-time address minus ELF address, from a map of the object's code. Neighbouring segments share the page their
 * border lies in and need not have the same distance of address and offset, so the executable one is asked first.
 */
static bool object_bias(const struct object *object, const struct map *map, uint64_t *bias)
{
	for (int executable = 1; executable >= 0; executable--) {
		for (size_t i = 0; i < object->load_count; i++) {
			const GElf_Phdr *load = &object->loads[i];
			uint64_t first_page = load->p_offset & ~(uint64_t)(PAGE_SIZE - 1);

			if (executable && !(load->p_flags & PF_X))
				continue;
			if (map->offset < first_page || map->offset >= load->p_offset + load->p_filesz)
				continue;
			*bias = map->start - map->offset + load->p_offset - load->p_vaddr;
			return true;
		}
	}
	return false;
}

/* The word at an ELF address of a segment that the process cannot have written to. */
static bool object_read(const struct object *object, uint64_t address, uint64_t *word)
{
	for (size_t i = 0; i < object->load_count; i++) {
		const GElf_Phdr *load = &object->loads[i];
		uint64_t within = address - load->p_vaddr;

		if (load->p_flags & PF_W || address < load->p_vaddr)
			continue;
		if (load->p_filesz < 8 || within > load->p_filesz - 8)
			continue;
		if (load->p_offset > object->size || within > object->size - load->p_offset ||
		    object->size - load->p_offset - within < 8)
			return false;
		memcpy(word, object->image + load->p_offset + within, sizeof(*word));
		return true;
	}
	return false;
}

/* The object of a map's path, or NULL if such a path names no file. */
static struct object *world_object(struct world *world, const char *path)
{
	struct object *object;

	if (strcmp(path, "[vdso]") && (path[0] != '/' || path[1] == '/'))
		return NULL;
	for (object = world->objects; object; object = object->next)
		if (!strcmp(object->path, path))
			return object;
	object = calloc(1, sizeof(*object));
	if (!object || !(object->path = strdup(path)))
		die("out of memory");
	object->next = world->objects;
	world->objects = object;
	return object;
}

static struct process *world_process(struct world *world, uint32_t pid)
{
	struct process **bucket = &world->processes[pid % 1024];
	struct process *process;

	for (process = *bucket; process; process = process->next)
		if (process->pid == pid)
			return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		die("out of memory");
	process->pid = pid;
	process->is_stale = true;
	process->walk = &world->walk;
	process->next = *bucket;
	*bucket = process;
	return process;
}

static void process_clear_maps(struct process *process)
{
	process->map_count = 0;
	process->is_stale = true;
}

/* The new map takes its range from older ones: what is left of them at either side stays. */
static void process_add_map(struct process *process, const struct map *added)
{
	struct map *maps = grow(NULL, process->map_count + 2, sizeof(*maps));
	size_t count = 0;

	for (size_t i = 0; i < process->map_count; i++) {
		struct map left = process->maps[i];
		struct map right = left;

		if (left.end <= added->start || left.start >= added->end) {
			maps[count++] = left;
			continue;
		}
		if (left.start < added->start) {
			left.end = added->start;
			maps[count++] = left;
		}
		if (right.end > added->end) {
			right.offset += added->end - right.start;
			right.start = added->end;
			maps[count++] = right;
		}
	}
	maps[count++] = *added;
	free(process->maps);
	process->maps = maps;
	process->map_count = count;
	process->is_stale = true;
}

static void process_copy_maps(struct process *process, const struct process *parent)
{
	process->maps = grow(process->maps, parent->map_count, sizeof(*process->maps));
	if (parent->map_count)
		memcpy(process->maps, parent->maps, parent->map_count * sizeof(*process->maps));
	process->map_count = parent->map_count;
	process->is_stale = true;
}

static int code_compare(const void *a, const void *b)
{
	const struct code *x = a;
	const struct code *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The module that the maps say is at the address. */
static Dwfl_Module *process_module(const struct process *process, uint64_t address)
{
	size_t low = 0;
	size_t high = process->code_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->code[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == process->code_count || process->code[low].start > address)
		return NULL;
	return process->modules[process->code[low].module].dwfl;
}

static int no_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
			 const char *link, GElf_Word crc, char **found)
{
	(void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

/* All modules are reported with their file, so nothing is left to be searched. */
static const Dwfl_Callbacks module_callbacks = {
	.find_debuginfo = no_debug_file,
	.section_address = dwfl_offline_section_address,
};

/* libdw need not enumerate threads: get_thread answers for any. */
static pid_t walk_next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	(void)dwfl, (void)arg, (void)thread;
	return 0;
}

static bool walk_get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	(void)dwfl, (void)tid;
	*thread = arg;
	return true;
}

static bool walk_set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct process *process = arg;
	const struct sample *sample = process->walk->sample;

	for (int number = 0; number < DWARF_REGS; number++) {
		Dwarf_Word value = sample->regs[number];

		if (sample->known >> number & 1 && !dwfl_thread_state_registers(thread, number, 1, &value))
			return false;
	}
	return true;
}

static bool process_read(const struct process *process, uint64_t address, uint64_t *word)
{
	const struct sample *sample = process->walk->sample;
	uint64_t sp = sample->regs[DWARF_SP];

	if (sample->known >> DWARF_SP & 1 && address >= sp && sample->stack_size >= 8 &&
	    address - sp <= sample->stack_size - 8) {
		memcpy(word, sample->stack + (address - sp), sizeof(*word));
		return true;
	}
	for (size_t i = process->module_count; i-- > 0; )
		if (object_read(process->modules[i].object, address - process->modules[i].bias, word))
			return true;
	return false;
}

static bool walk_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *arg)
{
	const struct process *process = arg;
	struct walk *walk = process->walk;

	(void)dwfl;
	walk->last_word = 0;
	walk->has_read = true;
	walk->last_read_ok = process_read(process, address, &walk->last_word);
	*word = walk->last_word;
	return walk->last_read_ok;
}

static const Dwfl_Thread_Callbacks walk_callbacks = {
	.next_thread = walk_next_thread,
	.get_thread = walk_get_thread,
	.memory_read = walk_read,
	.set_initial_registers = walk_set_registers,
};

static int walk_frame(Dwfl_Frame *frame, void *arg)
{
	const struct process *process = arg;
	struct walk *walk = process->walk;
	bool is_activation;
	Dwarf_Addr pc;

	/* Asking for is_activation may already unwind this frame, hence the order. */
	walk->has_read = false;
	if (!dwfl_frame_pc(frame, &pc, &is_activation))
		return DWARF_CB_ABORT;
	/* A zero that CFI leads to is an end; one that the frame pointer leads to comes here as if it were a frame. */
	if (walk->count == FRAMES_MAX || (walk->count && !pc))
		return DWARF_CB_ABORT;
	walk->ips[walk->count++] = pc;
	walk->lookup_pc = is_activation ? pc : pc - 1;
	/* libdw thinks that a module owns all from its first to its last segment; later maps may have taken a part. */
	walk->is_deviant = dwfl_addrmodule(process->dwfl, walk->lookup_pc) != process_module(process, walk->lookup_pc);
	return walk->is_deviant ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static bool cfi_ra_is_undefined(Dwarf_CFI *cfi, uint64_t address, bool *is_undefined)
{
	Dwarf_Op buffer[3];
	Dwarf_Op *ops;
	size_t count;
	Dwarf_Frame *frame;

	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame))
		return false;
	/* The library's way to say "undefined": no operations, but a pointer to the caller's buffer. */
	*is_undefined = !dwarf_frame_register(frame, DWARF_IP, buffer, &ops, &count) && !count && ops == buffer;
	free(frame);
	return true;
}

/*
 * dwfl_getthread_frames returns 0 for any return address it could not get, also for one beyond the stack copy or
 * relative to a register that was lost. The root is where CFI declares it undefined, or where the word found there is
 * 0: the return address has the highest number of all registers, so it is what was read last.
 */
static bool process_is_at_root(const struct process *process)
{
	const struct walk *walk = process->walk;
	Dwfl_Module *module = dwfl_addrmodule(process->dwfl, walk->lookup_pc);
	bool is_undefined = false;
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi;

	if (!module)
		return false;
	cfi = dwfl_module_eh_cfi(module, &bias);
	if (!cfi_ra_is_undefined(cfi, walk->lookup_pc - bias, &is_undefined)) {
		cfi = dwfl_module_dwarf_cfi(module, &bias);
		cfi_ra_is_undefined(cfi, walk->lookup_pc - bias, &is_undefined);
	}
	return is_undefined || (walk->has_read && walk->last_read_ok && !walk->last_word);
}

static void process_drop_unwinder(struct world *world, struct process *process)
{
	if (!process->dwfl)
		return;
	dwfl_end(process->dwfl);
	process->dwfl = NULL;
	world->unwinder_count--;
}

static bool modules_are_same(const struct module *modules, size_t count, const struct process *process)
{
	if (count != process->module_count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct module *before = &process->modules[i];

		if (modules[i].object != before->object || modules[i].bias != before->bias)
			return false;
	}
	return true;
}

/* Lists the modules and the code that the maps make; false when the modules are what they were. */
static bool process_list_modules(const struct world *world, struct process *process)
{
	struct module *modules = grow(NULL, process->map_count, sizeof(*modules));
	size_t count = 0;

	process->code = grow(process->code, process->map_count, sizeof(*process->code));
	process->code_count = 0;
	for (size_t i = 0; i < process->map_count; i++) {
		const struct map *map = &process->maps[i];
		uint64_t bias = map->start;
		size_t known = 0;

		if (!map->is_exec || !map->object)
			continue;
		if (!map->object->is_opened)
			object_open(world, map->object);
		/* The offset that is stated for a vdso is not one of a file. */
		if (!map->object->elf || (strcmp(map->object->path, "[vdso]") && !object_bias(map->object, map, &bias)))
			continue;
		while (known < count && (modules[known].object != map->object || modules[known].bias != bias))
			known++;
		if (known == count)
			modules[count++] = (struct module){ .object = map->object, .bias = bias };
		process->code[process->code_count++] = (struct code){ map->start, map->end, known };
	}
	if (process->code_count)
		qsort(process->code, process->code_count, sizeof(*process->code), code_compare);
	if (modules_are_same(modules, count, process)) {
		free(modules);
		return false;
	}
	free(process->modules);
	process->modules = modules;
	process->module_count = count;
	return true;
}

static void world_drop_oldest_unwinder(struct world *world)
{
	struct process *oldest = NULL;

	for (size_t i = 0; i < sizeof(world->processes) / sizeof(world->processes[0]); i++)
		for (struct process *process = world->processes[i]; process; process = process->next)
			if (process->dwfl && (!oldest || process->last_use < oldest->last_use))
				oldest = process;
	if (oldest)
		process_drop_unwinder(world, oldest);
}

/* Where modules overlap libdw lets the one reported last win, so they are reported oldest first. */
static void process_build_unwinder(struct world *world, struct process *process)
{
	if (world->unwinder_count == UNWINDERS_MAX)
		world_drop_oldest_unwinder(world);
	process->dwfl = dwfl_begin(&module_callbacks);
	if (!process->dwfl)
		die("dwfl_begin: %s", dwfl_errmsg(-1));
	world->unwinder_count++;
	for (size_t i = 0; i < process->module_count; i++) {
		struct module *module = &process->modules[i];
		const char *path = module->object->path;
		int fd = object_file(world, module->object);

		/* With add_p_vaddr the base is the bias, whatever address the first segment has. */
		module->dwfl = fd < 0 ? NULL : dwfl_report_elf(process->dwfl, path, path, fd, module->bias, true);
		if (!module->dwfl && fd >= 0)
			close(fd);
	}
	if (dwfl_report_end(process->dwfl, NULL, NULL) ||
	    !dwfl_attach_state(process->dwfl, world->own_elf, (pid_t)process->pid, &walk_callbacks, process))
		die("attaching to libdw: %s", dwfl_errmsg(-1));
}

/* Walks the sample's stack into world->walk; true when the root was reached. */
static bool world_unwind(struct world *world, const struct sample *sample)
{
	struct process *process = world_process(world, sample->pid);
	struct walk *walk = &world->walk;

	walk->sample = sample;
	walk->count = 0;
	walk->is_deviant = false;
	if (!(sample->known >> DWARF_IP & 1))
		return false;
	if (sample->abi != PERF_SAMPLE_REGS_ABI_64) {
		walk->ips[walk->count++] = sample->regs[DWARF_IP];
		return false;
	}
	if (process->is_stale && process_list_modules(world, process))
		process_drop_unwinder(world, process);
	process->is_stale = false;
	if (!process->dwfl)
		process_build_unwinder(world, process);
	process->last_use = ++world->clock;
	if (dwfl_getthread_frames(process->dwfl, (pid_t)sample->tid, walk_frame, process))
		return false;
	return process_is_at_root(process);
}

static void world_apply_sample(struct world *world, struct view body, const struct perf_event_attr *attr)
{
	const uint64_t needed = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct sample sample;
	bool is_at_root;

	if ((attr->sample_type & needed) != needed)
		return;
	sample = sample_read(body, attr);
	/* A kernel thread: it has no user stack. */
	if (sample.abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	is_at_root = world_unwind(world, &sample);
	printf("%" PRIu32 " %" PRIu64 " %s", sample.tid, sample.time, is_at_root ? "end" : "error");
	for (size_t i = 0; i < world->walk.count; i++)
		printf(" %" PRIx64, world->walk.ips[i]);
	putchar('\n');
}

static void world_apply_map(struct world *world, const struct perf_event_header *header, struct view body)
{
	unsigned int mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	uint32_t pid = view_u32(&body);
	struct map map;
	uint64_t length;

	view_u32(&body);
	map.start = view_u64(&body);
	length = view_u64(&body);
	map.offset = view_u64(&body);
	if (header->type == PERF_RECORD_MMAP2)
		view_take(&body, 32, 1);	/* file or build id, protection, flags */
	map.object = world_object(world, view_string(&body));
	map.end = map.start + length;
	map.is_exec = !(header->misc & PERF_RECORD_MISC_MMAP_DATA);
	if (mode != PERF_RECORD_MISC_USER || map.end <= map.start)
		return;
	process_add_map(world_process(world, pid), &map);
}

static void world_apply_fork(struct world *world, const struct perf_event_header *header, struct view body)
{
	uint32_t pid = view_u32(&body);
	uint32_t parent = view_u32(&body);
	struct process *process;

	/* A new thread shares the maps. */
	if (pid == parent)
		return;
	process = world_process(world, pid);
	if (header->misc & MISC_FORK_EXEC)
		process_clear_maps(process);
	else
		process_copy_maps(process, world_process(world, parent));
}

static void world_apply(struct world *world, const struct recording *rec, const struct entry *entry)
{
	struct view next = recording_section(rec, entry->offset, rec->size - entry->offset, "a record");
	struct perf_event_header header;
	struct view body = record_open(&next, &header);

	switch (header.type) {
	case PERF_RECORD_SAMPLE:
		world_apply_sample(world, body, recording_event(rec, header.type, body));
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		world_apply_map(world, &header, body);
		break;
	case PERF_RECORD_FORK:
		world_apply_fork(world, &header, body);
		break;
	case PERF_RECORD_COMM:
		if (header.misc & PERF_RECORD_MISC_COMM_EXEC)
			process_clear_maps(world_process(world, view_u32(&body)));
		break;
	}
}

static void world_init(struct world *world)
{
	struct rlimit files;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	elf_version(EV_CURRENT);
	world->own_elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!world->own_elf)
		die("/proc/self/exe cannot be read");
	close(fd);
	world->vdso_fd = vdso_file();
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static void process_free(struct world *world, struct process *process)
{
	process_drop_unwinder(world, process);
	free(process->maps);
	free(process->modules);
	free(process->code);
	free(process);
}

static void object_free(struct object *object)
{
	elf_end(object->elf);
	free(object->loads);
	free(object->path);
	free(object);
}

static void world_fini(struct world *world)
{
	for (size_t i = 0; i < sizeof(world->processes) / sizeof(world->processes[0]); i++) {
		while (world->processes[i]) {
			struct process *process = world->processes[i];

			world->processes[i] = process->next;
			process_free(world, process);
		}
	}
	while (world->objects) {
		struct object *object = world->objects;

		world->objects = object->next;
		object_free(object);
	}
	elf_end(world->own_elf);
	if (world->vdso_fd >= 0)
		close(world->vdso_fd);
}

int main(int argc, char **argv)
{
	static struct world world;
	struct recording rec = { .size = 0 };

	if (argc != 2) {
		fputs("usage: libdw_stacks FILE\n", stderr);
		return 2;
	}
	recording_open(&rec, argv[1]);
	world_init(&world);
	for (size_t i = 0; i < rec.entry_count; i++)
		world_apply(&world, &rec, &rec.entries[i]);
	if (rec.unknown_ids)
		fprintf(stderr, "libdw_stacks: left out: %" PRIu64 " samples of unknown events\n", rec.unknown_ids);
	world_fini(&world);
	recording_close(&rec);
	if (fflush(stdout) || ferror(stdout))
		die("standard output: %s", strerror(errno));
	return 0;
}
