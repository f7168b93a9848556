/* SPDX-License-Identifier: MIT */
/*
 * What stands in the columns of the text report's table of functions.
 * Context: normal.
 */
#ifndef TD_TOOLS_PRINT_CELLS_H
#define TD_TOOLS_PRINT_CELLS_H

#include "tools/print.h"

#define TD_CELL_BYTES 128
#define TD_CELL_TOTAL "^" /* mark: not of the function alone */

/*
 * Writes the cell, clean and shorter than TD_CELL_BYTES; "" for what was not
 * measured.  `compact`: whole points.
 */
typedef void td_cell(const struct td_report *report, const struct td_report_function *f,
		     int node, int compact, char *text);

struct td_column {
	const char *title;
	const char *narrow; /* the title of compact cells */
	td_cell *cell;
	int node;  /* argument of cell: enum td_node */
	int order; /* the lower, the longer it stays on a narrow page */
	int left;  /* adjusted to the left */
};
extern const struct td_column td_columns[];
#define TD_COLUMNS 15
#define TD_COLUMN_ORDERS 11 /* 0 .. 10 */
#define TD_COLUMN_ANSWER 3  /* orders up to this one answer what limits a function */

td_cell td_cell_windows;
td_cell td_cell_nested;
td_cell td_cell_node; /* with a blank where others have their mark */

/* A node's value with its interval and mark, no blanks. */
void td_cell_node_text(const struct td_report *report, const struct td_report_function *f,
		       int node, int compact, char *text);
/* The value's colour for td_print_coloured(), NULL for none. */
const char *td_cell_colour(const struct td_report *report,
			   const struct td_report_function *f, int node);

#endif
