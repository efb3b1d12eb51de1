#include "profiler/sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perfdata/record.h"
#include "perfdata/writer.h"
#include "profiler/sysfs.h"
#include "profiler/user_registers.h"

enum {
	SAMPLER_RING_DEFAULT = 8 << 20,
	SAMPLER_SIDE_RING = 64 << 10,
	SAMPLER_EVENTS_MAX = 16,
};

static int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* What all our events have in common; with PERF_SAMPLE_IDENTIFIER their other fields may differ. */
static struct perf_event_attr sampler_base_attr(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.sample_id_all = 1,
		.exclude_guest = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
	};
}

static struct perf_event_attr sampler_dummy_attr(void)
{
	struct perf_event_attr attr = sampler_base_attr();

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.exclude_kernel = 1;
	attr.mmap = attr.mmap2 = attr.build_id = 1;
	attr.comm = attr.comm_exec = 1;
	attr.task = 1;
	/* Mappings are wanted at once. The sampled events wake us by the kernel's default, when a ring is half full. */
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	return attr;
}

static void sampler_ask_for_chains(struct perf_event_attr *attr, const struct sampler_options *options)
{
	if (options->chains == SAMPLER_CHAINS_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (options->chains == SAMPLER_CHAINS_FP)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->exclude_callchain_user = 1;
	attr->sample_regs_user = USER_REGISTERS_MASK;
	attr->sample_stack_user = (uint32_t)options->stack_bytes;
}

/* The kernel refuses more than this outright; lowering it would be silent if we did not say so. */
static uint64_t sampler_frequency(const struct sampler_options *options, struct notes *notes)
{
	uint64_t limit = sysfs_u64("/proc/sys/kernel/perf_event_max_sample_rate", options->frequency);

	if (options->frequency <= limit)
		return options->frequency;
	notes_add(notes,
		  "-F %" PRIu64 " lowered to %" PRIu64 ", the kernel's limit (as root: sysctl "
		  "kernel.perf_event_max_sample_rate=%" PRIu64 ")",
		  options->frequency, limit, options->frequency);
	return limit;
}

/*
 * Older kernels know fewer things to ask for: takes away what a kernel may not have, the newest first, until it agrees.
 * PERF_FORMAT_LOST is of 6.0, build-ids in MMAP2 of 5.12. False where there is nothing left to take.
 */
static bool attr_simplify(struct perf_event_attr *attr)
{
	if (attr->read_format & PERF_FORMAT_LOST)
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	else if (attr->build_id)
		attr->build_id = 0;
	else
		return false;
	return true;
}

/* Opens once, to see whether it works, and settles what the kernel knows. An errno. */
static int sampler_probe(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd;

	while ((fd = perf_event_open(attr, pid, cpu)) < 0)
		if (errno != EINVAL || !attr_simplify(attr))
			return errno;
	close(fd);
	return 0;
}

static int sampler_parse(struct perf_event_attr *attr, const char *name, const struct sampler_options *options,
			 uint64_t frequency, struct error *err)
{
	*attr = sampler_base_attr();
	if (event_parse(attr, name, err))
		return -1;
	attr->freq = frequency != 0;
	attr->sample_period = frequency ? frequency : options->period;
	sampler_ask_for_chains(attr, options);
	return 0;
}

/* Why an event cannot be opened, with the cure, in one sentence. */
static void sampler_explain(char *text, size_t size, int error, const struct perf_event_attr *attr)
{
	int paranoid = (int)sysfs_u64("/proc/sys/kernel/perf_event_paranoid", 2);

	switch (error) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		snprintf(text, size, "%s",
			 attr->type == PERF_TYPE_HARDWARE ?
				 "the machine offers no such hardware counter (no PMU, as in most virtual machines)" :
				 "the kernel has no such event");
		break;
	case EACCES:
	case EPERM:
		if (paranoid > 2)
			snprintf(text, size,
				 "kernel.perf_event_paranoid is %d, which forbids all of it (as root: sysctl "
				 "kernel.perf_event_paranoid=2)",
				 paranoid);
		else if (paranoid > 1 && !attr->exclude_kernel)
			snprintf(text, size,
				 "kernel.perf_event_paranoid is %d, which keeps the kernel's part from you (as root: sysctl "
				 "kernel.perf_event_paranoid=1)",
				 paranoid);
		else
			snprintf(text, size, "perf_event_open is forbidden (%s): by a container or a security module",
				 error == EPERM ? "EPERM" : "EACCES");
		break;
	case ENOSYS:
		snprintf(text, size, "perf_event_open does not exist (ENOSYS): forbidden by a container, or a kernel without it");
		break;
	case EMFILE:
		snprintf(text, size, "too many open files (raise it: ulimit -n 4096)");
		break;
	case EINVAL:
		snprintf(text, size, "the kernel refuses this combination of options%s",
			 attr->precise_ip ? " (:p needs a PMU with precise sampling)" : "");
		break;
	default:
		snprintf(text, size, "%s", strerror(error));
		break;
	}
}

