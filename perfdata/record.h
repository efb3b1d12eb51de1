/*
 * One record of the kernel's, decoded: from bytes laid out by an event's sample_type to named fields. What a field
 * points to is borrowed from the bytes it was decoded from.
 */
#ifndef PERFDATA_RECORD_H
#define PERFDATA_RECORD_H

#include "object/build_id.h"
#include "perfdata/event.h"

/* Unaligned u64s, as samples hold them. */
struct words {
	const uint8_t *at;
	uint32_t count;
};

static inline uint64_t words_at(struct words words, uint32_t i)
{
	uint64_t word;

	memcpy(&word, words.at + 8 * (size_t)i, sizeof(word));
	return word;
}

struct sample {
	uint64_t ip;
	uint64_t addr;
	uint64_t period;	/* the event's weight: ns for clocks; 1 where the file tells none */
	struct words chain;	/* with the PERF_CONTEXT_ markers */
	uint64_t regs_abi;	/* PERF_SAMPLE_REGS_ABI_NONE: there are no user registers */
	struct words regs;	/* in the bit order of attr.sample_regs_user */
	const uint8_t *stack;	/* the copy of the user stack, from sp upwards */
	uint32_t stack_size;	/* bytes that are real */
	uint32_t stack_asked;	/* bytes that were reserved for it: more where the stack ended before */
};

struct mapping {
	uint64_t start;
	uint64_t size;
	uint64_t file_offset;
	uint32_t major, minor;
	uint64_t inode;
	struct build_id build_id;
	bool executable;
	const char *path;
};

struct task_change {
	uint32_t parent_pid, parent_tid;
};

struct record {
	uint32_t type;		/* PERF_RECORD_… */
	uint16_t misc;
	uint32_t event;		/* index into the recording's events */
	uint32_t pid, tid, cpu;
	uint64_t time;		/* ns of the recording's clock; 0 where there is none */
	union {
		struct sample sample;		/* SAMPLE */
		struct mapping mapping;		/* MMAP, MMAP2; pid -1 for the kernel's */
		const char *comm;		/* COMM; exec where misc has COMM_EXEC */
		struct task_change task;	/* FORK, EXIT: pid, tid are the child's */
		uint64_t lost;			/* LOST, LOST_SAMPLES: how many */
	};
};

/* cpumode of a record. */
static inline bool record_is_kernel(const struct record *record)
{
	return (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/*
 * Decodes a whole record (with its header) of `event`, whose index the caller stores. Types that carry nothing we use
 * are decoded up to their time. False where the record is malformed.
 */
bool record_decode(struct record *record, const uint8_t *bytes, const struct event *event);

/*
 * The time of a record without decoding it, 0 where it has none; `size` bytes of it are at hand and may be fewer than
 * all for a sample, whose time stands in its first RECORD_HEAD bytes.
 */
uint64_t record_time(const uint8_t *bytes, size_t size, const struct event *event);

/* The event id of a record, 0 where it has none; as record_time. */
uint64_t record_id(const uint8_t *bytes, size_t size, const struct event *event);

enum { RECORD_HEAD = 64 };

#endif
