// SPDX-License-Identifier: MIT
#include "agent/sigsafe/strobe.h"

#include <errno.h>
#include <time.h>

#include "agent/sigsafe/callpath.h"
#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/release.h"
#include "agent/sigsafe/timeline.h"
#include "agent/sigsafe/windows.h"

/* Cycles: some fifty are ours, the edges of a real pipeline are some hundred. */
#define EMPTY_MOST 2000u

static uint64_t next_long(struct td_thread *thread)
{
	const struct td_strobe_plan *plan = thread->plan;
	uint64_t spread = plan->long_period / 100 * plan->jitter_percent;
	uint64_t period =
		plan->long_period - spread + td_random_below(&thread->random, 2 * spread);

	return period > plan->shortest ? period : plan->shortest;
}

/* Any length below twice the mean, as far as the trigger grants it: a fixed
 * one would serve only functions of one length. */
static uint64_t next_short(struct td_thread *thread)
{
	const struct td_strobe_plan *plan = thread->plan;
	uint64_t most = 2 * plan->short_period;

	if (most <= plan->shortest)
		return plan->shortest;
	return plan->shortest + td_random_below(&thread->random, most - plan->shortest);
}

/* `at`: what the elapsed counter says now, since the last reset. */
static void note_armed(struct td_thread *thread, int error, uint64_t period, uint64_t at)
{
	thread->armed_period = period;
	thread->armed_at = at;
	if (!error)
		return;
	thread->places.record->lost[error == -EBADF ? TD_LOST_CLOSED : TD_LOST_REARM]++;
	atomic_store(&thread->stopped, true);
	thread->trigger->stop(thread);
}

static void arm(struct td_thread *thread, uint64_t period, uint64_t at)
{
	note_armed(thread, thread->trigger->arm(thread, period), period, at);
}

/* Everything since the last reset belongs to the thread, whatever ran in it. */
static void add_totals(struct td_thread *thread, const uint64_t *values)
{
	for (unsigned i = 0; i < td_store.header->counters; i++)
		thread->places.record->total[i] += values[i];
	thread->places.record->cpu_ns = td_clock_thread_cpu();
}

static uint64_t elapsed(const struct td_thread *thread, const uint64_t *values)
{
	return thread->counters->elapsed(thread, values);
}

/* One window in so many, the first ones above all, is there to learn what the
 * others cost. */
static bool is_empty_ones_turn(struct td_thread *thread)
{
	if (!thread->plan->empty_every)
		return false;
	if (thread->until_empty) {
		thread->until_empty--;
		return false;
	}
	thread->until_empty = thread->plan->empty_every - 1;
	return true;
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
	if (!thread->trigger->usable(thread)) {
		note_armed(thread, -EBADF, window->requested, 0);
		thread->in_window = false;
		return;
	}
	td_release_prepare(thread, window->requested, window->empty);
	note_armed(thread, 0, window->empty ? 0 : window->requested, 0);
	/* by read(): here and now, empty windows and others alike */
	if (!thread->registers.mapped)
		td_release_now(thread);
}

/* A period that took twice its time was not one period: the kernel throttled
 * the trigger.  Only a counter of user-mode cycles can tell. */
static void look_for_throttling(struct td_thread *thread, const uint64_t *values)
{
	uint64_t now = elapsed(thread, values), took = now - thread->armed_at;

	/* somebody else's reset in between: nothing can be told */
	if (!thread->registers.mapped || !thread->armed_period ||
	    now < thread->armed_at ||
	    took < 2 * thread->armed_period + thread->plan->late)
		return;
	thread->places.record->lost[TD_LOST_THROTTLED] += took / thread->armed_period - 1;
}

static void open_window(struct td_thread *thread, uint64_t ip, const uint64_t *values,
			bool readable)
{
	struct td_identity where;
	struct td_file_place *place;
	struct td_file_thread *record = thread->places.record;

	td_identity_find(ip, &where);
	place = td_places_get(&thread->places, &where);
	place->samples++;
	if (thread->callpath)
		td_callpath_open(thread, &where, place);
	record->samples++;
	record->last_ns = td_clock_now(CLOCK_MONOTONIC);
	td_timeline_add(&thread->places, record->last_ns, readable ? values : NULL);
	if (readable) {
		add_totals(thread, values);
		look_for_throttling(thread, values);
	} else {
		record->unread++;
	}
	if (!thread->plan->short_period) {
		thread->counters->reset(thread);
		arm(thread, next_long(thread), 0);
		return;
	}
	thread->window = (struct td_window){
		.opened_in = where,
		.opened_at = ip,
		.place = place,
		.requested = next_short(thread),
		.empty = is_empty_ones_turn(thread),
	};
	thread->in_window = true;
	release_window(thread);
}

