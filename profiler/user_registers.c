#include "profiler/user_registers.h"

/* By enum perf_event_x86_regs (arch/x86/include/uapi/asm/perf_regs.h): AX … SP, IP, flags and segments, R8 … R15. */
static const int8_t user_registers_dwarf[] = {
	REGISTER_RAX, REGISTER_RBX, REGISTER_RCX, REGISTER_RDX, REGISTER_RSI, REGISTER_RDI, REGISTER_RBP, REGISTER_RSP,
	REGISTER_RIP, -1, -1, -1, -1, -1, -1, -1,
	REGISTER_R8, REGISTER_R9, REGISTER_R10, REGISTER_R11, REGISTER_R12, REGISTER_R13, REGISTER_R14, REGISTER_R15,
};

bool user_registers(struct registers *registers, struct words words, uint64_t mask)
{
	*registers = (struct registers){ .known = 0 };
	for (uint32_t i = 0; mask && i < words.count; i++, mask &= mask - 1) {
		unsigned int bit = (unsigned int)__builtin_ctzll(mask);

		if (bit < sizeof(user_registers_dwarf) && user_registers_dwarf[bit] >= 0)
			register_set(registers, (unsigned int)user_registers_dwarf[bit], words_at(words, i));
	}
	return register_is_known(registers, REGISTER_RIP) && register_is_known(registers, REGISTER_RSP);
}