static void sampler_add(struct sampler *sampler, const struct perf_event_attr *attr, const char *name)
{
	struct event *event = vec_add(&sampler->events);

	event->attr = *attr;
	event->name = memory_strdup(name);
}

/* The events a person asked for: all of them, or the reason why not. */
static int sampler_choose_given(struct sampler *sampler, const struct sampler_options *options, uint64_t frequency,
				pid_t pid, struct error *err)
{
	const char *names = options->events;

	for (;;) {
		size_t len = strcspn(names, ",");
		autofree char *name = memory_format("%.*s", (int)len, names);
		struct perf_event_attr attr;
		char why[256];
		int error;

		if (sampler_parse(&attr, name, options, frequency, err))
			return -1;
		if (sampler->events.len == SAMPLER_EVENTS_MAX)
			return error_set(err, ERROR_USAGE, "more than %d events", SAMPLER_EVENTS_MAX);
		error = sampler_probe(&attr, pid, sampler->cpus.items[0]);
		if (error) {
			sampler_explain(why, sizeof(why), error, &attr);
			return error_set(err, ERROR_NOT_PERMITTED, "event '%s': %s", name, why);
		}
		sampler_add(sampler, &attr, name);
		if (!names[len])
			return 0;
		names += len + 1;
	}
}

/* The first that works of these. Each reason to step down is said once. */
static int sampler_choose_best(struct sampler *sampler, const struct sampler_options *options, uint64_t frequency,
			       pid_t pid, struct notes *notes, struct error *err)
{
	static const char *const ladder[] = { "cycles", "cycles:u", "cpu-clock", "cpu-clock:u" };
	static const size_t rungs = sizeof(ladder) / sizeof(*ladder);
	char why[256], before[256] = "";

	for (size_t i = 0; i < rungs; i++) {
		struct perf_event_attr attr;
		int error;

		if (sampler_parse(&attr, ladder[i], options, frequency, err))
			return -1;
		error = sampler_probe(&attr, pid, sampler->cpus.items[0]);
		if (!error) {
			sampler_add(sampler, &attr, ladder[i]);
			return 0;
		}
		sampler_explain(why, sizeof(why), error, &attr);
		if (strcmp(why, before) != 0 && i + 1 < rungs)
			notes_add(notes, "cannot sample %s: %s", ladder[i], why);
		memcpy(before, why, sizeof(before));
	}
	return error_set(err, ERROR_NOT_PERMITTED, "nothing can be sampled: %s", why);
}

/* One event on one CPU, its records into the CPU's ring. */
static int sampler_open_one(struct sampler *sampler, struct event *event, pid_t pid, int cpu, int ring_fd,
			    struct error *err)
{
	int fd = perf_event_open(&event->attr, pid, cpu);
	uint64_t id;

	if (fd < 0) {
		char why[256];

		sampler_explain(why, sizeof(why), errno, &event->attr);
		return error_set(err, ERROR_SYSTEM, "event '%s' on CPU %d: %s", event->name, cpu, why);
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
			return error_wrap(err, "memory for ring buffers (more: sysctl kernel.perf_event_mlock_kb, or ulimit -l)");
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
	uint64_t sample = options->chains == SAMPLER_CHAINS_CFI ? options->stack_bytes + 2048 : 2048;

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

static void sampler_unify_attrs(struct sampler *sampler)
{
	uint32_t size = 0;

	for (size_t i = 0; i < sampler->events.len; i++) {
		uint32_t need = writer_attr_size(&sampler->events.items[i].attr);

		size = need > size ? need : size;
	}
	for (size_t i = 0; i < sampler->events.len; i++)
		sampler->events.items[i].attr.size = size;
}

static int sampler_prepare(struct sampler *sampler, const struct sampler_options *options, pid_t pid,
			   struct notes *notes, struct error *err)
{
	struct perf_event_attr dummy = sampler_dummy_attr();
	uint64_t frequency = options->period ? 0 : sampler_frequency(options, notes);
	int error;

	if (sysfs_cpus(&sampler->cpus.items, &sampler->cpus.len, err))
		return -1;
	if (options->events ? sampler_choose_given(sampler, options, frequency, pid, err) :
			      sampler_choose_best(sampler, options, frequency, pid, notes, err))
		return -1;
	error = sampler_probe(&dummy, pid, sampler->cpus.items[0]);
	if (error) {
		errno = error;
		return error_sys(err, "event for mappings and names");
	}
	sampler_add(sampler, &dummy, "dummy:u");
	return sampler_open_all(sampler, options, pid, notes, err);
}

int sampler_open(struct sampler *sampler, const struct sampler_options *options, pid_t pid, struct notes *notes,
		 struct error *err)
{
	*sampler = (struct sampler){ 0 };
	if (sampler_prepare(sampler, options, pid, notes, err)) {
		sampler_close(sampler);
		return -1;
	}
	sampler_unify_attrs(sampler);
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
