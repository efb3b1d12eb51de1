/*
 * Truth: bottom takes nearly all the time; chain bottom < framed < main. framed is assembly without
 * CFI, but with a frame pointer, as crtstuff's __do_global_dtors_aux and much hand-written code is.
 *
 * framed [MS]
 */
#include "work.h"

void framed(void);
__asm__(".text\n"
	".type framed, @function\n"
	"framed:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $48, %rsp\n"
	"	call bottom\n"
	"	leave\n"
	"	ret\n"
	".size framed, . - framed\n");

FUNCTION void bottom(void) { STEPS(round_of(MS)); }

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 500);

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		framed();
	return 0;
}
