/*
 * Truth: nearly all the time (over 80 %) is the kernel's, filling a page-aligned buffer from /dev/zero,
 * and every kernel sample was called from read < reader < main.
 *
 * syscalls [MS]
 */
#include <fcntl.h>
#include <unistd.h>
#include "work.h"

static char buffer[256 * 1024] __attribute__((aligned(4096)));

FUNCTION long reader(int fd)
{
	long n = 0;

	for (int i = 0; i < 64; i++)
		n += read(fd, buffer, sizeof buffer);
	return n;
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 1000);
	int fd = open("/dev/zero", O_RDONLY);

	while (fd >= 0 && cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		if (reader(fd) <= 0)
			return 1;
	return fd < 0;
}
