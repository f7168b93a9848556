/* SPDX-License-Identifier: MIT */
/*
 * Where in a window the program starts: part of separate.c.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_START_H
#define TD_DECODER_WINDOW_START_H

#include "decoder/window_rows.h"

/*
 * What own windows count is a straight line over their length for each function and
 * node.  All lines meet where the program starts: there, a window holds its cost
 * and nothing else.  Moves axis->start there, as far as the lines say so more
 * surely than what is known already (start_error).  And finds axis->mix: what own
 * windows of one length count more if they took longer.  Without the windows of a
 * batch (TD_NO_BATCH: with all, which decide axis->lines_alone; a batch is judged by
 * what they decided).  0 or -ENOMEM.
 */
int td_start_find(const struct td_separate_input *input, const struct td_columns *columns,
		  unsigned without, struct td_axis *axis);

#endif
