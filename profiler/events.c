#include "profiler/events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perfdata/writer.h"
#include "profiler/sysfs.h"
#include "profiler/user_registers.h"

enum { EVENTS_MAX = 16 };

int events_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* What all our events have in common; with PERF_SAMPLE_IDENTIFIER their other fields may differ. */
static struct perf_event_attr events_base_attr(void)
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

static struct perf_event_attr events_dummy_attr(enum event_chains chains)
{
	struct perf_event_attr attr = events_base_attr();

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.exclude_kernel = 1;
	attr.mmap = attr.mmap2 = attr.build_id = 1;
	/* We do without mappings of data; perf looks for .eh_frame_hdr in them when it unwinds our copies. */
	attr.mmap_data = chains == EVENT_CHAINS_CFI;
	attr.comm = attr.comm_exec = 1;
	attr.task = 1;
	/* Mappings are wanted at once. The sampled events wake us by the kernel's default, when a ring is half full. */
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	return attr;
}

static void events_ask_for_chains(struct perf_event_attr *attr, const struct event_options *options)
{
	if (options->chains == EVENT_CHAINS_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (options->chains == EVENT_CHAINS_FP)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->exclude_callchain_user = 1;
	attr->sample_regs_user = USER_REGISTERS_MASK;
	attr->sample_stack_user = (uint32_t)options->stack_bytes;
}

/* The kernel refuses more than this outright; lowering it would be silent if we did not say so. */
static uint64_t events_frequency(const struct event_options *options, struct notes *notes)
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
static int events_probe(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd;

	while ((fd = events_open(attr, pid, cpu)) < 0)
		if (errno != EINVAL || !attr_simplify(attr))
			return errno;
	close(fd);
	return 0;
}

static int events_parse(struct perf_event_attr *attr, const char *name, const struct event_options *options,
			uint64_t frequency, struct error *err)
{
	*attr = events_base_attr();
	if (event_parse(attr, name, err))
		return -1;
	attr->freq = frequency != 0;
	attr->sample_period = frequency ? frequency : options->period;
	events_ask_for_chains(attr, options);
	return 0;
}

/* Why an event cannot be opened, with the cure, in one sentence. */
char *events_explain(char *text, size_t size, int error, const struct perf_event_attr *attr)
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
		/* kernel.perf_event_paranoid answers so; what answers EPERM is something else. */
		if (paranoid > 2)
			snprintf(text, size,
				 "kernel.perf_event_paranoid is %d, which forbids all of it (as root: sysctl "
				 "kernel.perf_event_paranoid=2)",
				 paranoid);
		else
			snprintf(text, size,
				 "kernel.perf_event_paranoid is %d, which keeps the kernel's part from you (as root: "
				 "sysctl kernel.perf_event_paranoid=1)",
				 paranoid);
		break;
	case EPERM:
		snprintf(text, size, "perf_event_open is forbidden (EPERM): by a container or a security module");
		break;
	case ENOSYS:
		snprintf(text, size,
			 "perf_event_open does not exist (ENOSYS): forbidden by a container, or a kernel without it");
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
	return text;
}

static void events_add(event_list *events, const struct perf_event_attr *attr, const char *name)
{
	struct event *event = vec_add(events);

	event->attr = *attr;
	event->name = memory_strdup(name);
}

/* The events a person asked for: all of them, or the reason why not. */
static int events_choose_given(event_list *events, const struct event_options *options, uint64_t frequency,
				pid_t pid, int cpu, struct error *err)
{
	const char *names = options->names;

	for (;;) {
		size_t len = strcspn(names, ",");
		autofree char *name = memory_format("%.*s", (int)len, names);
		struct perf_event_attr attr;
		char why[256];
		int error;

		if (events_parse(&attr, name, options, frequency, err))
			return -1;
		if (events->len == EVENTS_MAX)
			return error_set(err, ERROR_USAGE, "more than %d events", EVENTS_MAX);
		error = events_probe(&attr, pid, cpu);
		if (error) {
			events_explain(why, sizeof(why), error, &attr);
			error_set(err, ERROR_NOT_PERMITTED, "event '%s': %s", name, why);
			/* The user's part may be sampled all the same. */
			if (error == EACCES && !strchr(name, ':'))
				error_set(err, ERROR_NOT_PERMITTED, "event '%s': %s; or -e %s:u", name, why, name);
			return -1;
		}
		events_add(events, &attr, name);
		if (!names[len])
			return 0;
		names += len + 1;
	}
}

/* The first that works of these. Each reason to step down is said once. */
static int events_choose_best(event_list *events, const struct event_options *options, uint64_t frequency,
			       pid_t pid, int cpu, struct notes *notes, struct error *err)
{
	static const char *const ladder[] = { "cycles", "cycles:u", "cpu-clock", "cpu-clock:u" };
	static const size_t rungs = sizeof(ladder) / sizeof(*ladder);
	char why[256], before[256] = "";

	for (size_t i = 0; i < rungs; i++) {
		struct perf_event_attr attr;
		int error;

		if (events_parse(&attr, ladder[i], options, frequency, err))
			return -1;
		error = events_probe(&attr, pid, cpu);
		if (!error) {
			events_add(events, &attr, ladder[i]);
			return 0;
		}
		events_explain(why, sizeof(why), error, &attr);
		if (strcmp(why, before) != 0 && i + 1 < rungs)
			notes_add(notes, "cannot sample %s: %s", ladder[i], why);
		memcpy(before, why, sizeof(before));
	}
	return error_set(err, ERROR_NOT_PERMITTED, "nothing can be sampled: %s", why);
}

static void events_unify_attrs(event_list *events)
{
	uint32_t size = 0;

	for (size_t i = 0; i < events->len; i++) {
		uint32_t need = writer_attr_size(&events->items[i].attr);

		size = need > size ? need : size;
	}
	for (size_t i = 0; i < events->len; i++)
		events->items[i].attr.size = size;
}

int events_choose(event_list *events, const struct event_options *options, pid_t pid, int cpu, struct notes *notes,
		  struct error *err)
{
	struct perf_event_attr dummy = events_dummy_attr(options->chains);
	uint64_t frequency = options->period ? 0 : events_frequency(options, notes);
	int error;

	if (options->names ? events_choose_given(events, options, frequency, pid, cpu, err) :
			     events_choose_best(events, options, frequency, pid, cpu, notes, err))
		return -1;
	error = events_probe(&dummy, pid, cpu);
	if (error) {
		errno = error;
		return error_sys(err, "event for mappings and names");
	}
	events_add(events, &dummy, "dummy:u");
	events_unify_attrs(events);
	return 0;
}
