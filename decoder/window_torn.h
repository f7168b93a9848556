/* SPDX-License-Identifier: MIT */
/*
 * Windows whose events were read later than their cycles: part of separate.c.
 *
 * The short period may end once more in the handler that reads a window, if it is
 * shorter than what the handler takes until then.  The cycles were the first thing to be
 * read, the other counters come after one more return to user mode: they hold an edge
 * that the length has not.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_TORN_H
#define TD_DECODER_WINDOW_TORN_H

#include "decoder/window_columns.h"

/*
 * Moves axis->first behind them, as far as chance lets see them.  Where counts are exact
 * and there are edges; else nothing is to be found.  0 or -ENOMEM.
 */
int td_torn_find(const struct td_separate_input *input, const struct td_columns *columns,
		 struct td_axis *axis);

#endif
