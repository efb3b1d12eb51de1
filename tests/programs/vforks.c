/*
 * Truth: nearly all the time is spent in vfork, by the parent going in and by the child ending, both
 * below launch < main. While it asks the kernel, vfork keeps its return address in a register (%rdi),
 * and CFI says so.
 *
 * vforks [MS]: MS milliseconds of CPU for the parent.
 */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

FUNCTION void launch(void)
{
	pid_t child = vfork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 300);

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		launch();
	return 0;
}
