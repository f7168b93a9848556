/* SPDX-License-Identifier: MIT */
/*
 * The strobe's side of the mapped registers: reading them outside the handler,
 * and preparing what the handler does last (struct td_release).
 *
 * Context: signal, on the thread, or normal with its trigger stopped.
 */
#ifndef TD_SIGSAFE_RELEASE_H
#define TD_SIGSAFE_RELEASE_H

#include <string.h>

#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/thread.h"

/* What td_handler() does on entry, for the strobe's calls in normal context.
 * Nothing without mapped registers. */
void td_capture_now(struct td_thread *thread);

/* Sets what the release calls: the trigger, or for an empty window a signal. */
void td_release_fill(struct td_thread *thread, bool empty);

/* The handler is to open a window of `period` cycles, or an empty one. */
static inline void td_release_prepare(struct td_thread *thread, uint64_t period,
				      bool empty)
{
	struct td_release *release = &thread->release;

	release->period = period;
	if (!release->call[0] || release->empty != empty)
		td_release_fill(thread, empty);
	else if (!empty)
		release->call[1] = thread->fd; /* it may have another number now */
	if (td_metrics_shape.clears_on_read)
		memset(thread->counter_base, 0, sizeof(thread->counter_base));
	release->wanted = true;
}

/* Opens the prepared window at once, for counters without mapped registers. */
void td_release_now(struct td_thread *thread);

#endif
