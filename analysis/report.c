#include "analysis/report.h"

void report_init(struct report *report, struct names *names, const struct report_options *options)
{
	const struct profile *profile = names->profile;

	*report = (struct report){ .profile = profile, .names = names, .options = *options };
	for (uint32_t i = 0; i < profile->events.len; i++) {
		struct report_event *event;

		if (profile->events.items[i].is_dummy && !profile->events.items[i].samples)
			continue;
		event = vec_add(&report->events);
		event->event = i;
		weights_init(&event->weights, profile, i, &options->columns, &options->filter);
		rows_init(&event->rows, names, &event->weights, &options->columns, &options->filter,
			  options->children);
		tree_init(&event->tree, names, &event->weights, options->order);
	}
}

void report_fini(struct report *report)
{
	for (size_t i = 0; i < report->events.len; i++) {
		weights_fini(&report->events.items[i].weights);
		rows_fini(&report->events.items[i].rows);
		tree_fini(&report->events.items[i].tree);
	}
	vec_fini(&report->events);
}

double report_coverage(const struct report *report)
{
	const struct profile *profile = report->profile;
	uint64_t sampled = 0;

	for (size_t i = 0; i < profile->samples.len; i++)
		if (profile->events.items[profile->samples.event[i]].counts_ns)
			sampled += profile->samples.weight[i];
	return profile->consumed_ns && sampled ? (double)sampled / (double)profile->consumed_ns : -1;
}

bool report_reaches(const struct report_event *event, uint64_t weight, double limit)
{
	return report_percent(weight, event->weights.weight) >= limit;
}
