// SPDX-License-Identifier: MIT
#include "tools/print_by.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"

#define Z 1.959964 /* 95 % of a normal distribution lie within so many deviations */

/* The name's part that has room; `used` columns stand before it. */
static void put_name(FILE *out, const struct td_print_style *style, size_t used,
		     const char *name)
{
	size_t room = style->width > used + 8 ? style->width - used : SIZE_MAX;

	fprintf(out, "%.*s\n", (int)td_text_prefix(name, room), name);
}

static void put_titles(FILE *out, const struct td_report *report, const char *first,
		       const char *last)
{
	fputs(first, out);
	for (int i = 0; i < TD_NODES_LEVEL1 && td_report_has_topdown(report); i++)
		fprintf(out, "%9s", td_topdown_tree[i].title);
	fprintf(out, "  %s\n", last);
}

/* Level 1 in columns of 9, the mark behind the number. */
static void put_nodes(FILE *out, const struct td_report *report,
		      const struct td_print_style *style,
		      const struct td_topdown_value *value, int intervals, char *marks)
{
	for (int i = 0; i < TD_NODES_LEVEL1 && td_report_has_topdown(report); i++) {
		const struct td_estimate *e = &value[i].estimate;
		char text[64] = "";
		int width;

		if (value[i].present && intervals)
			snprintf(text, sizeof(text), "%.0f±%.0f%s", 100 * e->value,
				 50 * (e->high - e->low), td_print_mark(value, i));
		else if (value[i].present)
			snprintf(text, sizeof(text), "%.1f%s", 100 * e->value,
				 td_print_mark(value, i));
		td_print_seen(marks, text);
		width = 9 - (int)td_text_width(text);
		fprintf(out, "%*s", width > 0 ? width : 0, "");
		td_print_coloured(out, style, td_print_colour(value, i), text);
	}
}

void td_print_threads(FILE *out, const struct td_report *report,
		      const struct td_print_style *style)
{
	char marks[TD_PRINT_MARKS] = "";

	if (td_report_has_topdown(report))
		fprintf(out, "%% of all slots of each thread%s\n",
			report->simulated ? " SIMULATED" : "");
	put_titles(out, report, "Share %  Samples  Windows    CPU s", "Thread");
	for (size_t i = 0; i < report->threads; i++) {
		const struct td_report_thread *thread = &report->thread[i];
		const struct td_file_thread *record = &thread->record;
		char name[128];

		fprintf(out, "%7.1f%9" PRIu64 "%9" PRIu64 "%9.3f",
			report->samples
				? 100 * (double)record->samples / (double)report->samples
				: 0,
			record->samples, record->windows, (double)record->cpu_ns / 1e9);
		put_nodes(out, report, style, thread->node, 0, marks);
		if (record->state == TD_THREAD_FOLDED)
			snprintf(name, sizeof(name), "%s%s%u ended threads", thread->name,
				 thread->name[0] ? ": " : "", record->threads);
		else
			snprintf(name, sizeof(name), "%s %u", thread->name, record->tid);
		fputs("  ", out);
		put_name(out, style, td_report_has_topdown(report) ? 72 : 36, name);
	}
	td_print_legend(out, style, marks);
}

struct module {
	uint32_t module; /* index, or TD_NO_MODULE */
	uint64_t samples, windows;
	uint64_t known; /* samples of functions with an answer of their own */
	double sum[TD_NODES_LEVEL1];      /* of samples times value */
	double sampling[TD_NODES_LEVEL1]; /* of their squared half widths, less rounding
					   */
	double rounding[TD_NODES_LEVEL1]; /* of samples times rounding */
	struct td_topdown_value value[TD_NODES];
};

static void add_function(struct module *module, const struct td_report_function *f)
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
static void add_weights(struct module *module, const struct td_report_function *f)
{
	for (int i = 0; i < TD_NODES_LEVEL1 && f->node[TD_NODE_RETIRING].present; i++) {
		double mean = module->sum[i] / (double)module->known;

		module->sampling[i] += Z * Z * (double)f->samples *
				       pow(f->node[i].estimate.value - mean, 2);
	}
}

static void finish(struct module *module)
{
	double known = (double)module->known;

	for (int i = 0; i < TD_NODES_LEVEL1 && module->known; i++) {
		double value = module->sum[i] / known;
		double half = (sqrt(module->sampling[i]) + module->rounding[i]) / known;

		module->value[i].present = 1;
		module->value[i].estimate = (struct td_estimate){
			value, fmax(0, value - half), fmin(1, value + half)};
	}
	td_topdown_flag(module->value);
}

static int by_samples(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	return (x->samples < y->samples) - (x->samples > y->samples);
}

/* The last one is of code without a module.  NULL without memory. */
static struct module *collect(const struct td_report *report)
{
	size_t count = report->modules + 1;
	struct module *module = calloc(count, sizeof(*module));

	for (size_t i = 0; module && i < count; i++)
		module[i].module = i < report->modules ? (uint32_t)i : TD_NO_MODULE;
	for (size_t i = 0; module && i < report->rows; i++) {
		uint32_t at = report->function[i].module;

		add_function(&module[at == TD_NO_MODULE ? count - 1 : at],
			     &report->function[i]);
	}
	for (size_t i = 0; module && i < report->rows; i++) {
		uint32_t at = report->function[i].module;
		struct module *of = &module[at == TD_NO_MODULE ? count - 1 : at];

		if (of->known)
			add_weights(of, &report->function[i]);
	}
	for (size_t i = 0; module && i < count; i++)
		finish(&module[i]);
	if (module)
		qsort(module, count, sizeof(*module), by_samples);
	return module;
}

static void put_module(FILE *out, const struct td_report *report,
		       const struct td_print_style *style, const struct module *module,
		       char *marks)
{
	const char *name = module->module == TD_NO_MODULE
				   ? "[no module]"
				   : report->module[module->module].path;
	size_t used = 34;

	fprintf(out, "%7.1f%9" PRIu64 "%9" PRIu64 "%7.0f",
		100 * (double)module->samples / (double)report->samples, module->samples,
		module->windows, 100 * (double)module->known / (double)module->samples);
	put_nodes(out, report, style, module->value, 1, marks);
	fputs("  ", out);
	used += td_report_has_topdown(report) ? 36 : 0;
	put_name(out, style, used, style->width ? td_text_base(name) : name);
}

void td_print_modules(FILE *out, const struct td_report *report,
		      const struct td_print_style *style)
{
	char marks[TD_PRINT_MARKS] = "";
	struct module *module = collect(report);

	if (!module) {
		fprintf(out, "No modules: %s\n", strerror(ENOMEM));
		return;
	}
	if (td_report_has_topdown(report))
		fprintf(out, "%% of slots of the samples with an answer (Known %%)%s\n",
			report->simulated ? " SIMULATED" : "");
	put_titles(out, report, "Share %  Samples  Windows  Known", "Module");
	for (size_t i = 0; i <= report->modules && module[i].samples; i++)
		put_module(out, report, style, &module[i], marks);
	td_print_legend(out, style, marks);
	free(module);
}
