/* SPDX-License-Identifier: MIT */
/*
 * What libgcc says of an instruction, an interface as old as its ABI, and what the
 * architecture makes of it.  Context: signal.
 */
#ifndef TD_SIGSAFE_UNWIND_STATE_H
#define TD_SIGSAFE_UNWIND_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/unwind.h"

enum {
	TD_SAVED_UNSAVED = 0,
	TD_SAVED_AT_OFFSET = 1, /* of the CFA */
};

struct td_frame_state {
	void *cfa;
	void *eh_ptr;
	long cfa_offset;
	long args_size;
	long reg_or_offset[TD_REGISTERS_OF_GCC];
	unsigned short cfa_reg;
	unsigned short retaddr_column;
	char saved[TD_REGISTERS_OF_GCC];
};

/* Where a register was saved, as a distance of the CFA; 0: it was not.  False: not at
 * a fixed distance, or below `least`. */
bool td_unwind_saved_at(const struct td_frame_state *state, unsigned number, long least,
			long *at);

/* Makes `rule`, of kind OTHER, a better one if it can: the architecture's.
 * `undefined`: what is in saved[] of a register that has no value any more. */
void td_unwind_make_rule(const struct td_frame_state *state, char undefined,
			 struct td_rule *rule);

/* An instruction whose tables say that nobody has called it: the architecture's. */
void td_unwind_outermost(void);

#endif
