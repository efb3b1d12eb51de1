#include <stdio.h>

#include "symbolize/spans.h"

/* kallsyms gives starts only: a function ends where the next symbol of any kind begins. */
static void kallsyms_size(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->items.len; i++) {
		size_t next = i + 1;

		while (next < symbols->items.len && symbols->items.items[next].start == symbols->items.items[i].start)
			next++;
		symbols->items.items[i].end =
			next < symbols->items.len ? symbols->items.items[next].start : symbols->items.items[i].start;
	}
}

/* The kernel may have been loaded elsewhere since (KASLR). */
static void kallsyms_move(struct symbols *symbols, const char *reference, uint64_t reference_address)
{
	uint64_t delta = 0;

	for (size_t i = 0; reference && i < symbols->items.len; i++)
		if (!strcmp(symbols->items.items[i].name, reference)) {
			delta = reference_address - symbols->items.items[i].start;
			break;
		}
	for (size_t i = 0; delta && i < symbols->items.len; i++)
		symbols->items.items[i].start += delta;
}

/* "ffffffff81000000 T _text", and "\t[module]" behind it for those of modules. */
static uint64_t kallsyms_take(struct symbols *symbols, const char *line)
{
	struct symbol symbol = { .origin = SYMBOL_TABLE };
	const char *name;
	char *end;

	symbol.start = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return 0;
	name = end + 3;
	symbol.name = arena_strndup(&symbols->names, name, strcspn(name, "\t\n"));
	symbol.rank = end[1] == 'T' ? 0 : end[1] == 't' ? 64 : 32;
	vec_push(&symbols->items, symbol);
	return symbol.start;
}

int symbols_load_kernel(struct symbols *symbols, const char *reference, uint64_t reference_address, struct error *err)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t highest = 0;
	char line[1024];

	*symbols = (struct symbols){ 0 };
	if (!file)
		return error_sys(err, "/proc/kallsyms");
	while (fgets(line, sizeof(line), file)) {
		uint64_t address = kallsyms_take(symbols, line);

		highest = address > highest ? address : highest;
	}
	fclose(file);
	if (!highest) {
		symbols_fini(symbols);
		return error_set(err, ERROR_NOT_PERMITTED,
				 "kernel functions have no names: /proc/kallsyms hides its addresses (as root: sysctl "
				 "kernel.kptr_restrict=0)");
	}
	kallsyms_move(symbols, reference, reference_address);
	spans_sort(symbols);
	kallsyms_size(symbols);
	spans_sort(symbols);
	spans_build(symbols);
	return 0;
}
