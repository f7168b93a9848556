/* SPDX-License-Identifier: MIT */
/*
 * Windows that are a part of a cycle shorter than what they counted: part of separate.c.
 *
 * The counter that interrupts is set anew before it is read, and a cycle that it had not
 * finished is lost with that; other counters go on.  Half a cycle on average where
 * cycles and blocks of instructions do not end together, nothing where they do: another
 * one for each function, so no cost that windows share.  Instructions, counted in all
 * windows, show it in a function's own ones: the line of theirs over the length does not
 * begin at 0.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_SHORT_H
#define TD_DECODER_WINDOW_SHORT_H

#include "decoder/window_columns.h"

/*
 * Lengthens own windows, in `window`, which input->window is a copy of, by what is
 * missing: slots, and the node that is what others leave of them.  Nothing where
 * instructions are not counted (input->common), that node is not known (input->left), or
 * edges hide it.  0 or -ENOMEM.
 */
int td_short_lengthen(struct td_separate_window *window,
		      const struct td_separate_input *input,
		      const struct td_columns *columns, const struct td_axis *axis);

#endif
