#include "profiler/process.h"

#include <stdio.h>

static void process_new_space(struct processes *processes, struct process *process)
{
	process->space = processes->spaces++;
	process->missed = false;
}

void processes_init(struct processes *processes, struct dsos *dsos, struct strtab *strings)
{
	*processes = (struct processes){ .dsos = dsos, .strings = strings, .spaces = 1 };
	processes->kernel.pid = PROCESS_KERNEL;
	process_new_space(processes, &processes->kernel);
}

void processes_fini(struct processes *processes)
{
	for (size_t i = 0; i < processes->items.len; i++) {
		vec_fini(&processes->items.items[i]->maps);
		free(processes->items.items[i]);
	}
	vec_fini(&processes->items);
	vec_fini(&processes->threads);
	vec_fini(&processes->kernel.maps);
	index_fini(&processes->by_pid);
	index_fini(&processes->by_tid);
}

struct process *processes_at(struct processes *processes, uint32_t pid)
{
	uint64_t hash = hash_mix(0, pid);
	struct process *process;
	uint32_t at, id;

	for (id = index_first(&processes->by_pid, hash, &at); id != INDEX_NONE;
	     id = index_next(&processes->by_pid, hash, &at))
		if (processes->items.items[id]->pid == pid)
			return processes->items.items[id];
	process = memory_new(1, sizeof(*process));
	process->pid = pid;
	process_new_space(processes, process);
	index_add(&processes->by_pid, hash, (uint32_t)processes->items.len);
	vec_push(&processes->items, process);
	return process;
}

/* *created: this tid has not been seen before, or belonged to another process. */
static struct thread *processes_find_thread(struct processes *processes, uint32_t pid, uint32_t tid, bool *created)
{
	uint64_t hash = hash_mix(1, tid);
	struct thread *thread;
	uint32_t at, id;
	char name[16];

	*created = false;
	for (id = index_first(&processes->by_tid, hash, &at); id != INDEX_NONE;
	     id = index_next(&processes->by_tid, hash, &at)) {
		thread = &processes->threads.items[id];
		/* Per-thread records of the kernel's may carry pid -1 or 0 once a task has gone. */
		if (thread->tid == tid && (thread->pid == pid || pid == UINT32_MAX))
			return thread;
	}
	*created = true;
	index_add(&processes->by_tid, hash, (uint32_t)processes->threads.len);
	snprintf(name, sizeof(name), ":%d", (int)tid);
	vec_push(&processes->threads,
		 (struct thread){ .pid = pid, .tid = tid, .comm = strtab_id(processes->strings, name) });
	return &processes->threads.items[processes->threads.len - 1];
}

struct thread *processes_thread(struct processes *processes, uint32_t pid, uint32_t tid)
{
	bool created;

	return processes_find_thread(processes, pid, tid, &created);
}

/* The first map that ends behind `ip`. */
static size_t process_find(const struct process *process, uint64_t ip)
{
	return vec_first_above(&process->maps, end, ip);
}

const struct map *process_map(struct process *process, uint64_t ip)
{
	size_t at = process_find(process, ip);

	if (at < process->maps.len && process->maps.items[at].start <= ip)
		return &process->maps.items[at];
	process->missed = true;
	return NULL;
}

/* Takes [start, end) away from whatever is mapped there; true where something was. */
static bool process_clear(struct process *process, uint64_t start, uint64_t end)
{
	size_t at = process_find(process, start);
	bool any = false;

	while (at < process->maps.len && process->maps.items[at].start < end) {
		struct map *map = &process->maps.items[at];
		struct map rest = *map;

		any = true;
		if (map->start < start && map->end > end) {
			map->end = start;
			rest.file_offset += end - rest.start;
			rest.start = end;
			vec_open(&process->maps, at + 1, 1);
			process->maps.items[at + 1] = rest;
			break;
		}
		if (map->start < start) {
			map->end = start;
			at++;
		} else if (map->end > end) {
			map->file_offset += end - map->start;
			map->start = end;
			break;
		} else {
			vec_close(&process->maps, at, 1);
		}
	}
	return any;
}

static void process_add_map(struct process *process, struct map map)
{
	size_t at = process_find(process, map.start);

	vec_open(&process->maps, at, 1);
	process->maps.items[at] = map;
}

/*
 * The kernel's own map is called "[kernel.kallsyms]_text": the suffix names a symbol, and the file offset is that
 * symbol's address, by which a later boot's symbols can be moved to where they were.
 */
static uint32_t processes_mapped_dso(struct processes *processes, struct dso_key *key, const struct mapping *mapping)
{
	static const char kernel[] = "[kernel.kallsyms]";
	bool is_kernel = !strncmp(key->path, kernel, sizeof(kernel) - 1);
	const char *suffix = key->path + sizeof(kernel) - 1;
	uint32_t id;

	if (is_kernel)
		key->path = kernel;
	id = dsos_id(processes->dsos, key);
	if (is_kernel && *suffix && !dsos_at(processes->dsos, id)->reference) {
		dsos_at(processes->dsos, id)->reference = memory_strdup(suffix);
		dsos_at(processes->dsos, id)->reference_address = mapping->file_offset;
	}
	return id;
}

