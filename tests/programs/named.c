/*
 * Truth: the program's name is: n, newline, ESC, "[31m;", quote, backslash, TAB (16 bytes at most).
 * spin_named takes nearly all the time. Whoever shows that name must not send it to the terminal as it is.
 *
 * named [MS]
 */
#include <sys/prctl.h>
#include "work.h"

FUNCTION void spin_named(void) { STEPS(round_of(MS)); }

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 500);

	prctl(PR_SET_NAME, "n\n\033[31m;\"\\\t");
	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		spin_named();
	return 0;
}
