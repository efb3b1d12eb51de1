/*
 * Truth: divide takes nearly all the time, and in it one 64-bit division, each waiting for the one
 * before it: a sample falls on the div instruction or on the one after it. The line of the division
 * is marked; nothing else in the loop takes time.
 *
 * division [MS]
 */
#include "work.h"

FUNCTION unsigned long divide(unsigned long count, unsigned long by)
{
	unsigned long x = ~0ul;

	for (unsigned long i = 0; i < count; i++) {
		x = ~x;
		x = x / by; /* the division */
	}
	return x;
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 1000);
	volatile unsigned long sink = 0;

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		sink += divide(round_of(MS), 3 + sink % 2);
	return 0;
}
