// SPDX-License-Identifier: MIT
#include "agent/sigsafe/brief.h"

#ifdef __SSE2__ /* where SLOTS and PERF_METRICS are */

#include <errno.h>
#include <time.h>

#include "agent/sigsafe/judge.h"
#include "agent/sigsafe/leave.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/release.h"
#include "agent/sigsafe/strobe_parts.h"
#include "agent/sigsafe/sums.h"
#include "agent/sigsafe/sums_sse2.h"
#include "agent/sigsafe/timeline.h"
#include "agent/sigsafe/trigger.h"
#include "agent/sigsafe/windows.h"

/* Windows that are not late have fewer: for td_registers_decode_less(). */
#define SLOTS_MAX (1ull << 30)

static uint64_t late_slots(const struct td_strobe_plan *plan)
{
	return (2 * plan->short_period + plan->late + 1) * td_metrics_shape.width;
}

static bool is_usual(const struct td_thread *thread)
{
	const struct td_strobe_plan *plan = thread->plan;

	return thread->registers.mapped &&
	       thread->counters == &td_metrics_rdpmc_counters &&
	       !td_metrics_shape.clears_on_read && !thread->callpath &&
	       thread->trigger == &td_perf_trigger && plan->short_period &&
	       plan->empty_every && plan->burst <= 1 &&
	       plan->leavings == 1 + td_metrics_shape.nodes &&
	       thread->registers.extras >= TD_LEAVINGS &&
	       td_store.header->counters ==
		       1 + td_metrics_shape.nodes + thread->registers.extras &&
	       td_store.header->backend == TD_BACKEND_METRICS &&
	       plan->long_period - plan->spread >= plan->shortest &&
	       late_slots(plan) < SLOTS_MAX;
}

void td_brief_enter(struct td_thread *thread)
{
	const struct td_strobe_plan *plan = thread->plan;
	uint64_t width = td_metrics_shape.width;

	thread->unusual = !is_usual(thread);
	thread->brief = (struct td_brief){
		.width = width,
		.halved = plan->threads > 1,
		.late = late_slots(plan),
		.throttled = plan->late * width,
		.short_range = td_strobe_short_range(plan),
		.long_range = 2 * plan->spread,
		.long_least = plan->long_period - plan->spread,
		.counters = td_store.header->counters,
		.nodes = td_metrics_shape.nodes,
	};
	td_brief_note_armed(thread);
}

/* td_metrics_slots().  More than there can be if the registers went backwards. */
static inline uint64_t slots_of(const struct td_capture *capture)
{
	return capture->slots + (capture->slots_after - capture->slots) / 2;
}

/* Since the reset, in less than 2^31 slots. */
static inline uint32_t extra_of(const struct td_thread *thread, uint32_t i)
{
	return thread->capture.extra.low[i] - thread->registers.extra_base.low[i];
}

/* Two sums of each at once. */
static inline void add_two(uint64_t *total, uint64_t *bucket, __m128i values)
{
	__m128i *a = (__m128i *)total, *b = (__m128i *)bucket;

	_mm_storeu_si128(a, _mm_add_epi64(_mm_loadu_si128(a), values));
	_mm_storeu_si128(b, _mm_add_epi64(_mm_loadu_si128(b), values));
}

static inline void add_four(uint64_t *total, uint64_t *bucket, __m128i field,
			    __m128i slots)
{
	add_two(total, bucket, td_registers_low_products(field, slots));
	add_two(total + 2, bucket + 2, td_registers_high_products(field, slots));
}

static inline void add_one(uint64_t *total, uint64_t *bucket, uint64_t value)
{
	*total += value;
	*bucket += value;
}

__attribute__((noinline)) static void look_for_throttling(struct td_thread *thread)
{
	td_brief_hand_over(thread);
	td_strobe_look_for_throttling(thread,
				      slots_of(&thread->capture) / thread->brief.width);
}

/* A period that took twice its time. */
static inline bool is_throttled(const struct td_thread *thread)
{
	const struct td_brief *brief = &thread->brief;

	return slots_of(&thread->capture) - brief->armed_at >=
	       2 * brief->armed_period + brief->throttled;
}

