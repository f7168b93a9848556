// SPDX-License-Identifier: MIT
#include "agent/sigsafe/groups.h"

#include <string.h>

#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/trigger.h"

#define WINDOWS_FEW 8u  /* of group 0: fewer say nothing of a function */
#define PERCENT_ROOM 2u /* below the threshold a node is divided already */
/* Of so many windows for level 1 one counts it whole, where others count parts of it and
 * who leaves the function; more where these windows say what is wanted below it. */
#define WHOLE_EVERY 16u
#define WHOLE_EVERY_DRILL 4u

struct td_groups_shape td_groups_shapes[TD_CORE_TYPES];
uint32_t td_groups_common;

/* Bits that its register has not. */
static uint32_t unused_of(const volatile struct perf_event_mmap_page *page)
{
	uint32_t width = page->pmc_width;

	return 64 - (width ? width : 48);
}

/* A register with its sign: a sampling event counts up to zero. */
static inline uint64_t extended(uint64_t value, uint32_t unused)
{
	return (uint64_t)((int64_t)(value << unused) >> unused);
}

static inline uint64_t cycles_of(const struct td_group_counts *counts, uint32_t unused)
{
	return counts->kept[0] +
	       (counts->cycles ? extended(counts->value[0], unused) : 0);
}

/* Cycles since the last reset, 64 bits wide. */
static uint64_t elapsed(const struct td_group_counters *groups)
{
	uint32_t unused = unused_of(groups->cycles);

	return cycles_of(&groups->now, unused) - cycles_of(&groups->base, unused);
}

/* The same of the members, each where its value belongs. */
static void count_members(const struct td_group_counters *groups, uint64_t *values)
{
	const struct td_group_pages *group = &groups->group[groups->active];
	const uint8_t *value = groups->shape->value[groups->active];
	const struct td_group_counts *now = &groups->now, *base = &groups->base;

	for (uint32_t i = 0; i < group->members; i++) {
		uint32_t unused = unused_of(group->page[i]);

		values[value[i]] = now->kept[1 + i] - base->kept[1 + i] +
				   extended(now->value[1 + i], unused) -
				   extended(base->value[1 + i], unused);
	}
}

/* As read() of a group gives it (PERF_FORMAT_GROUP with both times). */
struct group_read {
	uint64_t events, enabled, running, value[TD_GROUP_MEMBERS];
};

/* All of it by read(), of descriptors that are still ours; next to each other as well. */
static bool read_by_call(const struct td_thread *thread, struct td_group_counts *to,
			 uint64_t *idle)
{
	const struct td_group_counters *groups = thread->groups;
	uint32_t n = groups->shape->members[groups->active], lock;
	int leader = groups->group[groups->active].fd[0];
	struct group_read group;

	if (!td_perf_is_ours(thread, thread->fd) || !td_perf_is_ours(thread, leader))
		return false;
	lock = groups->cycles->lock;
	if (td_syscall3(SYS_read, leader, &group, sizeof(group)) < (long)(3 + n) * 8 ||
	    td_syscall3(SYS_read, thread->fd, &to->kept[0], sizeof(to->kept[0])) !=
		    (long)sizeof(to->kept[0]) ||
	    group.events != n)
		return false;
	to->torn = groups->cycles->lock != lock;
	for (uint32_t i = 0; i < n; i++)
		to->kept[1 + i] = group.value[i];
	*idle = group.enabled - group.running;
	return true;
}

/* The cycles by their register, at any time: nothing moves the page while it is read. */
static void take_cycles(const struct td_group_counters *groups,
			struct td_group_counts *to)
{
	const volatile struct perf_event_mmap_page *page = groups->cycles;
	uint32_t lock;

	do {
		lock = page->lock;
		to->kept[0] = (uint64_t)page->offset;
		to->cycles = td_groups_take_one(page, td_groups_common, &to->value[0]);
	} while (page->lock != lock);
}

static void keep_members(const struct td_group_counters *groups,
			 struct td_group_counts *to)
{
	const struct td_group_pages *group = &groups->group[groups->active];

	for (uint32_t i = 0; i < group->members; i++)
		to->kept[1 + i] = (uint64_t)group->page[i]->offset;
}

/*
 * Where the kernel throttles the trigger, its cycles stand still from the end of the
 * period until it is armed again, and everything else goes on.  They have been read
 * some instructions ago.
 */
