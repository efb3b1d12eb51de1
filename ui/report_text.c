#include "ui/report_text.h"

#include <inttypes.h>

#include "ui/text.h"

/* Below it something is wrong; sampling errors are smaller. */
#define REPORT_COVERAGE_LOW 0.8

enum {
	REPORT_DSO_WIDTH = 32,		/* the widest that a column but the last grows */
	REPORT_NAME_WIDTH = 160,
	REPORT_INDENT_MAX = 60,
	REPORT_COPY_MAX = 65528,	/* bytes of stack that a sample can hold */
};

/* The cure for a status; of copies that were too short the size that would do, where it is known. */
static const char *report_text_cure(char text[96], const struct report *report, enum stack_status status)
{
	uint64_t needed = (report->profile->copy_needed + 1023) & ~(uint64_t)1023;

	if (status != STACK_COPY_SHORT || !needed)
		return stack_statuses[status].cure;
	if (needed > REPORT_COPY_MAX)
		snprintf(text, 96, "%" PRIu64 " KiB would do, of which a sample can hold 64: --call-graph=cfi,%d",
			 needed / 1024, REPORT_COPY_MAX);
	else
		snprintf(text, 96, "%" PRIu64 " KiB would do: record with --call-graph=cfi,%" PRIu64, needed / 1024, needed);
	return text;
}

static void report_text_stacks(FILE *out, const struct report *report, const struct weights *weights)
{
	const char *before = "# Stacks:";

	if (weights->statuses[STACK_NOT_ASKED] == weights->samples)
		return;
	for (size_t i = 0; i < STACK_STATUSES; i++) {
		const struct stack_status_info *info = &stack_statuses[i];
		char text[96];
		const char *cure = report_text_cure(text, report, i);

		if (!weights->statuses[i])
			continue;
		fprintf(out, "%s %.2f%% %s (%" PRIu64 ")", before,
			report_percent(weights->statuses[i], weights->samples), info->key, weights->statuses[i]);
		if (i != STACK_COMPLETE)
			fprintf(out, ": %s%s%s", info->meaning, cure ? "; " : "", cure ? cure : "");
		fputc('\n', out);
		before = "#        ";
	}
}

/* What share of the program's CPU time the samples stand for, and a word on the rest where much of it is missing. */
static void report_text_coverage(FILE *out, const struct report *report, const struct profile_event *event)
{
	double coverage = report_coverage(report);

	if (!event->counts_ns || coverage < 0)
		return;
	fprintf(out, ", %.1f%% of the CPU time the program took", 100 * coverage);
	/* cpu-clock:u and its like leave out a part on purpose. */
	if (coverage < REPORT_COVERAGE_LOW && !event->lost && !strchr(event->name, ':'))
		fputs("; the rest went unseen (processes too short-lived for the clock, or a recording cut short)", out);
}

static void report_text_header(FILE *out, const struct report *report, const struct report_event *at)
{
	const struct profile_event *event = &report->profile->events.items[at->event];
	char name[TEXT_NAME_MAX], weight[32];

	fprintf(out, "# Samples: %" PRIu64 " of event '%s'", at->weights.samples,
		text_name(name, event->name, REPORT_NAME_WIDTH));
	if (at->weights.samples != event->samples)
		fprintf(out, " (picked from %" PRIu64 ")", event->samples);
	fprintf(out, ", %" PRIu64 " lost", event->lost);
	if (event->lost)
		fprintf(out, " (%.2f%%)", report_percent(event->lost, event->lost + event->samples));
	fprintf(out, "\n# Weight: %s", text_weight(weight, at->weights.weight, event->counts_ns));
	report_text_coverage(out, report, event);
	fputc('\n', out);
	report_text_stacks(out, report, &at->weights);
	fputs("#\n", out);
}

/* One cell, with [k] or [.] before a symbol. */
static const char *report_text_cell(const struct report *report, size_t column, uint64_t value, char *text)
{
	const struct column *at = report->options.columns.items[column];
	char number[32], name[TEXT_NAME_MAX];
	const char *found = at->text(report->names, value, number, sizeof(number));

	if (strcmp(at->key, "sym") != 0)
		return text_name(text, found, REPORT_NAME_WIDTH);
	snprintf(text, TEXT_NAME_MAX, "[%c] %s", names_is_kernel(report->names, (uint32_t)value) ? 'k' : '.',
		 text_name(name, found, REPORT_NAME_WIDTH));
	return text;
}

/* A caller that may not be one. `text` has room for it: it was cut to REPORT_NAME_WIDTH. */
static char *report_text_mark(char text[TEXT_NAME_MAX])
{
	size_t len = strlen(text);

	if (len + sizeof(" ?") <= TEXT_NAME_MAX)
		memcpy(text + len, " ?", sizeof(" ?"));
	return text;
}

static void report_text_widths(const struct report *report, const struct report_event *at, size_t widths[COLUMNS_MAX])
{
	const struct columns *columns = &report->options.columns;

	for (size_t i = 0; i < columns->len; i++)
		widths[i] = strlen(columns->items[i]->title);
	for (size_t row = 0; row < at->rows.items.len; row++) {
		if (!report_reaches(at, at->rows.items.items[row].children, report->options.row_limit))
			break;
		for (size_t i = 0; i + 1 < columns->len; i++) {
			char text[TEXT_NAME_MAX];
			size_t width = text_width(
				report_text_cell(report, i, at->rows.items.items[row].values[i], text));

			widths[i] = width > widths[i] ? width : widths[i];
		}
	}
	for (size_t i = 0; i + 1 < columns->len; i++)
		widths[i] = widths[i] < REPORT_DSO_WIDTH ? widths[i] : REPORT_DSO_WIDTH;
}

