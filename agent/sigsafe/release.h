/* SPDX-License-Identifier: MIT */
/*
 * The strobe's side of the mapped registers: reading them outside the handler,
 * and preparing what the handler does last (struct td_release).
 */
#ifndef TD_SIGSAFE_RELEASE_H
#define TD_SIGSAFE_RELEASE_H

#include "agent/sigsafe/thread.h"

/* What td_handler() does on entry, for the strobe's calls in normal context.
 * Nothing without mapped registers. */
void td_capture_now(struct td_thread *thread);

/* The handler is to open a window of `period` cycles, or an empty one. */
void td_release_prepare(struct td_thread *thread, uint64_t period, bool empty);

/* Opens the prepared window at once, for counters without mapped registers. */
void td_release_now(struct td_thread *thread);

#endif
