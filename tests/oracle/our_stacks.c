/*
 * our_stacks FILE: the user stacks of a perf.data file as this project unwinds them, in the form of libdw_stacks: a
 * line "TID TIME STATUS ip ip ip ..." for each sample with a stack copy, the leaf first, return addresses as they are
 * on the stack.
 */
#include <inttypes.h>
#include <stdio.h>

#include "profiler/session.h"

static void print_stack(void *context, const struct record *record, const struct unwind_stack *stack)
{
	FILE *out = context;

	fprintf(out, "%u %" PRIu64 " %s", record->tid, record->time, stack_statuses[stack->status].key);
	for (uint32_t i = 0; i < stack->count; i++)
		fprintf(out, " %" PRIx64, stack->frames[i].ip);
	fputc('\n', out);
}

int main(int argc, char **argv)
{
	struct notes notes = { 0 };
	struct profile profile;
	struct error err;
	int status;

	if (argc != 2)
		return 2;
	profile_init(&profile, &notes);
	status = session_read_file(&profile, argv[1], print_stack, stdout, &err);
	if (status)
		fprintf(stderr, "%s\n", err.message);
	profile_fini(&profile);
	notes_fini(&notes);
	return status ? 1 : 0;
}
