/* What /proc and /sys say about the machine, and the description of it that goes into a recording. */
#ifndef PROFILER_SYSFS_H
#define PROFILER_SYSFS_H

#include "perfdata/metadata.h"

/* The number a file begins with; `otherwise` where it cannot be read. */
uint64_t sysfs_u64(const char *path, uint64_t otherwise);

/* The numbers of the CPUs that are online, ascending. The caller frees *cpus. */
int sysfs_cpus(int **cpus, size_t *count, struct error *err);

/* Host, kernel, architecture, CPUs and the clock's relation to wall time. */
void sysfs_describe(struct metadata *metadata, uint32_t clock_id);

#endif
