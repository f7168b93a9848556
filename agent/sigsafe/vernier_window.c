// SPDX-License-Identifier: MIT
#include "agent/sigsafe/vernier_window.h"

#include <time.h>

#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/judge.h"
#include "agent/sigsafe/strobe_parts.h"
#include "agent/sigsafe/sums.h"
#include "agent/sigsafe/timeline.h"
#include "agent/sigsafe/windows.h"

/* Time and counts of a record are taken a moment apart: this is no switch yet. */
#define SWITCH_NS 2500u

/* Between the registers' being read one after the other. */
#define SLACK_CYCLES 64u

#define FIELD_FULL 255u

/* The profile's counters from one reading to another of the same group; counter 0 by
 * the count `first`. */
static void difference(const struct td_thread *thread, uint32_t first,
		       const struct td_vernier_reading *from,
		       const struct td_vernier_reading *to, uint64_t *values)
{
	const struct td_vernier_shape *shape = &td_vernier_shape;
	uint32_t n = shape->values[thread->vernier->active];
	uint32_t end =
		shape->level1 ? TD_GROUP_VALUE_FIFTH + 1 : td_store.header->counters;

	for (uint32_t i = 0; i < end; i++) {
		uint32_t count = i ? shape->counter[i] : first;

		values[i] = count < n ? to->value[count] - from->value[count] : 0;
	}
	values[0] *= shape->scale;
	if (shape->level1)
		td_groups_make_nodes(td_groups_shapes, values);
}

static void correct(uint64_t *values)
{
	if (td_vernier_shape.nodes)
		td_registers_correct(&td_vernier_shape.correction, td_vernier_shape.nodes,
				     values);
}

/* The same for what is of the whole run: what some of the groups do not count is not. */
static void difference_of_all(const struct td_thread *thread,
			      const struct td_vernier_reading *from,
			      const struct td_vernier_reading *to, uint64_t *values)
{
	difference(thread, td_vernier_shape.counter[0], from, to, values);
	correct(values);
	for (uint32_t i = 0; i < td_store.header->counters; i++)
		if (td_vernier_shape.counter[i] >= td_vernier_shape.shared)
			values[i] = 0;
}

/*
 * A thread that is switched out with SLOTS just zeroed finds another one's when it
 * comes back (Linux up to now restores only what is not zero): more slots than cycles
 * can have.
 */
static bool is_possible(const struct td_thread *thread,
			const struct td_vernier_reading *from,
			const struct td_vernier_reading *to)
{
	const struct td_vernier_shape *shape = &td_vernier_shape;
	uint64_t cycles = to->value[shape->sampler] - from->value[shape->sampler];

	return !shape->nodes || thread->vernier->throttled ||
	       to->value[0] - from->value[0] <= shape->width * (cycles + SLACK_CYCLES);
}

void td_vernier_window_total(struct td_thread *thread,
			     const struct td_vernier_reading *now)
{
	struct td_vernier *vernier = thread->vernier;
	uint64_t values[TD_COUNTERS_MAX];

	/* but for our own handlers; the next tick has it exactly */
	thread->places.record->cpu_ns += now->running - vernier->last.running;
	if (!is_possible(thread, &vernier->last, now)) {
		thread->places.record->unread++;
		vernier->last = *now;
		return;
	}
	difference_of_all(thread, &vernier->last, now, values);
	for (uint32_t i = 0; i < td_store.header->counters; i++)
		thread->places.record->total[i] += values[i];
	vernier->last = *now;
}

static struct td_file_place *count_sample(struct td_thread *thread,
					  struct td_known *known, uint64_t time)
{
	struct td_file_thread *record = thread->places.record;
	struct td_file_place *place = td_strobe_place_of(thread, known);

	place->samples++;
	record->samples++;
	record->last_ns = time;
	return place;
}

static void add_to_timeline(struct td_thread *thread, uint64_t time, uint64_t samples,
			    const uint64_t *values)
{
	uint64_t *bucket = td_timeline_bucket(&thread->places, time);

	if (!bucket)
		return;
	bucket[0] += samples;
	for (uint32_t i = 0; values && i < td_store.header->counters; i++)
		bucket[1 + i] += values[i];
}

void td_vernier_window_sample(struct td_thread *thread, uint64_t ip)
{
	uint64_t time = td_clock_now(CLOCK_MONOTONIC);

	count_sample(thread, td_strobe_look_up(thread, ip), time);
	add_to_timeline(thread, time, 1, NULL);
}

void td_vernier_window_leave(struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;
	uint64_t values[TD_COUNTERS_MAX];

	difference_of_all(thread, &vernier->sampled, &vernier->last, values);
	add_to_timeline(thread, vernier->last.time, 0, values);
}

