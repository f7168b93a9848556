// SPDX-License-Identifier: MIT
#include "tools/tui_draw.h"

#include <inttypes.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder/text.h"
#include "tools/print_cells.h"
#include "tools/print_hints.h"

/* Of the parts of a bar: level 1 in its order, and everything else. */
enum pair { PAIR_NODE = 1, PAIR_LINK = PAIR_NODE + TD_NODES_LEVEL1, PAIR_WARN };

#define WIDE 120 /* columns from which on there is room for words */

static int colours;

void td_tui_draw_start(void)
{
	static const short of[TD_NODES_LEVEL1] = {COLOR_GREEN, COLOR_MAGENTA, COLOR_CYAN,
						  COLOR_YELLOW};
	const char *plain = getenv("NO_COLOR");

	colours = has_colors() && !(plain && *plain);
	if (!colours)
		return;
	start_color();
	use_default_colors();
	for (int i = 0; i < TD_NODES_LEVEL1; i++)
		init_pair((short)(PAIR_NODE + i), COLOR_BLACK, of[i]);
	init_pair(PAIR_LINK, COLOR_CYAN, -1);
	init_pair(PAIR_WARN, COLOR_YELLOW, -1);
}

static int area_of(int node)
{
	return td_topdown_tree[node].parent < 0 ? node : td_topdown_tree[node].parent;
}

static attr_t pair(int number)
{
	return colours ? COLOR_PAIR(number) : 0;
}

/* Clean text, cut to the columns that there are. */
static void put(int y, int x, int columns, const char *text)
{
	int room = COLS - x < columns ? COLS - x : columns;

	if (room > 0)
		mvaddnstr(y, x, text, (int)td_text_prefix(text, (size_t)room));
}

static void put_right(int y, int x, int columns, const char *text)
{
	int gap = columns - (int)td_text_width(text);

	put(y, x + (gap > 0 ? gap : 0), columns, text);
}

size_t td_tui_list_height(void)
{
	return LINES > TD_TUI_HEAD + TD_TUI_FOOT
		       ? (size_t)(LINES - TD_TUI_HEAD - TD_TUI_FOOT)
		       : 1;
}

size_t td_tui_details_height(void)
{
	return LINES > 1 + TD_TUI_FOOT ? (size_t)(LINES - 1 - TD_TUI_FOOT) : 1;
}

/* Level 1 side by side: letters tell the parts where colours do not. */
static void put_stack(int y, int x, int columns, const struct td_topdown_value *value)
{
	static const char letter[TD_NODES_LEVEL1] = {'R', 'S', 'F', 'B'};
	double sum = 0;
	int drawn = 0;

	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		int end;

		sum += value[i].present ? value[i].estimate.value : 0;
		end = (int)((sum < 1 ? sum : 1) * columns + 0.5);
		attron(pair(PAIR_NODE + i));
		for (; drawn < end && x + drawn < COLS; drawn++)
			mvaddch(y, x + drawn, (chtype)(unsigned char)letter[i]);
		attroff(pair(PAIR_NODE + i));
	}
}

static void put_bar(int y, int x, int columns, double value, int node)
{
	int full = (int)(value * columns + 0.5);

	for (int i = 0; i < columns && x + i < COLS; i++) {
		attr_t look = i < full ? pair(PAIR_NODE + area_of(node)) : 0;

		attron(look);
		mvaddch(y, x + i, (chtype)(i < full ? (colours ? ' ' : '#') : '.'));
		attroff(look);
	}
}

static void put_limit(int y, int x, int columns, const struct td_report *report,
		      const struct td_report_function *f)
{
	int total, limit;
	const struct td_topdown_value *value = td_report_answer(f, &total);
	char number[TD_CELL_BYTES] = "", text[2 * TD_CELL_BYTES];

	if (!value[TD_NODE_RETIRING].present) {
		put(y, x, columns, "no windows");
		return;
	}
	limit = td_topdown_bottleneck(value);
	if (limit < 0) {
		put(y, x, columns, "nothing stands out");
		return;
	}
	td_cell_node_text(report, f, limit, 0, number);
	snprintf(text, sizeof(text), "%s %s",
		 columns > 30 ? td_hint(report, limit)->name
			      : td_topdown_tree[limit].title,
		 number);
	put(y, x, columns, text);
}

