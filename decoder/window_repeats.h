/* SPDX-License-Identifier: MIT */
/*
 * Own windows that are the same window again: part of separate.c.
 *
 * Code that takes the same way each time and is interrupted in a few places has own
 * windows of a few lengths, and all of one length have the same fields.  Their rounding
 * to 255ths does not average out with their number, but with the number of lengths.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_REPEATS_H
#define TD_DECODER_WINDOW_REPEATS_H

#include "decoder/window_rows.h"

/*
 * square[columns]: of the error of a fraction of level 1 by the rounding of repeated own
 * windows.  inverse[columns]: the diagonal of the inverse of the equations.  0 or
 * -ENOMEM.
 */
int td_repeats_error(const struct td_rows *rows, const double *inverse, double *square);

#endif
