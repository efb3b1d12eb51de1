/*
 * Truth: bottom takes nearly all the time; chain bottom < realigned < main. realigned has a frame
 * with an alignment and a size known only when it runs: gcc keeps the caller's sp in a register and
 * in the frame (DRAP), and the CFA is a DWARF expression.
 *
 * realigned [MS]
 */
#include "work.h"

FUNCTION void bottom(volatile void *a, volatile void *b)
{
	(void)a;
	(void)b;
	STEPS(round_of(MS));
}

FUNCTION double realigned(int n)
{
	volatile double table[16] __attribute__((aligned(64)));
	volatile char *bytes = __builtin_alloca((unsigned long)n);

	table[0] = n;
	bytes[0] = (char)n;
	bottom(table, bytes);
	return table[0] + bytes[0];
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 1000);
	volatile double sink = 0;

	for (int i = 0; cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms); i++)
		sink += realigned(16 + i % 1000);
	return 0;
}
