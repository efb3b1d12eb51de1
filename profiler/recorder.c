#include "profiler/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "object/vdso.h"
#include "perfdata/output.h"
#include "perfdata/record.h"
#include "perfdata/writer.h"
#include "profiler/kernel_maps.h"
#include "profiler/order.h"
#include "profiler/sysfs.h"
#include "profiler/target.h"

enum {
	RECORDER_POLL_MS = 100,		/* the rings are looked at this often even when none is filling up */
	RECORDER_WAITING_MS = 3,	/* and so soon again when records were too young to be given out */
	RECORDER_CHECKPOINT_MS = 1000,
	RECORDER_GRACE_MS = 1000,	/* for a program to end after a signal to us */
};

struct recorder {
	const struct recorder_options *options;
	struct recorder_result *result;
	struct notes *notes;
	struct output output;
	struct writer writer;
	struct sampler sampler;
	struct order order;
	struct target target;
	struct metadata metadata;
	struct strtab build_id_paths;
	sigset_t old_mask;
	int signal_fd;
	int stopped_by;		/* a signal to us; 0: none */
	uint64_t stopped_ms;
	uint64_t samples;	/* taken from the rings */
	bool disk_full;
	struct error disk_error;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t now_ms(void)
{
	return now_ns() / 1000000;
}

/* Signals come through a file descriptor, so none can hit in the middle of a write. */
static int recorder_catch_signals(struct recorder *recorder, struct error *err)
{
	struct sigaction hangup;
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGCHLD);
	/* nohup has it ignored, and means it. */
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN)
		sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, &recorder->old_mask);
	recorder->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return recorder->signal_fd < 0 ? error_sys(err, "signalfd") : 0;
}

/* Writes a record unless the disk is full; then what is on it stays readable and the rest is dropped. */
static void recorder_write(struct recorder *recorder, const void *record, size_t size)
{
	if (recorder->disk_full)
		return;
	if (writer_record(&recorder->writer, record, size, &recorder->disk_error))
		recorder->disk_full = true;
}

static int recorder_give_map(void *context, const void *record, size_t size, struct error *err)
{
	(void)err;
	recorder_write(context, record, size);
	return 0;
}

/* The build-id of a mapped file, from its mapping where the kernel put it there, else from the file. */
static struct build_id recorder_build_id(const struct mapping *mapping)
{
	struct build_id id = mapping->build_id;
	struct object object;
	struct stat st;
	int fd;

	if (build_id_is_known(&id) || mapping->path[0] != '/')
		return id;
	fd = open(mapping->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
	if (fd < 0)
		return id;
	/* Only if it still is the file that was mapped. */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (mapping->inode && st.st_ino != mapping->inode)) {
		close(fd);
		return id;
	}
	if (!object_open(&object, fd, mapping->path, NULL)) {
		id = object.build_id;
		object_close(&object);
	}
	return id;
}

static void recorder_tell_build_id(struct recorder *recorder, const char *path, struct build_id id, bool kernel)
{
	if (build_id_is_known(&id))
		vec_push(&recorder->metadata.build_ids,
			 (struct dso_build_id){ .id = id, .kernel = kernel, .path = memory_strdup(path) });
}

static void recorder_see_mapping(struct recorder *recorder, const uint8_t *bytes, uint32_t event)
{
	size_t known = recorder->build_id_paths.strings.len;
	struct record record;

	if (!record_decode(&record, bytes, &recorder->sampler.events.items[event]) || !record.mapping.executable)
		return;
	if (strtab_id(&recorder->build_id_paths, record.mapping.path) == known)
		recorder_tell_build_id(recorder, record.mapping.path, recorder_build_id(&record.mapping), false);
}

static void recorder_see_sample(struct recorder *recorder, uint64_t time)
{
	recorder->samples++;
	if (!recorder->metadata.first_time)
		recorder->metadata.first_time = time;
	recorder->metadata.last_time = time;
}

