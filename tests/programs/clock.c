/*
 * Truth: over half of the time is the vdso's clock_gettime, under asks < main; the vdso is in no file.
 *
 * clock [MS]
 */
#include "work.h"

FUNCTION long asks(long count)
{
	struct timespec t = { 0 };

	while (count--)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_nsec;
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 600);
	volatile long sink = 0;

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		sink += asks((long)round_of(10000));
	return 0;
}
