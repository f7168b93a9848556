/* SPDX-License-Identifier: MIT */
/*
 * Chance that windows of all groups show: part of separate.c.
 *
 * Where groups of events take turns a window counts its group's alone, but instructions
 * are counted in each.  What windows between the same two columns, of one length, have of
 * them beyond their mean is chance, and what their events have beyond theirs goes with
 * it. Which group a window has is chance as well, of those that open in one column even
 * where that was chosen by where they open; so that part of a group's counts which
 * follows the instructions is brought to the mean of all groups' windows, which are
 * more.  Not of rates that are put right by instructions as a whole
 * (separate_beside.c).  doc/estimates.md, "Counts that all windows have".
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_COMMON_H
#define TD_DECODER_WINDOW_COMMON_H

#include "decoder/window_rows.h"

struct td_common {
	struct td_separate_input
		input; /* with windows of our own; window NULL: nothing done */
	struct td_separate_window *window;
	/* [columns]: variance of fractions by what all own windows together do not know
	 */
	double (*variance)[TD_SEPARATE_NODES];
	/* [columns]: what own windows varied by and do no more, a window's cycles
	 * squared, mean of level 1 */
	double *taken;
	/* [columns]: of that, for each cycle squared, what is not known of a window's
	 * mean */
	double *doubt;
};

/* 0 or -ENOMEM; free in either case. */
int td_common_find(struct td_common *common, const struct td_separate_input *input,
		   const struct td_columns *columns, const struct td_axis *axis);
/* Own windows are no surer than that: into their rows' variances. */
void td_common_doubt(const struct td_common *common, struct td_rows *rows);

void td_common_free(struct td_common *common);

#endif
