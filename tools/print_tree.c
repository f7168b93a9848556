// SPDX-License-Identifier: MIT
#include "tools/print_tree.h"

#include "tools/print_cells.h"
#include "tools/print_hints.h"

#define BAR 20 /* columns of a node that is everything */

static void put_bar(FILE *out, double value)
{
	int full = (int)(value * BAR + 0.5);

	for (int i = 0; i < BAR; i++)
		fputs(i < full ? "#" : ".", out);
}

/* "  Backend     93.0±0.1  > 20  ####..  means" */
static void put_node(FILE *out, const struct td_report *report,
		     const struct td_print_style *style,
		     const struct td_topdown_value *value, int node, int vague)
{
	const struct td_topdown_node *tree = &td_topdown_tree[node];
	const struct td_estimate *e = &value[node].estimate;
	const char *colour = vague ? "\033[2m" : td_print_colour(value, node);
	char number[64], line[160];

	if (!value[node].present)
		return;
	snprintf(number, sizeof(number), "%.1f±%.1f%s", 100 * e->value,
		 50 * (e->high - e->low), vague ? "?" : td_print_mark(value, node));
	/* ± is one column of two bytes */
	snprintf(line, sizeof(line), "%*s%-*s %12s  over %2.0f  ",
		 tree->parent < 0 ? 2 : 4, "", tree->parent < 0 ? 20 : 18,
		 td_hint(report, node)->name, number,
		 100 * td_topdown_threshold(report->map.over, node));
	td_print_coloured(out, style, colour, line);
	put_bar(out, e->value);
	fputc('\n', out);
}

/* Level 1 with what is below each. */
static void put_tree(FILE *out, const struct td_report *report,
		     const struct td_print_style *style,
		     const struct td_topdown_value *value,
		     const struct td_report_function *f)
{
	int limit = td_topdown_bottleneck(value);

	for (int parent = 0; parent < TD_NODES_LEVEL1; parent++) {
		put_node(out, report, style, value, parent,
			 f && td_report_is_vague(report, f, parent));
		for (int i = TD_NODES_LEVEL1; i < TD_NODES; i++) {
			if (td_topdown_tree[i].parent == parent)
				put_node(out, report, style, value, i,
					 f && td_report_is_vague(report, f, i));
		}
	}
	if (limit >= 0 && !(f && td_report_is_vague(report, f, limit)))
		td_print_line(out, style, td_topdown_tree[limit].title, "%s. Helps: %s.",
			      td_hint(report, limit)->means,
			      td_hint(report, limit)->helps);
}

static void put_function(FILE *out, const struct td_report *report,
			 const struct td_print_style *style,
			 const struct td_report_function *f)
{
	int total;
	const struct td_topdown_value *answer = td_report_answer(f, &total);
	char windows[TD_CELL_BYTES] = "", nested[TD_CELL_BYTES] = "";

	td_cell_windows(report, f, 0, 0, windows);
	td_cell_nested(report, f, 0, 0, nested);
	fprintf(out, "\n%s: %.1f %% of the samples%s%s%s%s%s%s\n", f->name,
		100 * f->share.value, *windows ? ", windows " : "", windows,
		*nested ? ", nested " : "", nested, *nested ? " %" : "",
		total ? ", with all that it calls" : "");
	if (answer[TD_NODE_RETIRING].present)
		put_tree(out, report, style, answer, f);
	else
		fputs("  not known: no valid window\n", out);
}

void td_print_trees(FILE *out, const struct td_report *report,
		    const struct td_print_style *style)
{
	if (!td_report_has_topdown(report)) {
		fputs("\nNo trees: no top-down was measured.\n", out);
		return;
	}
	fprintf(out, "\nThe whole run, %s%% of slots\n",
		report->simulated ? "SIMULATED " : "");
	put_tree(out, report, style, report->node, NULL);
	for (size_t i = 0; i < report->functions; i++)
		put_function(out, report, style, &report->function[i]);
}
