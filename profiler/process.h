/*
 * Processes, their threads and what is mapped where, as they are at one moment of a recording: side-band records move
 * the table forward in time, samples look things up in it.
 */
#ifndef PROFILER_PROCESS_H
#define PROFILER_PROCESS_H

#include "base/strtab.h"
#include "object/dso.h"
#include "perfdata/record.h"
#include "unwind/unwind.h"

/* pid of the kernel's own mappings in a recording. */
#define PROCESS_KERNEL UINT32_MAX

struct map {
	uint64_t start, end;	/* ips */
	uint64_t file_offset;	/* of `start` */
	uint32_t dso;
};

struct process {
	uint32_t pid;
	/*
	 * Changes whenever an ip may mean something else than before: at exec, fork, and where a mapping replaces
	 * another. No two processes share one.
	 */
	uint32_t space;
	bool new_image;			/* it has exec'd, and no sample has shown it to run the new program yet */
	bool missed;			/* an ip was looked up in vain in this space */
	uint32_t live_threads;		/* that have been announced and have not exited */
	bool main_exited;		/* the thread whose tid is the pid has */
	VEC(struct map) maps;		/* sorted, disjoint */
};

struct thread {
	uint32_t pid, tid;
	uint32_t comm;		/* string id */
	uint64_t stack_top;	/* the highest stack pointer that a whole stack of its was followed to; 0: none was */
	uint64_t lowest_cut;	/* the lowest stack pointer of a stack that its copy was too short for; 0: none */
};

struct processes {
	struct dsos *dsos;		/* borrowed */
	struct strtab *strings;		/* borrowed: comms */
	VEC(struct process *) items;
	struct index by_pid;
	VEC(struct thread) threads;
	struct index by_tid;
	struct process kernel;
	uint32_t spaces;		/* given out so far */
	uint64_t copy_needed;		/* see processes_copy_needed; of what ran before the last exec */
};

void processes_init(struct processes *processes, struct dsos *dsos, struct strtab *strings);
void processes_fini(struct processes *processes);

/* Applies COMM, MMAP, MMAP2, FORK and EXIT; others have no effect. */
void processes_apply(struct processes *processes, const struct record *record);

/* Made when first asked for, as are threads (named ":TID"). The process stays where it is. */
struct process *processes_at(struct processes *processes, uint32_t pid);

/* Valid until the next call. */
struct thread *processes_thread(struct processes *processes, uint32_t pid, uint32_t tid);

/*
 * The bytes of stack copy that would have held all stacks that were cut, as far as that is known: from the deepest of them up
 * to the highest frame that the same thread was ever seen to have. 0 where nothing was cut or nothing is known.
 */
uint64_t processes_copy_needed(struct processes *processes);

/* NULL where nothing is mapped; then the next mapping makes a new space, for it may change that. */
const struct map *process_map(struct process *process, uint64_t ip);

/* The dso address of an ip in a map; where the file cannot be read, its file offset. */
uint64_t processes_address(struct processes *processes, const struct map *map, uint64_t ip);

#endif
