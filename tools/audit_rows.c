// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "decoder/order.h"
#include "decoder/symbols.h"
#include "decoder/text.h"
#include "tools/audit_print.h"

const char *const td_audit_loss_key[TD_AUDIT_LOSSES] = {
	[TD_AUDIT_SLEPT] = "slept",         [TD_AUDIT_ENDED] = "ended",
	[TD_AUDIT_STOPPED] = "stopped",     [TD_AUDIT_KERNEL] = "kernel",
	[TD_AUDIT_IGNORED] = "ignored",     [TD_AUDIT_FOREIGN] = "foreign",
	[TD_AUDIT_UNSTEPPED] = "unstepped",
};

const char *const td_audit_loss_text[TD_AUDIT_LOSSES] = {
	[TD_AUDIT_SLEPT] = "windows cut by a system call that waited",
	[TD_AUDIT_ENDED] = "windows cut by the end of the thread or program",
	[TD_AUDIT_STOPPED] = "windows cut by a stop signal",
	[TD_AUDIT_KERNEL] = "moments in a system call: no window",
	[TD_AUDIT_IGNORED] = "moments without a window: the program ignores SIGTRAP",
	[TD_AUDIT_FOREIGN] = "moments without a window: code that is not 64-bit",
	[TD_AUDIT_UNSTEPPED] = "windows cut by what cannot be run through: an atomic "
			       "sequence without a known end, a long repeated "
			       "instruction without hardware breakpoints",
};

static int by_moments(const void *a, const void *b)
{
	const struct td_audit_row *x = a, *y = b;

	return td_order(y->moments, x->moments) ?: td_order(x->function, y->function);
}

static char *name_of(const struct td_audit_function *f, struct td_symbols *symbols,
		     const char *module)
{
	struct td_symbol symbol;

	if (f->kind == TD_PLACE_FUNCTION && symbols &&
	    td_symbols_find(symbols, f->region, &symbol))
		return td_symbol_demangle(symbol.name);
	return td_symbol_unnamed(f->kind, module, f->region);
}

/* Opens each module once. */
static int name_rows(const struct td_audit_code *code, struct td_audit_row *rows,
		     size_t count)
{
	struct td_symbols **symbols =
		calloc(td_audit_code_objects(code) + 1, sizeof(struct td_symbols *));
	int error = symbols ? 0 : -1;

	for (size_t i = 0; !error && i < count; i++) {
		const struct td_audit_function *f =
			td_audit_code_get(code, rows[i].function);
		const struct td_file_object *object =
			td_audit_code_object(code, f->object);

		if (object && !symbols[f->object])
			symbols[f->object] = td_symbols_open(object);
		rows[i].module =
			td_text_format("%s", object ? td_text_base(object->path) : "");
		if (rows[i].module)
			rows[i].name = name_of(f, object ? symbols[f->object] : NULL,
					       rows[i].module);
		if (!rows[i].name)
			error = -1;
	}
	for (size_t i = 0; symbols && i < td_audit_code_objects(code); i++)
		if (symbols[i])
			td_symbols_close(symbols[i]);
	free(symbols);
	return error;
}

/* Windows of all classes are opened at each moment: any class tells. */
static uint64_t moments_of(const struct td_audit_table *table, size_t function)
{
	return table->cell[function][0].windows + table->cell[function][0].cut;
}

struct td_audit_row *td_audit_rows(const struct td_audit_report *report, size_t *count)
{
	const struct td_audit_table *table = &report->result->table;
	struct td_audit_row *rows = calloc(table->functions + 1, sizeof(*rows));

	*count = 0;
	if (!rows)
		return NULL;
	for (size_t f = 0; f < table->functions; f++) {
		if (!moments_of(table, f))
			continue;
		rows[(*count)++] = (struct td_audit_row){.function = (uint32_t)f,
							 .moments = moments_of(table, f)};
	}
	qsort(rows, *count, sizeof(*rows), by_moments);
	if (report->top && *count > report->top)
		*count = report->top;
	if (name_rows(report->result->code, rows, *count)) {
		td_audit_rows_free(rows, *count);
		return NULL;
	}
	return rows;
}

void td_audit_rows_free(struct td_audit_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(rows[i].name);
		free(rows[i].module);
	}
	free(rows);
}
