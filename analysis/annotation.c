#include "analysis/annotation.h"

#include <stdio.h>

#include "base/escape.h"

/* Weight by leaf frame. */
static uint64_t *weights_by_frame(struct names *names, const struct filter *filter)
{
	const struct profile *profile = names->profile;
	uint64_t *weights = memory_new(profile->frames.len, sizeof(*weights));

	for (size_t i = 0; i < profile->samples.len; i++)
		if (filter_picks_sample(filter, profile, i))
			weights[profile->stacks.items[profile->samples.stack[i]].frame] += profile->samples.weight[i];
	return weights;
}

/* Self weight by function; *count of them. Functions that only call are among them with 0. */
static uint64_t *weights_by_function(struct names *names, const struct filter *filter, uint32_t *count)
{
	uint64_t *of_frame = weights_by_frame(names, filter), *weights;
	size_t frames = names->profile->frames.len;

	for (uint32_t frame = 0; frame < frames; frame++)
		names_function(names, frame);
	*count = symbolizer_count(names->symbolizer);
	weights = memory_new(*count, sizeof(*weights));
	for (uint32_t frame = 0; frame < frames; frame++)
		weights[names_function(names, frame)] += of_frame[frame];
	free(of_frame);
	return weights;
}

static int annotation_not_found(struct names *names, const char *wanted, uint64_t *weights, uint32_t count,
				struct error *err)
{
	char hottest[160] = "", name[64];
	size_t used = 0;

	for (int rank = 0; rank < 3; rank++) {
		uint32_t best = 0;

		for (uint32_t i = 0; i < count; i++)
			best = weights[i] > weights[best] ? i : best;
		if (!count || !weights[best])
			break;
		escape_text(name, 40, symbolizer_at(names->symbolizer, best)->name);
		used += (size_t)snprintf(hottest + used, sizeof(hottest) - used, "%s%s", used ? ", " : "", name);
		weights[best] = 0;
	}
	return error_set(err, ERROR_USAGE, "no sample in a function '%.60s' (the hottest: %s)", wanted ? wanted : "of a program",
			 hottest);
}

/* By name; without one, any that is not the kernel's. */
static bool annotation_wants(const struct names *names, const char *wanted, const struct filter *filter, uint32_t function)
{
	const struct function *at = symbolizer_at(names->symbolizer, function);

	if (at->dso == DSO_NONE || (filter->dso && strcmp(filter->dso, names_dso(names, at->dso)) != 0))
		return false;
	return wanted ? filter_names_function(wanted, at->name) : !names_is_kernel(names, function);
}

int annotation_find(struct names *names, const char *wanted, const struct filter *filter, uint32_t *function,
		    unsigned int *others, struct error *err)
{
	uint32_t count, best = UINT32_MAX;
	uint64_t *weights = weights_by_function(names, filter, &count);
	int status = 0;

	*others = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!annotation_wants(names, wanted, filter, i))
			continue;
		*others += best != UINT32_MAX;
		if (best == UINT32_MAX || weights[i] > weights[best])
			best = i;
	}
	if (best == UINT32_MAX)
		status = annotation_not_found(names, wanted, weights, count, err);
	*function = best;
	free(weights);
	return status;
}

/* The instruction that holds an address: the last that begins at or before it, else the first. */
static size_t annotation_instruction(const struct annotation *annotation, uint64_t code_address)
{
	size_t above = vec_first_above(&annotation->code.instructions, address, code_address);

	return above ? above - 1 : 0;
}

static void annotation_count(struct annotation *annotation, struct names *names, uint32_t function,
			     const struct filter *filter)
{
	const struct profile *profile = names->profile;
	const struct samples *samples = &profile->samples;

	for (size_t i = 0; i < samples->len; i++) {
		uint32_t frame = profile->stacks.items[samples->stack[i]].frame;
		struct annotated *cost;

		if (samples->event[i] != annotation->event || !filter_picks_sample(filter, profile, i))
			continue;
		annotation->event_weight += samples->weight[i];
		if (names_function(names, frame) != function)
			continue;
		cost = &annotation->costs.items[annotation_instruction(annotation,
								       profile->frames.items[frame].address)];
		cost->weight += samples->weight[i];
		cost->samples++;
		annotation->weight += samples->weight[i];
		annotation->samples++;
	}
}

static uint32_t annotation_line(struct annotation *annotation, const struct line *at)
{
	for (size_t i = 0; i < annotation->lines.len; i++)
		if (annotation->lines.items[i].at.line == at->line && annotation->lines.items[i].at.file == at->file)
			return (uint32_t)i;
	vec_push(&annotation->lines, (struct annotated_line){ .at = *at });
	return (uint32_t)annotation->lines.len - 1;
}

static void annotation_find_lines(struct annotation *annotation, struct names *names)
{
	for (size_t i = 0; i < annotation->costs.len; i++) {
		struct annotated *cost = &annotation->costs.items[i];
		struct line at;

		cost->line = UINT32_MAX;
		if (!symbolizer_line(names->symbolizer, annotation->function.dso,
				     annotation->code.instructions.items[i].address, &at))
			continue;
		cost->line = annotation_line(annotation, &at);
		annotation->lines.items[cost->line].weight += cost->weight;
		annotation->lines.items[cost->line].samples += cost->samples;
	}
}

int annotation_init(struct annotation *annotation, struct names *names, uint32_t event, uint32_t function,
		    const struct filter *filter, const char *objdump, struct error *err)
{
	struct object *object;
	const char *name;

	*annotation = (struct annotation){ .event = event, .function = *symbolizer_at(names->symbolizer, function) };
	name = annotation->function.name;
	if (names_is_kernel(names, function))
		return error_set(err, ERROR_UNSUPPORTED, "%s: the kernel's instructions cannot be shown yet", name);
	object = symbolizer_object(names->symbolizer, annotation->function.dso);
	if (!object)
		return error_set(err, ERROR_UNSUPPORTED, "%s: the program's file cannot be read", name);
	if (disassembly_init(&annotation->code, object, annotation->function.start, annotation->function.end, objdump,
			     err)) {
		annotation_fini(annotation);
		return -1;
	}
	vec_reserve(&annotation->costs, annotation->code.instructions.len);
	for (size_t i = 0; i < annotation->code.instructions.len; i++)
		(void)vec_add(&annotation->costs);
	annotation_count(annotation, names, function, filter);
	annotation_find_lines(annotation, names);
	return 0;
}

void annotation_fini(struct annotation *annotation)
{
	disassembly_fini(&annotation->code);
	vec_fini(&annotation->costs);
	vec_fini(&annotation->lines);
}
