#include "ui/annotate_text.h"

#include <inttypes.h>

#include "ui/text.h"

enum {
	ANNOTATE_WIDTH = 200,
	ANNOTATE_HOT_LINES = 5,
	ANNOTATE_TAB = 8,
};

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Tabs would shift with what stands before them, and a terminal must not act on the rest. */
static char *annotate_source_text(char text[TEXT_NAME_MAX], const char *line)
{
	char spaced[4 * TEXT_NAME_MAX];
	size_t used = 0;

	for (; *line && *line != '\r' && used + ANNOTATE_TAB + 1 < sizeof(spaced); line++)
		if (*line == '\t')
			do
				spaced[used++] = ' ';
			while (used % ANNOTATE_TAB);
		else
			spaced[used++] = *line;
	spaced[used] = '\0';
	return text_name(text, spaced, ANNOTATE_WIDTH);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void annotate_text_line(FILE *out, const struct line *at, struct sources *sources)
{
	const char *line = sources_line(sources, at->file, at->line);
	char file[TEXT_NAME_MAX], text[TEXT_NAME_MAX];

	fprintf(out, "%s:%u  %s\n", text_name(file, base_name(at->file), 40), at->line,
		line ? annotate_source_text(text, line) : "");
}

static void annotate_text_header(FILE *out, const struct annotation *annotation, struct names *names)
{
	const struct profile_event *event = &names->profile->events.items[annotation->event];
	char name[TEXT_NAME_MAX], dso[TEXT_NAME_MAX], weight[32];

	fprintf(out, "# %s (%s)\n", text_name(name, annotation->function.name, ANNOTATE_WIDTH),
		text_name(dso, names_dso(names, annotation->function.dso), ANNOTATE_WIDTH));
	fprintf(out, "# Samples: %" PRIu64 " of event '%s', weight %s, %.2f%% of all\n", annotation->samples,
		text_name(name, event->name, ANNOTATE_WIDTH),
		text_weight(weight, annotation->weight, event->counts_ns),
		percent_of(annotation->weight, annotation->event_weight));
}

/* The lines that cost most, the dearest first. */
static void annotate_text_hot_lines(FILE *out, const struct annotation *annotation, struct sources *sources)
{
	const struct annotated_line *last = NULL;

	for (int rank = 0; rank < ANNOTATE_HOT_LINES; rank++) {
		const struct annotated_line *best = NULL;

		for (size_t i = 0; i < annotation->lines.len; i++) {
			const struct annotated_line *line = &annotation->lines.items[i];
			bool listed =
				last && (line->weight > last->weight || (line->weight == last->weight && line <= last));

			if (!listed && line->weight && (!best || line->weight > best->weight))
				best = line;
		}
		if (!best)
			return;
		fprintf(out, "%s#  %6.2f%%  ", rank ? "" : "# Lines:\n", percent_of(best->weight, annotation->weight));
		annotate_text_line(out, &best->at, sources);
		last = best;
	}
}

static void annotate_text_instruction(FILE *out, const struct annotation *annotation, size_t i, int bytes_width,
				      const struct annotate_style *style)
{
	const struct instruction *instruction = &annotation->code.instructions.items[i];
	const struct annotated *cost = &annotation->costs.items[i];
	char text[TEXT_NAME_MAX];

	fprintf(out, "%8.2f", percent_of(cost->weight, annotation->weight));
	if (style->samples)
		fprintf(out, " %9" PRIu64, cost->samples);
	if (style->weights)
		fprintf(out, " %14" PRIu64, cost->weight);
	fprintf(out, " : %8" PRIx64 ":  ", instruction->address);
	if (style->bytes)
		fprintf(out, "%-*s  ", bytes_width, instruction->bytes);
	fprintf(out, "%s\n", annotate_source_text(text, instruction->text));
}

void annotate_text(FILE *out, const struct annotation *annotation, struct names *names, struct sources *sources,
		   const struct annotate_style *style)
{
	uint32_t line = UINT32_MAX;
	int bytes_width = 0;
	int before = 8 + (style->samples ? 10 : 0) + (style->weights ? 15 : 0);

	annotate_text_header(out, annotation, names);
	if (style->source)
		annotate_text_hot_lines(out, annotation, sources);
	fprintf(out, "#\n# %*s%s%s : %8s\n", 6, "Percent", style->samples ? "   Samples" : "",
		style->weights ? "         Weight" : "", "Address");
	for (size_t i = 0; i < annotation->code.instructions.len; i++) {
		int width = (int)strlen(annotation->code.instructions.items[i].bytes);

		bytes_width = width > bytes_width ? width : bytes_width;
	}
	for (size_t i = 0; i < annotation->costs.len; i++) {
		uint32_t at = annotation->costs.items[i].line;

		if (style->source && at != line && at != UINT32_MAX) {
			fprintf(out, "%*s : ", before, "");
			annotate_text_line(out, &annotation->lines.items[at].at, sources);
			line = at;
		}
		annotate_text_instruction(out, annotation, i, bytes_width, style);
	}
}