/* For a register that cannot be weighed, or without a timeline. */
__attribute__((noinline)) static void add_totals_slowly(struct td_thread *thread,
							uint64_t *bucket)
{
	struct td_reading now;

	if (!td_metrics_take_total(thread, &now)) {
		thread->places.record->unread++;
		return;
	}
	td_sums_add_totals(thread->places.record->total, bucket, now.values,
			   thread->brief.counters);
	if (is_throttled(thread))
		look_for_throttling(thread);
}

/* As td_registers_weigh() and td_sums_add_totals(), of less than 2^31 slots. */
static inline void add_totals(const struct td_thread *thread, uint64_t slots,
			      uint64_t *bucket)
{
	uint64_t metrics = thread->capture.metrics, *total = thread->places.record->total;
	__m128i factor = _mm_shuffle_epi32(_mm_cvtsi64_si128((int64_t)slots), 0x44);
	uint32_t n = thread->registers.extras;

	bucket++;
	add_one(total++, bucket++, slots);
	add_four(total, bucket, td_registers_level1(metrics), factor);
	total += TD_FIELDS_LEVEL1;
	bucket += TD_FIELDS_LEVEL1;
	if (thread->brief.nodes > TD_FIELDS_LEVEL1) {
		add_four(total, bucket, td_registers_level2(metrics), factor);
		total += TD_FIELDS - TD_FIELDS_LEVEL1;
		bucket += TD_FIELDS - TD_FIELDS_LEVEL1;
	}
	_Static_assert(TD_LEAVINGS == 2 && TD_EXTRAS_MAX == 5, "one line for each");
	add_one(total, bucket, extra_of(thread, 0));
	add_one(total + 1, bucket + 1, extra_of(thread, 1));
	if (n > 2)
		add_one(total + 2, bucket + 2, extra_of(thread, 2));
	if (n > 3)
		add_one(total + 3, bucket + 3, extra_of(thread, 3));
	if (n > 4)
		add_one(total + 4, bucket + 4, extra_of(thread, 4));
}

/* Nothing of it outlives a call of what is rare, but for the thread. */
static inline void add_sample(struct td_thread *thread)
{
	struct td_file_thread *record = thread->places.record;
	uint64_t *bucket = td_timeline_bucket(&thread->places, record->last_ns), slots;

	thread->places.record->samples++;
	if (bucket)
		bucket[0]++;
	slots = slots_of(&thread->capture);
	if (__builtin_expect(!bucket || slots >> 31 ||
				     !td_registers_is_full(thread->capture.metrics),
			     0)) {
		add_totals_slowly(thread, bucket);
		return;
	}
	add_totals(thread, slots, bucket);
	if (is_throttled(thread))
		look_for_throttling(thread);
}

/* A descriptor is not ours any more. */
__attribute__((noinline)) static void stay_closed(struct td_thread *thread)
{
	thread->in_window = false;
	td_strobe_give_up(thread, -EBADF);
}

/* An empty window, which strobe.c closes, or the first that is none. */
__attribute__((noinline)) static void prepare_anew(struct td_thread *thread)
{
	const struct td_window *window = &thread->window;

	td_release_prepare(thread, window->requested, window->empty);
	if (!window->empty)
		return;
	td_brief_hand_over(thread);
	td_brief_leave(thread);
}

/* td_release_prepare() for what was prepared before. */
static inline void prepare_release(struct td_thread *thread)
{
	struct td_release *release = &thread->release;

	if (__builtin_expect(thread->window.empty | release->empty, 0)) {
		prepare_anew(thread);
		return;
	}
	release->period = thread->window.requested + release->usual;
	release->call[1] = thread->fd; /* it may have another number now */
	release->wanted = true;
}

/* Not every sample: CPU time, and an empty window. */
__attribute__((noinline)) static void take_turns(struct td_thread *thread)
{
	td_strobe_note_cpu_time(thread);
	thread->window.empty = td_strobe_is_empty_ones_turn(thread);
	thread->brief.quiet = thread->until_cpu < thread->until_empty
				      ? thread->until_cpu
				      : thread->until_empty;
	thread->until_cpu -= thread->brief.quiet;
	thread->until_empty -= thread->brief.quiet;
}

/* First of all, so that the call finds as little as there is to keep. */
static inline void note_time(struct td_thread *thread)
{
	uint64_t ns = td_clock_now(CLOCK_MONOTONIC_COARSE);
	struct td_file_thread *record = thread->places.record;

	record->last_ns = ns > record->start_ns ? ns : record->start_ns;
}

