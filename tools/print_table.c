// SPDX-License-Identifier: MIT
#include "tools/print_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "decoder/text.h"
#include "tools/print_cells.h"

#define NAME_LEAST 14 /* columns that a function's name gets at least */
#define INDENT 8      /* of the lines below a row */

struct table {
	const struct td_report *report;
	const struct td_print_style *style;
	FILE *out;
	int compact; /* whole points, narrow titles, one blank between columns */
	size_t width[TD_COLUMNS]; /* 0: not shown */
	size_t used;              /* by all columns before the name */
	char *marks;              /* of the values shown */
	int nameless;             /* a function without a symbol was shown */
	int jit;                  /* JIT code without a name was */
};

static const char *title_of(const struct table *table, size_t column)
{
	return table->compact ? td_columns[column].narrow : td_columns[column].title;
}

static size_t gap(const struct table *table)
{
	return table->compact ? 1 : 2;
}

static const char *cell_of(const struct table *table, size_t column, size_t row,
			   char *text)
{
	text[0] = '\0';
	td_columns[column].cell(table->report, &table->report->function[row],
				td_columns[column].node, table->compact, text);
	return text;
}

/* 0 for a column in which no row has anything. */
static size_t width_of(const struct table *table, size_t column)
{
	char text[TD_CELL_BYTES];
	size_t width = 0;

	for (size_t row = 0; row < table->report->functions; row++) {
		size_t cell = td_text_width(cell_of(table, column, row, text));

		if (cell > width)
			width = cell;
	}
	if (width && width < strlen(title_of(table, column)))
		width = strlen(title_of(table, column));
	return width;
}

/* Measures the columns of one order; returns what they take, blanks included. */
static size_t measure(struct table *table, int order, size_t *count)
{
	size_t taken = 0;

	for (size_t i = 0; i < TD_COLUMNS; i++) {
		if (td_columns[i].order != order)
			continue;
		table->width[i] = width_of(table, i);
		taken += table->width[i] ? table->width[i] + gap(table) : 0;
		*count += table->width[i] != 0;
	}
	return taken;
}

/* 1 when what answers the reader's question has room. */
static int answers_fit(struct table *table, size_t room)
{
	size_t count = 0, used = NAME_LEAST;

	for (int order = 0; order <= TD_COLUMN_ANSWER; order++)
		used += measure(table, order, &count);
	return used <= room;
}

/*
 * Chooses the columns in their order as long as the names keep NAME_LEAST; those
 * of one order together or not at all.  Marks those in `dropped` that had something
 * to show.
 */
static void choose(struct table *table, int dropped[TD_COLUMNS])
{
	size_t room = table->style->width ? table->style->width : SIZE_MAX;
	size_t used = NAME_LEAST;

	table->compact = !answers_fit(table, room);
	for (int order = 0; order < TD_COLUMN_ORDERS; order++) {
		size_t count = 0, more = measure(table, order, &count);

		if (used + more <= room) {
			used += more;
			continue;
		}
		room = used; /* less important columns must not overtake */
		for (size_t i = 0; i < TD_COLUMNS; i++) {
			if (td_columns[i].order != order)
				continue;
			dropped[i] = table->width[i] != 0;
			table->width[i] = 0;
		}
	}
	table->used = used - NAME_LEAST;
}

/* What a wider page would show. */
static void put_dropped(const struct table *table, const int dropped[TD_COLUMNS])
{
	char names[TD_COLUMNS * 12] = "";
	size_t used = 0;

	for (size_t i = 0; i < TD_COLUMNS; i++)
		if (dropped[i])
			used += (size_t)snprintf(names + used, sizeof(names) - used,
						 "%s%s", used ? ", " : "",
						 td_columns[i].title);
	if (used)
		td_print_line(table->out, table->style, NULL,
			      "No room for: %s (a wider page, or --format=csv)", names);
}

static void pad(FILE *out, size_t columns_to_fill)
{
	fprintf(out, "%*s", (int)columns_to_fill, "");
}

static void put_cell(const struct table *table, size_t column, const char *text,
		     const char *colour)
{
	size_t blank = table->width[column] - td_text_width(text);

	if (td_columns[column].cell != td_columns[TD_COLUMNS - 1].cell)
		td_print_seen(table->marks, text);
	if (!td_columns[column].left)
		pad(table->out, blank);
	td_print_coloured(table->out, table->style, colour, text);
	pad(table->out, (td_columns[column].left ? blank : 0) + gap(table));
}

static int is_node(size_t column)
{
	return td_columns[column].cell == td_cell_node;
}

