/* SPDX-License-Identifier: MIT */
/*
 * A finished report by modules: their functions' answers, weighted by their samples.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_TOOLS_MODULE_ROWS_H
#define TD_TOOLS_MODULE_ROWS_H

#include "decoder/report.h"

struct td_module_row {
	uint32_t module; /* index, or TD_NO_MODULE */
	uint64_t samples, windows;
	uint64_t known; /* samples of functions with an answer of their own */
	struct td_topdown_value value[TD_NODES]; /* level 1, of those */

	/* what value[] is made of, by samples */
	double sum[TD_NODES_LEVEL1];
	double sampling[TD_NODES_LEVEL1]; /* squared half widths, less rounding */
	double rounding[TD_NODES_LEVEL1];
};

/* Those with samples, most first.  Free it; NULL without memory. */
struct td_module_row *td_module_rows(const struct td_report *report, size_t *rows);

/* Its path, or what is said of code without a module. */
const char *td_module_row_name(const struct td_report *report,
			       const struct td_module_row *row);

#endif
