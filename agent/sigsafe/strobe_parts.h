/* SPDX-License-Identifier: MIT */
/*
 * What the strobe (strobe.c) and the strobe in brief (brief.c) have in common, and the
 * cache of functions also with the vernier.
 * Context of all: signal, on the thread; vernier: any, with the claim.
 */
#ifndef TD_SIGSAFE_STROBE_PARTS_H
#define TD_SIGSAFE_STROBE_PARTS_H

#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/latency.h"
#include "agent/sigsafe/thread.h"

/* The trigger cannot be armed: no more samples of this thread.  `error`: -errno. */
void td_strobe_give_up(struct td_thread *thread, int error);

/*
 * Ends the open window at `ip`, after the long period was armed.  `now` is what the
 * counters said, not decoded yet; `how` enum td_signal_how, or-ed.
 */
void td_strobe_close(struct td_thread *thread, uint64_t ip, struct td_reading *now,
		     unsigned how);

/* Counts the periods that the kernel skipped, if the latest one took too long;
 * `now`: the elapsed counter. */
void td_strobe_look_for_throttling(struct td_thread *thread, uint64_t now);

/* Finds the function at `ip` for the first time, or anew. */
void td_strobe_meet(struct td_known *known, uint64_t ip);

/* The place of `known`, looked up in the profile and remembered. */
struct td_file_place *td_strobe_find_place(struct td_thread *thread,
					   struct td_known *known);

static inline uint64_t td_strobe_at_least(uint64_t period, uint64_t shortest)
{
	return period > shortest ? period : shortest;
}

/*
 * The length of the window that opens now, and the long period behind it.  The
 * window has any length below twice the mean, as far as the trigger grants it: a
 * fixed one would serve only functions of one length.  `short_range` and `long_range`
 * are what the two may be above `shortest` and `long_least`.
 */
static inline void td_strobe_draw(struct td_thread *thread, uint64_t short_range,
				  uint64_t long_least, uint64_t long_range)
{
	uint64_t shortest = thread->plan->shortest,
		 random = td_random_next(&thread->random);

	/* of one number, a half each */
	thread->window.requested =
		shortest +
		(uint64_t)((unsigned __int128)(random << 32) * short_range >> 64);
	thread->next_long =
		long_least + (uint64_t)((unsigned __int128)random * long_range >> 64);
}

static inline uint64_t td_strobe_short_range(const struct td_strobe_plan *plan)
{
	uint64_t most = 2 * plan->short_period;

	return most > plan->shortest ? most - plan->shortest : 0;
}

static inline void td_strobe_draw_periods(struct td_thread *thread)
{
	const struct td_strobe_plan *plan = thread->plan;

	td_strobe_draw(thread, td_strobe_short_range(plan),
		       plan->long_period - plan->spread, 2 * plan->spread);
	if (plan->shorter) {
		uint64_t other =
			plan->shortest +
			td_random_below(&thread->random, td_strobe_short_range(plan));

		if (other < thread->window.requested)
			thread->window.requested = other;
	}
	thread->next_long = td_strobe_at_least(thread->next_long, plan->shortest);
}

/* A system call, so not at each sample where nothing else needs it.  Other records are
 * taken as often. */
static inline void td_strobe_note_cpu_time(struct td_thread *thread)
{
	if (thread->until_cpu) {
		thread->until_cpu--;
		return;
	}
	if (thread->plan->cpu_every)
		thread->until_cpu = thread->plan->cpu_every - 1;
	thread->places.record->cpu_ns = td_clock_thread_cpu();
	td_latency_take(thread);
}

/* One window in so many, the first ones above all, is there to learn what the
 * others cost. */
static inline bool td_strobe_is_empty_ones_turn(struct td_thread *thread)
{
	if (thread->until_empty) {
		thread->until_empty--;
		return false;
	}
	if (!thread->plan->empty_every)
		return false;
	thread->until_empty = thread->plan->empty_every - 1;
	return true;
}

/*
 * The function at `ip`, from what the thread has met lately if the object is
 * still the same.  Good until the next call for another address.
 */
static inline struct td_known *td_strobe_look_up(struct td_thread *thread, uint64_t ip)
{
	struct td_known *known =
		(struct td_known *)((char *)thread->known + TD_KNOWN_OFFSET(ip));

	if (!td_identity_covers(&known->identity, ip) ||
	    !td_identity_stands(&known->identity, ip))
		td_strobe_meet(known, ip);
	return known;
}

static inline struct td_file_place *td_strobe_place_of(struct td_thread *thread,
						       struct td_known *known)
{
	return known->place ? known->place : td_strobe_find_place(thread, known);
}

#endif
