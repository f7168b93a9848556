/* SPDX-License-Identifier: MIT */
/*
 * The text report's table of functions: columns for what was measured and what
 * the page has room for.  Context: normal.
 */
#ifndef TD_TOOLS_PRINT_TABLE_H
#define TD_TOOLS_PRINT_TABLE_H

#include "tools/print.h"

void td_print_table(FILE *out, const struct td_report *report,
		    const struct td_print_style *style);

#endif
