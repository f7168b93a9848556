// SPDX-License-Identifier: MIT
#include "agent/sigsafe/strobe.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "agent/sigsafe/brief.h"
#include "agent/sigsafe/callpath.h"
#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/judge.h"
#include "agent/sigsafe/leave.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/release.h"
#include "agent/sigsafe/strobe_parts.h"
#include "agent/sigsafe/sums.h"
#include "agent/sigsafe/timeline.h"
#include "agent/sigsafe/trigger.h"
#include "agent/sigsafe/windows.h"

static uint64_t next_long(struct td_thread *thread)
{
	const struct td_strobe_plan *plan = thread->plan;

	return td_strobe_at_least(
		plan->long_period - plan->spread +
			td_random_below(&thread->random, 2 * plan->spread),
		plan->shortest);
}

/* The usual counters directly: a call less, twice a window. */
static inline bool by_rdpmc(const struct td_thread *thread)
{
	return thread->counters == &td_metrics_rdpmc_counters &&
	       !td_metrics_shape.clears_on_read;
}

static inline void read_window(struct td_thread *thread, struct td_reading *now)
{
	now->readable = by_rdpmc(thread) ? td_metrics_take(thread, now)
					 : thread->counters->read(thread, now);
}

static inline bool decode_window(struct td_thread *thread, struct td_reading *now)
{
	if (by_rdpmc(thread))
		return td_metrics_decode(thread, now);
	return !thread->counters->decode || thread->counters->decode(thread, now);
}

static inline void read_total(struct td_thread *thread, struct td_reading *now)
{
	now->readable = by_rdpmc(thread) ? td_metrics_take_total(thread, now)
					 : thread->counters->read_total(thread, now);
}

static inline bool is_usable(const struct td_thread *thread)
{
	return by_rdpmc(thread) ? td_perf_is_usable(thread)
				: thread->trigger->usable(thread);
}

void td_strobe_give_up(struct td_thread *thread, int error)
{
	thread->places.record->lost[error == -EBADF ? TD_LOST_CLOSED : TD_LOST_REARM]++;
	atomic_store(&thread->stopped, true);
	thread->trigger->stop(thread);
}

/* `at`: what the elapsed counter says now, since the last reset. */
static inline void note_armed(struct td_thread *thread, int error, uint64_t period,
			      uint64_t at)
{
	thread->armed_period = period;
	thread->armed_at = at;
	td_brief_note_armed(thread);
	if (__builtin_expect(error != 0, 0))
		td_strobe_give_up(thread, error);
}

/* A signal that waited may not be the only one that was due. */
static inline int arm_behind(struct td_thread *thread, uint64_t period, unsigned how)
{
	return how & TD_SIGNAL_DELAYED ? thread->trigger->start(thread, period)
				       : thread->trigger->arm(thread, period);
}

static void arm(struct td_thread *thread, uint64_t period, uint64_t at)
{
	note_armed(thread, thread->trigger->arm(thread, period), period, at);
}

/* Reset first, arm last: what follows the arming is part of the window. */
static void release_window(struct td_thread *thread)
{
	struct td_window *window = &thread->window;

	if (!thread->plan->empty_every) {
		thread->counters->reset(thread);
		arm(thread, window->requested, 0);
		return;
	}
	if (!is_usable(thread)) {
		note_armed(thread, -EBADF, window->requested, 0);
		thread->in_window = false;
		return;
	}
	td_release_prepare(thread, window->requested, window->empty);
	note_armed(thread, 0, window->empty ? 0 : window->requested, 0);
	if (thread->registers.mapped)
		return; /* the handler opens it, as the last thing */
	if (thread->groups && !thread->groups->shape->by_read && thread->interrupted &&
	    td_leave_may(thread->interrupted))
		thread->release.dither =
			(unsigned)td_random_below(&thread->random, TD_GROUPS_DITHER);
	else
		td_release_now(thread); /* empty windows and others alike */
}

/* A period that took twice its time was not one period: the kernel throttled
 * the trigger.  Only a counter of user-mode cycles can tell. */
