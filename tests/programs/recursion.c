/*
 * Truth: every sample of bottom has the chain bottom < descend x (DEPTH + 1) < main, and there are
 * at least DEPTH x FRAME bytes of stack between bottom and main. bottom takes nearly all the time.
 *
 * recursion DEPTH [MS]; compiled with -DFRAME=BYTES (default 400).
 */
#include <string.h>
#include "work.h"

#ifndef FRAME
#define FRAME 400
#endif

FUNCTION void bottom(void)
{
	STEPS(round_of(5 * MS));
}

FUNCTION int descend(long left)
{
	volatile char frame[FRAME];

	frame[0] = (char)left;
	frame[FRAME - 1] = 1;
	if (left == 0)
		bottom();
	else
		descend(left - 1);
	return frame[0] + frame[FRAME - 1];
}

int main(int argc, char **argv)
{
	long depth = argument(argc, argv, 1, 60);
	long ms = argument(argc, argv, 2, 1000);

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		descend(depth);
	return 0;
}
