#include "analysis/filter.h"

#include <stdio.h>

/* Whether one of the words between commas is `word`. */
static bool filter_list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (;;) {
		size_t end = strcspn(list, ",");

		if (end == len && !strncmp(list, word, len))
			return true;
		if (!list[end])
			return false;
		list += end + 1;
	}
}

bool filter_picks_sample(const struct filter *filter, const struct profile *profile, size_t sample)
{
	const struct task *task = &profile->tasks.items[profile->samples.task[sample]];
	char tid[16];

	if (filter->comm && !filter_list_has(filter->comm, strtab_string(&profile->strings, task->comm)))
		return false;
	snprintf(tid, sizeof(tid), "%u", task->tid);
	return !filter->tid || filter_list_has(filter->tid, tid);
}

bool filter_names_function(const char *wanted, const char *name)
{
	size_t len = strlen(wanted);

	return !strncmp(wanted, name, len) && (!name[len] || name[len] == '(');
}

bool filter_picks_frame(const struct filter *filter, struct names *names, uint32_t frame)
{
	const struct frame *at = &names->profile->frames.items[frame];

	if (filter->dso &&
	    !filter_list_has(filter->dso, names_dso(names, at->kind == FRAME_CUT ? DSO_NONE : at->dso)))
		return false;
	return !filter->sym || filter_names_function(filter->sym, symbolizer_at(names->symbolizer,
										names_function(names, frame))->name);
}
