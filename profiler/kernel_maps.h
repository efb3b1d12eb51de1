/* The kernel's own mappings as records: the perf events do not announce what has been there since boot. */
#ifndef PROFILER_KERNEL_MAPS_H
#define PROFILER_KERNEL_MAPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef int kernel_maps_fn(void *context, const void *record, size_t size, struct error *err);

/*
 * Gives MMAP records for the kernel and its modules. 0 also where the addresses are hidden (kernel.kptr_restrict), and
 * then *hidden; -1 only where `give` fails.
 */
int kernel_maps(kernel_maps_fn *give, void *context, bool *hidden, struct error *err);

#endif