/* The waiting record is a sample, at `where`. */
static struct td_file_place *sample_first(struct td_thread *thread,
					  struct td_identity *where)
{
	struct td_vernier *vernier = thread->vernier;
	const struct td_vernier_reading *at = &vernier->first.reading;
	struct td_known *known = td_strobe_look_up(thread, vernier->first.ip);
	uint64_t values[TD_COUNTERS_MAX];

	*where = known->identity;
	difference_of_all(thread, &vernier->sampled, at, values);
	add_to_timeline(thread, at->time, 1, values);
	vernier->sampled = *at;
	vernier->laps++;
	vernier->waiting = false;
	return count_sample(thread, known, at->time);
}

static void reject_window(struct td_thread *thread, struct td_file_place *place,
			  enum td_reject reject)
{
	thread->places.record->rejected[reject]++;
	place->rejected[reject]++;
}

/* The waiting record stays alone.  One of two events counts a period. */
static void give_up_first(struct td_thread *thread, enum td_reject reject)
{
	struct td_vernier *vernier = thread->vernier;
	struct td_file_place *place;
	struct td_identity where;

	if (!vernier->waiting)
		return;
	vernier->waiting = false;
	if (vernier->first.which != vernier->shorter)
		return;
	place = sample_first(thread, &where);
	if (td_vernier_shape.windows)
		reject_window(thread, place, reject);
}

void td_vernier_window_cut(struct td_thread *thread)
{
	give_up_first(thread, TD_REJECT_CUT);
}

static bool was_switched(const struct td_vernier_reading *from,
			 const struct td_vernier_reading *to)
{
	return to->time - from->time > to->running - from->running + SWITCH_NS;
}

/* Nothing of ours is in a window, and a switch explains counts that cannot be. */
static enum td_reject judge(const struct td_thread *thread,
			    const struct td_identity *opened_in,
			    const struct td_identity *closed_in, uint64_t length,
			    const uint64_t *values, const struct td_vernier_reading *now)
{
	static const uint64_t none_ours[TD_LEAVINGS];
	const struct td_vernier_reading *from = &thread->vernier->first.reading;
	bool switched = was_switched(from, now);

	return td_judge(thread->plan,
			&(struct td_judged){
				.readable = switched || is_possible(thread, from, now),
				.switched = switched,
				.left = td_judge_left(thread->plan, values, none_ours),
				.length = length,
				.least = thread->plan->shortest,
				.opened_in = opened_in,
				.closed_in = closed_in,
			});
}

/* The least field of which the kernel makes this value: it multiplies by SLOTS, divides
 * by what a full one is and cuts off what is behind the point. */
static uint64_t least_field(uint64_t value, uint64_t slots)
{
	return (value * FIELD_FULL + slots - 1) / slots;
}

/* How many fields more make the same value; none where there are as many slots as
 * steps. */
static uint64_t room_above(uint64_t field, uint64_t value, uint64_t slots)
{
	uint64_t next = least_field(value + 1, slots);

	next = next <= FIELD_FULL ? next : FIELD_FULL + 1;
	return next > field + 1 ? next - field - 1 : 0;
}

/* A part of `missing` for each piece of the room, and in the end all of it. */
static uint64_t share_of(uint64_t missing, uint64_t below, uint64_t room, uint64_t spare)
{
	uint64_t half = spare / 2;

	return (missing * (below + room) + half) / spare -
	       (missing * below + half) / spare;
}

/*
 * Fields of which the kernel makes these values.  Of few slots there are several: those
 * of level 1 add up, and for the rest they are in the middle.  Nothing of one of level 2
 * is less than a slot; where its parent has nothing it has nothing.
 */
static uint64_t fields_of(const uint64_t *values)
{
	uint64_t field[TD_FIELDS], room[TD_FIELDS], slots = values[0];
	uint64_t metrics = 0, sum = 0, spare = 0, below = 0, missing;
	uint32_t nodes = td_vernier_shape.nodes;

	for (uint32_t i = 0; i < nodes && slots; i++) {
		field[i] = least_field(values[1 + i], slots);
		room[i] = room_above(field[i], values[1 + i], slots);
		if (i >= TD_FIELDS_LEVEL1)
			continue;
		sum += field[i];
		spare += room[i];
	}
	missing = sum && sum < FIELD_FULL ? FIELD_FULL - sum : 0;
	for (uint32_t i = 0; i < nodes && sum; i++) {
		if (i >= TD_FIELDS_LEVEL1)
			field[i] += values[1 + i - TD_FIELDS_LEVEL1] ? room[i] / 2 : 0;
		else if (spare)
			field[i] += share_of(missing, below, room[i], spare);
		below += room[i];
		metrics |= (field[i] < FIELD_FULL ? field[i] : FIELD_FULL) << (8 * i);
	}
	return metrics;
}

