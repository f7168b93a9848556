// SPDX-License-Identifier: MIT
#include "tools/print_table.h"

#include <inttypes.h>
#include <string.h>

#include "decoder/text.h"

#define NAME_LEAST 14 /* columns that a function's name gets at least */
#define MODULE_MOST 24
#define CELL 64
#define INDENT 8       /* of the lines below a row */
#define TOTAL_MARK "^" /* not of the function alone */

struct table {
	const struct td_report *report;
	const struct td_print_style *style;
	FILE *out;
};

/* A cell's text is "" for what was not measured. */
typedef void cell_fn(const struct td_report *report, const struct td_report_function *f,
		     int node, char *text);

struct column {
	const char *title;
	cell_fn *cell;
	int node;  /* argument of cell: enum td_node */
	int order; /* the lower, the longer it stays on a narrow page */
	int left;  /* adjusted to the left */
};

static void share_cell(const struct td_report *report, const struct td_report_function *f,
		       int node, char *text)
{
	(void)node;
	if (report->samples)
		snprintf(text, CELL, "%.1f±%.1f", 100 * f->share.value,
			 50 * (f->share.high - f->share.low));
}

static void total_cell(const struct td_report *report, const struct td_report_function *f,
		       int node, char *text)
{
	(void)node;
	if (report->samples && report->has_paths)
		snprintf(text, CELL, "%.1f±%.1f", 100 * f->total.share.value,
			 50 * (f->total.share.high - f->total.share.low));
}

static void samples_cell(const struct td_report *report,
			 const struct td_report_function *f, int node, char *text)
{
	(void)report, (void)node;
	snprintf(text, CELL, "%" PRIu64, f->samples);
}

static void windows_cell(const struct td_report *report,
			 const struct td_report_function *f, int node, char *text)
{
	uint64_t all = f->windows + td_print_sum(f->rejected, TD_REJECT_MAX);

	(void)report, (void)node;
	if (all)
		snprintf(text, CELL, "%" PRIu64 "/%" PRIu64, f->windows, all);
}

static void time_cell(const struct td_report *report, const struct td_report_function *f,
		      int node, char *text)
{
	(void)node;
	if (report->has_time)
		snprintf(text, CELL, "%.3f", f->cpu_ns / 1e9);
}

static void rate_text(const struct td_report_rate *rate, char *text)
{
	if (rate->present)
		snprintf(text, CELL, "%.3g", rate->estimate.value);
}

static void faults_cell(const struct td_report *report,
			const struct td_report_function *f, int node, char *text)
{
	(void)report, (void)node;
	rate_text(&f->faults, text);
}

static void switches_cell(const struct td_report *report,
			  const struct td_report_function *f, int node, char *text)
{
	(void)report, (void)node;
	rate_text(&f->switches, text);
}

static void node_text(const struct td_report *report, const struct td_report_function *f,
		      int node, char *text)
{
	int total;
	const struct td_topdown_value *answer = td_report_answer(f, &total);
	const struct td_topdown_value *value = &answer[node];

	if (value->present)
		snprintf(text, CELL, "%s%.1f±%.1f%s", total ? TOTAL_MARK : "",
			 100 * value->estimate.value,
			 50 * (value->estimate.high - value->estimate.low),
			 td_report_is_vague(report, f, node)
				 ? "?"
				 : td_print_mark(answer, node));
}

static const char *node_colour(const struct td_report *report,
			       const struct td_report_function *f, int node)
{
	int total;

	return td_report_is_vague(report, f, node)
		       ? "\033[2m"
		       : td_print_colour(td_report_answer(f, &total), node);
}

/* Where the values come from: its own windows, a separation, or not without callers. */
static void basis_cell(const struct td_report *report, const struct td_report_function *f,
		       int node, char *text)
{
	static const char *const words[] = {
		[TD_EVIDENCE_OWN] = "own",
		[TD_EVIDENCE_SEPARATED] = "separ.",
		[TD_EVIDENCE_CALLERS] = "callers",
	};

	(void)node;
	if (report->separated && words[f->evidence])
		snprintf(text, CELL, "%s", words[f->evidence]);
}

/* A blank where others have their flag keeps the digits in line. */
static void node_cell(const struct td_report *report, const struct td_report_function *f,
		      int node, char *text)
{
	int total;
	const struct td_topdown_value *answer = td_report_answer(f, &total);

	node_text(report, f, node, text);
	if (answer[node].present && !answer[node].flagged &&
	    !td_report_is_vague(report, f, node))
		strcat(text, " ");
}

