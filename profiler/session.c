#include "profiler/session.h"

#include "perfdata/reader.h"
#include "profiler/user_registers.h"

enum {
	SESSION_KERNEL_FRAMES = 1024,
	SESSION_PATH_MAX = UNWIND_FRAMES + SESSION_KERNEL_FRAMES,
	SESSION_FRAME_SLOTS = 16384,
};

/* A chain of ips seen before: (hash of chain and address space) -> its node. */
struct known_chain {
	uint64_t hash;
	uint32_t stack;
};

/* Frames by (space, ip), as they were interned. */
struct frame_slot {
	uint64_t ip;
	uint32_t space;		/* 0: empty; spaces count from 1 */
	uint32_t frame;
	bool is_return;
};

/*
 * The path from the root to the leaf of the last stack that went into the trie: the next one shares most of it, and what is
 * shared need not be looked up.
 */
struct path {
	uint32_t root;			/* the node it hangs under */
	uint32_t user_space, kernel_space;
	uint32_t count;
	struct unwind_frame frames[SESSION_PATH_MAX];
	uint32_t nodes[SESSION_PATH_MAX];
};

struct session {
	struct profile *profile;
	const struct event *events;
	size_t event_count;
	struct processes processes;
	struct unwinder *unwinder;
	VEC(struct known_chain) chains;
	struct index chain_index;
	session_stack_fn *watch;
	void *watch_context;
	uint64_t *lost_records;		/* by event: as LOST records count */
	uint64_t *lost_counted;		/* by event: as LOST_SAMPLES records count, which are the same losses, all of them */
	struct unwind_frame kernel[SESSION_KERNEL_FRAMES];	/* of the sample at hand, the leaf first */
	uint32_t kernel_count;
	struct unwind_stack user;	/* likewise */
	struct path path;
	struct frame_slot frame_slots[SESSION_FRAME_SLOTS];
};

struct session *session_new(struct profile *profile, const struct event *events, size_t count)
{
	struct session *session = memory_new(1, sizeof(*session));

	session->profile = profile;
	session->events = events;
	session->event_count = count;
	session->lost_records = memory_new(count, sizeof(uint64_t));
	session->lost_counted = memory_new(count, sizeof(uint64_t));
	session->unwinder = unwinder_new(&profile->dsos);
	processes_init(&session->processes, &profile->dsos, &profile->strings);
	for (size_t i = 0; i < count; i++) {
		struct profile_event *event = vec_add(&profile->events);

		event->name = memory_strdup(events[i].name);
		event->counts_ns = event_counts_ns(&events[i].attr);
		event->is_dummy = event_is_dummy(&events[i].attr);
	}
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	processes_fini(&session->processes);
	unwinder_free(session->unwinder);
	vec_fini(&session->chains);
	index_fini(&session->chain_index);
	free(session->lost_records);
	free(session->lost_counted);
	free(session);
}

void session_watch(struct session *session, session_stack_fn *watch, void *context)
{
	session->watch = watch;
	session->watch_context = context;
}

struct place_context {
	struct session *session;
	const struct process *process;
};

static bool session_place(void *context, uint64_t ip, struct unwind_place *place)
{
	struct place_context *at = context;
	const struct map *map = process_map(at->process, ip);

	if (!map)
		return false;
	place->dso = map->dso;
	place->address = processes_address(&at->session->processes, map, ip);
	return true;
}

/* Unwinds the sample's copy of the user stack. */
static void session_unwind(struct session *session, const struct record *record, const struct process *process)
{
	const struct sample *sample = &record->sample;
	struct place_context context = { session, process };
	struct unwind_request request = {
		.copy = { .bytes = sample->stack, .size = sample->stack_size },
		.copy_is_whole = sample->stack_size < sample->stack_asked,
		.space = process->space,
		.place = session_place,
		.context = &context,
	};

	if (!user_registers(&request.registers, sample->regs, session->events[record->event].attr.sample_regs_user)) {
		session->user.count = 0;
		session->user.status = STACK_NO_REGISTER;
		session->user.detail = register_is_known(&request.registers, REGISTER_RIP) ? REGISTER_RSP : REGISTER_RIP;
		return;
	}
	request.copy.start = request.registers.value[REGISTER_RSP];
	unwinder_walk(session->unwinder, &request, &session->user);
	if (session->watch)
		session->watch(session->watch_context, record, &session->user);
}

/* Where the frame-pointer walk of the kernel ended: at a root, at its limit, or on code without frame pointers. */
static void session_judge_chain(struct session *session, const struct record *record, const struct process *process)
{
	uint32_t limit = session->events[record->event].attr.sample_max_stack;
	struct unwind_stack *user = &session->user;
	struct place_context context = { session, process };
	struct unwind_place place;
	const struct unwind_frame *last;

	/* PERF_MAX_STACK_DEPTH, the default of kernel.perf_event_max_stack. */
	limit = limit ? limit : 127;
	user->status = STACK_COMPLETE;
	if (!user->count)
		return;
	last = &user->frames[user->count - 1];
	user->status = STACK_NO_FP;
	if (session->kernel_count + user->count >= limit) {
		user->status = STACK_DEPTH_LIMIT;
		user->detail = limit;
	} else if (session_place(&context, last->ip - last->is_return, &place) &&
		   unwinder_is_root(session->unwinder, place)) {
		user->status = STACK_COMPLETE;
	}
}

