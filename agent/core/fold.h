/* SPDX-License-Identifier: MIT */
/*
 * Adds an ended thread's table to the sum of ended threads, so that the
 * profile's size follows the threads that live at once, not all that ever did.
 * Context: normal, under the core lock; neither table's thread takes samples.
 */
#ifndef TD_CORE_FOLD_H
#define TD_CORE_FOLD_H

#include "agent/sigsafe/store.h"

/* Empties `from` and leaves it ready for another thread, its blocks kept. */
void td_fold(struct td_places *into, struct td_places *from);

#endif