/* Where columns begin, for this width. */
struct columns {
	int total, windows, stack, stack_width, limit, limit_width, name;
};

static struct columns columns_of(const struct td_report *report)
{
	struct columns c = {0};
	int x = 8;

	if (report->has_paths)
		c.total = x, x += 7;
	if (COLS >= WIDE || !td_report_has_topdown(report))
		c.windows = x, x += 9;
	x += 1;
	if (td_report_has_topdown(report)) {
		c.stack = x;
		c.stack_width = COLS >= WIDE ? 30 : 12;
		x += c.stack_width + 1;
		c.limit = x;
		c.limit_width = COLS >= WIDE ? 32 : 21;
		x += c.limit_width + 1;
	}
	c.name = x;
	return c;
}

static void put_function(int y, const struct td_tui_list *list, size_t index,
			 const struct columns *c)
{
	const struct td_report *report = list->report;
	const struct td_report_function *f = &report->function[index];
	char text[64];
	int total;
	const struct td_topdown_value *value = td_report_answer(f, &total);

	mvaddch(y, 0, (chtype)(list->open[index] ? '-' : '+'));
	snprintf(text, sizeof(text), "%.1f", 100 * f->share.value);
	put_right(y, 1, 6, text);
	if (c->total) {
		snprintf(text, sizeof(text), "%.1f", 100 * f->total.share.value);
		put_right(y, c->total, 6, text);
	}
	if (c->windows) {
		snprintf(text, sizeof(text), "%" PRIu64, f->windows);
		put_right(y, c->windows, 8, text);
	}
	if (c->stack && value[TD_NODE_RETIRING].present)
		put_stack(y, c->stack, c->stack_width, value);
	if (c->limit)
		put_limit(y, c->limit, c->limit_width, report, f);
	put(y, c->name, COLS, f->name);
}

static void put_node(int y, const struct td_tui_list *list, const struct td_tui_row *row)
{
	const struct td_report_function *f = &list->report->function[row->function];
	int total, i = row->node;
	const struct td_topdown_value *value = td_report_answer(f, &total);
	char number[TD_CELL_BYTES] = "";

	td_cell_node_text(list->report, f, i, 0, number);
	put(y, td_topdown_tree[i].parent < 0 ? 8 : 10, 24,
	    td_hint(list->report, i)->name);
	put_right(y, 32, 14, number);
	put_bar(y, 48, COLS - 49 < 40 ? COLS - 49 : 40, value[i].estimate.value, i);
}

static void put_titles(int y, const struct td_tui_list *list, const struct columns *c)
{
	char by[64];

	attron(A_BOLD | A_UNDERLINE);
	mvhline(y, 0, ' ', COLS);
	put_right(y, 0, 7, "Share%");
	if (c->total)
		put_right(y, c->total, 6, "Total%");
	if (c->windows)
		put_right(y, c->windows, 8, "Windows");
	if (c->stack)
		put(y, c->stack, c->stack_width, "Top-down");
	if (c->limit)
		put(y, c->limit, c->limit_width, "Limited by");
	put(y, c->name, COLS, "Function");
	attroff(A_BOLD | A_UNDERLINE);
	snprintf(by, sizeof(by), "by %s%s", td_tui_list_sorted_by(list),
		 list->reverse ? ", reversed" : "");
	put_right(y, COLS - (int)strlen(by) - 1, (int)strlen(by), by);
}

static void put_head(const struct td_report *report)
{
	char *command = td_print_command(&td_print_first(report)->header);
	char text[256];
	int x = 1;

	attron(A_REVERSE);
	mvhline(0, 0, ' ', COLS);
	put(0, 1, COLS - 12, command ? command : "");
	if (report->simulated)
		put(0, COLS - 10, 9, "SIMULATED");
	attroff(A_REVERSE);
	free(command);
	if (COLS >= WIDE)
		snprintf(text, sizeof(text), "%" PRIu64 " samples, %" PRIu64 " windows",
			 report->samples, report->windows);
	else
		snprintf(text, sizeof(text), "%" PRIu64 " samples", report->samples);
	if (report->hybrid)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ", %s cores",
			 td_cores_name(report->cores));
	put(1, x, COLS, text);
	x += (int)strlen(text) + 2;
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		if (!report->node[i].present)
			continue;
		snprintf(text, sizeof(text), " %s %.1f ", td_topdown_tree[i].title,
			 100 * report->node[i].estimate.value);
		attron(pair(PAIR_NODE + i));
		put(1, x, COLS, text);
		attroff(pair(PAIR_NODE + i));
		x += (int)strlen(text) + 1;
	}
}