/* Cuts the kernel's call chain at its markers into the kernel's part and the user's. */
static void session_split_chain(struct session *session, const struct record *record)
{
	struct words chain = record->sample.chain;
	bool kernel = record_is_kernel(record), first = true;

	for (uint32_t i = 0; i < chain.count; i++) {
		uint64_t ip = words_at(chain, i);
		struct unwind_frame frame = { .ip = ip, .is_return = !first };

		if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL;
			first = true;
			continue;
		}
		first = false;
		if (kernel && session->kernel_count < SESSION_KERNEL_FRAMES)
			session->kernel[session->kernel_count++] = frame;
		else if (!kernel && session->user.count < UNWIND_FRAMES)
			session->user.frames[session->user.count++] = frame;
	}
}

/* Fills session->kernel and session->user. */
static void session_find_chain(struct session *session, const struct record *record, const struct process *process)
{
	const struct sample *sample = &record->sample;
	uint64_t type = session->events[record->event].attr.sample_type;
	struct unwind_frame leaf = { .ip = sample->ip };

	session->kernel_count = 0;
	session->user.count = 0;
	session->user.status = STACK_COMPLETE;
	session->user.detail = 0;
	if (type & PERF_SAMPLE_CALLCHAIN)
		session_split_chain(session, record);
	if (type & PERF_SAMPLE_REGS_USER && type & PERF_SAMPLE_STACK_USER && sample->regs_abi) {
		session->user.count = 0;
		session_unwind(session, record, process);
	} else if (type & PERF_SAMPLE_CALLCHAIN) {
		session_judge_chain(session, record, process);
	}
	if (session->kernel_count || session->user.count)
		return;
	/* No chain at all: the sample's own ip is what there is. */
	if (record_is_kernel(record))
		session->kernel[session->kernel_count++] = leaf;
	else
		session->user.frames[session->user.count++] = leaf;
	if (!(type & PERF_SAMPLE_CALLCHAIN))
		session->user.status = STACK_NOT_ASKED;
}

static uint64_t chain_hash_frames(uint64_t hash, const struct unwind_frame *frames, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		hash = hash_mix(hash, frames[i].ip << 1 | frames[i].is_return);
	return hash_mix(hash, count);
}

/* Equal chains in one address space hash alike; that unequal ones do is one chance in 2^64 for each pair. */
static uint64_t session_hash_chain(const struct session *session, const struct process *process)
{
	uint64_t hash = hash_mix(process->space, session->processes.kernel.space);

	hash = hash_mix(hash, session->user.status | session->user.detail << 8);
	hash = chain_hash_frames(hash, session->kernel, session->kernel_count);
	return chain_hash_frames(hash, session->user.frames, session->user.count);
}

static uint32_t session_intern_frame(struct session *session, const struct process *process,
				     const struct unwind_frame *from)
{
	size_t at = hash_mix(process->space, from->ip) % SESSION_FRAME_SLOTS;
	struct frame_slot *slot = &session->frame_slots[at];
	struct frame frame = {
		.dso = DSO_NONE,
		.kind = from->is_return ? FRAME_RETURN : FRAME_EXACT,
		.kernel = process == &session->processes.kernel,
		.address = from->ip,
	};
	const struct map *map;

	if (slot->space == process->space && slot->ip == from->ip && slot->is_return == from->is_return)
		return slot->frame;
	/* The map of the call, which may be the last instruction of one map with another following. */
	map = process_map(process, from->ip - from->is_return);
	/* What is not mapped may be later, without a new space: not kept. */
	if (!map)
		return profile_frame(session->profile, frame);
	frame.dso = map->dso;
	frame.address = processes_address(&session->processes, map, from->ip - from->is_return) + from->is_return;
	*slot = (struct frame_slot){ .ip = from->ip, .space = process->space, .is_return = from->is_return };
	slot->frame = profile_frame(session->profile, frame);
	return slot->frame;
}

/* What a cut stack hangs under. Only the DSO where it ended makes two of the same kind differ. */
static uint32_t session_cut_frame(struct session *session, const struct process *process)
{
	const struct unwind_stack *user = &session->user;
	struct frame frame = { .dso = DSO_NONE, .kind = FRAME_CUT, .status = (uint8_t)user->status };
	const struct map *map = NULL;

	frame.address = user->detail;
	if (user->count && (user->status == STACK_NO_CFI || user->status == STACK_BAD_CFI)) {
		const struct unwind_frame *last = &user->frames[user->count - 1];

		map = process_map(process, last->ip - last->is_return);
	}
	if (map)
		frame.dso = map->dso;
	return profile_frame(session->profile, frame);
}

