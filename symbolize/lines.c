#include "symbolize/lines.h"

#include <elfutils/libdw.h>
#include <dwarf.h>

/* A row of a line table: from `address` to the next row's. */
struct line_row {
	uint64_t address;
	uint32_t file;
	uint32_t line;		/* 0: belongs to no line */
};

struct line_unit {
	Dwarf_Off die;		/* of the unit's DIE */
	bool loaded;
	VEC(struct line_row) rows;	/* sorted */
};

struct line_range {
	uint64_t start, end;
	uint32_t unit;
};

struct lines {
	Dwarf *dwarf;
	struct strtab *files;
	VEC(struct line_unit) units;
	VEC(struct line_range) ranges;	/* sorted by start */
};

static int line_range_compare(const void *left, const void *right)
{
	const struct line_range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void lines_find_units(struct lines *lines)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(lines->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		uint32_t unit = (uint32_t)lines->units.len;
		Dwarf_Addr base, start, end;
		ptrdiff_t offset = 0;

		vec_push(&lines->units, (struct line_unit){ .die = dwarf_dieoffset(&die) });
		while ((offset = dwarf_ranges(&die, offset, &base, &start, &end)) > 0)
			if (start < end)
				vec_push(&lines->ranges,
					 (struct line_range){ .start = start, .end = end, .unit = unit });
	}
	vec_sort(&lines->ranges, line_range_compare);
}

struct lines *lines_new(struct object *object, struct strtab *files)
{
	Dwarf *dwarf = dwarf_begin_elf(object->elf, DWARF_C_READ, NULL);
	struct lines *lines;

	if (!dwarf)
		return NULL;
	lines = memory_new(1, sizeof(*lines));
	lines->dwarf = dwarf;
	lines->files = files;
	lines_find_units(lines);
	return lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->units.len; i++)
		vec_fini(&lines->units.items[i].rows);
	vec_fini(&lines->units);
	vec_fini(&lines->ranges);
	dwarf_end(lines->dwarf);
	free(lines);
}

/* libdw sorts a unit's rows by address; of several with one address the last holds (DWARF 5, 6.2.5.1). */
static void line_unit_add(struct line_unit *unit, struct line_row row)
{
	struct line_row *last = unit->rows.len ? &unit->rows.items[unit->rows.len - 1] : NULL;

	if (last && last->address == row.address)
		*last = row.line || !last->line ? row : *last;
	else if (!last || last->line != row.line || last->file != row.file)
		vec_push(&unit->rows, row);
}

/* The id of a file's path; a relative one counts from the folder that the compiler ran in. */
static uint32_t line_file(struct lines *lines, Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attr;
	const char *folder = file[0] == '/' ? NULL : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	autofree char *path = folder ? memory_format("%s/%s", folder, file) : NULL;

	return strtab_id(lines->files, path ? path : file);
}

static void line_unit_load(struct lines *lines, struct line_unit *unit)
{
	Dwarf_Lines *table;
	Dwarf_Die die;
	size_t count;

	unit->loaded = true;
	if (!dwarf_offdie(lines->dwarf, unit->die, &die) || dwarf_getsrclines(&die, &table, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *source = dwarf_onesrcline(table, i);
		struct line_row row = { 0 };
		bool end = true;
		int number = 0;
		const char *file;

		dwarf_lineaddr(source, &row.address);
		dwarf_lineendsequence(source, &end);
		dwarf_lineno(source, &number);
		file = dwarf_linesrc(source, NULL, NULL);
		if (!end && file) {
			row.line = (uint32_t)number;
			row.file = line_file(lines, &die, file);
		}
		line_unit_add(unit, row);
	}
}

static bool line_unit_find(const struct line_unit *unit, uint64_t address, struct line_row *row)
{
	size_t above = vec_first_above(&unit->rows, address, address);

	if (!above || !unit->rows.items[above - 1].line)
		return false;
	*row = unit->rows.items[above - 1];
	return true;
}

bool lines_find(struct lines *lines, uint64_t address, struct line *line)
{
	size_t above = lines ? vec_first_above(&lines->ranges, start, address) : 0;
	const struct line_range *range = above ? &lines->ranges.items[above - 1] : NULL;
	struct line_unit *unit;
	struct line_row row;

	if (!range || address >= range->end)
		return false;
	unit = &lines->units.items[range->unit];
	if (!unit->loaded)
		line_unit_load(lines, unit);
	if (!line_unit_find(unit, address, &row))
		return false;
	*line = (struct line){ .file = strtab_string(lines->files, row.file), .line = row.line };
	return true;
}