/* Pads by characters; printf would count bytes. The last column is not padded. */
static void report_text_field(FILE *out, const char *text, size_t width, bool last)
{
	char cut[TEXT_NAME_MAX];
	size_t used;

	if (last) {
		fprintf(out, "  %s\n", text);
		return;
	}
	snprintf(cut, sizeof(cut), "%s", text);
	text_name(cut, text, width);
	used = text_width(cut);
	fprintf(out, "  %s%*s", cut, (int)(width > used ? width - used : 0), "");
}

static void report_text_titles(FILE *out, const struct report *report, const size_t widths[COLUMNS_MAX])
{
	static const char dots[] = "................................................................";
	const struct columns *columns = &report->options.columns;
	bool children = report->options.children;

	fputs(children ? "# Children      Self" : "# Overhead", out);
	for (size_t i = 0; i < columns->len; i++)
		report_text_field(out, columns->items[i]->title, widths[i], i + 1 == columns->len);
	fputs(children ? "# ........  ........" : "# ........", out);
	for (size_t i = 0; i < columns->len; i++) {
		char line[sizeof(dots)];

		snprintf(line, sizeof(line), "%.*s", (int)(widths[i] < sizeof(dots) ? widths[i] : sizeof(dots) - 1),
			 dots);
		report_text_field(out, line, widths[i], i + 1 == columns->len);
	}
	fputs("#\n", out);
}

static void report_text_rows(FILE *out, const struct report *report, const struct report_event *at)
{
	const struct columns *columns = &report->options.columns;
	size_t widths[COLUMNS_MAX];

	report_text_widths(report, at, widths);
	report_text_titles(out, report, widths);
	for (size_t row = 0; row < at->rows.items.len; row++) {
		const struct row_sums *sums = &at->rows.items.items[row];

		if (!report_reaches(at, sums->children, report->options.row_limit))
			break;
		fprintf(out, "%9.2f%%", report_percent(sums->children, at->weights.weight));
		if (report->options.children)
			fprintf(out, "%9.2f%%", report_percent(sums->self, at->weights.weight));
		for (size_t i = 0; i < columns->len; i++) {
			char text[TEXT_NAME_MAX];

			report_text_cell(report, i, sums->values[i], text);
			if (i + 1 == columns->len && sums->guessed && sums->guessed == sums->children)
				report_text_mark(text);
			report_text_field(out, text, widths[i], i + 1 == columns->len);
		}
	}
}

/* Whether more than one child of a node is shown: a chain without forks is not indented further. */
static bool report_tree_forks(const struct report *report, const struct report_event *at, uint32_t id)
{
	const struct tree_node *nodes = at->tree.nodes.items;
	uint32_t second = nodes[id].first_child ? nodes[nodes[id].first_child].next : TREE_END;

	return second && report_reaches(at, nodes[second].total, report->options.tree_limit);
}

/* The next node in the order of printing: down, else along, else up and along. */
static uint32_t report_tree_next(const struct report *report, const struct report_event *at, uint32_t id,
				 unsigned int *depth)
{
	const struct tree_node *nodes = at->tree.nodes.items;
	uint32_t child = nodes[id].first_child;

	if (child && report_reaches(at, nodes[child].total, report->options.tree_limit)) {
		*depth += report_tree_forks(report, at, id);
		return child;
	}
	while (id && !(nodes[id].next && report_reaches(at, nodes[nodes[id].next].total, report->options.tree_limit))) {
		id = nodes[id].parent;
		*depth -= report_tree_forks(report, at, id);
	}
	return id ? nodes[id].next : TREE_END;
}

static void report_text_tree(FILE *out, const struct report *report, const struct report_event *at)
{
	const struct tree *tree = &at->tree;
	char text[TEXT_NAME_MAX];
	uint32_t id = tree->nodes.items[0].first_child;
	unsigned int depth = report_tree_forks(report, at, 0);

	if (!id || !report_reaches(at, tree->nodes.items[id].total, report->options.tree_limit))
		return;
	fprintf(out, "#\n# Call tree, %s\n#\n#    Total      Self\n",
		report->options.order == TREE_CALLER ? "callees below their callers" : "callers below their callees");
	for (; id; id = report_tree_next(report, at, id, &depth)) {
		const struct tree_node *node = &tree->nodes.items[id];
		const struct function *function = symbolizer_at(report->names->symbolizer, node->function);

		/* What stands below a dash without one of its own is called by it. */
		bool forked = report_tree_forks(report, at, node->parent);

		fprintf(out, "%9.2f%%%9.2f%%  %*s%s%s%s\n", report_percent(node->total, at->weights.weight),
			report_percent(node->self, at->weights.weight),
			(int)(2 * depth < REPORT_INDENT_MAX ? 2 * depth : REPORT_INDENT_MAX), "",
			forked ? "- " : depth ? "  " : "",
			names_is_kernel(report->names, node->function) ? "[k] " : "",
			node->guessed ? report_text_mark(text_name(text, function->name, REPORT_NAME_WIDTH)) :
					text_name(text, function->name, REPORT_NAME_WIDTH));
	}
}

void report_text(FILE *out, const struct report *report)
{
	for (size_t i = 0; i < report->events.len; i++) {
		const struct report_event *at = &report->events.items[i];

		if (i)
			fputc('\n', out);
		report_text_header(out, report, at);
		report_text_rows(out, report, at);
		report_text_tree(out, report, at);
	}
}