static void module_cell(const struct td_report *report,
			const struct td_report_function *f, int node, char *text)
{
	const char *base = td_text_base(td_report_module(report, f));
	size_t bytes = td_text_prefix(base, MODULE_MOST - 1);

	(void)node;
	if (td_text_width(base) <= MODULE_MOST)
		snprintf(text, 4 * MODULE_MOST + 4, "%s", base);
	else
		snprintf(text, 4 * MODULE_MOST + 4, "%.*s…", (int)bytes, base);
}

static const struct column columns[] = {
	{"Share %", share_cell, 0, 0, 0},
	{"Total %", total_cell, 0, 0, 0},
	{"Samples", samples_cell, 0, 7, 0},
	{"Windows", windows_cell, 0, 2, 0},
	{"CPU s", time_cell, 0, 5, 0},
	{"Retiring", node_cell, TD_NODE_RETIRING, 1, 0},
	{"BadSpec", node_cell, TD_NODE_BAD_SPECULATION, 1, 0},
	{"Frontend", node_cell, TD_NODE_FRONTEND_BOUND, 1, 0},
	{"Backend", node_cell, TD_NODE_BACKEND_BOUND, 1, 0},
	{"Faults/s", faults_cell, 0, 6, 0},
	{"Switches/s", switches_cell, 0, 8, 0},
	{"Basis", basis_cell, 0, 3, 1},
	{"Module", module_cell, 0, 4, 1},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define ORDERS 9
#define CELL_BYTES (4 * MODULE_MOST + 4 > CELL ? 4 * MODULE_MOST + 4 : CELL)

static const char *cell_of(const struct table *table, size_t column, size_t row,
			   char *text)
{
	text[0] = '\0';
	columns[column].cell(table->report, &table->report->function[row],
			     columns[column].node, text);
	return text;
}

/* 0 for a column in which no row has anything. */
static size_t width_of(const struct table *table, size_t column)
{
	char text[CELL_BYTES];
	size_t width = 0;

	for (size_t row = 0; row < table->report->functions; row++) {
		size_t cell = td_text_width(cell_of(table, column, row, text));

		if (cell > width)
			width = cell;
	}
	if (width && width < strlen(columns[column].title))
		width = strlen(columns[column].title);
	return width;
}

/* Measures the columns of one order; returns what they take, blanks included. */
static size_t measure(const struct table *table, int order, size_t width[COLUMNS],
		      size_t *count)
{
	size_t taken = 0;

	for (size_t i = 0; i < COLUMNS; i++) {
		if (columns[i].order != order)
			continue;
		width[i] = width_of(table, i);
		taken += width[i] ? width[i] + 2 : 0;
		*count += width[i] != 0;
	}
	return taken;
}

/*
 * Chooses the columns in their order as long as the names keep NAME_LEAST; those
 * of one order together or not at all.  Returns what they take; width[] of the
 * others becomes 0, and *dropped counts those that had something to show.
 */
static size_t choose(const struct table *table, size_t width[COLUMNS], size_t *dropped)
{
	size_t room = table->style->width ? table->style->width : SIZE_MAX;
	size_t used = NAME_LEAST;

	for (int order = 0; order < ORDERS; order++) {
		size_t count = 0, more = measure(table, order, width, &count);

		if (used + more <= room) {
			used += more;
			continue;
		}
		room = used; /* less important columns must not overtake */
		*dropped += count;
		for (size_t i = 0; i < COLUMNS; i++) {
			if (columns[i].order == order)
				width[i] = 0;
		}
	}
	return used - NAME_LEAST;
}

static void pad(FILE *out, size_t columns_to_fill)
{
	fprintf(out, "%*s", (int)columns_to_fill, "");
}

static void put_cell(const struct table *table, size_t column, const char *text,
		     size_t width, const char *colour)
{
	size_t blank = width - td_text_width(text);

	if (!columns[column].left)
		pad(table->out, blank);
	td_print_coloured(table->out, table->style, colour, text);
	pad(table->out, (columns[column].left ? blank : 0) + 2);
}

static int is_node(size_t column)
{
	return columns[column].cell == node_cell;
}

/* The line above the titles that names the top-down columns. */
static void put_group(const struct table *table, const size_t width[COLUMNS])
{
	const char *name =
		table->report->simulated ? "SIMULATED % of slots" : "% of slots";
	size_t before = 0, inside = 0;

	for (size_t i = 0; i < COLUMNS; i++) {
		if (is_node(i) && width[i])
			inside += width[i] + 2;
		else if (width[i] && !inside)
			before += width[i] + 2;
	}
	if (!inside)
		return;
	inside -= 2;
	pad(table->out, before);
	if (inside > strlen(name))
		pad(table->out, inside - strlen(name));
	fprintf(table->out, "%s\n", name);
}

static void put_titles(const struct table *table, const size_t width[COLUMNS])
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (width[i])
			put_cell(table, i, columns[i].title, width[i], NULL);
	}
	fputs("Function\n", table->out);
}

