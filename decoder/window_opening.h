/* SPDX-License-Identifier: MIT */
/*
 * Edges of windows that the kernel cuts: part of separate.c.
 *
 * Nothing of ours is in such a window, and nothing empty tells what being measured
 * costs.  If a return to user mode costs cycles there is one in each window, between
 * the interrupt that opens it and the program.  Windows that were asked to be shorter
 * than that end behind it, before the program gets anywhere: they are longer than asked
 * for, and as long as the edge was.  doc/estimates.md, "Edges of the kernel's windows".
 *
 * Context: any; pure function.
 */
#ifndef TD_DECODER_WINDOW_OPENING_H
#define TD_DECODER_WINDOW_OPENING_H

#include "decoder/window_axis.h"

/* Where the kernel cut the windows: how long each of them is, and when it was due to end.
 * If they have edges, where the program starts, how much that varies, and what edges
 * are made of. */
void td_opening_find(const struct td_separate_input *input, struct td_axis *axis);

#endif
