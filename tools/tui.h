/* SPDX-License-Identifier: MIT */
/*
 * The terminal browser: the functions of a finished report, to move in, sort,
 * filter and look into.
 *
 * Context: normal; a terminal on standard input and output.
 */
#ifndef TD_TOOLS_TUI_H
#define TD_TOOLS_TUI_H

#include "decoder/report.h"

/*
 * Until the user leaves it.  `path` are the report's files, for what reads them
 * again.  0; -ENOTTY without a terminal or one that ncurses does not know;
 * -ENOSYS when built without ncurses; -ENOMEM.
 */
int td_tui_run(const struct td_report *report, int count, char **path);

#endif
