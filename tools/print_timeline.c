// SPDX-License-Identifier: MIT
#include "tools/print_timeline.h"

#include <inttypes.h>
#include <string.h>

#define LINES_MOST 24 /* more are joined in pairs */
#define CELL 10       /* columns, one of them for a mark */

/* Level 1, adjusted to the right; a mark takes a column of the next cell. */
static void put_nodes(FILE *out, const struct td_print_style *style,
		      const struct td_topdown_value *value)
{
	size_t marked = 1;

	for (int i = 0; i < TD_NODES_LEVEL1 && value[i].present; i++) {
		const char *mark = td_print_mark(value, i);
		char text[32];

		snprintf(text, sizeof(text), "%*.1f%s", (int)(CELL - marked),
			 100 * value[i].estimate.value, mark);
		td_print_coloured(out, style, td_print_colour(value, i), text);
		marked = strlen(mark);
	}
}

/* Blank where nothing was measured. */
static void put_bucket(FILE *out, const struct td_report *report,
		       const struct td_print_style *style,
		       const struct td_history *history, size_t bucket)
{
	struct td_topdown_value node[TD_NODES];

	fprintf(out, "%9.2f", (double)(bucket * history->width_ns) / 1e9);
	if (history->samples[bucket])
		fprintf(out, "%9" PRIu64, history->samples[bucket]);
	td_topdown_totals(&report->map, history->total[bucket], 0, node);
	put_nodes(out, style, node);
	fputc('\n', out);
}

static void put_titles(FILE *out, const struct td_report *report)
{
	fputs("   from s  Samples", out);
	for (int i = 0; i < TD_NODES_LEVEL1 && td_report_has_topdown(report); i++)
		fprintf(out, "%*s", i ? CELL : CELL - 1, td_topdown_tree[i].title);
	fputc('\n', out);
}

static void put_timeline(FILE *out, const struct td_report *report,
			 const struct td_print_style *style, uint32_t pid,
			 struct td_history *history)
{
	if (td_history_used(history) > LINES_MOST)
		td_history_widen(history, 2 * history->width_ns);
	fprintf(out, "\nTimeline of pid %u, %g s a line%s%s\n", pid,
		(double)history->width_ns / 1e9,
		td_report_has_topdown(report) ? ", % of slots" : "",
		report->simulated ? " SIMULATED" : "");
	put_titles(out, report);
	for (size_t i = 0; i < td_history_used(history); i++)
		put_bucket(out, report, style, history, i);
}

void td_print_timelines(FILE *out, const struct td_report *report,
			const struct td_print_style *style)
{
	struct td_history history;
	size_t known = 0;

	for (size_t i = 0; i < report->processes; i++) {
		td_report_history(report, i, &history);
		if (!td_history_used(&history))
			continue;
		put_timeline(out, report, style, report->process[i].header.pid, &history);
		known++;
	}
	if (!known)
		fputs("\nNo timeline: the profile has none.\n", out);
}
