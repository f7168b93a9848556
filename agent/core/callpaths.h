/* SPDX-License-Identifier: MIT */
/* Call paths as far as they need normal context: memory and stacks. */
#ifndef TD_CORE_CALLPATHS_H
#define TD_CORE_CALLPATHS_H

#include "agent/sigsafe/thread.h"

/* Prepares them, if they are asked for, once the profile is there.  Context:
 * normal, before the first thread. */
void td_callpaths_start(void);

/* Gives a thread that begins what it needs for call paths, or none.
 * Context: normal; for a thread that is not adopted, on the thread itself. */
void td_callpaths_begin(struct td_thread *thread);

#endif
