#include "unwind/table.h"

#include <dwarf.h>

/*
 * The CFA of a PLT entry as linkers write it (binutils, elfxx-x86): the entry pushes its index at its 11th (with CET:
 * 10th) byte, so 8 more lie on the stack behind that. cfa = rsp + 8 + ((rip & 15) >= N) << 3
 */
static bool table_pack_plt(const struct row_rule *cfa, struct unwind_rule *rule)
{
	static const uint8_t head[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const uint8_t tail[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	const uint8_t *limit = cfa->expression + sizeof(head);

	if (cfa->number != sizeof(head) + 1 + sizeof(tail) || memcmp(cfa->expression, head, sizeof(head)) != 0 ||
	    memcmp(limit + 1, tail, sizeof(tail)) != 0 || *limit < DW_OP_lit0 || *limit > DW_OP_lit15)
		return false;
	*rule = (struct unwind_rule){ .kind = RULE_PLT, .offset = 8, .detail = (uint8_t)(*limit - DW_OP_lit0) };
	return true;
}

/* cfa = *(rbp + offset), the form gcc gives to functions that realign their stack. */
static bool table_pack_deref(const struct row_rule *cfa, struct unwind_rule *rule)
{
	struct bytes from = row_expression(cfa);
	uint8_t op = bytes_u8(&from);
	int64_t offset = bytes_sleb(&from);

	if (op != DW_OP_breg6 || bytes_u8(&from) != DW_OP_deref || from.bad || bytes_left(&from) ||
	    offset != (int32_t)offset)
		return false;
	*rule = (struct unwind_rule){ .kind = RULE_DEREF_BP, .offset = (int32_t)offset };
	return true;
}

static bool table_pack_cfa(const struct row_rule *cfa, struct unwind_rule *rule)
{
	if (cfa->kind == ROW_VAL_EXPRESSION)
		return table_pack_plt(cfa, rule) || table_pack_deref(cfa, rule);
	if (cfa->kind != ROW_REGISTER || cfa->number >= REGISTER_RIP || cfa->offset != (int32_t)cfa->offset)
		return false;
	*rule = (struct unwind_rule){ .offset = (int32_t)cfa->offset, .detail = (uint8_t)cfa->number };
	rule->kind = cfa->number == REGISTER_RSP ? RULE_SP : cfa->number == REGISTER_RBP ? RULE_BP : RULE_LIVE;
	return true;
}

static bool table_pack_bp(const struct row_rule *bp, struct unwind_rule *rule)
{
	switch (bp->kind) {
	case ROW_UNSPECIFIED:
	case ROW_SAME:
		return true;
	case ROW_OFFSET:
		rule->bp = (int16_t)(bp->offset / 8);
		return bp->offset == 8 * (int64_t)rule->bp && rule->bp;
	case ROW_EXPRESSION:
		/* A realigned frame saves it where rbp then points to: DW_OP_breg6 (rbp) 0. */
		rule->detail = 1;
		return rule->kind == RULE_DEREF_BP && bp->number == 2 && bp->expression[0] == DW_OP_breg6 &&
		       bp->expression[1] == 0;
	default:
		return false;
	}
}

static struct unwind_rule table_pack(const struct row *row)
{
	static const struct unwind_rule general = { .kind = RULE_GENERAL };
	const struct row_rule *ra = &row->registers[REGISTER_RIP];
	struct unwind_rule rule = { 0 };

	if (ra->kind == ROW_UNDEFINED && !row->fault)
		return (struct unwind_rule){ .kind = RULE_ROOT };
	if (row->fault || row->signal_frame || ra->kind != ROW_OFFSET || ra->offset != -8 ||
	    (row->registers[REGISTER_RSP].kind != ROW_UNSPECIFIED && row->registers[REGISTER_RSP].kind != ROW_SAME))
		return general;
	if (!table_pack_cfa(&row->cfa, &rule) || !table_pack_bp(&row->registers[REGISTER_RBP], &rule))
		return general;
	return rule;
}

struct table_builder {
	struct unwind_table *table;
	VEC(uint32_t) starts;
	VEC(struct unwind_rule) rules;
	uint32_t end;		/* of what the rules so far cover */
	uint32_t entry;		/* where the program begins; UINT32_MAX: nowhere */
};

/*
 * ld.so's _start and _dl_start_user, which glibc writes in assembly without call-frame information, take some 80 bytes.
 */
enum { TABLE_ENTRY_CODE = 256 };

/* From `start` on, `rule` holds. Equal neighbours become one. */
static void builder_add(struct table_builder *builder, uint32_t start, struct unwind_rule rule)
{
	size_t len = builder->rules.len;

	if (len && !memcmp(&builder->rules.items[len - 1], &rule, sizeof(rule)))
		return;
	vec_push(&builder->starts, start);
	vec_push(&builder->rules, rule);
}

/* No call-frame information up to `end`; but where a program begins nobody has called. */
static void builder_add_gap(struct table_builder *builder, uint32_t end)
{
	static const struct unwind_rule none = { .kind = RULE_NONE }, root = { .kind = RULE_ROOT };
	uint32_t entry = builder->entry;

	if (builder->end >= end)
		return;
	builder_add(builder, builder->end, none);
	if (entry < builder->end || entry >= end)
		return;
	builder_add(builder, entry, root);
	if (end - entry > TABLE_ENTRY_CODE)
		builder_add(builder, entry + TABLE_ENTRY_CODE, none);
}

static bool builder_add_row(void *context, const struct row *row)
{
	struct table_builder *builder = context;
	uint64_t base = builder->table->base;
	uint32_t start = (uint32_t)(row->start - base);
	uint32_t end = (uint32_t)(row->end - base);

	if (start < builder->end)
		start = builder->end;
	if (start >= end)
		return true;
	builder_add_gap(builder, start);
	builder_add(builder, start, table_pack(row));
	builder->end = end;
	return true;
}

static int table_compare_fde(const void *left, const void *right)
{
	const struct unwind_fde *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (int)a->section - (int)b->section;
}

/* The lowest address that code is loaded at. */
static uint64_t table_base(const struct object *object)
{
	uint64_t base = UINT64_MAX;

	for (size_t i = 0; i < object->segments.len; i++)
		if (object->segments.items[i].executable && object->segments.items[i].address < base)
			base = object->segments.items[i].address;
	return base;
}

/* FDEs that overlap contradict each other: the one that begins first keeps its addresses. */
static void table_clip_fdes(struct unwind_table *table)
{
	struct unwind_fde *fdes = table->fdes.items;
	size_t kept = 0;
	uint32_t end = 0;

	for (size_t i = 0; i < table->fdes.len; i++) {
		struct unwind_fde fde = fdes[i];

		fde.start = fde.start < end ? end : fde.start;
		if (fde.start >= fde.end)
			continue;
		end = fde.end;
		fdes[kept++] = fde;
	}
	table->fdes.len = kept;
}

/* Appends a section's FDEs; false where they are not in the order of their addresses. */
static bool table_add_fdes(struct unwind_table *table, enum cfi_section section)
{
	uint64_t last = table->fdes.len ? table->fdes.items[table->fdes.len - 1].start : 0;
	bool sorted = true;
	size_t offset = 0;
	struct fde fde;

	while (cfi_next(&table->cfi[section], &offset, &fde, &table->malformed)) {
		uint64_t start = fde.start - table->base;

		/* Code that the linker dropped keeps an FDE at address 0, below the base, or an empty one. */
		if (!fde.size || fde.start < table->base || start + fde.size > UINT32_MAX || fde.offset > UINT32_MAX)
			continue;
		sorted &= start >= last;
		last = start;
		vec_push(&table->fdes, (struct unwind_fde){
			.start = (uint32_t)start,
			.end = (uint32_t)(start + fde.size),
			.offset = (uint32_t)fde.offset,
			.section = section,
		});
	}
	return sorted;
}

static void table_find_fdes(struct unwind_table *table)
{
	bool sorted = table_add_fdes(table, CFI_EH_FRAME);

	sorted &= table_add_fdes(table, CFI_DEBUG_FRAME);
	if (!sorted)
		vec_sort(&table->fdes, table_compare_fde);
	table_clip_fdes(table);
}

static bool table_fde(struct unwind_table *table, const struct unwind_fde *at, struct fde *fde)
{
	return cfi_fde_at(&table->cfi[at->section], at->offset, fde);
}

void unwind_table_init(struct unwind_table *table, struct object *object, struct object *debug)
{
	struct table_builder builder = { .table = table, .entry = UINT32_MAX };
	struct fde fde;

	*table = (struct unwind_table){ .base = table_base(object) };
	cfi_init(&table->cfi[CFI_EH_FRAME], object, CFI_EH_FRAME);
	cfi_init(&table->cfi[CFI_DEBUG_FRAME], debug, CFI_DEBUG_FRAME);
	if (object->machine != EM_X86_64)
		return;
	table_find_fdes(table);
	if (object->entry && object->entry - table->base < UINT32_MAX)
		builder.entry = (uint32_t)(object->entry - table->base);
	for (size_t i = 0; i < table->fdes.len; i++)
		if (table_fde(table, &table->fdes.items[i], &fde))
			rows_of_fde(&fde, builder_add_row, &builder);
	builder_add_gap(&builder, UINT32_MAX);
	table->starts = memory_resize(builder.starts.items, builder.starts.len, sizeof(*table->starts));
	table->rules = memory_resize(builder.rules.items, builder.rules.len, sizeof(*table->rules));
	table->count = (uint32_t)builder.starts.len;
}

void unwind_table_fini(struct unwind_table *table)
{
	free(table->starts);
	free(table->rules);
	vec_fini(&table->fdes);
	cfi_fini(&table->cfi[CFI_EH_FRAME]);
	cfi_fini(&table->cfi[CFI_DEBUG_FRAME]);
	*table = (struct unwind_table){ 0 };
}

struct unwind_rule unwind_table_rule(const struct unwind_table *table, uint64_t address)
{
	uint64_t offset = address - table->base;
	const uint32_t *starts = table->starts;
	uint32_t count = table->count;

	if (!count || offset > UINT32_MAX || offset < starts[0])
		return (struct unwind_rule){ .kind = RULE_NONE };
	/* The last start at or below; without a branch that could be mispredicted at each step. */
	while (count > 1) {
		uint32_t half = count / 2;

		starts += starts[half] <= offset ? half : 0;
		count -= half;
	}
	return table->rules[starts - table->starts];
}

struct row_search {
	uint64_t address;
	struct row *row;
	bool found;
};

static bool row_search_take(void *context, const struct row *row)
{
	struct row_search *search = context;

	if (search->address < row->start || search->address >= row->end)
		return true;
	*search->row = *row;
	search->found = true;
	return false;
}

bool unwind_table_row(struct unwind_table *table, uint64_t address, struct row *row)
{
	struct row_search search = { .address = address, .row = row };
	uint64_t offset = address - table->base;
	size_t above = vec_first_above(&table->fdes, start, offset);
	const struct unwind_fde *found = above ? &table->fdes.items[above - 1] : NULL;
	struct fde fde;

	if (!found || offset >= found->end || !table_fde(table, found, &fde))
		return false;
	rows_of_fde(&fde, row_search_take, &search);
	return search.found;
}
