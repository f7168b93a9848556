/* SPDX-License-Identifier: MIT */
/*
 * Draws the terminal browser's screens by ncurses.
 *
 * Context: normal, between newterm() and endwin().
 */
#ifndef TD_TOOLS_TUI_DRAW_H
#define TD_TOOLS_TUI_DRAW_H

#include "tools/tui_details.h"
#include "tools/tui_list.h"

#define TD_TUI_HEAD 3 /* lines above the rows of the list */
#define TD_TUI_FOOT 1

/* Once after newterm(): colours, unless the terminal has none or NO_COLOR is set. */
void td_tui_draw_start(void);

/* `prompt`: the filter is being written. */
void td_tui_draw_list(const struct td_tui_list *list, int prompt);
void td_tui_draw_details(const struct td_report *report,
			 const struct td_tui_details *details);
/* Lines of text in the middle of the screen, until the next drawing. */
void td_tui_draw_help(void);

/* Rows that the list and the details have room for; at least 1. */
size_t td_tui_list_height(void);
size_t td_tui_details_height(void);

#endif
