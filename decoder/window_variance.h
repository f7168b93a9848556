/* SPDX-License-Identifier: MIT */
/*
 * How much windows of one length differ, from the windows themselves: part of
 * separate.c.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_VARIANCE_H
#define TD_DECODER_WINDOW_VARIANCE_H

#include <math.h>

#include "decoder/window_rows.h"

#define TD_USUAL_WINDOWS 30 /* that what functions usually vary by counts for */

/* What n own windows that vary by `square` do not show of it: functions usually vary by
 * `usual`, squares, and few windows may be alike by chance. */
static inline double td_variance_unseen(double usual, double square, double n)
{
	return fmax(0, usual - square) * TD_USUAL_WINDOWS / (n + TD_USUAL_WINDOWS);
}

/* Guesses to begin with. */
void td_variance_guess(struct td_rows *rows);

/*
 * Sets the rows' variances from their scatter: of the key, the class and the
 * length, and of all keys where a key has few.
 */
void td_variance_find(struct td_rows *rows);

/*
 * varies[columns]: the standard deviation of a function's fractions between its
 * own windows beyond what reading them and the edges (variance, cycles squared, of each
 * function's windows) explain; 0: none to be seen.
 */
void td_variance_of_functions(const struct td_rows *rows, const double *edges,
			      double *varies);

/*
 * Makes rows of own windows as unsure as what their function varies by, from above.  In a
 * bin such windows may be all alike, and of bins with few windows others of the run say
 * how much they scatter, which may not vary at all.  A function's few windows may all
 * have met it in one state: it varies by what functions usually do, more or less.  0 or
 * -ENOMEM.
 */
int td_variance_widen_own(struct td_rows *rows, const double *varies);

#endif
