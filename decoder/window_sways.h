/* SPDX-License-Identifier: MIT */
/*
 * Between what a function sways: part of separate.c.
 *
 * Own windows of a function that behaves now like this and now like that are not as
 * often in either as the function is (window_stays.h), so they do not say what it is in
 * the mean.  But what they count lies on a line between the two, and its mean does, too:
 * of a function's fractions only how far along that line they are is left to be told by
 * the other windows.  doc/estimates.md, "Swaying".
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_SWAYS_H
#define TD_DECODER_WINDOW_SWAYS_H

#include "decoder/window_lines.h"

/*
 * The lines of columns for which `sways` is above 0, through the means of own windows
 * along what these differ by most, from all but those of a batch (TD_NO_BATCH: from
 * all).  `cost`: of each window, cycles.  lines->line is NULL or of an earlier call.
 * 0 or -ENOMEM.
 */
int td_sways_find(struct td_lines *lines, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const double *cost, const double *sways, unsigned without);

#endif
