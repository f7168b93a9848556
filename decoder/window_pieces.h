/* SPDX-License-Identifier: MIT */
/*
 * Where a function is cut into pieces, each of which gets an unknown of its own: part of
 * separate.c.  Cut is where own windows behave differently, and where the part of
 * windows that are own changes much: what own windows show is not what the function does
 * in a place that has hardly any of them.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_PIECES_H
#define TD_DECODER_WINDOW_PIECES_H

#include "decoder/window_axis.h"

#define TD_PIECES_MOST 16u

struct td_pieces {
	uint32_t n;                  /* at least 1 */
	uint32_t at[TD_PIECES_MOST]; /* [n]: the offset where each begins, ascending from
					0 */
	uint8_t guess[TD_PIECES_MOST]; /* [n]: own windows are too few to tell whether it
					  differs from the one before */
};

/* alone: [functions], up to how many cycles a window that opens and closes there without
 * a return is the function's own.  pieces: [functions].  0 or -ENOMEM. */
int td_pieces_find(const struct td_separate_input *input, const struct td_axis *axis,
		   const float *alone, struct td_pieces *pieces);

#endif