/* TD_REJECT_MAX: the window counts. */
static enum td_reject judge(const struct td_thread *thread,
			    const struct td_identity *where, uint64_t length,
			    bool readable, bool delayed)
{
	const struct td_window *window = &thread->window;

	if (!readable)
		return TD_REJECT_COUNTERS;
	if (thread->counters->switched && thread->counters->switched(thread))
		return TD_REJECT_SWITCHED;
	if (length < window->requested)
		return TD_REJECT_EARLY;
	if (delayed)
		return TD_REJECT_BLOCKED;
	if (length > 2 * thread->plan->short_period + thread->plan->late)
		return TD_REJECT_LATE;
	if (where->kind == TD_PLACE_UNKNOWN || window->opened_in.kind == TD_PLACE_UNKNOWN)
		return TD_REJECT_UNKNOWN;
	if (!td_identity_same_function(where, &window->opened_in))
		return TD_REJECT_FUNCTION;
	return TD_REJECT_MAX;
}

static void set_end(struct td_file_window *log, unsigned end,
		    const struct td_identity *where, uint64_t ip)
{
	uint64_t start = where->kind == TD_PLACE_FUNCTION
				 ? where->start
				 : ip & ~(uint64_t)(TD_PLACE_CHUNK - 1);

	log->kind[end] = (uint8_t)where->kind;
	log->end[end] = (struct td_file_window_end){where->address, where->object,
						    (uint32_t)(ip - start)};
}

/* The counters as they were read; UINT32_MAX stands for more. */
static void set_values(const struct td_thread *thread, const uint64_t *values,
		       uint32_t *to)
{
	uint32_t n = td_store.header->counters;

	if (thread->counters->raw) {
		thread->counters->raw(thread, values, to);
		return;
	}
	for (uint32_t i = 0; i < n && i < TD_WINDOW_VALUES; i++)
		to[i] = values[i] < UINT32_MAX ? (uint32_t)values[i] : UINT32_MAX;
}

/* The window that just closed, as it is, for the estimator. */
static void log_window(struct td_thread *thread, const struct td_identity *where,
		       uint64_t ip, const uint64_t *values, enum td_reject reject)
{
	const struct td_window *window = &thread->window;
	struct td_file_window *log = td_windows_take(&thread->random);

	if (!log)
		return;
	log->thread = atomic_load(&thread->tid);
	log->requested = window->empty                    ? 0
			 : window->requested < UINT32_MAX ? (uint32_t)window->requested
							  : UINT32_MAX;
	log->reject = (uint8_t)reject;
	set_end(log, 0, &window->opened_in, window->opened_at);
	set_end(log, 1, where, ip);
	set_values(thread, values, log->value);
	td_windows_publish(log, window->empty ? TD_WINDOW_EMPTY : TD_WINDOW_USED);
}

static void add_window(struct td_file_place *place, const uint64_t *values)
{
	place->windows++;
	for (unsigned i = 0; i < td_store.header->counters; i++) {
		struct td_file_sum *sum = &place->sum[i];
		double value = (double)(int64_t)values[i]; /* corrected ones can be < 0 */

		sum->sum += values[i];
		sum->squares += value * value;
		sum->cross += value * (double)values[0];
	}
}

static void reject_window(struct td_thread *thread, enum td_reject reject)
{
	thread->places.record->rejected[reject]++;
	thread->window.place->rejected[reject]++;
	thread->in_window = false;
}

/* Our own way out of the handler and into the next returns a few times as well. */
static void note_own_returns(struct td_thread *thread, const uint64_t *values)
{
	unsigned returns = thread->plan->returns;

	if (returns)
		thread->own_returns = values[returns];
}

/* Left by a return, or left and come back: not one function's window. */
static bool is_nested(const struct td_thread *thread, const uint64_t *values)
{
	unsigned returns = thread->plan->returns;

	return returns && thread->places.record->empties &&
	       values[returns] > thread->own_returns;
}

