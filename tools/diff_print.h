/* SPDX-License-Identifier: MIT */
/*
 * Prints a comparison (decoder/compare.h).  Errors of writing are left in the
 * stream for the caller (ferror).
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_DIFF_PRINT_H
#define TD_TOOLS_DIFF_PRINT_H

#include "decoder/compare.h"
#include "tools/print.h"

/* side[] names what was compared; `top` rows, 0: all. */
void td_diff_print_text(FILE *out, const struct td_compare *compare,
			const struct td_compare_side side[2], size_t top,
			const struct td_print_style *style);
/* doc/formats.md has the contract. */
void td_diff_print_json(FILE *out, const struct td_compare *compare, size_t top);
/* One header line, one line for each function and quantity. */
void td_diff_print_csv(FILE *out, const struct td_compare *compare, size_t top);

#endif