void td_strobe_look_for_throttling(struct td_thread *thread, uint64_t now)
{
	uint64_t took = now - thread->armed_at;

	/* somebody else's reset in between, or no counters: nothing can be told */
	if (!thread->registers.mapped || !thread->armed_period ||
	    now < thread->armed_at ||
	    took < 2 * thread->armed_period + thread->plan->late)
		return;
	thread->places.record->lost[TD_LOST_THROTTLED] += took / thread->armed_period - 1;
}

void td_strobe_meet(struct td_known *known, uint64_t ip)
{
	td_identity_find(ip, &known->identity);
	known->place = NULL;
}

struct td_file_place *td_strobe_find_place(struct td_thread *thread,
					   struct td_known *known)
{
	struct td_file_place *place;

	place = td_places_get(&thread->places, &known->identity);
	if (place != thread->places.other) /* each sample there is a loss */
		known->place = place;
	return place;
}

/* All that was counted since the last reset, whatever ran then. */
static void add_totals(struct td_thread *thread, const struct td_reading *now,
		       uint64_t *bucket)
{
	struct td_file_thread *record = thread->places.record;

	if (now->readable)
		td_sums_add_totals(record->total, bucket, now->values,
				   td_store.header->counters);
	else
		record->unread++;
}

/* Time, and the totals. */
static void add_sample(struct td_thread *thread, const struct td_reading *now)
{
	struct td_file_thread *record = thread->places.record;
	uint64_t *bucket, ns = td_clock_now(CLOCK_MONOTONIC_COARSE);

	/* the coarse clock is up to a tick behind */
	record->last_ns = ns > record->start_ns ? ns : record->start_ns;
	record->samples++;
	bucket = td_timeline_bucket(&thread->places, record->last_ns);
	if (bucket)
		bucket[0]++;
	td_strobe_note_cpu_time(thread);
	add_totals(thread, now, bucket);
	if (now->readable)
		td_strobe_look_for_throttling(thread, now->elapsed);
}

/* A window of what is asked for next, at `ip` in `known`. */
static void begin_window(struct td_thread *thread, struct td_known *known, uint64_t ip)
{
	struct td_window *window = &thread->window;

	window->opened_in = known->identity;
	thread->opened = known;
	window->opened_at = ip;
	td_strobe_draw_periods(thread);
	window->empty = !window->dropped && td_strobe_is_empty_ones_turn(thread);
	if (window->empty)
		td_brief_leave(thread);
	if (thread->groups)
		td_groups_open(thread, &known->identity);
	thread->in_window = true;
	release_window(thread);
}

static void open_window(struct td_thread *thread, uint64_t ip,
			const struct td_reading *now)
{
	struct td_known *known = td_strobe_look_up(thread, ip);
	struct td_window *window = &thread->window;

	window->place = td_strobe_place_of(thread, known);
	window->place->samples++;
	if (thread->callpath)
		td_callpath_open(thread, &known->identity, window->place);
	add_sample(thread, now);
	if (!thread->plan->short_period) {
		thread->counters->reset(thread);
		arm(thread, next_long(thread), 0);
		return;
	}
	window->dropped = thread->plan->burst > 1;
	thread->burst = window->dropped ? thread->plan->burst - 1 : 0;
	begin_window(thread, known, ip);
}

/* The next window of a burst, where the one before it has closed.  The reset ends a
 * part of the totals, but no sample. */
static void open_next_window(struct td_thread *thread, uint64_t ip)
{
	struct td_known *known = td_strobe_look_up(thread, ip);
	struct td_window *window = &thread->window;
	struct td_file_thread *record = thread->places.record;
	struct td_reading now;

	thread->burst--;
	window->dropped = false;
	window->place = td_strobe_place_of(thread, known);
	if (thread->callpath)
		td_callpath_reopen(thread, &known->identity, window->place);
	read_total(thread, &now);
	add_totals(thread, &now, td_timeline_bucket(&thread->places, record->last_ns));
	/* The period that just ended may have ended again in our handler, before the long
	 * one replaced it: its signal would end the next window at once. */
	if (thread->trigger->echoes)
		td_handler_drain();
	begin_window(thread, known, ip);
}

