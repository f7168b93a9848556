/* SPDX-License-Identifier: MIT */
/*
 * All that is known of one function, as lines of the terminal browser.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_TOOLS_TUI_DETAILS_H
#define TD_TOOLS_TUI_DETAILS_H

#include <stddef.h>

#include "decoder/report.h"

enum td_tui_style { TD_TUI_PLAIN, TD_TUI_STRONG, TD_TUI_SOFT };

struct td_tui_line {
	char *text; /* clean */
	enum td_tui_style style;
	size_t link; /* the function that the line leads to, SIZE_MAX: none */
	int node;    /* enum td_node to draw as a bar behind the text, -1: none */
};

struct td_tui_details {
	size_t function;
	struct td_tui_line *line;
	size_t lines;
	size_t at; /* the cursor's line */
	size_t top;
};

/*
 * Fills `details` for the report's function `function` on a page of `width`
 * columns; `tree` is of td_paths_tree(), NULL without call paths.  0 or -ENOMEM;
 * free it after both.
 */
int td_tui_details_make(struct td_tui_details *details, const struct td_report *report,
			const struct td_paths *tree, size_t function, size_t width);
void td_tui_details_free(struct td_tui_details *details);

/* As td_tui_list_move(). */
void td_tui_details_move(struct td_tui_details *details, long lines, size_t height);
/* To the next (1) or previous (-1) line that leads somewhere, if there is one. */
void td_tui_details_link(struct td_tui_details *details, int step, size_t height);

#endif
