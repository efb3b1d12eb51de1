/*
 * A program to profile: a server with a hash table. `pmuprof report` will show
 *
 *   look_up  60 %
 *   insert   30 %
 *   expire   10 %     all called by serve, which main calls
 *
 * and `pmuprof annotate look_up` where nearly all of its time goes: into the division that the % of slot_of is. (Its samples
 * fall on the instruction after it, and so on that one's line: it is the one that waits.) All three functions find slots in
 * the same way, so mending that one line makes all of them faster and leaves their shares as they are.
 *
 * Try it: with a power of two of slots, *hash & (count - 1) does without the division, and more than twice as many requests
 * are served.
 *
 * demo [SECONDS]: takes so much CPU time, 2 by default.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTION __attribute__((noipa)) /* neither inlined nor cloned: a row under its own name in the report */

enum { MOST_SLOTS = 4096 };

static unsigned long table[MOST_SLOTS];
static volatile unsigned long slots = 1009;	/* volatile: by a number that it knows the compiler would not divide */

/* A step cannot begin before the one before it is done: its hash is made from what that one found. */
static inline unsigned long *slot_of(unsigned long *hash, unsigned long count)
{
	unsigned long *slot = &table[*hash % count];

	*hash = (*hash + *slot) * 6364136223846793005 + 1442695040888963407;
	return slot;
}

FUNCTION static unsigned long look_up(unsigned long hash, unsigned int keys)
{
	unsigned long count = slots, found = 0;

	while (keys--)
		found += *slot_of(&hash, count);
	return found;
}

FUNCTION static void insert(unsigned long hash, unsigned int keys)
{
	unsigned long count = slots;

	while (keys--)
		*slot_of(&hash, count) = keys;
}

FUNCTION static void expire(unsigned long hash, unsigned int keys)
{
	unsigned long count = slots;

	while (keys--)
		*slot_of(&hash, count) = 0;
}

/* Of a request's keys six in ten are looked up, three are inserted, one has expired. */
FUNCTION static unsigned long serve(unsigned long request)
{
	unsigned long found = look_up(request, 60000);

	insert(request, 30000);
	expire(request, 10000);
	return found;
}

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	unsigned long requests = 0, found = 0;

	while (cpu_seconds() < seconds)
		found += serve(requests++);
	printf("%lu requests served (%lu)\n", requests, found % 1000);
	return 0;
}