static bool was_switched(const struct td_thread *thread)
{
	return thread->counters->switched && thread->counters->switched(thread);
}

static inline uint32_t active_group(const struct td_thread *thread)
{
	return thread->groups ? thread->groups->active : 0;
}

/* Our own leavings are not known before an empty window has shown them. */
static bool is_nested(const struct td_thread *thread, const uint64_t *values)
{
	uint32_t group = active_group(thread);

	return thread->own_seen >> group & 1 &&
	       td_judge_left(thread->plan, values, thread->own_leavings[group]);
}

/* What elapses in that time at least: fewer slots where the core is shared. */
static uint64_t at_least(const struct td_thread *thread, uint64_t period)
{
	return thread->plan->threads > 1 ? period / thread->plan->threads : period;
}

static enum td_reject judge(const struct td_thread *thread,
			    const struct td_identity *where, const struct td_reading *now,
			    bool delayed)
{
	return td_judge(thread->plan,
			&(struct td_judged){
				.readable = now->readable,
				.switched = was_switched(thread),
				.delayed = delayed,
				.left = now->readable && is_nested(thread, now->values),
				.length = now->elapsed,
				.least = at_least(thread, td_release_asked(thread)),
				.opened_in = &thread->window.opened_in,
				.closed_in = where,
			});
}

/* The counters as they were read; UINT32_MAX stands for more. */
static inline void set_values(const struct td_thread *thread,
			      const struct td_reading *now, uint32_t *to)
{
	uint32_t n = td_store.header->counters;

	if (thread->groups) {
		for (uint32_t i = 0; i < n && i < TD_WINDOW_VALUES; i++)
			to[i] = (uint32_t)now->values[i]; /* signed; late ones are out */
		return;
	}
	if (n && td_store.header->backend == TD_BACKEND_METRICS) {
		td_metrics_raw(thread, now, to);
		return;
	}
	for (uint32_t i = 0; i < n && i < TD_WINDOW_VALUES; i++)
		to[i] = td_saturated(now->values[i]);
}

/* The window that just closed, as it is, for the estimator.  Saves two dozen
 * instructions a window by being inline. */
__attribute__((always_inline)) static inline void
log_window(struct td_thread *thread, const struct td_identity *where, uint64_t ip,
	   const struct td_reading *now, enum td_reject reject)
{
	const struct td_window *window = &thread->window;
	struct td_file_window *log = td_windows_take(&thread->random);
	uint64_t asked = td_release_asked(thread);

	if (!log)
		return;
	log->thread = atomic_load(&thread->tid);
	if (!window->empty)
		td_release_learn(thread, asked);
	log->requested = window->empty ? 0 : td_saturated(asked);
	log->reject = (uint8_t)reject;
	log->group = (uint8_t)(active_group(thread) + thread->first_group);
	td_windows_set_end(log, 0, &window->opened_in, window->opened_at);
	td_windows_set_end(log, 1, where, ip);
	set_values(thread, now, log->value);
	td_windows_publish(log,
			   window->empty ? TD_WINDOW_EMPTY : td_release_state(thread));
}

static void reject_window(struct td_thread *thread, enum td_reject reject)
{
	thread->places.record->rejected[reject]++;
	thread->window.place->rejected[reject]++;
	thread->in_window = false;
}

static void give_window_up(struct td_thread *thread, enum td_reject reject)
{
	if (thread->window.dropped)
		thread->in_window = false;
	else
		reject_window(thread, reject);
}

/* Our own way out of the handler and into the next returns and calls as well. */
static void note_own_leavings(struct td_thread *thread, const uint64_t *values)
{
	unsigned first = thread->plan->leavings;
	uint32_t group = active_group(thread);

	if (thread->groups && !thread->groups->shape->judged[group])
		return;
	for (unsigned i = 0; first && i < TD_LEAVINGS; i++)
		thread->own_leavings[group][i] = values[first + i];
	thread->own_seen |= 1u << group;
}

/* It tells something if not one instruction of the program was in it.  Whatever
 * comes before its own signal, a perf signal that was pending already, ends it. */
