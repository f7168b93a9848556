/* SPDX-License-Identifier: MIT */
/*
 * What instructions say of a part of level 1: for separate_parts.c.
 *
 * A function that is now this and now that lies somewhere between the two, and so does
 * what it does in a cycle, whatever is counted.  So what a part counts and instructions,
 * which all windows count, are on a straight line, and own windows show it, in
 * whichever state they met the function.  How many instructions a cycle has is known from
 * the windows of all groups; where they are on the line is what the part is.
 * doc/estimates.md, "Instructions of all windows".
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_SEPARATE_STATES_H
#define TD_DECODER_SEPARATE_STATES_H

#include "decoder/separate.h"

/*
 * What is known of the part by its own windows and rows (`part`, traced with
 * td_separate_input.common) becomes what they and its line at what `common` says know
 * together; part->own stays what it was.
 */
void td_states_join(const struct td_separate_trace *common,
		    struct td_separate_trace *part);

#endif
