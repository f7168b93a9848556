/* SPDX-License-Identifier: MIT */
/*
 * What long visits mean for the windows that meet them: part of separate.c.
 *
 * A function that is slower while it behaves differently is met more often, and for
 * longer, in its slow visits.  How much more depends on how a window meets a visit: it
 * may hold all of it, have opened in it, closed in it, or both.  Each function that
 * varies has an unknown beside its mean, the `lean`: the covariance of its fractions
 * with the logarithm of how long its visits are, of all its cycles.  A row holds so
 * many cycles of it.  doc/estimates.md, "Leaning".
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_STAYS_H
#define TD_DECODER_WINDOW_STAYS_H

#include "decoder/window_rows.h"

#define TD_STAYS 61 /* lengths, five to a factor of e */

/* Of windows that open or close in a column. */
struct td_stay {
	double left[TD_STAYS]; /* of those with so many cycles, in the same visit still */
	double first[TD_STAYS]; /* cycles in that visit, mean */
	double lean[TD_STAYS];  /* and more of it that long visits have */
	double by_place; /* standard deviation of its fractions between own windows that
			    goes with where in it they open */
	double aside; /* above 0: that is what varies, and own windows differ by so much
			 of the unknown, whatever their length; else it leans */
};

/* [columns], aside 0, or NULL without memory; free() it. */
struct td_stay *td_stays_find(const struct td_separate_input *input,
			      const struct td_axis *axis,
			      const struct td_columns *columns);

/* Fills lean[] of the keys and bins of rows that are filled, with all windows. */
void td_stays_lean(struct td_rows *rows, const struct td_stay *stay);

#endif