void td_brief_open(struct td_thread *thread, uint64_t ip)
{
	struct td_window *window = &thread->window;
	struct td_brief *brief = &thread->brief;
	struct td_known *known;

	window->opened_at = ip;
	note_time(thread);
	known = td_strobe_look_up(thread, window->opened_at);
	thread->opened = known;
	window->place = td_strobe_place_of(thread, known);
	window->place->samples++;
	add_sample(thread);
	td_strobe_draw(thread, brief->short_range, brief->long_least, brief->long_range);
	window->empty = false;
	if (brief->quiet-- == 0)
		take_turns(thread);
	thread->in_window = true;
	brief->armed_period = 0;
	if (__builtin_expect(!td_perf_is_usable(thread), 0))
		stay_closed(thread);
	else
		prepare_release(thread);
}

/* Arms the long period, before all else: as td_strobe_signal() does.  Returns 0 or
 * -errno. */
static inline int arm_long(struct td_thread *thread, uint64_t slots)
{
	struct td_brief *brief = &thread->brief;
	int error = td_perf_arm(thread, &thread->next_long);

	brief->armed_period = thread->next_long * brief->width;
	brief->armed_at = slots;
	return error;
}

/* Any rule but those of one function. */
static inline bool is_odd(const struct td_thread *thread, uint64_t slots)
{
	const struct td_window *window = &thread->window;

	return thread->capture.lock != thread->registers.lock ||
	       slots < (window->requested >> thread->brief.halved) *
			       thread->brief.width ||
	       slots >= thread->brief.late;
}

__attribute__((noinline)) static void close_odd(struct td_thread *thread, uint64_t ip)
{
	struct td_reading now;

	td_brief_hand_over(thread);
	now.readable = td_metrics_take(thread, &now);
	td_strobe_close(thread, ip, &now, 0);
}

/* The functions at both ends of a window, and the close's IP. */
struct ends {
	const struct td_identity *opened, *closed;
	uint64_t ip;
};

/* What a window that is not late can have counted; the extra counters that there are
 * not, too: they are zero. */
struct extras {
	__m128i four; /* 32 bits each */
	uint32_t fifth;
};

static inline struct extras take_extras(const struct td_thread *thread)
{
	const struct td_extras *now = &thread->capture.extra,
			       *base = &thread->registers.extra_base;

	_Static_assert(TD_EXTRAS_MAX == 5, "one line for each");
	return (struct extras){
		_mm_sub_epi32(_mm_loadu_si128((const __m128i *)now->low),
			      _mm_loadu_si128((const __m128i *)base->low)),
		now->low[4] - base->low[4],
	};
}

static inline void store_extras(uint32_t *to, const struct extras *extras)
{
	_mm_storeu_si128((__m128i *)to, extras->four);
	to[4] = extras->fifth;
}

static inline bool was_left(const struct td_thread *thread, const struct extras *extras)
{
	uint64_t both = (uint64_t)_mm_cvtsi128_si64(extras->four);

	return (uint32_t)both > thread->own_leavings[0][0] ||
	       both >> 32 > thread->own_leavings[0][1];
}

/* As in strobe.c, of window.opened_in or the same elsewhere.  No count is too large for
 * the log: the window is not late. */
static inline void fill_log(struct td_thread *thread, struct td_file_window *log,
			    const struct ends *ends, uint64_t slots,
			    const struct extras *extras, enum td_reject reject)
{
	uint64_t asked = td_release_asked(thread);

	td_release_learn(thread, asked);
	log->thread = atomic_load_explicit(&thread->tid, memory_order_relaxed);
	log->requested = (uint32_t)asked;
	log->reject = (uint8_t)reject;
	td_windows_set_end(log, 0, ends->opened, thread->window.opened_at);
	td_windows_set_end(log, 1, ends->closed, ends->ip);
	log->value[0] = (uint32_t)slots;
	memcpy(&log->value[1], &thread->capture.metrics, 8);
	_Static_assert(3 + TD_EXTRAS_MAX <= TD_WINDOW_VALUES, "room for all");
	store_extras(&log->value[3], extras);
	td_windows_publish(log, td_release_state(thread));
}

/* `values`: slots and nodes, with room for the others. */
static inline void add_window(struct td_thread *thread, int32_t *values,
			      const struct extras *extras)
{
	uint32_t nodes = thread->brief.nodes;

	store_extras((uint32_t *)values + 1 + nodes, extras);
	td_registers_correct_less(&td_metrics_shape.correction, nodes, values);
	thread->places.record->windows++;
	td_sums_add_short_window(thread->window.place, values, nodes);
}

