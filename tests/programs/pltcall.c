/*
 * Truth: half a dozen instructions a round, of which the PLT stub of `foreign` is a good part; every
 * sample of the stub and of foreign has the chain foreign@plt (or foreign) < caller < main.
 * The stub has no symbol of its own: it is foreign@plt.
 *
 * pltcall [MS]; link with pltlib.c as a shared library, -Wl,-z,lazy (classic .plt) or
 * -fcf-protection -Wl,-z,ibtplt (.plt.sec).
 */
#include "work.h"

void foreign(void);

FUNCTION void caller(unsigned long count)
{
	while (count--)
		foreign();
	NOT_THE_END();
}

int main(int argc, char **argv)
{
	long ms = argument(argc, argv, 1, 1000);

	while (cpu_left(CLOCK_PROCESS_CPUTIME_ID, ms))
		caller(round_of(MS));
	return 0;
}
