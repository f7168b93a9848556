/* SPDX-License-Identifier: MIT */
/*
 * The end of the text report: how it was measured, with all that may matter to
 * who doubts it.  Context: normal.
 */
#ifndef TD_TOOLS_PRINT_FACTS_H
#define TD_TOOLS_PRINT_FACTS_H

#include "tools/print.h"

void td_print_facts(FILE *out, const struct td_report *report,
		    const struct td_print_style *style);

#endif
