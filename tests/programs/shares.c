/*
 * Truth: hot_a takes 60 %, hot_b 30 %, hot_c 10 % of the time. Chains:
 * hot_a < work < main, hot_b < middle < work < main, hot_c < middle < work < main.
 * So the children's shares are: main and work 100 %, middle 40 %.
 *
 * shares [MS [STATUS]]: takes MS milliseconds of CPU, exits with STATUS.
 */
#include "work.h"

FUNCTION void hot_a(unsigned long n) { STEPS(6 * n); }
FUNCTION void hot_b(unsigned long n) { STEPS(3 * n); }
FUNCTION void hot_c(unsigned long n) { STEPS(1 * n); }

FUNCTION void middle(unsigned long n)
{
	hot_b(n);
	hot_c(n);
	NOT_THE_END();
}

FUNCTION void work(unsigned long n)
{
	hot_a(n);
	middle(n);
	NOT_THE_END();
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 1500);

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		work(round_of(2 * MS));
	return (int)argument(argc, argv, 2, 0);
}
