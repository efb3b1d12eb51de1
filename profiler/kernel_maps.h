/* The kernel's own mappings as records: the perf events do not announce what has been there since boot. */
#ifndef PROFILER_KERNEL_MAPS_H
#define PROFILER_KERNEL_MAPS_H

#include <stddef.h>

#include "base/error.h"
#include "base/notes.h"

typedef int kernel_maps_fn(void *context, const void *record, size_t size, struct error *err);

/*
 * Gives MMAP records for the kernel and its modules. Where their addresses cannot be had there are none, which is noted with
 * the cure; -1 only where `give` fails.
 */
int kernel_maps(kernel_maps_fn *give, void *context, struct notes *notes, struct error *err);

#endif