/* The line above the titles that names the top-down columns. */
static void put_group(const struct table *table)
{
	const char *name =
		table->report->simulated ? "SIMULATED % of slots" : "% of slots";
	size_t before = 0, inside = 0;

	for (size_t i = 0; i < TD_COLUMNS; i++) {
		size_t taken = table->width[i] ? table->width[i] + gap(table) : 0;

		if (is_node(i))
			inside += taken;
		else if (!inside)
			before += taken;
	}
	if (!inside)
		return;
	inside -= gap(table);
	pad(table->out, before);
	if (inside > strlen(name))
		pad(table->out, inside - strlen(name));
	fprintf(table->out, "%s\n", name);
}

static void put_titles(const struct table *table)
{
	for (size_t i = 0; i < TD_COLUMNS; i++) {
		if (table->width[i])
			put_cell(table, i, title_of(table, i), NULL);
	}
	fputs("Function\n", table->out);
}

static int shows(const struct table *table, td_cell *cell)
{
	for (size_t i = 0; i < TD_COLUMNS; i++) {
		if (td_columns[i].cell == cell && table->width[i])
			return 1;
	}
	return 0;
}

static int shows_module(const struct table *table)
{
	return table->width[TD_COLUMNS - 1] != 0;
}

/* Of a function without a symbol, "libx.so+0x1000": the module stands beside it. */
static const char *short_name(struct table *table, const struct td_report_function *f)
{
	const char *base = td_text_base(td_report_module(table->report, f));
	size_t length = strlen(base);

	if (strncmp(f->name, "[jit ", 5) == 0)
		table->jit = 1;
	if (!length || strncmp(f->name, base, length) != 0 ||
	    strncmp(f->name + length, "+0x", 3) != 0)
		return f->name;
	table->nameless = 1;
	return shows_module(table) ? f->name + length : f->name;
}

static void put_name(const struct table *table, const char *name)
{
	size_t page = table->style->width;

	if (page && td_text_width(name) > page - table->used)
		fprintf(table->out, "%.*s…\n",
			(int)td_text_prefix(name, page - table->used - 1), name);
	else
		fprintf(table->out, "%s\n", name);
}

/* One more value below the row; *at is the column where the line ends. */
static void put_below(const struct table *table, size_t *at, const char *colour,
		      const char *title, const char *value)
{
	size_t width = strlen(title) + 1 + td_text_width(value) + 2;
	size_t page = table->style->width;
	char text[2 * TD_CELL_BYTES];

	if (*at && page && *at + width > page) {
		fputc('\n', table->out);
		*at = 0;
	}
	pad(table->out, *at ? 2 : INDENT);
	td_print_seen(table->marks, value);
	snprintf(text, sizeof(text), "%s %s", title, value);
	td_print_coloured(table->out, table->style, colour, text);
	*at += *at ? width : INDENT + width - 2;
}

/* A column that found no room, if it has something to say of this row. */
static void put_hidden(const struct table *table, const struct td_report_function *f,
		       td_cell *cell, const char *title, size_t *at)
{
	char value[TD_CELL_BYTES] = "";

	if (shows(table, cell))
		return;
	cell(table->report, f, 0, 0, value);
	if (*value)
		put_below(table, at, NULL, title, value);
}

/* "1.2±0.3/1000 insns", "IPC 1.24±0.01"; "?" where nobody knows how sure it is. */
static void put_rate(const struct table *table, const char *title, struct td_estimate e,
		     double scale, const char *unit, size_t *at)
{
	double half = scale * (e.high - e.value);
	char value[TD_CELL_BYTES];

	if (isfinite(half))
		snprintf(value, sizeof(value), "%.3g±%.2g%s", scale * e.value, half,
			 unit);
	else
		snprintf(value, sizeof(value), "%.3g%s?", scale * e.value, unit);
	put_below(table, at, NULL, title, value);
}

/* Rates of the events that were asked for, or of all where there is no top-down; where a
 * group has no instructions, in cycles. */
static void put_events(const struct table *table, const struct td_report_function *f,
		       size_t *at)
{
	const struct td_report *report = table->report;
	int all = !td_report_has_topdown(report);

	for (uint32_t i = 0; i < report->plan.events; i++) {
		struct td_event_rate rate;

		if (!td_groups_rate(&report->plan, i, f->sum, f->counted[0], f->groups,
				    &rate) ||
		    !(all || rate.asked))
			continue;
		if (!rate.asked && strcmp(rate.name, "inst") == 0)
			put_rate(table, "IPC", rate.per_cycle, 1, "", at);
		else if (isfinite(rate.per_instruction.value))
			put_rate(table, rate.name, rate.per_instruction, 1000,
				 "/1000 insns", at);
		else
			put_rate(table, rate.name, rate.per_cycle, 1000, "/1000 cycles",
				 at);
	}
}

