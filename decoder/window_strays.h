/* SPDX-License-Identifier: MIT */
/*
 * Windows whose counts cannot be of the window alone: where the kernel or another
 * profiler gives a thread counts that are not its own, and no rule of the agent's sees
 * it.  Part of profile.c.
 *
 * A stray counted more than 100 cycles and 20 standard deviations (as the median
 * deviation tells them) above the median of what the logged windows took beyond what
 * was asked for; empty windows by themselves.  Only where counters are slots or cycles
 * and periods are cycles, and only windows of a known length.  Of cycles (no slots) more
 * than one of 50 are no strays: that is how late windows end there.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_STRAYS_H
#define TD_DECODER_WINDOW_STRAYS_H

#include "decoder/profile.h"

/*
 * Rejects the strays of the log: in the log, in the records of their places and threads
 * (TD_REJECT_STRAY), and what they counted is taken out of the sums there, not of
 * those of call paths.  An empty stray is none of the thread's empty windows any more.
 * Sets profile->strays.  `profile` is whole, and its bytes may be changed.  0 or
 * -ENOMEM.
 */
int td_window_strays(struct td_profile *profile);

/*
 * 1 if the logged window is the process's first, empty, and of the agent's cold code,
 * before the program has begun: what others cost it does not say, if another empty
 * one of its group does.
 */
int td_window_is_cold(const struct td_profile *profile, size_t window);

#endif
