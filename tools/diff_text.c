// SPDX-License-Identifier: MIT
/* The comparison for people. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"
#include "tools/diff_print.h"

#define CELL 48
#define INDENT 8
#define WIDE 100 /* pages below it have no columns of CPU time */

struct page {
	FILE *out;
	const struct td_compare *compare;
	const struct td_print_style *style;
};

static int shows_cost(const struct page *page)
{
	return page->compare->has_cost &&
	       (!page->style->width || page->style->width >= WIDE);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Frees the text. */
static void line_of(const struct page *page, const char *label, char *text)
{
	if (text)
		td_print_line(page->out, page->style, label, "%s", text);
	free(text);
}

/* "+2.9±1.2": a change and half its interval, times `scale`. */
static char *change_text(const struct td_change *change, double scale, char *text)
{
	double half = scale * (change->high - change->low) / 2;

	if (isfinite(half))
		snprintf(text, CELL, "%+.1f±%.1f",
			 scale * (change->after - change->before), half);
	else
		snprintf(text, CELL, "%+.1f", scale * (change->after - change->before));
	return text;
}

static const char *colour_of(enum td_verdict verdict)
{
	switch (verdict) {
	case TD_VERDICT_WORSE:
		return "\033[1;31m";
	case TD_VERDICT_BETTER:
		return "\033[1;32m";
	case TD_VERDICT_NONE:
		return NULL;
	default:
		return "\033[1m";
	}
}

static double unit_of(const struct td_compare *compare)
{
	return compare->unit == TD_UNIT_NS ? 1e9 : 1e6;
}

static const char *unit_name(const struct td_compare *compare)
{
	return compare->unit == TD_UNIT_NS ? "CPU s" : "Mcycles";
}

static void put_side(const struct page *page, int i, const struct td_compare_side *side)
{
	const struct td_report_process *process = td_print_first(side->all);
	char *command = td_print_command(&process->header);
	size_t runs = page->compare->runs[i];

	line_of(page, i ? "B" : "A",
		td_text_format("%s; %zu run%s, %zu process%s, %" PRIu64
			       " sample%s of %" PRIu64 " thread%s",
			       command ? command : "", runs, plural(runs),
			       side->all->profiles, side->all->profiles == 1 ? "" : "es",
			       side->all->samples, plural(side->all->samples),
			       side->all->threads_all, plural(side->all->threads_all)));
	free(command);
}

static void put_cost(const struct page *page)
{
	const struct td_compare *compare = page->compare;
	const struct td_change *cost = &compare->total.cost;
	double unit = unit_of(compare);
	char text[CELL];

	if (!cost->present || cost->before <= 0)
		return;
	line_of(page, unit_name(compare),
		td_text_format(
			"of a run %.3f -> %.3f, %s %%: %s%s", cost->before / unit,
			cost->after / unit, change_text(cost, 100 / cost->before, text),
			cost->tested ? td_verdict_name(cost->verdict) : "not tested",
			compare->noise > 0
				? "; the interval has the noise noted below in it"
				: ""));
}

static void put_nodes(const struct page *page)
{
	const struct td_compare_row *total = &page->compare->total;
	char *text = NULL, cell[CELL];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int tested = 0;

	if (!out)
		return;
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		const struct td_change *node = &total->node[i];

		if (!node->present)
			continue;
		tested |= node->tested;
		fprintf(out, "%s%s %.1f -> %.1f", ftell(out) ? ", " : "",
			td_topdown_tree[i].title, 100 * node->before, 100 * node->after);
		if (node->verdict)
			fprintf(out, " (%s %s)", change_text(node, 100, cell),
				td_verdict_name(node->verdict));
	}
	if (ftell(out))
		fprintf(out, " %% of the slots%s%s",
			page->compare->simulated ? " (SIMULATED)" : "",
			tested ? "" : "; not tested");
	fclose(out);
	line_of(page, "top-down", text);
}

static void put_found(FILE *out, const size_t *found)
{
	for (unsigned i = TD_VERDICTS - 1; i > 0; i--)
		if (found[i])
			fprintf(out, " %zu %s,", found[i], td_verdict_name(i));
}

static void put_result(const struct page *page)
{
	const struct td_compare *compare = page->compare;
	char *text = NULL;
	size_t size, found = compare->rows - compare->found[TD_VERDICT_NONE];
	size_t totals = compare->inclusive - compare->found_inclusive[TD_VERDICT_NONE];
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	if (found) {
		fprintf(out, "%zu of %zu function%s differ%s:", found, compare->rows,
			plural(compare->rows), found == 1 ? "s" : "");
		put_found(out, compare->found);
	} else {
		fprintf(out, "no evidence of a difference in %zu function%s,",
			compare->rows, plural(compare->rows));
	}
	if (totals) {
		fprintf(out, " with all that they call %zu:", totals);
		put_found(out, compare->found_inclusive);
	}
	fprintf(out,
		" by %zu test%s together: with equal programs, one or more would differ "
		"in at most %.0f %% of comparisons",
		compare->tests, plural(compare->tests), 100 * TD_COMPARE_ERROR);
	fclose(out);
	line_of(page, "result", text);
}

static void put_titles(const struct page *page)
{
	char titles[2][CELL];

	snprintf(titles[0], CELL, "%s A", unit_name(page->compare));
	fprintf(page->out, "\n%7s %5s  %-11s ", "Share A", "B", "Change");
	if (shows_cost(page))
		fprintf(page->out, "%9s %7s  %-11s ", titles[0], "B", "Change %");
	fprintf(page->out, "%-11s  %s\n", "Verdict", "Function");
}

