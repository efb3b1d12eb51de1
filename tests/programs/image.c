/*
 * Truth: runs NAME_work for MS milliseconds of CPU, then becomes the program that its further
 * arguments name, in the same process. Chain: NAME_work < main, in each image; no name of one image may
 * appear in the other's samples.
 *
 * image MS [PROGRAM ARGS...]; compile with -DNAME=first, -DNAME=second, and different -DPADDING=BYTES.
 */
#include <unistd.h>
#include "work.h"

#define PASTE(a, b) a##b
#define WORK(name) PASTE(name, _work)

/* the images differ in layout: an address of one means nothing in the other */
#define TEXT(x) #x
#define SKIP(bytes) __asm__(".text\n.skip " TEXT(bytes))
SKIP(PADDING);

FUNCTION void WORK(NAME)(void) { STEPS(round_of(MS)); }

int main(int argc, char **argv)
{
	struct timespec begin, now;
	long ms = argument(argc, argv, 1, 400);

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	do {
		WORK(NAME)();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
	if (argc > 2)
		execv(argv[2], argv + 2);
	return argc > 2;
}
