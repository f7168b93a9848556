/* SPDX-License-Identifier: MIT */
/* A thread's timeline (format.h): bounded, updated in place. */
#ifndef TD_SIGSAFE_TIMELINE_H
#define TD_SIGSAFE_TIMELINE_H

#include "agent/sigsafe/store.h"

/*
 * Adds one sample at `now_ns` (CLOCK_MONOTONIC) and what was counted since the
 * one before, NULL if that is not known.  Without room for a timeline nothing
 * happens.  Context: signal, on the thread.
 */
void td_timeline_add(struct td_places *places, uint64_t now_ns, const uint64_t *values);

/* Adds `from` to `into` and empties it.  Context: normal, neither thread runs. */
void td_timeline_fold(struct td_places *into, const struct td_file_thread *from);

#endif
