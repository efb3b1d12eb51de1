/* The registers of x86-64 by their DWARF numbers (System V psABI, figure 3.36). */
#ifndef UNWIND_REGISTERS_H
#define UNWIND_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	REGISTER_RAX, REGISTER_RDX, REGISTER_RCX, REGISTER_RBX, REGISTER_RSI, REGISTER_RDI, REGISTER_RBP, REGISTER_RSP,
	REGISTER_R8, REGISTER_R9, REGISTER_R10, REGISTER_R11, REGISTER_R12, REGISTER_R13, REGISTER_R14, REGISTER_R15,
	REGISTER_RIP,	/* the return address column */
	REGISTERS,
};

struct registers {
	uint64_t value[REGISTERS];
	uint32_t known;		/* bit n: value[n] is */
};

static inline bool register_is_known(const struct registers *registers, unsigned int number)
{
	return registers->known >> number & 1;
}

static inline void register_set(struct registers *registers, unsigned int number, uint64_t value)
{
	registers->value[number] = value;
	registers->known |= 1u << number;
}

/* "rax"; "?" beyond those we know. */
const char *register_name(unsigned int number);

#endif
