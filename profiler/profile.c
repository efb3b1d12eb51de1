#include "profiler/profile.h"

void profile_init(struct profile *profile, struct notes *notes)
{
	*profile = (struct profile){ .dsos.notes = notes };
	vec_push(&profile->stacks, (struct stack_node){ .parent = STACK_EMPTY, .frame = UINT32_MAX });
}

static void samples_fini(struct samples *samples)
{
	free(samples->time);
	free(samples->weight);
	free(samples->task);
	free(samples->stack);
	free(samples->cpu);
	free(samples->event);
	free(samples->status);
}

void profile_fini(struct profile *profile)
{
	for (size_t i = 0; i < profile->events.len; i++)
		free(profile->events.items[i].name);
	vec_fini(&profile->events);
	vec_fini(&profile->tasks);
	vec_fini(&profile->frames);
	vec_fini(&profile->stacks);
	index_fini(&profile->task_index);
	index_fini(&profile->frame_index);
	index_fini(&profile->stack_index);
	samples_fini(&profile->samples);
	strtab_fini(&profile->strings);
	dsos_fini(&profile->dsos);
}

uint32_t profile_task(struct profile *profile, struct task task)
{
	uint64_t hash = hash_mix(hash_mix(task.comm, task.pid), task.tid);
	uint32_t at, id;

	for (id = index_first(&profile->task_index, hash, &at); id != INDEX_NONE;
	     id = index_next(&profile->task_index, hash, &at)) {
		const struct task *known = &profile->tasks.items[id];

		if (known->pid == task.pid && known->tid == task.tid && known->comm == task.comm)
			return id;
	}
	id = (uint32_t)profile->tasks.len;
	vec_push(&profile->tasks, task);
	index_add(&profile->task_index, hash, id);
	return id;
}

uint32_t profile_frame(struct profile *profile, struct frame frame)
{
	uint32_t variant = frame.kind | (uint32_t)frame.status << 8 | (uint32_t)frame.kernel << 16 |
			   (uint32_t)frame.guessed << 24;
	uint64_t hash = hash_mix(hash_mix(frame.address, frame.dso), variant);
	uint32_t at, id;

	for (id = index_first(&profile->frame_index, hash, &at); id != INDEX_NONE;
	     id = index_next(&profile->frame_index, hash, &at)) {
		const struct frame *known = &profile->frames.items[id];

		if (known->address == frame.address && known->dso == frame.dso && known->kind == frame.kind &&
		    known->status == frame.status && known->kernel == frame.kernel &&
		    known->guessed == frame.guessed)
			return id;
	}
	id = (uint32_t)profile->frames.len;
	vec_push(&profile->frames, frame);
	index_add(&profile->frame_index, hash, id);
	return id;
}

uint32_t profile_stack(struct profile *profile, uint32_t parent, uint32_t frame)
{
	uint64_t hash = hash_mix(hash_mix(0, parent), frame);
	uint32_t at, id;

	for (id = index_first(&profile->stack_index, hash, &at); id != INDEX_NONE;
	     id = index_next(&profile->stack_index, hash, &at)) {
		const struct stack_node *known = &profile->stacks.items[id];

		if (known->parent == parent && known->frame == frame)
			return id;
	}
	id = (uint32_t)profile->stacks.len;
	vec_push(&profile->stacks, (struct stack_node){ .parent = parent, .frame = frame });
	index_add(&profile->stack_index, hash, id);
	return id;
}

static void samples_reserve(struct samples *samples)
{
	size_t room = samples->room ? 2 * samples->room : 1024;

	if (samples->len < samples->room)
		return;
	samples->time = memory_resize(samples->time, room, sizeof(*samples->time));
	samples->weight = memory_resize(samples->weight, room, sizeof(*samples->weight));
	samples->task = memory_resize(samples->task, room, sizeof(*samples->task));
	samples->stack = memory_resize(samples->stack, room, sizeof(*samples->stack));
	samples->cpu = memory_resize(samples->cpu, room, sizeof(*samples->cpu));
	samples->event = memory_resize(samples->event, room, sizeof(*samples->event));
	samples->status = memory_resize(samples->status, room, sizeof(*samples->status));
	samples->room = room;
}

void profile_add(struct profile *profile, const struct profile_sample *sample)
{
	struct samples *samples = &profile->samples;
	size_t at;

	samples_reserve(samples);
	at = samples->len++;
	samples->time[at] = sample->time;
	samples->weight[at] = sample->weight;
	samples->task[at] = sample->task;
	samples->stack[at] = sample->stack;
	samples->cpu[at] = (uint16_t)sample->cpu;
	samples->event[at] = (uint16_t)sample->event;
	samples->status[at] = (uint8_t)sample->status;
	profile->events.items[sample->event].samples++;
}
