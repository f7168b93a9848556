// SPDX-License-Identifier: MIT
#include "tools/module_rows.h"

#include <math.h>
#include <stdlib.h>

#define Z 1.959964 /* 95 % of a normal distribution lie within so many deviations */

static void add_function(struct td_module_row *module, const struct td_report_function *f)
{
	double samples = (double)f->samples;

	module->samples += f->samples;
	module->windows += f->windows;
	if (!f->node[TD_NODE_RETIRING].present)
		return;
	module->known += f->samples;
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		const struct td_topdown_value *v = &f->node[i];
		double half = (v->estimate.high - v->estimate.low) / 2 - v->rounding;

		module->sum[i] += samples * v->estimate.value;
		module->sampling[i] += pow(samples * fmax(half, 0), 2);
		module->rounding[i] += samples * v->rounding;
	}
}

/* The spread of the functions' values matters as far as their weights are sampled. */
static void add_weights(struct td_module_row *module, const struct td_report_function *f)
{
	if (!module->known || !f->node[TD_NODE_RETIRING].present)
		return;
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		double mean = module->sum[i] / (double)module->known;

		module->sampling[i] += Z * Z * (double)f->samples *
				       pow(f->node[i].estimate.value - mean, 2);
	}
}

static void finish(struct td_module_row *module, const uint8_t *over)
{
	double known = (double)module->known;

	for (int i = 0; i < TD_NODES_LEVEL1 && module->known; i++) {
		double value = module->sum[i] / known;
		double half = (sqrt(module->sampling[i]) + module->rounding[i]) / known;

		module->value[i].present = 1;
		module->value[i].estimate = (struct td_estimate){
			value, fmax(0, value - half), fmin(1, value + half)};
	}
	td_topdown_flag(module->value, over);
}

static int by_samples(const void *a, const void *b)
{
	const struct td_module_row *x = a, *y = b;

	return (x->samples < y->samples) - (x->samples > y->samples);
}

/* The row of the function's module; the last one is of code without. */
static struct td_module_row *row_of(struct td_module_row *row,
				    const struct td_report *report,
				    const struct td_report_function *f)
{
	return &row[f->module == TD_NO_MODULE ? report->modules : f->module];
}

struct td_module_row *td_module_rows(const struct td_report *report, size_t *rows)
{
	size_t count = report->modules + 1;
	struct td_module_row *row = calloc(count, sizeof(*row));

	*rows = 0;
	if (!row)
		return NULL;
	for (size_t i = 0; i < count; i++)
		row[i].module = i < report->modules ? (uint32_t)i : TD_NO_MODULE;
	for (size_t i = 0; i < report->rows; i++)
		add_function(row_of(row, report, &report->function[i]),
			     &report->function[i]);
	for (size_t i = 0; i < report->rows; i++)
		add_weights(row_of(row, report, &report->function[i]),
			    &report->function[i]);
	for (size_t i = 0; i < count; i++)
		finish(&row[i], report->map.over);
	qsort(row, count, sizeof(*row), by_samples);
	while (*rows < count && row[*rows].samples)
		++*rows;
	return row;
}

const char *td_module_row_name(const struct td_report *report,
			       const struct td_module_row *row)
{
	return row->module == TD_NO_MODULE ? "[no module]"
					   : report->module[row->module].path;
}
