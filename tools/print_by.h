/* SPDX-License-Identifier: MIT */
/* The text report by threads and by modules.  Context: normal. */
#ifndef TD_TOOLS_PRINT_BY_H
#define TD_TOOLS_PRINT_BY_H

#include "tools/print.h"

/* A row for each thread: its samples and complete totals. */
void td_print_threads(FILE *out, const struct td_report *report,
		      const struct td_print_style *style);

/*
 * A row for each module: its functions' answers, weighted by their samples, and
 * which part of its samples has such an answer.
 */
void td_print_modules(FILE *out, const struct td_report *report,
		      const struct td_print_style *style);

#endif
