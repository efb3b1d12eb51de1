/*
 * What the test programs share: work whose duration is a count of steps, and a stop by CPU time.
 *
 * A step waits for the multiplication before it, so it takes the same time wherever the loop lies:
 * shares of time are ratios of step counts.
 */
#ifndef TESTS_PROGRAMS_WORK_H
#define TESTS_PROGRAMS_WORK_H

#include <stdlib.h>
#include <time.h>

/* A function with one symbol, never inlined, cloned or replaced. */
#define FUNCTION __attribute__((noipa))
/* Behind a call: keeps it from becoming a jump. */
#define NOT_THE_END() __asm__ volatile("" ::: "memory")

/* About a millisecond. */
#define MS 1000000ul

/* A macro, not an inline function: the time belongs to the function that names it, however inlining is shown. */
#define STEPS(count)                                                                    \
	do {                                                                            \
		for (unsigned long left = (count), x = left; left; left--) {            \
			x = x * 6364136223846793005ul + 1442695040888963407ul;          \
			__asm__ volatile("" : "+r"(x));                                 \
		}                                                                       \
	} while (0)

static inline long argument(int argc, char **argv, int index, long otherwise)
{
	return index < argc ? atol(argv[index]) : otherwise;
}

/* Whether the clock (CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID) is still below. */
static inline int cpu_left(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms;
}

/*
 * A number that changes from call to call, `count` on average, so that no round of work keeps step with the sampling
 * clock.
 */
static inline unsigned long round_of(unsigned long count)
{
	static unsigned state = 1;

	state = state * 1103515245u + 12345u;
	return count / 2 + count * ((state >> 16) & 1023) / 1024;
}

#endif
