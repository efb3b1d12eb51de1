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

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* By enum perf_hw_id and enum perf_sw_ids. */
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

/* Other names that perf takes for them. */
static const struct {
	const char *alias, *name;
} event_aliases[] = {
	{ "cpu-cycles", "cycles" },   { "branch-instructions", "branches" },   { "faults", "page-faults" },
	{ "cs", "context-switches" }, { "migrations", "cpu-migrations" },
};

static bool event_find(struct perf_event_attr *attr, uint32_t type, const char *const *names, size_t count,
		       const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name)) {
			attr->type = type;
			attr->config = i;
			return true;
		}
	return false;
}

static int event_parse_modifiers(struct perf_event_attr *attr, const char *letters, const char *name, struct error *err)
{
	bool user = strchr(letters, 'u'), kernel = strchr(letters, 'k');
	unsigned int precise = 0;

	for (const char *letter = letters; *letter; letter++)
		precise += *letter == 'p';
	if (!*letters || letters[strspn(letters, "ukp")] || precise > 3)
		return error_set(err, ERROR_USAGE, "event '%s': unknown modifier ':%s' (known: u, k, p)", name, letters);
	attr->precise_ip = precise & 3;
	if (user || kernel) {
		attr->exclude_user = !user;
		attr->exclude_kernel = !kernel;
	}
	return 0;
}

int event_parse(struct perf_event_attr *attr, const char *name, struct error *err)
{
	const char *colon = strchr(name, ':');
	autofree char *copy = memory_format("%.*s", (int)(colon ? colon - name : (long)strlen(name)), name);
	const char *base = copy;

	for (size_t i = 0; i < COUNT(event_aliases); i++)
		if (!strcmp(event_aliases[i].alias, base))
			base = event_aliases[i].name;
	if (!event_find(attr, PERF_TYPE_HARDWARE, event_hardware, COUNT(event_hardware), base) &&
	    !event_find(attr, PERF_TYPE_SOFTWARE, event_software, COUNT(event_software), base))
		return error_set(err, ERROR_USAGE,
				 "unknown event '%s' (known: cycles, instructions, cache-references, cache-misses, branches, "
				 "branch-misses, cpu-clock, task-clock, page-faults, context-switches, …)",
				 copy);
	return colon ? event_parse_modifiers(attr, colon + 1, name, err) : 0;
}
