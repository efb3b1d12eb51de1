/* A hostile .eh_frame or .debug_frame, by the first byte: entries, the rows of each, and every expression in them. */
#include "object/cfi.h"
#include "unwind/expression.h"
#include "unwind/row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_expression(const struct row_rule *rule)
{
	static const uint8_t stack[256] = { 1, 2, 3 };
	const struct stack_copy copy = { .bytes = stack, .start = 0x1000, .size = sizeof(stack) };
	struct registers registers = { .known = (1u << REGISTERS) - 1 };
	struct expression_fault fault;
	const uint64_t cfa = 0x1080;
	uint64_t value;

	if (rule->kind != ROW_EXPRESSION && rule->kind != ROW_VAL_EXPRESSION)
		return;
	for (unsigned int i = 0; i < REGISTERS; i++)
		registers.value[i] = 0x1000 + 8 * i;
	expression_evaluate(row_expression(rule), &cfa, &registers, &copy, &value, &fault);
	expression_evaluate(row_expression(rule), NULL, &registers, &copy, &value, &fault);
}

static bool fuzz_row(void *context, const struct row *row)
{
	unsigned int *rows = context;

	/* Rows of a function come in order and none is empty: what the table is built on. */
	if (row->start >= row->end)
		__builtin_trap();
	fuzz_expression(&row->cfa);
	for (unsigned int i = 0; i < REGISTERS; i++)
		fuzz_expression(&row->registers[i]);
	return ++*rows < 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi cfi = {
		.kind = size && data[0] & 1 ? CFI_DEBUG_FRAME : CFI_EH_FRAME,
		.section = bytes_of(data + (size ? 1 : 0), size - (size ? 1 : 0), "frames"),
		.address = 0x2000,
		.cie_offset = CFI_NO_CIE,
	};
	unsigned int malformed = 0, rows = 0;
	size_t offset = 0;
	struct fde fde;

	while (cfi_next(&cfi, &offset, &fde, &malformed) && rows < 1000)
		if (fde.size)
			rows_of_fde(&fde, fuzz_row, &rows);
	return 0;
}
