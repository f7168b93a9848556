/* SPDX-License-Identifier: MIT */
/*
 * Where the program was when a window's trigger came: part of separate.c.
 *
 * An interrupt waits for the end of an instruction, or of a block of them, and what is
 * between is the window's.  At the end of a visit it comes when the program is in the
 * next one already, at the first place that can be interrupted.  Nobody has been there:
 * the windows that end there are those whose trigger came in the visit before.  Counted
 * for the next one, they make each visit as much longer as the last block of the one
 * before takes, and shorter by its own.  doc/estimates.md, "Late ends".
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_ENDS_H
#define TD_DECODER_WINDOW_ENDS_H

#include "decoder/window_columns.h"

struct td_ends {
	/* [windows of the input]: columns, as td_columns' but before the call, return or
	 * (without edges) jump behind which they are seen, if windows tell where that was
	 */
	uint32_t *open, *close;
	uint8_t *opened, *closed; /* 1: so they are, and not behind a jump */
	/* [columns]: parts of its windows that end at places that a visit comes by but
	 * once, their sum and that of their squares */
	double *once, *squares;
};

/* Nothing is changed where it is not known.  0 or -ENOMEM; free in either case. */
int td_ends_find(struct td_ends *ends, const struct td_separate_input *input,
		 const struct td_axis *axis, const struct td_columns *columns);
void td_ends_free(struct td_ends *ends);

#endif
