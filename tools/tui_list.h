/* SPDX-License-Identifier: MIT */
/*
 * The list of functions in the terminal browser: order, filter, which of them show
 * their nodes, and where the cursor is.  Knows nothing of terminals.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_TOOLS_TUI_LIST_H
#define TD_TOOLS_TUI_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/report.h"

#define TD_TUI_FILTER 128 /* bytes, NUL included */

struct td_tui_row {
	size_t function; /* index in the report */
	int node;        /* enum td_node: a node of the function; -1: the function */
};

struct td_tui_list {
	const struct td_report *report;
	unsigned sort; /* enum td_sort */
	bool reverse;  /* the smallest, or the last name, first */
	char filter[TD_TUI_FILTER];
	size_t *order; /* functions that pass the filter */
	size_t functions;
	bool *open; /* of each function of the report: its nodes are shown */
	struct td_tui_row *row;
	size_t rows;
	size_t at;  /* the cursor's row; 0 without rows */
	size_t top; /* the first row in sight */
};

/* From a finished report, by its query's sort.  0 or -ENOMEM; free it after both. */
int td_tui_list_make(struct td_tui_list *list, const struct td_report *report);
void td_tui_list_free(struct td_tui_list *list);

/* After a change of sort, reverse or filter: makes the rows; the cursor stays on its
 * function if that is still there, else it goes to the first row. */
void td_tui_list_arrange(struct td_tui_list *list);

/* The next (1) or previous (-1) sort key that the report can tell of. */
void td_tui_list_sort(struct td_tui_list *list, int step);
/* "samples", "Backend", ... */
const char *td_tui_list_sorted_by(const struct td_tui_list *list);

/* Moves the cursor by so many rows, as far as there are, and keeps it in sight on a
 * page of `height` rows. */
void td_tui_list_move(struct td_tui_list *list, long rows, size_t height);

/* Shows or hides the nodes of the cursor's function, on which the cursor then is. */
void td_tui_list_open(struct td_tui_list *list, bool open);

/* The cursor's function, SIZE_MAX without rows. */
size_t td_tui_list_function(const struct td_tui_list *list);

#endif
