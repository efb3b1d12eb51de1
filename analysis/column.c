#include "analysis/column.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t column_comm(const struct profile *profile, size_t sample)
{
	return profile->tasks.items[profile->samples.task[sample]].comm;
}

static uint64_t column_pid(const struct profile *profile, size_t sample)
{
	return profile->tasks.items[profile->samples.task[sample]].pid;
}

static uint64_t column_tid(const struct profile *profile, size_t sample)
{
	return profile->tasks.items[profile->samples.task[sample]].tid;
}

static uint64_t column_cpu(const struct profile *profile, size_t sample)
{
	return profile->samples.cpu[sample];
}

/* By name: a DSO that was replaced under its path stays one row. */
static uint64_t column_dso(struct names *names, uint32_t frame)
{
	const struct frame *at = &names->profile->frames.items[frame];

	return strtab_id(&names->strings, names_dso(names, at->kind == FRAME_CUT ? DSO_NONE : at->dso));
}

static uint64_t column_sym(struct names *names, uint32_t frame)
{
	return names_function(names, frame);
}

static uint64_t column_srcline(struct names *names, uint32_t frame)
{
	return names_srcline(names, frame);
}

static const char *column_comm_text(const struct names *names, uint64_t value, char *text, size_t size)
{
	(void)text;
	(void)size;
	return strtab_string(&names->profile->strings, (uint32_t)value);
}

static const char *column_string_text(const struct names *names, uint64_t value, char *text, size_t size)
{
	(void)text;
	(void)size;
	return strtab_string(&names->strings, (uint32_t)value);
}

static const char *column_sym_text(const struct names *names, uint64_t value, char *text, size_t size)
{
	(void)text;
	(void)size;
	return symbolizer_at(names->symbolizer, (uint32_t)value)->name;
}

static const char *column_number_text(const struct names *names, uint64_t value, char *text, size_t size)
{
	(void)names;
	snprintf(text, size, "%" PRIu64, value);
	return text;
}

/* perf's order, which decides what an abbreviation means: "s" is sym, "c" is comm. */
static const struct column column_table[] = {
	{ "pid", "Pid", true, column_pid, NULL, column_number_text },
	{ "tid", "Tid", true, column_tid, NULL, column_number_text },
	{ "comm", "Command", false, column_comm, NULL, column_comm_text },
	{ "dso", "Shared Object", false, NULL, column_dso, column_string_text },
	{ "sym", "Symbol", false, NULL, column_sym, column_sym_text },
	{ "srcline", "Source:Line", false, NULL, column_srcline, column_string_text },
	{ "cpu", "CPU", true, column_cpu, NULL, column_number_text },
};

_Static_assert(sizeof(column_table) / sizeof(*column_table) == COLUMNS_MAX, "each column once");

static const struct column *column_find(const char *key, size_t len)
{
	/* perf's own name for it. */
	if (len == strlen("symbol") && !strncmp(key, "symbol", len))
		len = strlen("sym");
	for (size_t i = 0; i < COLUMNS_MAX && len; i++)
		if (!strncmp(column_table[i].key, key, len))
			return &column_table[i];
	return NULL;
}

bool columns_have(const struct columns *columns, const char *key)
{
	for (size_t i = 0; i < columns->len; i++)
		if (!strcmp(columns->items[i]->key, key))
			return true;
	return false;
}

int columns_parse(struct columns *columns, const char *keys, struct error *err)
{
	*columns = (struct columns){ .len = 0 };
	for (;;) {
		size_t len = strcspn(keys, ",");
		const struct column *column = column_find(keys, len);

		if (!column)
			return error_set(err, ERROR_USAGE,
					 "unknown sort key '%.*s' (known: pid, tid, comm, dso, sym, srcline, cpu)",
					 (int)len, keys);
		if (columns_have(columns, column->key))
			return error_set(err, ERROR_USAGE, "sort key '%s' given twice", column->key);
		columns->items[columns->len++] = column;
		if (!keys[len])
			return 0;
		keys += len + 1;
	}
}
