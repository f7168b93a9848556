/* SPDX-License-Identifier: MIT */
/*
 * The strobe: one signal opens a window, the next closes it.
 */
#ifndef TD_SIGSAFE_STROBE_H
#define TD_SIGSAFE_STROBE_H

#include "agent/sigsafe/thread.h"

/* What is special about a signal. */
enum td_signal_how {
	TD_SIGNAL_DELAYED = 1 << 0, /* blocked when it was sent: `ip` is not where the
				       period ended */
	TD_SIGNAL_EMPTY = 1 << 1,   /* sent by ourselves, to close an empty window */
};

/*
 * Handles one signal of the thread's trigger that interrupted it at `ip`; `how` is
 * enum td_signal_how, or-ed.  Context: signal, on the thread, with thread->inside set.
 */
void td_strobe_signal(struct td_thread *thread, uint64_t ip, unsigned how);

/* How long to wait for the first sample.  Context: any, thread's trigger stopped. */
uint64_t td_strobe_first_period(struct td_thread *thread);

/* Arms the first period.  Returns 0 or -errno.  Context: normal, on the
 * thread, or for it while it cannot be signalled. */
int td_strobe_start(struct td_thread *thread);

/* Stops the trigger; an open window counts as cut.  Context: normal, on the thread. */
void td_strobe_stop(struct td_thread *thread);

/*
 * The program is about to block our signal: a window now open would end when
 * nobody listens, with its short period going on and on.  Gives the window up.
 * Context: any, on the thread, with the signal already blocked.
 */
void td_strobe_block(struct td_thread *thread);

/* Arms a first period where the trigger was stopped outside a window; the counters go
 * on.  Context: any, on the thread, with all signals blocked. */
void td_strobe_resume(struct td_thread *thread);

#endif