__attribute__((noinline)) static void close_empty(struct td_thread *thread, uint64_t ip,
						  struct td_reading *now, unsigned how)
{
	struct td_file_thread *record = thread->places.record;

	thread->in_window = false;
	if (!(how & TD_SIGNAL_EMPTY) || !now->readable ||
	    ip != thread->window.opened_at || was_switched(thread) ||
	    !decode_window(thread, now) || now->elapsed > thread->plan->late) {
		if (record->empties)
			td_brief_enter(thread);
		return;
	}
	note_own_leavings(thread, now->values);
	if (!active_group(thread)) {
		record->empties++;
		for (unsigned i = 0; i < td_store.header->counters; i++)
			record->empty[i] += now->values[i];
	}
	td_brief_enter(thread);
	log_window(thread, &thread->window.opened_in, ip, now, TD_REJECT_MAX);
}

/* Nothing is wrong with the window but where it was closed. */
static bool counts_in_totals(enum td_reject reject)
{
	return reject == TD_REJECT_MAX || reject == TD_REJECT_FUNCTION ||
	       reject == TD_REJECT_NESTED || reject == TD_REJECT_UNKNOWN;
}

static uint32_t weight_in_totals(const struct td_thread *thread)
{
	return thread->groups ? thread->groups->stands_for : 1;
}

void td_strobe_close(struct td_thread *thread, uint64_t ip, struct td_reading *now,
		     unsigned how)
{
	const struct td_identity *where = &thread->window.opened_in;
	enum td_reject reject;

	if (thread->window.dropped) {
		thread->in_window = false;
		return;
	}
	if (thread->window.empty) {
		close_empty(thread, ip, now, how);
		return;
	}
	if (!td_identity_covers(where, ip))
		where = &td_strobe_look_up(thread, ip)->identity;
	reject = judge(thread, where, now, how & TD_SIGNAL_DELAYED);
	if (reject == TD_REJECT_MAX && !decode_window(thread, now))
		reject = TD_REJECT_COUNTERS;
	if (td_windows_takes(reject))
		log_window(thread, where, ip, now, reject);
	if (thread->callpath && weight_in_totals(thread) && counts_in_totals(reject) &&
	    (reject == TD_REJECT_MAX || decode_window(thread, now)))
		td_callpath_close(thread, where, now->values, active_group(thread),
				  weight_in_totals(thread));
	if (reject != TD_REJECT_MAX) {
		reject_window(thread, reject);
		return;
	}
	thread->in_window = false;
	thread->places.record->windows++;
	td_sums_add_window(thread->window.place, now->values, td_store.header->counters);
}

/*
 * A period that ended inside our handler, before it set the next one, sends a
 * signal that comes right behind it.  What the counters say decides, not whose
 * turn it is.
 */
static bool is_echo(const struct td_thread *thread, const struct td_reading *now)
{
	return thread->trigger->echoes && now->readable &&
	       thread->armed_at != TD_ARMED_UNKNOWN &&
	       now->elapsed - thread->armed_at < at_least(thread, thread->armed_period);
}

/*
 * The short period goes on until the long one replaces it: first of all that, or
 * each window of a few hundred cycles has its echoes.  Where reading comes later
 * than the handler's entry, reading goes first: it is the window's end.  A period that
 * does not go on needs no other one before the next window's.
 */
static inline void arm_and_read(struct td_thread *thread, struct td_reading *now,
				unsigned how)
{
	int error;

	if (thread->burst && !thread->trigger->echoes) {
		read_window(thread, now);
		return;
	}

	if (by_rdpmc(thread)) {
		error = td_perf_arm(thread, &thread->next_long);
		read_window(thread, now);
	} else {
		read_window(thread, now);
		error = arm_behind(thread, thread->next_long, how);
	}
	note_armed(thread, error, thread->next_long,
		   now->readable ? now->elapsed : TD_ARMED_UNKNOWN);
}

/*
 * Once more, where the window's end has been walked: 50 to 100 instructions a frame, in a
 * period that began before, would let the next sample come the sooner to the program
 * the deeper its stack is.
 */