/* A cell adjusted to the left: the columns of its characters, not its bytes. */
static size_t put_cell(const struct page *page, const char *colour, const char *text,
		       size_t width)
{
	size_t used = td_text_width(text);

	td_print_coloured(page->out, page->style, colour, text);
	fprintf(page->out, "%*s ", used < width ? (int)(width - used) : 0, "");
	return (used < width ? width : used) + 1;
}

static size_t put_row_cost(const struct page *page, const struct td_compare_row *row)
{
	const struct td_change *cost = &row->cost;
	double unit = unit_of(page->compare);
	char text[CELL] = "";
	int used = fprintf(page->out, "%9.3f %7.3f  ", cost->before / unit,
			   cost->after / unit);

	if (cost->before > 0 && row->samples[1])
		change_text(cost, 100 / cost->before, text);
	return (size_t)used + put_cell(page, colour_of(cost->verdict), text, 11);
}

static void put_name(const struct page *page, const struct td_compare_row *row,
		     size_t used)
{
	size_t room = page->style->width > used ? page->style->width - used : 14;
	/* a function without a symbol has its module's name */
	int named = strncmp(row->name, row->module, strlen(row->module)) != 0 ||
		    strncmp(row->name + strlen(row->module), "+0x", 3) != 0;
	char *name = row->module[0] && named
			     ? td_text_format("%s  [%s]", row->name, row->module)
			     : strdup(row->name);

	if (name && page->style->width && td_text_width(name) > room)
		fprintf(page->out, "%.*s…\n", (int)td_text_prefix(name, room - 1), name);
	else
		fprintf(page->out, "%s\n", name ? name : row->name);
	free(name);
}

/* Below the row: every fraction that has a verdict. */
static void put_row_nodes(const struct page *page, const struct td_compare_row *row)
{
	char text[3 * CELL], change[CELL];

	for (int i = 0; i < TD_NODES; i++) {
		const struct td_change *node = &row->node[i];

		if (!node->verdict)
			continue;
		fprintf(page->out, "%*s", INDENT, "");
		snprintf(text, sizeof(text), "%s%-9s %5.1f -> %5.1f  %s  %s%s",
			 row->inclusive ? "total " : "", td_topdown_tree[i].title,
			 100 * node->before, 100 * node->after,
			 change_text(node, 100, change), td_verdict_name(node->verdict),
			 page->compare->simulated ? " (SIMULATED)" : "");
		td_print_coloured(page->out, page->style, colour_of(node->verdict), text);
		fputc('\n', page->out);
	}
}

/* Likewise its retire latency. */
static void put_row_latency(const struct page *page, const struct td_compare_row *row)
{
	const struct td_change *latency = &row->latency;
	char text[3 * CELL], change[CELL];

	if (!latency->verdict)
		return;
	fprintf(page->out, "%*s", INDENT, "");
	snprintf(text, sizeof(text), "Retire latency %.1f -> %.1f cycles  %s  %s",
		 latency->before, latency->after, change_text(latency, 1, change),
		 td_verdict_name(latency->verdict));
	td_print_coloured(page->out, page->style, colour_of(latency->verdict), text);
	fputc('\n', page->out);
}

/* Below it: the function with all that it calls, if that has a verdict. */
static void put_row_total(const struct page *page, const struct td_compare_row *total)
{
	const struct td_change *share = &total->share;
	char text[3 * CELL], change[CELL];

	if (!total->verdict)
		return;
	fprintf(page->out, "%*s", INDENT, "");
	snprintf(text, sizeof(text), "total     %5.1f -> %5.1f  %s  %s",
		 100 * share->before, 100 * share->after, change_text(share, 100, change),
		 td_verdict_name(total->verdict));
	td_print_coloured(page->out, page->style, colour_of(total->verdict), text);
	fputc('\n', page->out);
	put_row_nodes(page, total);
}

static void put_row(const struct page *page, const struct td_compare_row *row)
{
	char text[CELL];
	size_t used = (size_t)fprintf(page->out, "%7.1f %5.1f  ", 100 * row->share.before,
				      100 * row->share.after);

	used += put_cell(page, colour_of(row->share.verdict),
			 change_text(&row->share, 100, text), 11);
	if (shows_cost(page))
		used += put_row_cost(page, row);
	used += put_cell(page, colour_of(row->verdict), td_verdict_name(row->verdict),
			 11) +
		1;
	fputc(' ', page->out);
	put_name(page, row, used);
	put_row_nodes(page, row);
	put_row_latency(page, row);
	if (row->total)
		put_row_total(page, row->total);
}

void td_diff_print_text(FILE *out, const struct td_compare *compare,
			const struct td_compare_side side[2], size_t top,
			const struct td_print_style *style)
{
	const struct page page = {out, compare, style};
	size_t rows = top && top < compare->rows ? top : compare->rows;

	fprintf(out, "tdagent diff%s\n", compare->simulated ? " *** SIMULATED ***" : "");
	for (int i = 0; i < 2; i++)
		put_side(&page, i, &side[i]);
	put_cost(&page);
	put_nodes(&page);
	put_result(&page);
	for (size_t i = 0; i < compare->notes; i++)
		td_print_line(out, style, "note", "%s", compare->note[i]);
	put_titles(&page);
	for (size_t i = 0; i < rows; i++)
		put_row(&page, &compare->row[i]);
	if (rows < compare->rows)
		fprintf(out, "%zu of %zu functions shown.\n", rows, compare->rows);
	if (compare->has_cost && !shows_cost(&page))
		td_print_line(out, style, NULL,
			      "No room for: %s (a wider page, or --format=csv)",
			      unit_name(compare));
}
