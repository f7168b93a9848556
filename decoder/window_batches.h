/* SPDX-License-Identifier: MIT */
/*
 * Batches of windows: part of separate.c.
 *
 * What is known without one batch of windows after the other says how sure it is with all
 * of them.  That takes batches each of which has its part of the windows that tell of a
 * function.  Pieces of the run are not like that: a compiler's pass, say, may be over
 * within one of them.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_BATCHES_H
#define TD_DECODER_WINDOW_BATCHES_H

#include "decoder/separate.h"

/*
 * The batch of each window, below TD_BATCHES: the windows that open in a function, in
 * order of time, are cut into as many pieces of one size as there are batches.  Of a
 * function with fewer windows, which batches get one is another thing than of the next
 * function.  Windows that were measured together stay together: then batches are pieces
 * of the run, unless its order is lost.  malloc()'s; NULL: no memory.
 */
uint8_t *td_batches_deal(const struct td_separate_input *input);

/* A window's; all are in one as long as nobody has dealt them. */
static inline unsigned td_batch(const struct td_separate_input *input, size_t window)
{
	return input->batch ? input->batch[window] : 0;
}

#endif