/* One round: all records older than `safe` go to the file. */
static void recorder_drain(struct recorder *recorder, uint64_t safe)
{
	static const struct perf_event_header round_end = { .type = FORMAT_FINISHED_ROUND, .size = sizeof(round_end) };
	const uint8_t *record;
	bool any = false;
	uint32_t event;

	order_begin(&recorder->order, safe);
	while ((record = order_next(&recorder->order, &event))) {
		struct perf_event_header header;

		memcpy(&header, record, sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE)
			recorder_see_sample(recorder, recorder->order.last);
		else if (header.type == PERF_RECORD_MMAP2 || header.type == PERF_RECORD_MMAP)
			recorder_see_mapping(recorder, record, event);
		recorder_write(recorder, record, header.size);
		any = true;
	}
	/* Nothing older follows, so that readers need not keep more than a round. */
	if (any)
		recorder_write(recorder, &round_end, sizeof(round_end));
}

/* A signal to us. From the terminal the program has got it too; sent by kill, it is passed on. */
static void recorder_take_signal(struct recorder *recorder, const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;

	if (number == SIGCHLD)
		return;
	if (recorder->stopped_by) {
		/* The second time means: now. */
		recorder->stopped_ms = 0;
		return;
	}
	recorder->stopped_by = number;
	recorder->stopped_ms = now_ms();
	if (info->ssi_code <= 0)
		kill(recorder->target.pid, number);
}

static void recorder_read_signals(struct recorder *recorder)
{
	struct signalfd_siginfo info;

	while (read(recorder->signal_fd, &info, sizeof(info)) == sizeof(info))
		recorder_take_signal(recorder, &info);
	target_poll(&recorder->target);
}

static bool recorder_is_done(const struct recorder *recorder)
{
	if (recorder->target.exited)
		return true;
	return recorder->stopped_by && now_ms() - recorder->stopped_ms >= RECORDER_GRACE_MS;
}

static void recorder_loop(struct recorder *recorder)
{
	size_t count = recorder->sampler.rings.len + 1;
	struct pollfd *fds = memory_new(count, sizeof(*fds));
	uint64_t checkpoint_ms = now_ms();

	for (size_t i = 0; i < count - 1; i++)
		fds[i] = (struct pollfd){ .fd = recorder->sampler.rings.items[i].ring.fd, .events = POLLIN };
	fds[count - 1] = (struct pollfd){ .fd = recorder->signal_fd, .events = POLLIN };
	while (!recorder_is_done(recorder)) {
		poll(fds, count, order_has_waiting(&recorder->order) ? RECORDER_WAITING_MS : RECORDER_POLL_MS);
		/* An event whose tasks have all gone reports POLLHUP for ever. */
		for (size_t i = 0; i < count - 1; i++)
			if (fds[i].revents & POLLHUP)
				fds[i].fd = -1;
		recorder_read_signals(recorder);
		recorder_drain(recorder, now_ns() - ORDER_DELAY_NS);
		if (!recorder->disk_full && now_ms() - checkpoint_ms >= RECORDER_CHECKPOINT_MS) {
			recorder->disk_full = writer_checkpoint(&recorder->writer, &recorder->disk_error);
			checkpoint_ms = now_ms();
		}
	}
	free(fds);
}

/* The losses of an event, as perf writes them: the trailer names the event. */
static void recorder_write_lost(struct recorder *recorder, uint32_t event, uint64_t lost)
{
	struct {
		struct perf_event_header header;
		uint64_t lost;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t id;
	} record = {
		.header = { .type = PERF_RECORD_LOST_SAMPLES, .size = sizeof(record) },
		.lost = lost,
		.pid = (uint32_t)recorder->target.pid,
		.tid = (uint32_t)recorder->target.pid,
		.time = recorder->order.last,
		.id = recorder->sampler.events.items[event].ids.items[0],
	};

	if (lost)
		recorder_write(recorder, &record, sizeof(record));
}

static void recorder_count_losses(struct recorder *recorder)
{
	uint32_t dummy = sampler_dummy(&recorder->sampler);
	uint64_t lost;

	for (uint32_t event = 0; event < dummy; event++) {
		lost = sampler_lost(&recorder->sampler, event);
		recorder->result->lost += lost;
		recorder_write_lost(recorder, event, lost);
	}
	lost = sampler_lost(&recorder->sampler, dummy);
	recorder_write_lost(recorder, dummy, lost);
	if (lost)
		notes_add(recorder->notes,
			  "%" PRIu64 " records of mappings and names were lost: some stacks will be unknown", lost);
}

