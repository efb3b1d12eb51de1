#include "profiler/session.h"

#include "perfdata/reader.h"
#include "profiler/chains.h"
#include "profiler/user_registers.h"

struct session {
	struct profile *profile;
	const struct event *events;
	struct processes processes;
	struct unwinder *unwinder;
	struct chains *chains;
	session_stack_fn *watch;
	void *watch_context;
	uint64_t *lost_records;		/* by event: as LOST records count */
	uint64_t *lost_counted;		/* by event: as LOST_SAMPLES records count, which are the same losses, all of them */
	struct chain chain;		/* of the sample at hand */
	uint64_t stack_pointer;		/* likewise, where its stack was copied */
};

struct session *session_new(struct profile *profile, const struct event *events, size_t count)
{
	struct session *session = memory_new(1, sizeof(*session));

	session->profile = profile;
	session->events = events;
	session->lost_records = memory_new(count, sizeof(uint64_t));
	session->lost_counted = memory_new(count, sizeof(uint64_t));
	session->unwinder = unwinder_new(&profile->dsos);
	processes_init(&session->processes, &profile->dsos, &profile->strings);
	session->chains = chains_new(profile, &session->processes);
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
	chains_free(session->chains);
	processes_fini(&session->processes);
	unwinder_free(session->unwinder);
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
	struct process *process;
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
static void session_unwind(struct session *session, const struct record *record, struct process *process)
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
		session->chain.user.count = 0;
		session->chain.user.status = STACK_NO_REGISTER;
		session->chain.user.detail =
			register_is_known(&request.registers, REGISTER_RIP) ? REGISTER_RSP : REGISTER_RIP;
		return;
	}
	request.copy.start = request.registers.value[REGISTER_RSP];
	session->stack_pointer = request.copy.start;
	unwinder_walk(session->unwinder, &request, &session->chain.user);
	if (session->watch)
		session->watch(session->watch_context, record, &session->chain.user);
}

/* Where the frame-pointer walk of the kernel ended: at a root, at its limit, or on code without frame pointers. */
static void session_judge_chain(struct session *session, const struct record *record, struct process *process)
{
	uint32_t limit = session->events[record->event].attr.sample_max_stack;
	struct unwind_stack *user = &session->chain.user;
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
	if (session->chain.kernel_count + user->count >= limit) {
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
		if (kernel && session->chain.kernel_count < CHAIN_KERNEL_FRAMES)
			session->chain.kernel[session->chain.kernel_count++] = frame;
		else if (!kernel && session->chain.user.count < UNWIND_FRAMES)
			session->chain.user.frames[session->chain.user.count++] = frame;
	}
}

/*
 * Until execve returns, the user's registers are those of the program that called it, whose stack and mappings are gone: the
 * kernel's part is all that belongs to the new one.
 */
static void session_drop_old_image(struct session *session, const struct record *record, struct process *process)
{
	struct unwind_stack *user = &session->chain.user;

	if (!process->new_image)
		return;
	if (record_is_kernel(record) && user->count && !process_map(process, user->frames[0].ip)) {
		user->count = 0;
		user->status = STACK_COMPLETE;
		user->detail = 0;
	} else {
		process->new_image = false;
	}
}

/* Fills session->chain. */
static void session_find_chain(struct session *session, const struct record *record, struct process *process)
{
	const struct sample *sample = &record->sample;
	uint64_t type = session->events[record->event].attr.sample_type;
	struct unwind_frame leaf = { .ip = sample->ip };

	session->chain.process = process;
	session->chain.kernel_count = 0;
	session->chain.user.count = 0;
	session->chain.user.status = STACK_COMPLETE;
	session->chain.user.detail = 0;
	session->chain.user.top = 0;
	if (type & PERF_SAMPLE_CALLCHAIN)
		session_split_chain(session, record);
	if (type & PERF_SAMPLE_REGS_USER && type & PERF_SAMPLE_STACK_USER && sample->regs_abi) {
		session->chain.user.count = 0;
		session_unwind(session, record, process);
	} else if (type & PERF_SAMPLE_CALLCHAIN) {
		session_judge_chain(session, record, process);
	}
	session_drop_old_image(session, record, process);
	if (session->chain.kernel_count || session->chain.user.count)
		return;
	/* No chain at all: the sample's own ip is what there is. */
	if (record_is_kernel(record))
		session->chain.kernel[session->chain.kernel_count++] = leaf;
	else
		session->chain.user.frames[session->chain.user.count++] = leaf;
	if (!(type & PERF_SAMPLE_CALLCHAIN))
		session->chain.user.status = STACK_NOT_ASKED;
}

/* For the advice on how much of the stack to copy. */
static void session_note_depth(struct session *session, struct thread *thread)
{
	const struct unwind_stack *user = &session->chain.user;
	uint64_t sp = session->stack_pointer;

	if (user->status == STACK_COMPLETE && user->count && user->top > thread->stack_top)
		thread->stack_top = user->top;
	if (user->status == STACK_COPY_SHORT && (!thread->lowest_cut || sp < thread->lowest_cut))
		thread->lowest_cut = sp;
}

static void session_sample(struct session *session, const struct record *record)
{
	struct process *process = processes_at(&session->processes, record->pid);
	struct thread *thread = processes_thread(&session->processes, record->pid, record->tid);
	struct profile_sample sample = {
		.time = record->time,
		.weight = record->sample.period,
		.cpu = record->cpu,
		.event = record->event,
		.task = profile_task(session->profile, (struct task){ record->pid, record->tid, thread->comm }),
	};

	session_find_chain(session, record, process);
	session_note_depth(session, thread);
	sample.stack = chains_stack(session->chains, &session->chain);
	sample.status = session->chain.user.status;
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
	profile->copy_needed = processes_copy_needed(&session->processes);
	session_free(session);
	reader_close(&reader);
	return 0;
}
