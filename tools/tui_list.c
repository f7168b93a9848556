// SPDX-License-Identifier: MIT
#include "tools/tui_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"

static const struct td_report_function *function_of(const struct td_tui_list *list,
						    size_t index)
{
	return &list->report->function[index];
}

/* What is absent sorts last. */
static double value_of(const struct td_report_function *f, unsigned sort)
{
	const struct td_topdown_value *answer;
	int total;

	switch (sort) {
	case TD_SORT_SAMPLES:
		return (double)f->samples;
	case TD_SORT_TOTAL:
		return (double)f->total.samples;
	case TD_SORT_CPU_TIME:
		return f->cpu_ns;
	case TD_SORT_WINDOWS:
		return (double)f->windows;
	default:
		answer = td_report_answer(f, &total) + (sort - TD_SORT_NODE);
		return answer->present ? answer->estimate.value : -1;
	}
}

static int compare(const void *a, const void *b, void *context)
{
	const struct td_tui_list *list = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order;

	if (list->sort == TD_SORT_NAME) {
		order = strcmp(function_of(list, x)->name, function_of(list, y)->name);
	} else {
		double v = value_of(function_of(list, x), list->sort);
		double w = value_of(function_of(list, y), list->sort);

		if ((v < 0) != (w < 0))
			return v < 0 ? 1 : -1;
		order = (v < w) - (v > w);
	}
	if (list->reverse)
		order = -order;
	return order ? order : (x > y) - (x < y);
}

static bool passes(const struct td_tui_list *list, size_t index)
{
	const struct td_report_function *f = function_of(list, index);
	char words[TD_TUI_FILTER], *save = NULL;

	memcpy(words, list->filter, sizeof(words));
	for (char *word = strtok_r(words, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		if (!strcasestr(f->name, word) &&
		    !strcasestr(td_text_base(td_report_module(list->report, f)), word))
			return false;
	}
	return true;
}

static void add_nodes(struct td_tui_list *list, size_t index)
{
	int total;
	const struct td_topdown_value *value =
		td_report_answer(function_of(list, index), &total);

	for (int parent = 0; parent < TD_NODES_LEVEL1; parent++) {
		for (int i = 0; i < TD_NODES; i++) {
			if (value[i].present &&
			    (i == parent || td_topdown_tree[i].parent == parent))
				list->row[list->rows++] = (struct td_tui_row){index, i};
		}
	}
}

/* The rows again, the order being as it is. */
static void make_rows(struct td_tui_list *list)
{
	size_t kept = td_tui_list_function(list);

	list->rows = list->at = 0;
	for (size_t i = 0; i < list->functions; i++) {
		size_t index = list->order[i];

		if (index == kept)
			list->at = list->rows;
		list->row[list->rows++] = (struct td_tui_row){index, -1};
		if (list->open[index])
			add_nodes(list, index);
	}
}

void td_tui_list_arrange(struct td_tui_list *list)
{
	list->functions = 0;
	for (size_t i = 0; i < list->report->functions; i++) {
		if (passes(list, i))
			list->order[list->functions++] = i;
	}
	if (list->functions)
		qsort_r(list->order, list->functions, sizeof(*list->order), compare,
			list);
	make_rows(list);
	list->top = 0;
}

int td_tui_list_make(struct td_tui_list *list, const struct td_report *report)
{
	size_t n = report->functions + 1;

	*list = (struct td_tui_list){.report = report, .sort = report->query.sort};
	list->order = calloc(n, sizeof(*list->order));
	list->open = calloc(n, sizeof(*list->open));
	list->row = calloc(n * (1 + TD_NODES), sizeof(*list->row));
	if (!list->order || !list->open || !list->row)
		return -ENOMEM;
	td_tui_list_arrange(list);
	return 0;
}

void td_tui_list_free(struct td_tui_list *list)
{
	free(list->order);
	free(list->open);
	free(list->row);
	memset(list, 0, sizeof(*list));
}

static bool can_sort(const struct td_tui_list *list, unsigned sort)
{
	const struct td_report *report = list->report;

	if (sort == TD_SORT_TOTAL)
		return report->has_paths;
	if (sort == TD_SORT_CPU_TIME)
		return report->has_time;
	if (sort >= TD_SORT_NODE)
		return td_report_has_topdown(report);
	return true;
}

/* Nodes of level 2 are not among the keys: there would be too many to step through. */
void td_tui_list_sort(struct td_tui_list *list, int step)
{
	unsigned keys = TD_SORT_NODE + TD_NODES_LEVEL1, sort = list->sort;

	if (sort >= keys)
		sort = TD_SORT_SAMPLES;
	do
		sort = (sort + keys + (unsigned)step) % keys;
	while (!can_sort(list, sort));
	list->sort = sort;
	td_tui_list_arrange(list);
}

const char *td_tui_list_sorted_by(const struct td_tui_list *list)
{
	static const char *const names[TD_SORT_NODE] = {
		[TD_SORT_SAMPLES] = "samples", [TD_SORT_CPU_TIME] = "CPU time",
		[TD_SORT_WINDOWS] = "windows", [TD_SORT_NAME] = "name",
		[TD_SORT_TOTAL] = "total",
	};

	return list->sort < TD_SORT_NODE
		       ? names[list->sort]
		       : td_topdown_tree[list->sort - TD_SORT_NODE].title;
}

void td_tui_list_move(struct td_tui_list *list, long rows, size_t height)
{
	if (rows < 0)
		list->at = (size_t)-rows > list->at ? 0 : list->at - (size_t)-rows;
	else if (list->rows)
		list->at = (size_t)rows >= list->rows - list->at
				   ? list->rows - 1
				   : list->at + (size_t)rows;
	if (list->top > list->at)
		list->top = list->at;
	if (height && list->at >= list->top + height)
		list->top = list->at - height + 1;
	if (list->rows <= list->top)
		list->top = 0;
}

void td_tui_list_open(struct td_tui_list *list, bool open)
{
	size_t index = td_tui_list_function(list);

	if (index == SIZE_MAX)
		return;
	list->open[index] = open;
	make_rows(list);
}

size_t td_tui_list_function(const struct td_tui_list *list)
{
	return list->at < list->rows ? list->row[list->at].function : SIZE_MAX;
}
