/*
 * Truth: two threads, named alpha and beta, take half of the time each (1:1 by CPU time);
 * alpha in alpha_work, beta in beta_work, both < run < the C library's thread start. main takes none.
 *
 * pair [MS]: MS milliseconds of CPU for each thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include "work.h"

static long ms;

FUNCTION void alpha_work(void) { STEPS(round_of(MS)); }
FUNCTION void beta_work(void) { STEPS(round_of(MS)); }

static void *run(void *work)
{
	pthread_setname_np(pthread_self(), work == (void *)alpha_work ? "alpha" : "beta");
	while (cpu_left(CLOCK_THREAD_CPUTIME_ID, ms))
		((void (*)(void))work)();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	ms = argument(argc, argv, 1, 600);
	pthread_create(&a, NULL, run, (void *)alpha_work);
	pthread_create(&b, NULL, run, (void *)beta_work);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
