/* SPDX-License-Identifier: MIT */
/*
 * What a node of the top-down tree means, and what usually helps.
 * Context: normal.
 */
#ifndef TD_TOOLS_PRINT_HINTS_H
#define TD_TOOLS_PRINT_HINTS_H

#include "tools/print.h"

struct td_hint {
	const char *name;  /* in words: "memory bound" */
	const char *means; /* one sentence each, no full stop */
	const char *helps;
};

/* Of a node, on the cores of this report. */
const struct td_hint *td_hint(const struct td_report *report, int node);

/* One paragraph for each node that limits a function shown, with the functions. */
void td_print_hints(FILE *out, const struct td_report *report,
		    const struct td_print_style *style);

#endif
