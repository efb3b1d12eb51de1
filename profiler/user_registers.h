/* The user registers of a sample, from the order of the kernel's bits to DWARF numbers. */
#ifndef PROFILER_USER_REGISTERS_H
#define PROFILER_USER_REGISTERS_H

#include "perfdata/record.h"
#include "unwind/registers.h"

/* x86-64: what a stack copy needs beside it, all general registers and rip (enum perf_event_x86_regs). */
#define USER_REGISTERS_MASK 0xff01ffull

/* False where the instruction or the stack pointer is not among them. */
bool user_registers(struct registers *registers, struct words words, uint64_t mask);

#endif
