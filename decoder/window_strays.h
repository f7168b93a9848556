/* SPDX-License-Identifier: MIT */
/*
 * Windows whose counters cannot be of the window alone: a thread that was switched
 * out just as its counters were zeroed may go on with those of another one, and now
 * and then no rule of the agent's sees it.  A sum of thousands of windows bears it; what
 * is found from the spread of lengths does not.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_WINDOW_STRAYS_H
#define TD_DECODER_WINDOW_STRAYS_H

#include <stddef.h>

#include "decoder/separate.h"

/*
 * Moves the windows to keep, in their order, to the front, and returns how many that
 * are, or -ENOMEM.  Left out is what counted more than 100 cycles and 20 standard
 * deviations (as the median deviation tells them) above the median of what windows
 * take beyond what was asked for; empty windows by themselves.  `width` is slots a
 * cycle; all are kept where it is 0.  Windows of no known length are kept.
 */
long td_window_strays(struct td_separate_window *window, size_t windows, double width);

#endif
