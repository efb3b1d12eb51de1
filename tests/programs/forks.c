/*
 * Truth: parent and child take half of the time each; the child never execs, so it lives on the
 * maps it got from its parent. Chains: parent_work < main, child_work < main.
 *
 * forks [MS]: MS milliseconds of CPU for each process.
 */
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

FUNCTION void parent_work(void) { STEPS(round_of(MS)); }
FUNCTION void child_work(void) { STEPS(round_of(MS)); }

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 500);
	pid_t child = fork();

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms)) {
		if (child)
			parent_work();
		else
			child_work();
	}
	if (child)
		waitpid(child, NULL, 0);
	return 0;
}
