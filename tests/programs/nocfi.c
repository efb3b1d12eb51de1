/*
 * Truth: bare takes nearly all the time; it is assembly without CFI, uses rbp as a counter and has
 * pushed two words that are no return address. Its callers are through < main; nobody can know that
 * by rule, so no stack of bare is complete unless its frames are marked as guessed.
 *
 * nocfi [MS]; compile with -fomit-frame-pointer.
 */
#include "work.h"

void bare(unsigned long count);
__asm__(".text\n"
	".type bare, @function\n"
	"bare:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	mov %rdi, %rbp\n"
	"1:	imul $3, %rbx\n"
	"	dec %rbp\n"
	"	jnz 1b\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size bare, . - bare\n");

FUNCTION void through(unsigned long count)
{
	bare(count);
	NOT_THE_END();
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 500);

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		through(round_of(MS));
	return 0;
}
