#include "profiler/kernel_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct kernel_map_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, file_offset;
	char path[64 + 24];	/* padded to eight; then a sample_id that says nothing */
};

/* Room for the trailer of our events' sample_type: TID, TIME, CPU, IDENTIFIER, all zero. */
enum { KERNEL_MAP_TRAILER = 32 };

static int kernel_maps_give(kernel_maps_fn *give, void *context, uint64_t start, uint64_t size, uint64_t file_offset,
			    const char *path, struct error *err)
{
	struct {
		struct kernel_map_record record;
		uint8_t trailer[KERNEL_MAP_TRAILER];
	} whole = {
		.record = {
			.header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL },
			.pid = UINT32_MAX,
			.start = start,
			.size = size,
			.file_offset = file_offset,
		},
	};
	size_t len = (strlen(path) + 1 + 7) & ~(size_t)7;

	if (len > sizeof(whole.record.path))
		return 0;
	memcpy(whole.record.path, path, strlen(path));
	whole.record.header.size = (uint16_t)(offsetof(struct kernel_map_record, path) + len + KERNEL_MAP_TRAILER);
	return give(context, &whole, whole.record.header.size, err);
}

/* The address of _text, by which perf recognises where the kernel was loaded; 0, with a note, where it cannot be had. */
static uint64_t kernel_text(struct notes *notes)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char type, name[512];
	uint64_t address, found = 0;

	if (!file) {
		notes_add(notes, "kernel functions will have no names: /proc/kallsyms: %s", strerror(errno));
		return 0;
	}
	while (!found && fscanf(file, "%" SCNx64 " %c %511s%*[^\n]", &address, &type, name) == 3)
		if (!strcmp(name, "_text"))
			found = address;
	fclose(file);
	if (!found)
		notes_add(notes, "kernel functions will have no names: their addresses are hidden (as root: sysctl "
				 "kernel.kptr_restrict=0)");
	return found;
}

/* /proc/modules: name, size, references, users, state, address. */
static int kernel_maps_modules(kernel_maps_fn *give, void *context, struct error *err)
{
	FILE *file = fopen("/proc/modules", "re");
	char name[64], path[80];
	uint64_t size, address;
	int status = 0;

	while (file && !status &&
	       fscanf(file, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64 "%*[^\n]", name, &size, &address) == 3) {
		if (!address)
			continue;
		snprintf(path, sizeof(path), "[%s]", name);
		status = kernel_maps_give(give, context, address, size, 0, path, err);
	}
	if (file)
		fclose(file);
	return status;
}

int kernel_maps(kernel_maps_fn *give, void *context, struct notes *notes, struct error *err)
{
	uint64_t text = kernel_text(notes);

	if (!text)
		return 0;
	/* To the end of the address space, as perf has it: modules and BPF programs come on top. */
	if (kernel_maps_give(give, context, text, UINT64_MAX - text, text, "[kernel.kallsyms]_text", err))
		return -1;
	return kernel_maps_modules(give, context, err);
}
