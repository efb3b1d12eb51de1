#include "symbolize/symbolizer.h"

#include <inttypes.h>

#include "symbolize/demangle.h"

/* What is known of one DSO. */
struct source {
	bool has_symbols;	/* they have been looked for */
	bool has_lines;
	struct symbols symbols;
	struct lines *lines;
};

struct symbolizer {
	struct dsos *dsos;
	VEC(struct source *) sources;	/* by DSO */
	VEC(struct function) functions;
	struct index index;
	struct strtab names;
	struct strtab files;
};

struct symbolizer *symbolizer_new(struct dsos *dsos)
{
	struct symbolizer *symbolizer = memory_new(1, sizeof(*symbolizer));

	symbolizer->dsos = dsos;
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	for (size_t i = 0; i < symbolizer->sources.len; i++) {
		struct source *source = symbolizer->sources.items[i];

		if (!source)
			continue;
		symbols_fini(&source->symbols);
		lines_free(source->lines);
		free(source);
	}
	vec_fini(&symbolizer->sources);
	vec_fini(&symbolizer->functions);
	index_fini(&symbolizer->index);
	strtab_fini(&symbolizer->names);
	strtab_fini(&symbolizer->files);
	free(symbolizer);
}

static struct source *symbolizer_source(struct symbolizer *symbolizer, uint32_t dso)
{
	while (symbolizer->sources.len <= dso)
		vec_push(&symbolizer->sources, NULL);
	if (!symbolizer->sources.items[dso])
		symbolizer->sources.items[dso] = memory_new(1, sizeof(struct source));
	return symbolizer->sources.items[dso];
}

/* Names of another kernel would be wrong ones. */
static bool kernel_is_the_recorded_one(const struct dso *dso)
{
	struct build_id running = build_id_of_kernel();

	return !build_id_is_known(&dso->key.build_id) || build_id_equal(&dso->key.build_id, &running);
}

static void source_load_kernel(struct source *source, const struct dso *dso, struct notes *notes)
{
	struct error err;

	if (!kernel_is_the_recorded_one(dso))
		notes_add(notes, "kernel functions have no names: recorded under another kernel (build-id differs)");
	else if (symbols_load_kernel(&source->symbols, dso->reference, dso->reference_address, &err))
		notes_add(notes, "%s", err.message);
}

static const struct symbols *symbolizer_symbols(struct symbolizer *symbolizer, uint32_t dso)
{
	struct source *source = symbolizer_source(symbolizer, dso);
	const struct dso *at = dsos_at(symbolizer->dsos, dso);
	struct object *object;

	if (source->has_symbols)
		return &source->symbols;
	source->has_symbols = true;
	if (at->kind == DSO_KERNEL || at->kind == DSO_MODULE) {
		source_load_kernel(source, at, symbolizer->dsos->notes);
	} else {
		object = dsos_object(symbolizer->dsos, dso);
		if (object)
			symbols_load(&source->symbols, object, dsos_debug_object(symbolizer->dsos, dso));
	}
	return &source->symbols;
}

const struct function *symbolizer_at(const struct symbolizer *symbolizer, uint32_t function)
{
	return &symbolizer->functions.items[function];
}

struct object *symbolizer_object(struct symbolizer *symbolizer, uint32_t dso)
{
	return dsos_object(symbolizer->dsos, dso);
}

uint32_t symbolizer_count(const struct symbolizer *symbolizer)
{
	return (uint32_t)symbolizer->functions.len;
}

/* The function with this DSO and start, made by `name` where it is new. */
static uint32_t symbolizer_intern(struct symbolizer *symbolizer, const struct function *function, uint64_t hash)
{
	uint32_t at, id;

	for (id = index_first(&symbolizer->index, hash, &at); id != INDEX_NONE;
	     id = index_next(&symbolizer->index, hash, &at)) {
		const struct function *known = symbolizer_at(symbolizer, id);

		if (known->dso == function->dso && known->start == function->start && known->end == function->end &&
		    (!function->name || known->name == function->name))
			return id;
	}
	return INDEX_NONE;
}

static uint32_t symbolizer_add(struct symbolizer *symbolizer, const struct function *function, uint64_t hash)
{
	uint32_t id = symbolizer_count(symbolizer);

	vec_push(&symbolizer->functions, *function);
	index_add(&symbolizer->index, hash, id);
	return id;
}

/* A name of our own for code that has none. */
static char *symbolizer_make_name(struct symbolizer *symbolizer, const struct function *function)
{
	const struct dso *dso;

	if (function->dso == UINT32_MAX)
		return memory_strdup("[unknown]");
	dso = dsos_at(symbolizer->dsos, function->dso);
	if (function->origin == SYMBOL_FDE)
		return memory_format("%s!func_0x%" PRIx64, dso->name, function->start);
	if (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE)
		return memory_strdup("[unknown]");
	return memory_format("%s+0x%" PRIx64, dso->name, function->start);
}

static const char *symbolizer_keep(struct symbolizer *symbolizer, const char *name)
{
	return strtab_string(&symbolizer->names, strtab_id(&symbolizer->names, name));
}

uint32_t symbolizer_function(struct symbolizer *symbolizer, uint32_t dso, uint64_t address)
{
	const struct symbol *symbol =
		dso == UINT32_MAX ? NULL : symbols_find(symbolizer_symbols(symbolizer, dso), address);
	struct function function = { .dso = dso, .start = address, .end = address + 1, .origin = SYMBOL_NONE };
	autofree char *made = NULL;
	uint64_t hash;
	uint32_t id;

	if (symbol) {
		function.start = symbol->start;
		function.end = symbol->end;
		function.origin = symbol->origin;
	} else if (dso == UINT32_MAX || dsos_at(symbolizer->dsos, dso)->kind == DSO_KERNEL) {
		/* Addresses that nobody could look up further are one row, not thousands. */
		function.start = function.end = 0;
	}
	hash = hash_mix(hash_mix(dso, function.start), function.end);
	id = symbolizer_intern(symbolizer, &function, hash);
	if (id != INDEX_NONE)
		return id;
	made = symbol && symbol->name ? demangle(symbol->name) : symbolizer_make_name(symbolizer, &function);
	function.name = symbolizer_keep(symbolizer, made ? made : symbol->name);
	return symbolizer_add(symbolizer, &function, hash);
}

uint32_t symbolizer_label(struct symbolizer *symbolizer, uint32_t dso, const char *name)
{
	struct function function = { .dso = dso, .origin = SYMBOL_NONE, .name = symbolizer_keep(symbolizer, name) };
	uint64_t hash = hash_mix(hash_bytes(name, strlen(name)), dso);
	uint32_t id = symbolizer_intern(symbolizer, &function, hash);

	return id != INDEX_NONE ? id : symbolizer_add(symbolizer, &function, hash);
}

bool symbolizer_line(struct symbolizer *symbolizer, uint32_t dso, uint64_t address, struct line *line)
{
	struct source *source;
	struct object *object;

	if (dso == UINT32_MAX)
		return false;
	source = symbolizer_source(symbolizer, dso);
	if (!source->has_lines) {
		source->has_lines = true;
		object = dsos_debug_object(symbolizer->dsos, dso);
		source->lines = object ? lines_new(object, &symbolizer->files) : NULL;
	}
	return lines_find(source->lines, address, line);
}