/* The frame at a depth, counted from the outermost. */
static const struct unwind_frame *session_frame(const struct session *session, uint32_t depth)
{
	return depth < session->user.count ?
		       &session->user.frames[session->user.count - 1 - depth] :
		       &session->kernel[session->kernel_count - 1 - (depth - session->user.count)];
}

/* How many frames from the root on the stack at hand has in common with the last one. */
static uint32_t session_shared(const struct session *session, const struct process *process, uint32_t root)
{
	const struct path *path = &session->path;
	uint32_t count = session->user.count + session->kernel_count, depth = 0;

	if (path->root != root || path->user_space != process->space ||
	    path->kernel_space != session->processes.kernel.space)
		return 0;
	for (; depth < count && depth < path->count; depth++) {
		const struct unwind_frame *frame = session_frame(session, depth);

		if (frame->ip != path->frames[depth].ip || frame->is_return != path->frames[depth].is_return)
			break;
	}
	return depth;
}

/* Puts the chain into the trie, the outermost frame first. */
static uint32_t session_intern_chain(struct session *session, const struct process *process)
{
	struct profile *profile = session->profile;
	struct path *path = &session->path;
	uint32_t root = STACK_EMPTY, depth, stack;

	if (session->user.status != STACK_COMPLETE && session->user.status != STACK_NOT_ASKED)
		root = profile_stack(profile, root, session_cut_frame(session, process));
	depth = session_shared(session, process, root);
	stack = depth ? path->nodes[depth - 1] : root;
	path->root = root;
	path->user_space = process->space;
	path->kernel_space = session->processes.kernel.space;
	path->count = session->user.count + session->kernel_count;
	for (; depth < path->count; depth++) {
		const struct unwind_frame *frame = session_frame(session, depth);
		const struct process *of = depth < session->user.count ? process : &session->processes.kernel;

		stack = profile_stack(profile, stack, session_intern_frame(session, of, frame));
		path->frames[depth] = *frame;
		path->nodes[depth] = stack;
	}
	return stack;
}

static uint32_t session_stack(struct session *session, const struct process *process)
{
	uint64_t hash = session_hash_chain(session, process);
	uint32_t at, id, stack;

	for (id = index_first(&session->chain_index, hash, &at); id != INDEX_NONE;
	     id = index_next(&session->chain_index, hash, &at))
		if (session->chains.items[id].hash == hash)
			return session->chains.items[id].stack;
	stack = session_intern_chain(session, process);
	/* A chain with an unmapped frame may get its map later without a new address space: not kept. */
	if (session->user.status != STACK_NO_MAP && session->user.status != STACK_NO_FP) {
		index_add(&session->chain_index, hash, (uint32_t)session->chains.len);
		vec_push(&session->chains, (struct known_chain){ .hash = hash, .stack = stack });
	}
	return stack;
}

static void session_sample(struct session *session, const struct record *record)
{
	const struct process *process = processes_at(&session->processes, record->pid);
	const struct thread *thread = processes_thread(&session->processes, record->pid, record->tid);
	struct profile_sample sample = {
		.time = record->time,
		.weight = record->sample.period,
		.cpu = record->cpu,
		.event = record->event,
		.task = profile_task(session->profile, (struct task){ record->pid, record->tid, thread->comm }),
	};

	session_find_chain(session, record, process);
	sample.stack = session_stack(session, process);
	sample.status = session->user.status;
	profile_add(session->profile, &sample);
}

static void session_lost(struct session *session, const struct record *record)
{
	struct profile_event *event = &session->profile->events.items[record->event];

	if (record->type == PERF_RECORD_LOST)
		session->lost_records[record->event] += record->lost;
	else
		session->lost_counted[record->event] += record->lost;
	/* Both count the same losses, the second without gaps. */
	event->lost = session->lost_counted[record->event] > session->lost_records[record->event] ?
			      session->lost_counted[record->event] :
			      session->lost_records[record->event];
}

void session_apply(struct session *session, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		session_sample(session, record);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		session_lost(session, record);
		break;
	default:
		processes_apply(&session->processes, record);
		break;
	}
}

int session_read_file(struct profile *profile, const char *path, session_stack_fn *watch, void *context,
		      struct error *err)
{
	struct session *session;
	struct reader reader;
	struct record record;

	if (reader_open(&reader, path, profile->dsos.notes, err))
		return -1;
	profile->consumed_ns = reader.metadata.consumed_ns;
	for (size_t i = 0; i < reader.metadata.build_ids.len; i++)
		dsos_tell_build_id(&profile->dsos, reader.metadata.build_ids.items[i].path,
				   &reader.metadata.build_ids.items[i].id);
	session = session_new(profile, reader.events.items, reader.events.len);
	session_watch(session, watch, context);
	while (reader_next(&reader, &record))
		session_apply(session, &record);
	session_free(session);
	reader_close(&reader);
	return 0;
}
