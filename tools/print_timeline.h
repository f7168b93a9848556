/* SPDX-License-Identifier: MIT */
/* The timelines of the text report.  Context: normal. */
#ifndef TD_TOOLS_PRINT_TIMELINE_H
#define TD_TOOLS_PRINT_TIMELINE_H

#include "tools/print.h"

void td_print_timelines(FILE *out, const struct td_report *report,
			const struct td_print_style *style);

#endif
