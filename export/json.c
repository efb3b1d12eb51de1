#include "export/json.h"

#include <inttypes.h>

#include "base/escape.h"

static void json_statuses(FILE *out, const struct weights *weights)
{
	const char *comma = "";

	fputs("\"unwind\":{", out);
	for (size_t i = 0; i < STACK_STATUSES; i++) {
		if (!weights->statuses[i] && i != STACK_COMPLETE)
			continue;
		fprintf(out, "%s\"%s\":%" PRIu64, comma, stack_statuses[i].key, weights->statuses[i]);
		comma = ",";
	}
	fputs("}", out);
}

static void json_row(FILE *out, const struct report *report, const struct row_sums *row)
{
	const struct columns *columns = &report->options.columns;
	char text[32];

	fprintf(out, "{\"self\":%" PRIu64 ",\"children\":%" PRIu64 ",\"samples\":%" PRIu64, row->self, row->children,
		row->samples);
	if (row->guessed)
		fprintf(out, ",\"guessed\":%" PRIu64, row->guessed);
	for (size_t i = 0; i < columns->len; i++) {
		const struct column *column = columns->items[i];

		fprintf(out, ",\"%s\":", column->key);
		if (column->is_number)
			fputs(column->text(report->names, row->values[i], text, sizeof(text)), out);
		else
			escape_json(out, column->text(report->names, row->values[i], text, sizeof(text)));
	}
	fputc('}', out);
}

static void json_rows(FILE *out, const struct report *report, const struct report_event *at)
{
	fputs("\"rows\":[", out);
	for (size_t i = 0; i < at->rows.items.len; i++) {
		if (!report_reaches(at, at->rows.items.items[i].children, report->options.row_limit))
			break;
		fputs(i ? ",\n" : "\n", out);
		json_row(out, report, &at->rows.items.items[i]);
	}
	fputs("]", out);
}

static void json_node_open(FILE *out, const struct report *report, const struct tree_node *node)
{
	const struct function *function = symbolizer_at(report->names->symbolizer, node->function);

	fputs("{\"sym\":", out);
	escape_json(out, function->name);
	fputs(",\"dso\":", out);
	escape_json(out, names_dso(report->names, function->dso));
	if (node->guessed)
		fputs(",\"guessed\":true", out);
	fprintf(out, ",\"self\":%" PRIu64 ",\"total\":%" PRIu64 ",\"nodes\":[", node->self, node->total);
}

/*
 * Without recursion: a tree is as deep as the deepest stack. Siblings come the heaviest first, so the limit ends a
 * level.
 */
static void json_tree(FILE *out, const struct report *report, const struct report_event *at)
{
	const struct tree_node *nodes = at->tree.nodes.items;
	uint32_t id = nodes[0].first_child;

	fputs("\"tree\":[", out);
	while (id && report_reaches(at, nodes[id].total, report->options.tree_limit)) {
		uint32_t child = nodes[id].first_child;

		json_node_open(out, report, &nodes[id]);
		if (child && report_reaches(at, nodes[child].total, report->options.tree_limit)) {
			id = child;
			continue;
		}
		fputs("]}", out);
		while (id &&
		       !(nodes[id].next && report_reaches(at, nodes[nodes[id].next].total, report->options.tree_limit))) {
			id = nodes[id].parent;
			if (id)
				fputs("]}", out);
		}
		if (!id)
			break;
		fputs(",\n", out);
		id = nodes[id].next;
	}
	fputs("]", out);
}

static void json_event(FILE *out, const struct report *report, const struct report_event *at)
{
	const struct profile_event *event = &report->profile->events.items[at->event];

	fputs("{\"name\":", out);
	escape_json(out, event->name);
	fprintf(out, ",\"unit\":\"%s\",\"samples\":%" PRIu64 ",\"weight\":%" PRIu64 ",\"lost\":%" PRIu64 ",",
		event->counts_ns ? "ns" : "events", at->weights.samples, at->weights.weight, event->lost);
	json_statuses(out, &at->weights);
	fputs(",\n", out);
	json_rows(out, report, at);
	fputs(",\n", out);
	json_tree(out, report, at);
	fputs("}", out);
}

void json_report(FILE *out, const struct report *report)
{
	double coverage = report_coverage(report);

	fputs("{\"version\":1,\"coverage\":", out);
	if (coverage < 0)
		fputs("null", out);
	else
		fprintf(out, "%.4f", coverage);
	fputs(",\"events\":[", out);
	for (size_t i = 0; i < report->events.len; i++) {
		fputs(i ? ",\n" : "\n", out);
		json_event(out, report, &report->events.items[i]);
	}
	fputs("]}\n", out);
}
