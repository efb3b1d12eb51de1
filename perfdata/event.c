#include "perfdata/event.h"

#include <stddef.h>

void event_fini(struct event *event)
{
	vec_fini(&event->ids);
	free(event->name);
}

bool event_read_attr(struct bytes *from, struct perf_event_attr *attr)
{
	struct bytes peek = *from;
	uint32_t size;
	struct bytes body;

	bytes_u32(&peek);
	size = bytes_u32(&peek);
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	body = bytes_split(from, size, "event attr");
	if (body.bad || size < PERF_ATTR_SIZE_VER0 || size > 4096)
		return false;
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, body.start, size < sizeof(*attr) ? size : sizeof(*attr));
	return true;
}

static const char *const event_hardware[] = {
	"cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
	"branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};

static const char *const event_software[] = {
	"cpu-clock",    "task-clock",       "page-faults",      "context-switches", "cpu-migrations", "minor-faults",
	"major-faults", "alignment-faults", "emulation-faults", "dummy",            "bpf-output",     "cgroup-switches",
};

/* The modifiers that the exclude bits stand for: ":u", ":k"; none where both are counted. */
static const char *event_modifier(const struct perf_event_attr *attr)
{
	if (attr->exclude_kernel && !attr->exclude_user)
		return ":u";
	return attr->exclude_user && !attr->exclude_kernel ? ":k" : "";
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

char *event_default_name(const struct perf_event_attr *attr)
{
	const char *modifier = event_modifier(attr);

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < COUNT(event_hardware))
		return memory_format("%s%s", event_hardware[attr->config], modifier);
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < COUNT(event_software))
		return memory_format("%s%s", event_software[attr->config], modifier);
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return memory_format("mem:0x%llx%s", (unsigned long long)attr->bp_addr, modifier);
	if (attr->type == PERF_TYPE_RAW)
		return memory_format("raw 0x%llx%s", (unsigned long long)attr->config, modifier);
	return memory_format("type %u config 0x%llx%s", attr->type, (unsigned long long)attr->config, modifier);
}

bool event_counts_ns(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool event_is_dummy(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}
