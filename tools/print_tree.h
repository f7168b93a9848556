/* SPDX-License-Identifier: MIT */
/*
 * The nodes of the whole run and of each function shown as trees, with the
 * thresholds of top-down analysis.  Context: normal.
 */
#ifndef TD_TOOLS_PRINT_TREE_H
#define TD_TOOLS_PRINT_TREE_H

#include "tools/print.h"

void td_print_trees(FILE *out, const struct td_report *report,
		    const struct td_print_style *style);

#endif