static void processes_map(struct processes *processes, const struct record *record)
{
	const struct mapping *mapping = &record->mapping;
	bool kernel = record->pid == PROCESS_KERNEL || record_is_kernel(record);
	struct process *process = kernel ? &processes->kernel : processes_at(processes, record->pid);
	struct dso_key key = {
		.path = mapping->path,
		.build_id = mapping->build_id,
		.major = mapping->major,
		.minor = mapping->minor,
		.inode = mapping->inode,
	};
	struct map map = {
		.start = mapping->start,
		.end = mapping->start + mapping->size,
		.file_offset = mapping->file_offset,
	};

	if (map.end <= map.start)
		return;
	if (process_clear(process, map.start, map.end) || process->missed)
		process_new_space(processes, process);
	/* Data that is mapped over code ends the code; it is nothing to look up. */
	if (!mapping->executable)
		return;
	map.dso = processes_mapped_dso(processes, &key, mapping);
	if (kernel && dsos_at(processes->dsos, map.dso)->kind != DSO_KERNEL)
		dsos_at(processes->dsos, map.dso)->kind = DSO_MODULE;
	process_add_map(process, map);
}

static void process_copy_maps(struct process *to, const struct process *from)
{
	vec_reserve(&to->maps, from->maps.len);
	if (from->maps.len)
		memcpy(to->maps.items, from->maps.items, from->maps.len * sizeof(*to->maps.items));
	to->maps.len = from->maps.len;
}

static void processes_fork(struct processes *processes, const struct record *record)
{
	const struct thread *parent;
	struct thread *child;
	uint32_t comm;
	bool created;

	parent = processes_thread(processes, record->task.parent_pid, record->task.parent_tid);
	comm = parent->comm;
	child = processes_find_thread(processes, record->pid, record->tid, &created);
	child->comm = comm;
	if (record->pid != record->task.parent_pid) {
		struct process *from = processes_at(processes, record->task.parent_pid);
		struct process *to = processes_at(processes, record->pid);

		vec_fini(&to->maps);
		/* A tool that announces a running process says FORK too, and then its maps: it inherits none. */
		if (!(record->misc & PERF_RECORD_MISC_FORK_EXEC))
			process_copy_maps(to, from);
		to->live_threads = 1;
		to->main_exited = false;
		process_new_space(processes, to);
	} else {
		processes_at(processes, record->pid)->live_threads++;
	}
}

/*
 * A process whose announced threads have all gone needs its maps no more. Some may not have been announced, where records were
 * lost: as long as the first thread lives, so does the process.
 */
static void processes_exit(struct processes *processes, const struct record *record)
{
	struct process *process = processes_at(processes, record->pid);

	process->main_exited |= record->tid == record->pid;
	if (process->live_threads)
		process->live_threads--;
	if (!process->live_threads && process->main_exited) {
		vec_fini(&process->maps);
		process_new_space(processes, process);
	}
}

/* Counts what the thread's cut stacks would have needed; its next stack is a new one. */
static void thread_settle(struct processes *processes, struct thread *thread)
{
	uint64_t needed = thread->stack_top - thread->lowest_cut;

	if (thread->lowest_cut && thread->stack_top > thread->lowest_cut && needed > processes->copy_needed)
		processes->copy_needed = needed;
	thread->stack_top = thread->lowest_cut = 0;
}

uint64_t processes_copy_needed(struct processes *processes)
{
	for (size_t i = 0; i < processes->threads.len; i++)
		thread_settle(processes, &processes->threads.items[i]);
	return processes->copy_needed;
}

static void processes_comm(struct processes *processes, const struct record *record)
{
	bool created;
	struct thread *thread = processes_find_thread(processes, record->pid, record->tid, &created);

	thread->comm = strtab_id(processes->strings, record->comm);
	if (record->misc & PERF_RECORD_MISC_COMM_EXEC) {
		struct process *process = processes_at(processes, record->pid);

		thread_settle(processes, thread);
		/* exec leaves one thread and none of the mappings. */
		vec_fini(&process->maps);
		process->live_threads = 1;
		process->main_exited = false;
		process->new_image = true;
		process_new_space(processes, process);
	}
}

void processes_apply(struct processes *processes, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		processes_map(processes, record);
		break;
	case PERF_RECORD_COMM:
		processes_comm(processes, record);
		break;
	case PERF_RECORD_FORK:
		processes_fork(processes, record);
		break;
	case PERF_RECORD_EXIT:
		processes_exit(processes, record);
		break;
	default:
		break;
	}
}

uint64_t processes_address(struct processes *processes, const struct map *map, uint64_t ip)
{
	uint64_t offset = ip - map->start + map->file_offset;
	const struct dso *dso = dsos_at(processes->dsos, map->dso);
	const struct object *object;
	uint64_t address;

	if (dso->kind != DSO_FILE && dso->kind != DSO_VDSO)
		return ip;
	object = dsos_object(processes->dsos, map->dso);
	return object && object_address(object, offset, &address) ? address : offset;
}
