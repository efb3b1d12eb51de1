#include "profiler/sampler.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "profiler/sysfs.h"

enum {
	SAMPLER_RING_DEFAULT = 8 << 20,
	SAMPLER_SIDE_RING = 128 << 10,
};

/* One event on one CPU, its records into the CPU's ring. */
static int sampler_open_one(struct sampler *sampler, struct event *event, pid_t pid, int cpu, int ring_fd,
			    struct error *err)
{
	int fd = events_open(&event->attr, pid, cpu);
	uint64_t id;

	if (fd < 0) {
		char why[256];

		return error_set(err, ERROR_SYSTEM, "event '%s' on CPU %d: %s", event->name, cpu,
				 events_explain(why, sizeof(why), errno, &event->attr));
	}
	vec_push(&sampler->fds, fd);
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return error_sys(err, "event '%s'", event->name);
	vec_push(&event->ids, id);
	if (ring_fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd))
		return error_sys(err, "event '%s'", event->name);
	return 0;
}

/* A ring of at most `size` bytes: unprivileged users may pin little memory, and the kernel says EPERM for more. */
static int sampler_map_ring(struct sampler *sampler, int fd, uint32_t event, size_t *size, size_t least, struct error *err)
{
	struct sampler_ring ring = { .event = event };

	while (ring_init(&ring.ring, fd, *size, err)) {
		if ((err->sys != EPERM && err->sys != ENOMEM) || *size / 2 < least)
			return error_wrap(
				err, "memory for ring buffers (more: sysctl kernel.perf_event_mlock_kb, or ulimit -l)");
		*size /= 2;
	}
	vec_push(&sampler->rings, ring);
	return 0;
}

static int sampler_open_cpu(struct sampler *sampler, pid_t pid, int cpu, size_t *size, size_t least, struct error *err)
{
	uint32_t dummy = sampler_dummy(sampler);
	size_t side = SAMPLER_SIDE_RING;
	int first = -1;

	if (sampler_open_one(sampler, &sampler->events.items[dummy], pid, cpu, -1, err) ||
	    sampler_map_ring(sampler, sampler->fds.items[sampler->fds.len - 1], dummy, &side, side / 16, err))
		return -1;
	for (uint32_t i = 0; i < dummy; i++) {
		if (sampler_open_one(sampler, &sampler->events.items[i], pid, cpu, first, err))
			return -1;
		if (i)
			continue;
		first = sampler->fds.items[sampler->fds.len - 1];
		if (sampler_map_ring(sampler, first, 0, size, least, err))
			return -1;
	}
	return 0;
}

static size_t round_up_power(uint64_t size, size_t least)
{
	size_t power = least;

	while (power < size && power < (size_t)1 << 40)
		power *= 2;
	return power;
}

/* Room for at least two samples of the largest kind, and for a wake-up before it is full. */
static size_t sampler_least_ring(const struct sampler_options *options)
{
	uint64_t sample = options->events.chains == EVENT_CHAINS_CFI ? options->events.stack_bytes + 2048 : 2048;

	return round_up_power(2 * sample, (size_t)sysconf(_SC_PAGESIZE));
}

static int sampler_open_all(struct sampler *sampler, const struct sampler_options *options, pid_t pid,
			    struct notes *notes, struct error *err)
{
	size_t least = sampler_least_ring(options);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t asked = round_up_power(options->ring_bytes ? options->ring_bytes : SAMPLER_RING_DEFAULT, page);
	size_t size = asked;

	if (size < least) {
		notes_add(notes, "ring buffers of %zu KiB would lose each sample; made them %zu KiB", size / 1024,
			  least / 1024);
		size = asked = least;
	}
	for (size_t i = 0; i < sampler->cpus.len; i++)
		if (sampler_open_cpu(sampler, pid, sampler->cpus.items[i], &size, least, err))
			return -1;
	if (size < asked && options->ring_bytes)
		notes_add(notes, "ring buffers of %zu KiB instead of %zu KiB: more memory may not be pinned (ulimit -l)",
			  size / 1024, asked / 1024);
	sampler->ring_bytes = size;
	return 0;
}

int sampler_open(struct sampler *sampler, const struct sampler_options *options, pid_t pid, struct notes *notes,
		 struct error *err)
{
	*sampler = (struct sampler){ 0 };
	if (sysfs_cpus(&sampler->cpus.items, &sampler->cpus.len, err) ||
	    events_choose(&sampler->events, &options->events, pid, sampler->cpus.items[0], notes, err) ||
	    sampler_open_all(sampler, options, pid, notes, err)) {
		sampler_close(sampler);
		return -1;
	}
	return 0;
}

void sampler_close(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->rings.len; i++)
		ring_fini(&sampler->rings.items[i].ring);
	for (size_t i = 0; i < sampler->fds.len; i++)
		close(sampler->fds.items[i]);
	for (size_t i = 0; i < sampler->events.len; i++)
		event_fini(&sampler->events.items[i]);
	vec_fini(&sampler->rings);
	vec_fini(&sampler->fds);
	vec_fini(&sampler->events);
	vec_fini(&sampler->cpus);
}

void sampler_disable(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->fds.len; i++)
		ioctl(sampler->fds.items[i], PERF_EVENT_IOC_DISABLE, 0);
}

/* The fds of a CPU: the dummy's first, then those of the sampled events. */
static int sampler_fd(const struct sampler *sampler, size_t cpu, uint32_t event)
{
	size_t place = event == sampler_dummy(sampler) ? 0 : event + 1;

	return sampler->fds.items[cpu * sampler->events.len + place];
}

uint64_t sampler_lost(const struct sampler *sampler, uint32_t event)
{
	/* perf_event_open(2), "Reading results": value, id, lost. */
	uint64_t values[3], lost = 0;

	if (!(sampler->events.items[event].attr.read_format & PERF_FORMAT_LOST))
		return 0;
	for (size_t cpu = 0; cpu < sampler->cpus.len; cpu++)
		if (read(sampler_fd(sampler, cpu, event), values, sizeof(values)) == sizeof(values))
			lost += values[2];
	return lost;
}