/* Not one instruction of the program was in it, or it tells nothing. */
static void close_empty(struct td_thread *thread, uint64_t ip, const uint64_t *values,
			bool readable)
{
	struct td_file_thread *record = thread->places.record;

	thread->in_window = false;
	/* Should its own signal be lost, the long period ends it, perhaps at the same
	 * instruction of a short loop: one of those would spoil the mean of all. */
	if (!readable || elapsed(thread, values) > EMPTY_MOST ||
	    ip != thread->window.opened_at ||
	    (thread->counters->switched && thread->counters->switched(thread)))
		return;
	record->empties++;
	note_own_returns(thread, values);
	for (unsigned i = 0; i < td_store.header->counters; i++)
		record->empty[i] += values[i];
	log_window(thread, &thread->window.opened_in, ip, values, TD_REJECT_MAX);
}

/* Nothing is wrong with the window but where it was closed. */
static bool counts_in_totals(enum td_reject reject)
{
	return reject == TD_REJECT_MAX || reject == TD_REJECT_FUNCTION ||
	       reject == TD_REJECT_NESTED || reject == TD_REJECT_UNKNOWN;
}

static void close_window(struct td_thread *thread, uint64_t ip, const uint64_t *values,
			 bool readable, bool delayed)
{
	uint64_t length = elapsed(thread, values);
	struct td_identity where;
	enum td_reject reject;

	/* The short period goes on until it is replaced: first of all the long one. */
	arm(thread, next_long(thread), length);
	if (thread->window.empty) {
		close_empty(thread, ip, values, readable);
		return;
	}
	if (td_identity_covers(&thread->window.opened_in, ip))
		where = thread->window.opened_in;
	else
		td_identity_find(ip, &where);
	reject = judge(thread, &where, length, readable, delayed);
	if (reject == TD_REJECT_MAX && is_nested(thread, values))
		reject = TD_REJECT_NESTED;
	if (reject == TD_REJECT_MAX || reject == TD_REJECT_NESTED ||
	    reject == TD_REJECT_FUNCTION)
		log_window(thread, &where, ip, values, reject);
	if (thread->callpath && counts_in_totals(reject))
		td_callpath_close(thread, &where, values);
	if (reject != TD_REJECT_MAX) {
		reject_window(thread, reject);
		return;
	}
	thread->in_window = false;
	thread->places.record->windows++;
	add_window(thread->window.place, values);
}

/*
 * A period that ended inside our handler, before it set the next one, sends a
 * signal that comes right behind it.  What the counters say decides, not whose
 * turn it is.
 */
static bool is_echo(const struct td_thread *thread, const uint64_t *values, bool readable)
{
	return thread->trigger->echoes && readable &&
	       elapsed(thread, values) - thread->armed_at < thread->armed_period;
}

void td_strobe_signal(struct td_thread *thread, uint64_t ip, bool delayed)
{
	uint64_t values[TD_COUNTERS_MAX] = {0};
	bool readable = thread->counters->read(thread, values); /* before all else */

	if (thread->in_window) {
		close_window(thread, ip, values, readable, delayed);
	} else if (is_echo(thread, values, readable)) {
		return;
	} else if (delayed) {
		thread->places.record->lost[TD_LOST_BLOCKED]++;
		arm(thread, next_long(thread), elapsed(thread, values));
	} else {
		open_window(thread, ip, values, readable);
	}
}

/* Anywhere in a long period: a thread that lives for a tenth of one is sampled
 * one time in ten, as its share demands, and not never. */
uint64_t td_strobe_first_period(struct td_thread *thread)
{
	uint64_t period = td_random_below(&thread->random, next_long(thread));

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
	uint64_t values[TD_COUNTERS_MAX] = {0};

	atomic_store(&thread->stopped, true);
	thread->trigger->stop(thread);
	td_capture_now(thread);
	if (thread->counters->read(thread, values))
		add_totals(thread, values);
	if (thread->release.error)
		thread->places.record->lost[TD_LOST_REARM]++;
	if (thread->in_window)
		reject_window(thread, TD_REJECT_CUT);
}

void td_strobe_block(struct td_thread *thread)
{
	uint64_t values[TD_COUNTERS_MAX] = {0}, period;

	if (!thread->in_window)
		return;
	period = next_long(thread);
	td_capture_now(thread);
	thread->counters->read(thread, values);
	reject_window(thread, TD_REJECT_BLOCKED);
	note_armed(thread, thread->trigger->change(thread, period), period,
		   elapsed(thread, values));
}