static void put_latencies(const struct table *table, const struct td_report_function *f,
			  size_t *at)
{
	struct td_estimate mean;
	char value[TD_CELL_BYTES];

	if (!td_report_has_latencies(table->report) ||
	    !td_latencies_mean(&f->latencies, &mean))
		return;
	if (f->latencies.records > 1)
		snprintf(value, sizeof(value), "%.3g±%.2g cycles", mean.value,
			 mean.high - mean.value);
	else
		snprintf(value, sizeof(value), "%.3g cycles?", mean.value);
	put_below(table, at, NULL, "Retire latency", value);
}

/* What the latencies are of. */
static void put_latency_event(const struct table *table)
{
	const struct td_report *report = table->report;

	if (!td_report_has_latencies(report))
		return;
	fprintf(table->out, "Retire latency: before %s, %" PRIu64 " records",
		report->latency_event, report->latencies.records);
	if (report->latencies_lost)
		fprintf(table->out, "; %" PRIu64 " more had no room",
			report->latencies_lost);
	fputs(".\n", table->out);
}

/*
 * Below the row, in as many lines as it takes: level 2 where it is asked for, and
 * where their columns found no room the windows (no ratio without their number)
 * and level 1.
 */
static void put_more(const struct table *table, const struct td_report_function *f)
{
	int first = shows(table, td_cell_node) ? TD_NODES_LEVEL1 : 0;
	int end = table->style->level >= 2 ? TD_NODES : TD_NODES_LEVEL1, total;
	const struct td_topdown_value *answer = td_report_answer(f, &total);
	size_t at = 0;

	if (answer[0].present)
		put_hidden(table, f, td_cell_windows, "Windows", &at);
	if (answer[0].present && table->style->level >= 2)
		put_hidden(table, f, td_cell_nested, "Nested %", &at);
	for (int i = first; i < end; i++) {
		char value[TD_CELL_BYTES] = "";

		if (!answer[i].present)
			continue;
		td_cell_node_text(table->report, f, i, 0, value);
		put_below(table, &at, td_cell_colour(table->report, f, i),
			  td_topdown_tree[i].title, value);
	}
	put_events(table, f, &at);
	put_latencies(table, f, &at);
	if (at)
		fputc('\n', table->out);
}

static void put_row(struct table *table, size_t row)
{
	const struct td_report_function *f = &table->report->function[row];
	char text[TD_CELL_BYTES];

	for (size_t i = 0; i < TD_COLUMNS; i++) {
		if (table->width[i])
			put_cell(table, i, cell_of(table, i, row, text),
				 is_node(i) ? td_cell_colour(table->report, f,
							     td_columns[i].node)
					    : NULL);
	}
	put_name(table, short_name(table, f));
	put_more(table, f);
}

static const char *no_rows(const struct td_report *report)
{
	if (report->samples)
		return "No function matches.\n";
	if (td_print_sum(report->lost, TD_LOST_MAX))
		return "No samples: all were lost.\n";
	if (report->query.thread)
		return report->threads_all
			       ? "No samples: the thread used too little CPU time.\n"
			       : "There was no thread of that id or name; --by=thread "
				 "lists them.\n";
	return "No samples: the program used too little CPU time.\n";
}

static void put_legend(const struct table *table)
{
	td_print_legend(table->out, table->style, table->marks);
	if (!table->compact && shows(table, td_cell_windows))
		td_print_line(table->out, table->style, NULL,
			      "Windows: valid ones/all that were opened in the function");
	if (table->nameless)
		td_print_line(table->out, table->style, NULL,
			      "+0x...: no symbol is known there; the module's debug "
			      "package would have it");
	if (table->jit)
		td_print_line(table->out, table->style, NULL,
			      "[jit ...]: code made at run time, without names; "
			      "tdagent-report(1) says how node and java write them down");
}

void td_print_table(FILE *out, const struct td_report *report,
		    const struct td_print_style *style)
{
	char marks[TD_PRINT_MARKS] = "";
	struct table table = {
		.report = report, .style = style, .out = out, .marks = marks};
	int dropped[TD_COLUMNS] = {0};

	if (report->functions == 0) {
		fputs(no_rows(report), out);
		return;
	}
	choose(&table, dropped);
	put_group(&table);
	put_titles(&table);
	for (size_t row = 0; row < report->functions; row++)
		put_row(&table, row);
	put_latency_event(&table);
	put_legend(&table);
	if (report->functions < report->functions_all)
		fprintf(out, "%zu of %zu functions shown.\n", report->functions,
			report->functions_all);
	put_dropped(&table, dropped);
}