static void recorder_describe(struct recorder *recorder)
{
	struct metadata *metadata = &recorder->metadata;
	struct object vdso;

	sysfs_describe(metadata, CLOCK_MONOTONIC_RAW);
	metadata->version = memory_strdup(recorder->options->version);
	metadata->command = memory_strdup(recorder->options->command_line);
	metadata->consumed_ns = recorder->target.consumed_ns;
	recorder_tell_build_id(recorder, "[kernel.kallsyms]", build_id_of_kernel(), true);
	if (!vdso_open(&vdso, NULL)) {
		recorder_tell_build_id(recorder, "[vdso]", vdso.build_id, false);
		object_close(&vdso);
	}
}

/* "cpu-clock, page-faults". */
static void recorder_name_events(struct recorder *recorder)
{
	struct recorder_result *result = recorder->result;
	size_t used = 0;

	for (uint32_t i = 0; i < sampler_dummy(&recorder->sampler) && used < sizeof(result->events); i++)
		used += (size_t)snprintf(result->events + used, sizeof(result->events) - used, "%s%s", i ? ", " : "",
					 recorder->sampler.events.items[i].name);
}

static void recorder_finish(struct recorder *recorder)
{
	struct recorder_result *result = recorder->result;
	struct error err;

	sampler_disable(&recorder->sampler);
	recorder_drain(recorder, UINT64_MAX);
	recorder_count_losses(recorder);
	recorder_describe(recorder);
	if (writer_finish(&recorder->writer, &recorder->metadata, &err) && !recorder->disk_full) {
		recorder->disk_full = true;
		recorder->disk_error = err;
	}
	result->samples = recorder->writer.samples;
	result->unwritten = recorder->samples - recorder->writer.samples;
	result->bytes = recorder->writer.header.data.offset + recorder->writer.header.data.size;
	if (recorder->disk_full)
		notes_add(recorder->notes, "%s; the recording ends there, what was written can be read",
			  recorder->disk_error.message);
	result->still_running = !recorder->target.exited;
	result->exit_status = recorder->target.exited ? target_exit_status(&recorder->target) :
							128 + recorder->stopped_by;
	recorder_name_events(recorder);
}

/* With the events open and the program waiting: writes the file's beginning and lets the program go. */
static int recorder_start(struct recorder *recorder, bool *not_run, struct error *err)
{
	const struct recorder_options *options = recorder->options;
	struct sampler *sampler = &recorder->sampler;
	bool kernel_seen = !sampler->events.items[0].attr.exclude_kernel;

	if (writer_init(&recorder->writer, recorder->output.fd, options->output, sampler->events.items,
			sampler->events.len, err) ||
	    kernel_maps(recorder_give_map, recorder, kernel_seen ? recorder->notes : NULL, err))
		return -1;
	if (target_start(&recorder->target, options->argv[0], err)) {
		*not_run = true;
		return -1;
	}
	return 0;
}

/* All but the output file, which is there. */
static int recorder_record(struct recorder *recorder, bool *not_run, struct error *err)
{
	int status = -1;

	if (recorder_catch_signals(recorder, err))
		return -1;
	if (target_prepare(&recorder->target, recorder->options->argv, &recorder->old_mask, err))
		goto no_target;
	if (sampler_open(&recorder->sampler, &recorder->options->sampler, recorder->target.pid, recorder->notes, err))
		goto no_sampler;
	order_init(&recorder->order, &recorder->sampler);
	if (!recorder_start(recorder, not_run, err)) {
		recorder_loop(recorder);
		recorder_finish(recorder);
		status = 0;
	}
	order_fini(&recorder->order);
	writer_fini(&recorder->writer);
	metadata_fini(&recorder->metadata);
	strtab_fini(&recorder->build_id_paths);
	sampler_close(&recorder->sampler);
no_sampler:
	target_fini(&recorder->target);
no_target:
	close(recorder->signal_fd);
	sigprocmask(SIG_SETMASK, &recorder->old_mask, NULL);
	return status;
}

int recorder_run(const struct recorder_options *options, struct recorder_result *result, bool *not_run,
		 struct notes *notes, struct error *err)
{
	struct recorder recorder = { .options = options, .result = result, .notes = notes };
	struct error close_err;

	*result = (struct recorder_result){ 0 };
	*not_run = target_check(options->argv[0], err);
	if (*not_run || output_create(&recorder.output, options->output, err))
		return -1;
	if (recorder_record(&recorder, not_run, err)) {
		output_abandon(&recorder.output);
		return -1;
	}
	if (output_close(&recorder.output, &close_err))
		notes_add(notes, "%s", close_err.message);
	return 0;
}