/* td_file_window.value of counts that nothing has corrected yet. */
static void set_values(const uint64_t *values, uint64_t metrics, uint32_t *to)
{
	uint32_t counters = td_store.header->counters, nodes = td_vernier_shape.nodes;

	if (nodes) {
		*to++ = td_saturated(values[0]);
		*to++ = (uint32_t)metrics;
		*to++ = (uint32_t)(metrics >> 32);
		for (uint32_t i = 1 + nodes; i < counters; i++)
			*to++ = td_saturated(values[i]);
		return;
	}
	for (uint32_t i = 0; i < counters && i < TD_WINDOW_VALUES; i++)
		to[i] = td_vernier_shape.events ? (uint32_t)values[i] /* signed */
						: td_saturated(values[i]);
}

struct ends {
	struct td_identity opened_in, closed_in;
	uint64_t opened_at, closed_at; /* IPs */
	uint64_t due;                  /* the length at which it was to end */
};

static void log_window(struct td_thread *thread, const struct ends *ends,
		       const uint64_t *values, uint64_t metrics, enum td_reject reject)
{
	struct td_file_window *log = td_windows_take(&thread->random);

	if (!log)
		return;
	log->thread = atomic_load(&thread->tid);
	log->requested = td_saturated(ends->due);
	log->reject = (uint8_t)reject;
	log->group = (uint8_t)thread->vernier->active;
	td_windows_set_end(log, 0, &ends->opened_in, ends->opened_at);
	td_windows_set_end(log, 1, &ends->closed_in, ends->closed_at);
	set_values(values, metrics, log->value);
	td_windows_publish(log, TD_WINDOW_USED);
}

/* Sums of windows are kept by group: where those of the active one go.  NULL: no room. */
static struct td_file_place *sums_place(struct td_thread *thread,
					const struct td_identity *opened_in,
					struct td_file_place *place)
{
	uint32_t group = thread->vernier->active;

	if (!group)
		return place;
	place = td_places_get_of(&thread->places, opened_in, group);
	/* the place of all that found no room is group 0's */
	return place == thread->places.other ? NULL : place;
}

/*
 * The count that is the window's length.  Of groups of events the one that did not open
 * it, for that one was set anew there: if a cycle was not over, its part is lost.
 */
static uint32_t measures(const struct td_vernier *vernier)
{
	const struct td_vernier_shape *shape = &td_vernier_shape;
	bool other = shape->events && td_vernier_samplers(shape) > 1;

	return shape->sampler + (other && vernier->first.which == 0);
}

/* The count that is counter 0 of the window: slots, or the cycles that stand for them. */
static uint32_t counts_slots(const struct td_vernier *vernier)
{
	return td_vernier_shape.events ? measures(vernier) : td_vernier_shape.counter[0];
}

/*
 * How late this record of the event is, in its counts: an interrupt waits for what is
 * running.  Where nobody knows when the first period began, the earliest record so far
 * was in time.
 */
static uint64_t late_by(struct td_vernier *vernier, uint32_t which,
			const struct td_vernier_reading *now)
{
	const struct td_vernier_shape *shape = &td_vernier_shape;
	uint64_t period =
		which == vernier->shorter ? vernier->period : vernier->longer_period;
	uint64_t count = now->value[shape->sampler + which];
	uint64_t *due = &vernier->due[which];

	if ((!shape->nodes && !shape->events) || td_vernier_samplers(shape) < 2 ||
	    !period)
		return 0;
	if (*due > count)
		*due = count;
	*due += (count - *due + period / 2) / period * period;
	if (*due > count)
		*due = count;
	return count - *due;
}

/* From the waiting record to this one. */
static void take_window(struct td_thread *thread, uint64_t ip, uint64_t length,
			uint64_t late, const struct td_vernier_reading *now)
{
	struct td_vernier *vernier = thread->vernier;
	struct ends ends = {
		.opened_at = vernier->first.ip,
		.closed_at = ip,
		.due = length > late ? length - late : 1,
	};
	struct td_file_place *place = sample_first(thread, &ends.opened_in);
	uint64_t values[TD_COUNTERS_MAX], metrics = 0;
	uint32_t nodes = td_vernier_shape.nodes;
	enum td_reject reject;

	if (td_identity_covers(&ends.opened_in, ip))
		ends.closed_in = ends.opened_in;
	else
		ends.closed_in = td_strobe_look_up(thread, ip)->identity;
	difference(thread, counts_slots(vernier), &vernier->first.reading, now, values);
	reject = judge(thread, &ends.opened_in, &ends.closed_in, length, values, now);
	if (nodes) {
		metrics = fields_of(values);
		if (!td_registers_decode(values[0], metrics, nodes, values + 1) &&
		    reject == TD_REJECT_MAX)
			reject = TD_REJECT_COUNTERS;
	}
	if (td_windows_takes(reject))
		log_window(thread, &ends, values, metrics, reject);
	if (reject != TD_REJECT_MAX) {
		reject_window(thread, place, reject);
		return;
	}
	place = sums_place(thread, &ends.opened_in, place);
	if (!place)
		return;
	thread->places.record->windows++;
	correct(values);
	td_sums_add_window(place, values, td_store.header->counters);
}

