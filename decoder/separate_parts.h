/* SPDX-License-Identifier: MIT */
/*
 * Functions told apart where no window counts all of level 1: with four counters
 * there is room for level 1, or for a part of it and near returns.  For each part that
 * some windows count, td_separate() takes all windows that count at least that, and
 * what they count is put together.
 *
 * Context: any; no globals.  Memory: a copy of the windows besides td_separate()'s.
 */
#ifndef TD_DECODER_SEPARATE_PARTS_H
#define TD_DECODER_SEPARATE_PARTS_H

#include "decoder/separate.h"

/* All of level 1, in td_separate_window.counts. */
#define TD_COUNTS_LEVEL1 0xfu

/*
 * As td_separate(), for level 1 (input->nodes is not looked at).  counts has a bit for
 * each part of level 1 whose slots are in the window's value[]; what is elsewhere there
 * is not used.  Part k is node k; where some windows have part TD_NODES_LEVEL1 + k, the
 * node is the sum of both, and a window has one of them.  What only windows count for
 * which no return is known (unsure) is no part, but where nobody knows returns; they help
 * others.  Exactly one node must be in no part: it is what is left of 1.  result->trace
 * is td_separate_common()'s, whether it helped the parts or not, or NULL.  Returns 0,
 * -ENOMEM, or -EINVAL if the parts do not make level 1.
 */
int td_separate_parts(const struct td_separate_input *input, struct td_separate *result);

/*
 * common[], told apart by all windows that have it: result->trace is what is known of it,
 * as parts of slots; NULL if none has it.  0 or -ENOMEM.
 */
int td_separate_common(const struct td_separate_input *input, struct td_separate *result);

#endif