static bool stand_still(const struct td_group_counters *groups)
{
	struct td_group_counts again;

	take_cycles(groups, &again);
	return again.cycles && again.value[0] == groups->now.value[0] &&
	       again.kept[0] == groups->now.kept[0];
}

static bool finish_capture(struct td_group_counters *groups)
{
	keep_members(groups, &groups->now);
	groups->stood = groups->now.cycles && stand_still(groups);
	/* when the period ended is not known then, but how much has elapsed must be */
	if (groups->now.torn)
		take_cycles(groups, &groups->now);
	return groups->now.taken && groups->now.cycles && !groups->stood;
}

void td_groups_capture(struct td_thread *thread)
{
	struct td_group_counters *groups = thread->groups;

	groups->fresh = true;
	if (!groups->started)
		td_groups_begin_capture(groups);
	groups->started = false;
	groups->complete = (groups->shape->by_read
				    ? read_by_call(thread, &groups->now, &groups->idle)
				    : finish_capture(groups)) &&
			   groups->lock == groups->group[groups->active].page[0]->lock;
}

void td_groups_make_nodes(const struct td_groups_shape *shape, uint64_t *values)
{
	uint64_t rest = values[0], count[TD_GROUP_TERMS];

	memcpy(count, values + 1, (TD_GROUP_TERMS - 1) * sizeof(*count));
	count[TD_GROUP_TERMS - 1] = values[TD_GROUP_VALUE_FIFTH];

	for (uint32_t node = 0; node < TD_GROUP_NODES; node++) {
		int64_t slots = 0;

		if (node == shape->rest)
			continue;

		for (uint32_t i = 0; i < TD_GROUP_TERMS; i++)
			slots += shape->factor[node][i] * (int64_t)count[i];
		values[1 + node] = (uint64_t)slots;
		rest -= (uint64_t)slots;
	}
	values[1 + shape->rest] = rest;
}

/* Values since the last reset, from the counts as they were captured. */
static bool read_group(struct td_thread *thread, struct td_reading *now)
{
	struct td_group_counters *groups = thread->groups;

	if (!groups->fresh)
		td_groups_capture(thread);
	groups->fresh = false;
	memset(now->values, 0, sizeof(now->values));
	now->elapsed = elapsed(groups);
	now->values[0] = now->elapsed * groups->shape->width;
	count_members(groups, now->values);
	if (!groups->active && groups->shape->nodes)
		td_groups_make_nodes(groups->shape, now->values);
	return groups->complete && groups->based && now->elapsed &&
	       groups->idle == groups->base_idle;
}

/* Totals are group 0's: another one's counts are no part of them. */
static bool read_total(struct td_thread *thread, struct td_reading *now)
{
	return read_group(thread, now) && thread->groups->active == 0;
}

/* What the pages say first: the registers are the window's beginning. */
static void reset_group(struct td_thread *thread)
{
	struct td_group_counters *groups = thread->groups;

	if (!groups->shape->by_read) {
		td_groups_base(groups);
		return;
	}
	groups->base_lock = groups->group[groups->active].page[0]->lock;
	groups->based = read_by_call(thread, &groups->base, &groups->base_idle) &&
			!groups->base.torn;
}

static bool was_switched(const struct td_thread *thread)
{
	const struct td_group_counters *groups = thread->groups;

	return groups->now.torn || groups->lock != groups->base_lock;
}

const struct td_counter_ops td_groups_ops = {
	.read = read_group,
	.read_total = read_total,
	.reset = reset_group,
	.switched = was_switched,
};

/* One group off, the other on.  False: the program has taken a descriptor. */
static bool change_to(struct td_thread *thread, uint32_t group)
{
	struct td_group_counters *groups = thread->groups;
	int from = groups->group[groups->active].fd[0], to = groups->group[group].fd[0];

	if (!td_perf_is_ours(thread, from) || !td_perf_is_ours(thread, to))
		return false;
	td_syscall3(SYS_ioctl, from, PERF_EVENT_IOC_DISABLE, 0);
	td_syscall3(SYS_ioctl, to, PERF_EVENT_IOC_ENABLE, 0);
	groups->active = group;
	/* whatever is on a counter starts anew, if the kernel had stopped it or not */
	groups->fresh = groups->stood = false;
	return true;
}

