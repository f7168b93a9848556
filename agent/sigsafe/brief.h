/* SPDX-License-Identifier: MIT */
/*
 * The strobe in brief: a sample and a window as strobe.c makes them, in the usual
 * case and in half as many instructions.
 *
 * Usual is: RDPMC counters that a reset zeroes, single windows, a trigger that goes on by
 * itself, no call paths, an empty window seen, and nothing strange about the
 * captured registers.  The rules are strobe.c's; what is unusual in any way is left to
 * it before anything is changed.
 */
#ifndef TD_SIGSAFE_BRIEF_H
#define TD_SIGSAFE_BRIEF_H

#include <stddef.h>

#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/thread.h"

/* Only where SLOTS and PERF_METRICS are. */
#ifdef __SSE2__
#define TD_BRIEF_EXISTS true
#else
#define TD_BRIEF_EXISTS false
#endif

/* From now on signals of this thread are strobe.c's, until an empty window has closed.
 * Context: signal, after td_brief_hand_over(), or any with the trigger stopped. */
static inline void td_brief_leave(struct td_thread *thread)
{
	thread->unusual = true;
	thread->brief.quiet = 0;
	thread->near.first = UINT64_MAX / 2; /* of another profile, perhaps */
}

/* What strobe.c needs to go on: it gets the next signal, or the rest of this one. */
static inline void td_brief_hand_over(struct td_thread *thread)
{
	struct td_brief *brief = &thread->brief;

	if (thread->unusual)
		return;
	thread->until_cpu += brief->quiet;
	thread->until_empty += brief->quiet;
	brief->quiet = 0;
	if (thread->in_window) {
		thread->window.opened_in = thread->opened->identity;
		return;
	}
	thread->armed_at = brief->armed_at / brief->width;
	thread->armed_period = brief->armed_period / brief->width;
}

/* strobe.c has armed a period, or ended a window. */
static inline void td_brief_note_armed(struct td_thread *thread)
{
	struct td_brief *brief = &thread->brief;
	bool known = !thread->in_window && thread->armed_at != TD_ARMED_UNKNOWN;

	brief->armed_at = known ? thread->armed_at * brief->width : 0;
	brief->armed_period = known ? thread->armed_period * brief->width : 0;
}

/* The short period once more, inside our handler: nothing is to be done.  Of SLOTS
 * and PERF_METRICS alone, as soon as they are captured. */
static inline bool td_brief_is_echo(const struct td_thread *thread)
{
	const struct td_capture *capture = &thread->capture;

	/* in a window no echo is possible: the period is 0 */
	return __builtin_expect(capture->slots - thread->brief.armed_at <
					thread->brief.armed_period >>
					thread->brief.halved,
				0) &&
	       capture->slots_after >= capture->slots &&
	       capture->lock == td_metrics_lock(&thread->registers);
}

/* Is our signal, with the registers captured, for td_brief_open() or td_brief_close()? */
static inline bool td_brief_may(const struct td_thread *thread)
{
	_Static_assert(offsetof(struct td_thread, in_window) ==
			       offsetof(struct td_thread, gate) + 3,
		       "TD_GATE is without in_window");
	return TD_BRIEF_EXISTS && !(thread->gate & TD_GATE);
}

#ifndef __SSE2__
#define td_brief_enter(thread) ((void)(thread))
#define td_brief_open(thread, ip) ((void)(thread), (void)(ip))
#define td_brief_close(thread, ip) ((void)(thread), (void)(ip))
#else
/* An empty window has closed: takes over if all of the above is so.  Context:
 * signal, on the thread, as of all others here. */
void td_brief_enter(struct td_thread *thread);

/* The long period ended at `ip`: a sample.  The window that follows it is opened by
 * the handler, if release.wanted. */
void td_brief_open(struct td_thread *thread, uint64_t ip);

/* The window's period, or another one, ended at `ip`. */
void td_brief_close(struct td_thread *thread, uint64_t ip);
#endif

#endif
