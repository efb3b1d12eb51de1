#include "analysis/names.h"

void names_init(struct names *names, const struct profile *profile, struct symbolizer *symbolizer)
{
	*names = (struct names){ .profile = profile, .symbolizer = symbolizer, .unknown_kernel = UINT32_MAX };
}

void names_fini(struct names *names)
{
	vec_fini(&names->functions);
	vec_fini(&names->srclines);
	strtab_fini(&names->strings);
}

const char *names_dso(const struct names *names, uint32_t dso)
{
	return dso == DSO_NONE ? "[unknown]" : dsos_at(&names->profile->dsos, dso)->name;
}

static uint32_t names_find_function(struct names *names, const struct frame *frame)
{
	char label[256];

	if (frame->kernel && frame->dso == DSO_NONE) {
		if (names->unknown_kernel == UINT32_MAX)
			names->unknown_kernel = symbolizer_label(names->symbolizer, DSO_NONE, "[unknown kernel code]");
		return names->unknown_kernel;
	}
	if (frame->kind != FRAME_CUT)
		return symbolizer_function(names->symbolizer, frame->dso, frame_code(frame));
	stack_status_label(label, sizeof(label), frame->status, frame->address,
			   frame->dso == DSO_NONE ? NULL : names_dso(names, frame->dso));
	return symbolizer_label(names->symbolizer, DSO_NONE, label);
}

uint32_t names_function(struct names *names, uint32_t frame)
{
	while (names->functions.len <= frame)
		vec_push(&names->functions, UINT32_MAX);
	if (names->functions.items[frame] == UINT32_MAX)
		names->functions.items[frame] = names_find_function(names, &names->profile->frames.items[frame]);
	return names->functions.items[frame];
}

static uint32_t names_find_srcline(struct names *names, uint32_t frame)
{
	const struct frame *at = &names->profile->frames.items[frame];
	autofree char *text = NULL;
	const char *file;
	struct line line;

	if (at->kind == FRAME_CUT || !symbolizer_line(names->symbolizer, at->dso, frame_code(at), &line))
		return strtab_id(&names->strings,
				 symbolizer_at(names->symbolizer, names_function(names, frame))->name);
	file = strrchr(line.file, '/');
	text = memory_format("%s:%u", file ? file + 1 : line.file, line.line);
	return strtab_id(&names->strings, text);
}

uint32_t names_srcline(struct names *names, uint32_t frame)
{
	while (names->srclines.len <= frame)
		vec_push(&names->srclines, UINT32_MAX);
	if (names->srclines.items[frame] == UINT32_MAX)
		names->srclines.items[frame] = names_find_srcline(names, frame);
	return names->srclines.items[frame];
}

bool names_is_kernel(const struct names *names, uint32_t function)
{
	uint32_t dso = symbolizer_at(names->symbolizer, function)->dso;
	enum dso_kind kind = dso == DSO_NONE ? DSO_SPECIAL : dsos_at(&names->profile->dsos, dso)->kind;

	return kind == DSO_KERNEL || kind == DSO_MODULE || function == names->unknown_kernel;
}
