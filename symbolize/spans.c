#include "symbolize/spans.h"

static int spans_compare(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return a->name && b->name ? -strcmp(a->name, b->name) : 0;
}

void spans_sort(struct symbols *symbols)
{
	vec_sort(&symbols->items, spans_compare);
}

static void spans_add(struct symbols *symbols, uint64_t start, uint32_t symbol)
{
	struct symbol_span *last = symbols->spans.len ? &symbols->spans.items[symbols->spans.len - 1] : NULL;

	if (last && last->start == start)
		last->symbol = symbol;
	else if (!last || last->symbol != symbol)
		vec_push(&symbols->spans, (struct symbol_span){ .start = start, .symbol = symbol });
}

/* Symbols that have begun and may still own what follows, the innermost last. */
typedef VEC(uint32_t) spans_open;

/* Closes all that end at or before `until`; each gives its place back to the one it began in. */
static void spans_close(struct symbols *symbols, spans_open *open, uint64_t until)
{
	const struct symbol *items = symbols->items.items;

	while (open->len && items[open->items[open->len - 1]].end <= until) {
		uint64_t end = items[open->items[--open->len]].end;

		while (open->len && items[open->items[open->len - 1]].end <= end)
			open->len--;
		spans_add(symbols, end, open->len ? open->items[open->len - 1] : SYMBOLS_GAP);
	}
}

void spans_build(struct symbols *symbols)
{
	spans_open open = { 0 };

	symbols->spans.len = 0;
	for (uint32_t i = 0; i < symbols->items.len; i++) {
		const struct symbol *symbol = &symbols->items.items[i];

		if (symbol->end <= symbol->start)
			continue;
		spans_close(symbols, &open, symbol->start);
		vec_push(&open, i);
		spans_add(symbols, symbol->start, i);
	}
	spans_close(symbols, &open, UINT64_MAX);
	vec_fini(&open);
}

/* The spans of `more` within [start, end). */
static void spans_fill(struct symbols *filled, const struct symbols *more, uint32_t base, size_t *at, uint64_t start,
		       uint64_t end)
{
	while (*at && more->spans.items[*at].start > start)
		--*at;
	while (*at + 1 < more->spans.len && more->spans.items[*at + 1].start <= start)
		++*at;
	for (size_t i = *at; i < more->spans.len && more->spans.items[i].start < end; i++) {
		const struct symbol_span *span = &more->spans.items[i];
		uint64_t from = span->start > start ? span->start : start;

		spans_add(filled, from, span->symbol == SYMBOLS_GAP ? SYMBOLS_GAP : base + span->symbol);
	}
}

void spans_fill_gaps(struct symbols *symbols, const struct symbols *more)
{
	struct symbols filled = { 0 };
	uint32_t base = (uint32_t)symbols->items.len;
	uint64_t start = 0;
	size_t at = 0;

	for (size_t i = 0; i < more->items.len; i++)
		vec_push(&symbols->items, more->items.items[i]);
	/* The gap before the first span, then each span that is one. */
	spans_add(&filled, 0, SYMBOLS_GAP);
	spans_fill(&filled, more, base, &at, start, symbols->spans.len ? symbols->spans.items[0].start : UINT64_MAX);
	for (size_t i = 0; i < symbols->spans.len; i++) {
		const struct symbol_span *span = &symbols->spans.items[i];
		uint64_t end = i + 1 < symbols->spans.len ? span[1].start : UINT64_MAX;

		spans_add(&filled, span->start, span->symbol);
		if (span->symbol == SYMBOLS_GAP)
			spans_fill(&filled, more, base, &at, span->start, end);
	}
	free(symbols->spans.items);
	memcpy(&symbols->spans, &filled.spans, sizeof(filled.spans));
}