static void put_foot(const char *text)
{
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	put(LINES - 1, 1, COLS - 2, text);
	attroff(A_REVERSE);
}

static void put_list_foot(const struct td_tui_list *list, int prompt)
{
	char text[TD_TUI_FILTER + 80];

	if (prompt)
		snprintf(text, sizeof(text), "Filter: %s_   %zu of %zu", list->filter,
			 list->functions, list->report->functions);
	else if (list->filter[0])
		snprintf(text, sizeof(text),
			 "%zu of %zu with \"%s\"   Esc: all   ?: help", list->functions,
			 list->report->functions, list->filter);
	else
		snprintf(text, sizeof(text),
			 "%zu functions   Enter details  space nodes  s sort  / filter  "
			 "? help  q quit",
			 list->functions);
	put_foot(text);
}

void td_tui_draw_list(const struct td_tui_list *list, int prompt)
{
	struct columns c = columns_of(list->report);
	size_t height = td_tui_list_height();

	erase();
	put_head(list->report);
	put_titles(2, list, &c);
	if (!list->rows)
		put(TD_TUI_HEAD, 2, COLS, "No function has this in its name or module.");
	for (size_t i = 0; i < height && list->top + i < list->rows; i++) {
		const struct td_tui_row *row = &list->row[list->top + i];
		int y = TD_TUI_HEAD + (int)i;

		if (row->node < 0)
			put_function(y, list, row->function, &c);
		else
			put_node(y, list, row);
		if (list->top + i == list->at)
			mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
	}
	put_list_foot(list, prompt);
	refresh();
}

static void put_line(int y, const struct td_report_function *f,
		     const struct td_tui_line *line)
{
	int total, x = (int)td_text_width(line->text) + 1;
	attr_t look = line->link != SIZE_MAX         ? pair(PAIR_LINK) | A_UNDERLINE
		      : line->style == TD_TUI_STRONG ? A_BOLD
		      : line->style == TD_TUI_SOFT   ? A_DIM
						     : 0;

	attron(look);
	put(y, 0, COLS, line->text);
	attroff(look);
	if (line->node >= 0)
		put_bar(y, x, COLS - x - 1 < 40 ? COLS - x - 1 : 40,
			td_report_answer(f, &total)[line->node].estimate.value,
			line->node);
}

void td_tui_draw_details(const struct td_report *report,
			 const struct td_tui_details *details)
{
	const struct td_report_function *f = &report->function[details->function];
	size_t height = td_tui_details_height();

	erase();
	attron(A_REVERSE);
	mvhline(0, 0, ' ', COLS);
	put(0, 1, COLS - 12, f->name);
	if (report->simulated)
		put(0, COLS - 10, 9, "SIMULATED");
	attroff(A_REVERSE);
	for (size_t i = 0; i < height && details->top + i < details->lines; i++) {
		put_line(1 + (int)i, f, &details->line[details->top + i]);
		if (details->top + i == details->at)
			mvchgat(1 + (int)i, 0, -1, A_REVERSE, 0, NULL);
	}
	put_foot("Tab next function  Enter go there  a lines  Esc back  q quit");
	refresh();
}

void td_tui_draw_help(void)
{
	static const char *const lines[] = {
		"Up Down PgUp PgDn Home End   move",
		"Enter                        all of the function: callers, callees",
		"Space, Right, Left           show or hide its top-down nodes",
		"s, S                         sort by the next, the previous column",
		"r                            reverse the order",
		"/                            filter by words of name or module",
		"a                            its source lines and instructions",
		"Esc, Backspace               back; in the list: no filter",
		"q                            leave",
		"",
		"Bars: R retiring, S bad speculation, F frontend bound,",
		"      B backend bound, of the slots.  ? uncertain, * above its",
		"      threshold, < the bottleneck, ^ with all that it calls.",
		"",
		"Any key: back",
	};
	int count = (int)(sizeof(lines) / sizeof(lines[0]));

	erase();
	for (int i = 0; i < count && i < LINES; i++)
		put(i + (LINES > count + 2), COLS > 70 ? (COLS - 66) / 2 : 0, COLS,
		    lines[i]);
	refresh();
}