static int shows_nodes(const size_t width[COLUMNS])
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (is_node(i) && width[i])
			return 1;
	}
	return 0;
}

static void put_name(const struct table *table, const char *name, size_t used)
{
	size_t page = table->style->width;

	if (page && td_text_width(name) > page - used)
		fprintf(table->out, "%.*s…\n", (int)td_text_prefix(name, page - used - 1),
			name);
	else
		fprintf(table->out, "%s\n", name);
}

/* One more value below the row; *at is the column where the line ends. */
static void put_below(const struct table *table, size_t *at, const char *colour,
		      const char *title, const char *value)
{
	size_t width = strlen(title) + 1 + td_text_width(value) + 2;
	size_t page = table->style->width;
	char text[2 * CELL];

	if (*at && page && *at + width > page) {
		fputc('\n', table->out);
		*at = 0;
	}
	pad(table->out, *at ? 2 : INDENT);
	snprintf(text, sizeof(text), "%s %s", title, value);
	td_print_coloured(table->out, table->style, colour, text);
	*at += *at ? width : INDENT + width - 2;
}

/*
 * Below the row, in as many lines as it takes: level 2, and where their columns
 * found no room the windows (no ratio without their number) and level 1.
 */
static void put_more(const struct table *table, const size_t width[COLUMNS],
		     const struct td_report_function *f)
{
	size_t at = 0;
	int total;
	const struct td_topdown_value *answer = td_report_answer(f, &total);

	for (size_t i = 0; i < COLUMNS; i++) {
		char value[CELL] = "";

		if (columns[i].cell == windows_cell && !width[i] && answer[0].present) {
			windows_cell(table->report, f, 0, value);
			put_below(table, &at, NULL, columns[i].title, value);
		}
	}
	for (int i = shows_nodes(width) ? TD_NODES_LEVEL1 : 0; i < TD_NODES; i++) {
		char value[CELL] = "";

		if (!answer[i].present)
			continue;
		node_text(table->report, f, i, value);
		put_below(table, &at, node_colour(table->report, f, i),
			  td_topdown_tree[i].title, value);
	}
	if (at)
		fputc('\n', table->out);
}

static void put_row(const struct table *table, const size_t width[COLUMNS], size_t row,
		    size_t used)
{
	const struct td_report_function *f = &table->report->function[row];
	char text[CELL_BYTES];

	for (size_t i = 0; i < COLUMNS; i++) {
		if (width[i])
			put_cell(table, i, cell_of(table, i, row, text), width[i],
				 is_node(i)
					 ? node_colour(table->report, f, columns[i].node)
					 : NULL);
	}
	put_name(table, f->name, used);
	put_more(table, width, f);
}

/* What the mark means, if a row has it. */
static void explain_marks(const struct table *table)
{
	int total;

	for (size_t row = 0; row < table->report->functions; row++) {
		td_report_answer(&table->report->function[row], &total);
		if (total) {
			fputs(TOTAL_MARK
			      " with all that the function calls: by itself it "
			      "is too short, or too rare\n",
			      table->out);
			return;
		}
	}
}

static const char *no_rows(const struct td_report *report)
{
	if (report->samples)
		return "No function matches.\n";
	if (td_print_sum(report->lost, TD_LOST_MAX))
		return "No samples: all were lost.\n";
	return "No samples: the program used too little CPU time.\n";
}

void td_print_table(FILE *out, const struct td_report *report,
		    const struct td_print_style *style)
{
	struct table table = {.report = report, .style = style, .out = out};
	size_t width[COLUMNS], dropped = 0, used;

	if (report->functions == 0) {
		fputs(no_rows(report), out);
		return;
	}
	used = choose(&table, width, &dropped);
	put_group(&table, width);
	put_titles(&table, width);
	for (size_t row = 0; row < report->functions; row++)
		put_row(&table, width, row, used);
	explain_marks(&table);
	if (report->functions < report->functions_all)
		fprintf(out, "%zu of %zu functions shown.\n", report->functions,
			report->functions_all);
	if (dropped)
		fprintf(out, "%zu column%s hidden: see --format=csv\n", dropped,
			dropped == 1 ? "" : "s");
}
