#include "profiler/sysfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

uint64_t sysfs_u64(const char *path, uint64_t otherwise)
{
	FILE *file = fopen(path, "re");
	int64_t value;

	if (!file)
		return otherwise;
	if (fscanf(file, "%" SCNd64, &value) != 1)
		value = (int64_t)otherwise;
	fclose(file);
	return (uint64_t)value;
}

/* A list such as "0-3,6": cpuset(7), "List format". */
int sysfs_cpus(int **cpus, size_t *count, struct error *err)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	FILE *file = fopen(path, "re");
	VEC(int) list = { 0 };
	int first, last;

	while (file && fscanf(file, "%d", &first) == 1) {
		last = first;
		if (fscanf(file, "-%d", &last) < 0)
			last = first;
		for (int cpu = first; cpu <= last && cpu - first < 65536; cpu++)
			vec_push(&list, cpu);
		if (fgetc(file) != ',')
			break;
	}
	if (file)
		fclose(file);
	*cpus = list.items;
	*count = list.len;
	return list.len ? 0 : error_set(err, ERROR_SYSTEM, "%s: cannot be read", path);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void sysfs_describe(struct metadata *metadata, uint32_t clock_id)
{
	struct utsname name;

	if (!uname(&name)) {
		metadata->hostname = memory_strdup(name.nodename);
		metadata->release = memory_strdup(name.release);
		metadata->arch = memory_strdup(name.machine);
	}
	metadata->cpus_present = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	metadata->cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	metadata->has_clock = true;
	metadata->clock_id = clock_id;
	metadata->clock_wall_ns = clock_ns(CLOCK_REALTIME);
	metadata->clock_ns = clock_ns((clockid_t)clock_id);
}