static void arm_anew(struct td_thread *thread)
{
	struct td_reading now;
	int error;

	td_capture_now(thread);
	read_total(thread, &now);
	error = thread->trigger->change(thread, thread->next_long);
	note_armed(thread, error, thread->next_long,
		   now.readable ? now.elapsed : TD_ARMED_UNKNOWN);
}

/* A signal that waited.  On the way to the program it is an echo, of which no count
 * tells, and what is counted begins anew behind it. */
static void drop_sample(struct td_thread *thread, uint64_t ip, uint64_t elapsed)
{
	uint64_t period = next_long(thread);
	bool echo = td_leave_covers(ip);

	if (!echo)
		thread->places.record->lost[TD_LOST_BLOCKED]++;
	note_armed(thread, arm_behind(thread, period, TD_SIGNAL_DELAYED), period,
		   echo ? TD_ARMED_UNKNOWN : elapsed);
}

void td_strobe_signal(struct td_thread *thread, uint64_t ip, unsigned how)
{
	struct td_reading now;

	if (how & TD_SIGNAL_EMPTY && !(thread->in_window && thread->window.empty))
		return; /* another signal was faster */
	if (thread->in_window) {
		if (td_leave_covers(ip)) {
			ip = thread->window.opened_at;
			if (!thread->window.empty) {
				how |= TD_SIGNAL_DELAYED;
				td_release_miss(thread);
			}
		}
		if (how & TD_SIGNAL_DELAYED)
			thread->burst = 0; /* nobody knows where the next one began */
		arm_and_read(thread, &now, how);
		td_strobe_close(thread, ip, &now, how);
		if (thread->groups)
			td_groups_close(thread);
		td_brief_note_armed(thread);
		if (atomic_load(&thread->stopped))
			return;
		if (thread->burst)
			open_next_window(thread, ip);
		else if (thread->callpath)
			arm_anew(thread);
		return;
	}
	read_total(thread, &now); /* before all else */
	if (is_echo(thread, &now))
		return;
	if (how & TD_SIGNAL_DELAYED) {
		drop_sample(thread, ip, now.elapsed);
		return;
	}
	if (td_store.later)
		td_store_settle();
	open_window(thread, ip, &now);
}

/* Anywhere in a long period: a thread that lives for a tenth of one is sampled
 * one time in ten, as its share demands, and not never. */
uint64_t td_strobe_first_period(struct td_thread *thread)
{
	uint64_t period = td_random_below(&thread->random, next_long(thread));

	td_brief_leave(thread);
	return period > thread->plan->shortest ? period : thread->plan->shortest;
}

int td_strobe_start(struct td_thread *thread)
{
	thread->counters->reset(thread);
	thread->armed_period = td_strobe_first_period(thread);
	thread->armed_at = 0;
	return thread->trigger->start(thread, thread->armed_period);
}

void td_strobe_stop(struct td_thread *thread)
{
	struct td_reading now;

	atomic_store(&thread->stopped, true);
	thread->trigger->stop(thread);
	td_capture_now(thread);
	read_total(thread, &now);
	if (now.readable)
		td_sums_add_totals(thread->places.record->total, NULL, now.values,
				   td_store.header->counters);
	thread->places.record->cpu_ns = td_clock_thread_cpu();
	if (thread->release.error)
		thread->places.record->lost[TD_LOST_REARM]++;
	if (thread->in_window)
		give_window_up(thread, TD_REJECT_CUT);
}

void td_strobe_block(struct td_thread *thread)
{
	struct td_reading now;

	if (!thread->in_window)
		return;
	td_capture_now(thread);
	read_window(thread, &now);
	thread->burst = 0;
	give_window_up(thread, TD_REJECT_BLOCKED); /* first: not in a window any more */
	note_armed(thread, thread->trigger->change(thread, thread->next_long),
		   thread->next_long, now.elapsed);
	if (thread->groups)
		td_groups_close(thread);
}

void td_strobe_resume(struct td_thread *thread)
{
	uint64_t period = td_strobe_first_period(thread);

	note_armed(thread, thread->trigger->start(thread, period), period,
		   TD_ARMED_UNKNOWN);
}
