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

	/* an empty one has no program in it: the long period runs on */
	release->period = empty ? thread->next_long : period + release->usual;
	if (!release->call[0] || release->empty != empty)
		td_release_fill(thread, empty);
	else if (!empty)
		release->call[1] = thread->fd; /* it may have another number now */
	if (td_metrics_shape.clears_on_read)
		memset(thread->counter_base, 0, sizeof(thread->counter_base));
	release->exact = false;
	release->wanted = true;
}

/* Of an exact window: cycles of its period that had passed when it opened. */
static inline uint32_t td_release_passed(const struct td_thread *thread)
{
	const struct td_release *release = &thread->release;
	uint32_t passed = release->behind.low - release->before.low;

	return thread->groups ? passed : passed / td_metrics_shape.width;
}

/* The length that was asked for, of the window that closes. */
static inline uint64_t td_release_asked(const struct td_thread *thread)
{
	const struct td_release *release = &thread->release;

	uint32_t passed;

	if (!release->exact)
		return thread->window.requested;
	passed = td_release_passed(thread);
	/* else it was over before it opened */
	return passed < release->period ? release->period - passed : 1;
}

/* The next window's period is longer by what mostly passes before it, but for what the
 * shortest length has to spare here. */
static inline void td_release_learn(struct td_thread *thread, uint64_t asked)
{
	struct td_release *release = &thread->release;
	uint64_t longer = release->period - asked - thread->plan->spare;

	/* below 0: it is as long as was asked for */
	if (release->exact && (int64_t)longer >= 0)
		release->usual += (int32_t)(longer - release->usual) / 8;
}

#define TD_RELEASE_LONGER 16u /* cycles */

/* A window that was over before the program was reached says of what passes only that it
 * is more.  One may be chance, the next sample's as well is not; and where no period is
 * long enough, no window would ever tell by how much. */
static inline void td_release_miss(struct td_thread *thread)
{
	struct td_release *release = &thread->release;
	uint64_t sample = thread->places.record->samples;

	if (release->missed == sample && release->usual < thread->plan->late)
		release->usual += TD_RELEASE_LONGER;
	release->missed = sample + 1;
}

/* Of a window that is none of the empty ones. */
static inline enum td_window_state td_release_state(const struct td_thread *thread)
{
	return thread->release.exact ? TD_WINDOW_EXACT : TD_WINDOW_USED;
}

/* Opens the prepared window at once, for counters without mapped registers. */
void td_release_now(struct td_thread *thread);

#endif