/* A sum of the place's windows without what measuring added to them. */
static int64_t without_own(const struct td_file_thread *record,
			   const struct td_file_place *place, uint32_t value)
{
	int64_t own = 0;

	if (record->empties)
		own = (int64_t)record->empty[value] * (int64_t)place->windows /
		      (int64_t)record->empties;
	return (int64_t)place->sum[value].sum - own;
}

/* Is there something to divide, as far as this function's windows tell? */
static bool is_wanted(const struct td_thread *thread, const struct td_file_place *place,
		      uint32_t group)
{
	const struct td_file_thread *record = thread->places.record;
	uint32_t divides = thread->groups->shape->divides[group];
	int64_t slots = without_own(record, place, 0);

	if (divides & TD_GROUP_ALWAYS)
		return true;
	for (uint32_t node = 0; node < TD_GROUP_NODES; node++) {
		int least = thread->groups->shape->percent[node] - (int)PERCENT_ROOM;

		if (divides >> node & 1 &&
		    without_own(record, place, 1 + node) * 100 > least * slots)
			return true;
	}
	return false;
}

/* One of level 1's groups behind the first, which is any of them, or of those below that
 * are wanted, without a place all; 0: there are none. */
static uint32_t choose(struct td_thread *thread, const struct td_file_place *place,
		       bool below)
{
	uint32_t wanted[TD_GROUPS_MAX], n = 0;

	for (uint32_t i = 1; i < thread->groups->groups; i++) {
		bool level1 = thread->groups->shape->divides[i] == TD_GROUP_LEVEL1;

		if (below ? !level1 && (!place || is_wanted(thread, place, i)) : level1)
			wanted[n++] = i;
	}
	return n ? wanted[td_random_below(&thread->random, n)] : 0;
}

/* Half of the windows are for level 1; the others for what is wanted below it. */
static uint32_t drill(struct td_thread *thread, const struct td_file_place *place)
{
	bool many = place->windows >= WINDOWS_FEW;
	bool below = many && td_random_below(&thread->random, 2);
	uint32_t group = below ? choose(thread, place, true) : 0;

	thread->groups->stands_for = !group;
	if (group)
		return group;
	/* call paths alone ask whether it might have been */
	if (thread->callpath && many && !below && choose(thread, place, true))
		thread->groups->stands_for = 2;
	return many && td_random_below(&thread->random, WHOLE_EVERY_DRILL)
		       ? choose(thread, place, false)
		       : 0;
}

/* All take turns, wherever the window opens; half are level 1's where it has groups of
 * its own. */
static uint32_t any(struct td_thread *thread)
{
	struct td_group_counters *groups = thread->groups;
	uint32_t group;

	if (thread->window.empty || !groups->shape->nodes ||
	    groups->shape->divides[1] != TD_GROUP_LEVEL1)
		return (uint32_t)td_random_below(&thread->random, groups->groups);
	if (!td_random_below(&thread->random, WHOLE_EVERY))
		return 0;
	group = choose(thread, NULL, td_random_below(&thread->random, 2));
	return group ? group : choose(thread, NULL, false);
}

void td_groups_open(struct td_thread *thread, const struct td_identity *identity)
{
	struct td_group_counters *groups = thread->groups;
	struct td_file_place *place;
	uint32_t group;

	groups->stands_for = 1;
	/* the first empty one is group 0's: without its cost functions seem to have what
	 * is ours, and is_wanted() would go by that */
	if (groups->groups < 2 ||
	    (thread->window.empty && !thread->places.record->empties))
		return;
	group = thread->groups->shape->drill && !thread->window.empty
			? drill(thread, thread->window.place)
			: any(thread);
	if (!group)
		return;
	place = td_places_get_of(&thread->places, identity, group);
	/* the place of all that found no room is group 0's */
	if (place != thread->places.other && change_to(thread, group))
		thread->window.place = place;
}

void td_groups_close(struct td_thread *thread)
{
	struct td_group_counters *groups = thread->groups;
	uint32_t unused;
	uint64_t cycles;

	groups->fresh = groups->stood = false;
	if (!groups->active || !change_to(thread, 0))
		return;
	unused = unused_of(groups->cycles);
	cycles = cycles_of(&groups->base, unused);
	reset_group(thread);
	/* the period that runs was armed before */
	if (thread->armed_at != TD_ARMED_UNKNOWN)
		thread->armed_at -= cycles_of(&groups->base, unused) - cycles;
}