/* Two records of different events that are nearer than half a period make a window,
 * whichever comes first: where the thread is switched out and in, software clocks
 * lose their distance. */
static void take_end(struct td_thread *thread, uint32_t which, uint64_t ip,
		     const struct td_vernier_reading *now)
{
	struct td_vernier *vernier = thread->vernier;
	uint64_t late = late_by(vernier, which, now), length;
	uint32_t count = measures(vernier);

	if (vernier->waiting) {
		length = now->value[count] - vernier->first.reading.value[count];
		if (which != vernier->first.which && length < vernier->period / 2) {
			take_window(thread, ip, length, late, now);
			return;
		}
		give_up_first(thread, TD_REJECT_LATE);
	}
	vernier->first =
		(struct td_vernier_end){.which = which, .ip = ip, .reading = *now};
	vernier->waiting = true;
	if (!td_vernier_shape.windows)
		give_up_first(thread, TD_REJECT_MAX);
}

bool td_vernier_window_reading(struct td_vernier_reading *reading,
			       const struct td_vernier_group *group, uint32_t values,
			       uint64_t time)
{
	if (group->events != values)
		return false;
	reading->time = time;
	reading->enabled = group->enabled;
	reading->running = group->running;
	for (uint32_t i = 0; i < values; i++)
		reading->value[i] = group->value[i];
	return true;
}

/* A sample's words behind its header: as fill_attr() in agent/core/vernier.c asks for
 * them. */
enum { WORD_ID, WORD_IP, WORD_TIME, WORD_GROUP };

/* An event that alternates: what comes soon ends a window, and was opened by the record
 * before it, or in nothing of ours, when the period was set. */
static void take_turn(struct td_thread *thread, uint64_t ip, bool soon,
		      const struct td_vernier_reading *now)
{
	if (!soon)
		take_end(thread, 0, ip, now);
	else if (thread->vernier->waiting)
		take_end(thread, 1, ip, now);
}

static bool is_soon(const struct td_vernier *vernier,
		    const struct td_vernier_reading *now)
{
	uint32_t sampler = td_vernier_shape.sampler;

	return now->value[sampler] - vernier->last.value[sampler] < vernier->period / 2;
}

static void take_sample(struct td_thread *thread, const struct td_ring_record *record)
{
	struct td_vernier *vernier = thread->vernier;
	uint32_t values = td_vernier_shape.values[vernier->active];
	const uint64_t *id = vernier->id[vernier->active];
	struct td_vernier_reading now;
	bool soon;

	if (record->words < WORD_GROUP + 3 + values ||
	    !td_vernier_window_reading(&now, (const void *)&record->word[WORD_GROUP],
				       values, record->word[WORD_TIME]))
		return;
	soon = is_soon(vernier, &now);
	td_vernier_window_total(thread, &now);
	if (td_vernier_shape.alternates) {
		if (record->word[WORD_ID] == id[0])
			take_turn(thread, record->word[WORD_IP], soon, &now);
		return;
	}
	for (uint32_t which = 0; which < 2; which++)
		if (record->word[WORD_ID] == id[which])
			take_end(thread, which, record->word[WORD_IP], &now);
}

/* Half of what is lost would have opened. */
static void take_loss(struct td_thread *thread, uint64_t records)
{
	unsigned a_window = td_vernier_shape.windows ? 2 : 1;

	thread->places.record->lost[TD_LOST_RING] += (records + a_window - 1) / a_window;
	td_vernier_window_cut(thread);
}

void td_vernier_window_record(struct td_thread *thread,
			      const struct td_ring_record *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(thread, record);
		break;
	case PERF_RECORD_LOST: /* id, how many */
		take_loss(thread, record->words > 1 ? record->word[1] : 1);
		break;
	case PERF_RECORD_THROTTLE:
		thread->places.record->lost[TD_LOST_THROTTLED]++;
		thread->vernier->throttled = true;
		td_vernier_window_cut(thread);
		break;
	default:
		break;
	}
}
