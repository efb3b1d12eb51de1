#include <inttypes.h>
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

int symbols_load_kernel(struct symbols *symbols, const char *reference, uint64_t reference_address, struct error *err)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t address, highest = 0;
	char type, name[512];

	*symbols = (struct symbols){ 0 };
	if (!file)
		return error_sys(err, "/proc/kallsyms");
	while (fscanf(file, "%" SCNx64 " %c %511s%*[^\n]", &address, &type, name) == 3) {
		highest = address > highest ? address : highest;
		vec_push(&symbols->items, (struct symbol){
			.start = address,
			.name = arena_strndup(&symbols->names, name, strlen(name)),
			.origin = SYMBOL_TABLE,
			.rank = (uint8_t)(type == 't' ? 64 : type == 'T' ? 0 : 32),
		});
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
