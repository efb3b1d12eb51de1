#include "unwind/registers.h"

const char *register_name(unsigned int number)
{
	static const char *const names[REGISTERS] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
		"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip",
	};

	return number < REGISTERS ? names[number] : "?";
}