static inline void reject_window(struct td_thread *thread, enum td_reject reject)
{
	thread->places.record->rejected[reject]++;
	thread->window.place->rejected[reject]++;
}

/* Where it closed, if not in the same code: thread->closed.  TD_REJECT_MAX: in the same
 * function. */
__attribute__((noinline)) static enum td_reject find_close(struct td_thread *thread,
							   uint64_t ip)
{
	struct td_identity *opened = &thread->window.opened_in;
	struct td_known *closed;

	/* what is known may be forgotten now */
	*opened = thread->opened->identity;
	closed = td_strobe_look_up(thread, ip);
	thread->closed = &closed->identity;
	return td_judge_ends(opened, thread->closed);
}

/*
 * The window that is neither odd nor as td_brief_close() has it.  `seen`: its number in
 * the log, if it has got one.
 */
#define NO_NUMBER UINT64_MAX
__attribute__((noinline)) static void
close_otherwise(struct td_thread *thread, uint64_t ip, uint64_t slots, uint64_t seen)
{
	struct ends ends = {&thread->opened->identity, &thread->opened->identity, ip};
	struct extras extras = take_extras(thread);
	enum td_reject reject = TD_REJECT_MAX;
	int32_t values[TD_COUNTERS_MAX] = {(int32_t)slots};
	struct td_file_window *log;

	if (td_leave_covers(ip)) {
		reject = TD_REJECT_BLOCKED;
		td_release_miss(thread);
	} else if (!td_identity_covers(ends.opened, ip)) {
		reject = find_close(thread, ip);
		ends.opened = &thread->window.opened_in;
		ends.closed = thread->closed;
	}
	if (reject == TD_REJECT_MAX && was_left(thread, &extras))
		reject = TD_REJECT_NESTED;
	if (reject == TD_REJECT_MAX &&
	    !td_registers_decode_less(slots, thread->capture.metrics, thread->brief.nodes,
				      values + 1))
		reject = TD_REJECT_COUNTERS;
	if (td_windows_takes(reject)) {
		if (seen == NO_NUMBER)
			seen = td_windows_number();
		log = td_windows_claim(seen, &thread->random, &thread->near);
		if (log)
			fill_log(thread, log, &ends, slots, &extras, reject);
	}
	thread->in_window = false;
	if (reject == TD_REJECT_MAX)
		add_window(thread, values, &extras);
	else
		reject_window(thread, reject);
}

/* The trigger cannot be armed; but the window has been measured. */
__attribute__((noinline)) static void close_last(struct td_thread *thread, uint64_t ip,
						 uint64_t slots, int error)
{
	td_strobe_give_up(thread, error);
	if (is_odd(thread, slots))
		close_odd(thread, ip);
	else
		close_otherwise(thread, ip, slots, NO_NUMBER);
}

/* A valid window, logged near the one before.  All else is called last of all, so that
 * no register has to be saved. */
void td_brief_close(struct td_thread *thread, uint64_t ip)
{
	const struct td_identity *opened = &thread->opened->identity;
	uint64_t slots = slots_of(&thread->capture), seen;
	int error = arm_long(thread, slots);
	int32_t values[TD_COUNTERS_MAX];
	struct td_file_window *log;
	struct extras extras;

	if (__builtin_expect(error != 0, 0)) {
		close_last(thread, ip, slots, error);
		return;
	}
	if (__builtin_expect(is_odd(thread, slots), 0)) {
		close_odd(thread, ip);
		return;
	}
	extras = take_extras(thread);
	if (!td_identity_covers(opened, ip) || was_left(thread, &extras) ||
	    !td_registers_decode_less(slots, thread->capture.metrics, thread->brief.nodes,
				      values + 1)) {
		close_otherwise(thread, ip, slots, NO_NUMBER);
		return;
	}
	seen = td_windows_number();
	log = td_windows_claim_near(seen, &thread->near);
	if (__builtin_expect(!log, 0)) {
		close_otherwise(thread, ip, slots, seen);
		return;
	}
	fill_log(thread, log, &(struct ends){opened, opened, ip}, slots, &extras,
		 TD_REJECT_MAX);
	thread->in_window = false;
	values[0] = (int32_t)slots;
	add_window(thread, values, &extras);
}

#endif
