// SPDX-License-Identifier: MIT
#include "tools/print_by.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"
#include "tools/module_rows.h"

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

static void put_module(FILE *out, const struct td_report *report,
		       const struct td_print_style *style,
		       const struct td_module_row *module, char *marks)
{
	const char *name = td_module_row_name(report, module);
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
	size_t modules;
	struct td_module_row *module = td_module_rows(report, &modules);

	if (!module) {
		fprintf(out, "No modules: %s\n", strerror(ENOMEM));
		return;
	}
	if (td_report_has_topdown(report))
		fprintf(out, "%% of slots of the samples with an answer (Known %%)%s\n",
			report->simulated ? " SIMULATED" : "");
	put_titles(out, report, "Share %  Samples  Windows  Known", "Module");
	for (size_t i = 0; i < modules; i++)
		put_module(out, report, style, &module[i], marks);
	td_print_legend(out, style, marks);
	free(module);
}
