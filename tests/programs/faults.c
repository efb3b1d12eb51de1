/*
 * Truth: touch_pages faults exactly PAGES times (user mode, one fault for each page: private
 * anonymous memory, no huge pages), and touch_again not once.
 *
 * faults PAGES
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include "work.h"

FUNCTION void touch_pages(volatile char *memory, long pages)
{
	for (long i = 0; i < pages; i++)
		memory[i * 4096] = 1;
}

FUNCTION void touch_again(volatile char *memory, long pages)
{
	for (long i = 0; i < pages; i++)
		memory[i * 4096] = 2;
}

int main(int argc, char **argv)
{
	long pages = argument(argc, argv, 1, 1000);
	char *memory = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, (size_t)pages * 4096, MADV_NOHUGEPAGE);
	touch_pages(memory, pages);
	touch_again(memory, pages);
	return 0;
}
