/*
 * Truth: handler_body takes nearly all the time; chain handler_body < on_signal < the signal's return
 * trampoline < raise... < raiser < main. The handler runs on the program's own stack.
 *
 * handler [MS]
 */
#include <signal.h>
#include "work.h"

FUNCTION void handler_body(void)
{
	STEPS(round_of(5 * MS));
}

static void on_signal(int number)
{
	(void)number;
	handler_body();
	NOT_THE_END();
}

FUNCTION void raiser(void)
{
	raise(SIGUSR1);
	NOT_THE_END();
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 1000);

	signal(SIGUSR1, on_signal);
	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		raiser();
	return 0;
}
