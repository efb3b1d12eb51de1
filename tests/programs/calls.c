/*
 * Truth: every sample of top, inner and leaf has main above it, although nearly all of them lie in
 * prologues, epilogues and between pushes and pops: the functions save registers that CFI names, and do next to
 * nothing else. After `pop %rbp` the saved slot lies below sp while CFI may still name it.
 * Chain: leaf < inner < top < main.
 *
 * calls [MS]
 */
#include "work.h"

FUNCTION long leaf(long a, long b)
{
	/* clobbers make the compiler save and restore all six */
	__asm__ volatile("" : "+r"(a) : "r"(b) : "rbx", "rbp", "r12", "r13", "r14", "r15");
	return a + b;
}

FUNCTION long inner(long a)
{
	__asm__ volatile("" : "+r"(a)::"rbx", "rbp");
	a = leaf(a, 1);
	__asm__ volatile("" : "+r"(a)::"rbx", "rbp");
	return a;
}

FUNCTION __attribute__((optimize("no-omit-frame-pointer"))) long top(long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += inner(i);
	return sum;
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 1000);
	volatile long sink = 0;

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		sink += top((long)round_of(MS));
	return 0;
}
