// SPDX-License-Identifier: MIT
#include "decoder/report_log.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/groups_level1.h"
#include "decoder/report_more.h"
#include "decoder/report_rates.h"
#include "decoder/report_stays.h"
#include "decoder/report_ticks.h"
#include "decoder/separate_parts.h"
#include "decoder/window_strays.h"

#define BASE_MOST 64u /* returns that our own code can have in a window */

struct ends {
	uint64_t at[2]; /* interrupted addresses, as the rows' */
};

struct td_report_log {
	struct td_separate_window *window; /* open, close: numbers of rows */
	struct ends *ends;
	struct td_report_counts *counts; /* of groups of events; else NULL */
	float *clock;                    /* separate.h */
	size_t windows, room;
	uint64_t seen;
	uint64_t random;
	unsigned nodes;
	int returns;
	int parts;                    /* separate_parts.h */
	int rates;                    /* of level 1 there are only events */
	int by_kernel, exact, chosen; /* separate.h */
	int clocked;                  /* some of clock[] is known */
	uint32_t width;               /* slots a cycle */
	unsigned together;            /* windows of a sample */
	int shuffled;                 /* those stand anywhere */
	uint32_t *same; /* [numbers]: the row that it is part of, while naming */
	size_t numbers;
};

/* A place's region, which the windows do not say. */
struct region {
	const struct td_file_object *object;
	uint64_t address;
	uint64_t region;
};

/* What the windows of one group of events tell. */
struct group {
	int taken;        /* 0: its windows are not */
	unsigned counts;  /* parts of level 1, bits; 0: they tell where time is */
	int left[2];      /* near returns and calls, -1: not counted */
	uint64_t base[2]; /* our own ones in each window */
	int8_t factor[TD_GROUPS_PARTS][TD_COUNTERS_MAX]; /* not of group 0 */
};

struct taking {
	struct td_report_log *log;
	const struct td_profile *profile;
	int node[TD_SEPARATE_NODES]; /* counters of group 0, -1: none */
	struct group group[TD_GROUPS_MAX];
	float more[TD_GROUPS_MAX]; /* report_more.h */
	int whole;                 /* group 0 counts all of level 1 */
	int parts;                 /* others do, or nobody does: each a part */
	int rates;                 /* nobody does, and formulas of events make it */
	int returns;               /* separate.h: some group that is taken has them */
	struct td_report_ticks ticks;
	int lacking; /* another thread of the core had slots */
	double own;  /* cycles of ours in a window, if that is so */
	struct region *region;
	size_t regions;
};

static const int own_counter[TD_SEPARATE_NODES] = {
	TD_NODE_RETIRING,      TD_NODE_BAD_SPECULATION,  TD_NODE_FRONTEND_BOUND,
	TD_NODE_BACKEND_BOUND, TD_NODE_HEAVY_OPERATIONS, TD_NODE_BRANCH_MISPREDICTS,
	TD_NODE_FETCH_LATENCY, TD_NODE_MEMORY_BOUND,
};

static int by_region(const void *a, const void *b)
{
	const struct region *x = a, *y = b;

	if (x->object != y->object)
		return (uintptr_t)x->object < (uintptr_t)y->object ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Gaps and JIT chunks: their regions are in the places. */
static int find_regions(struct taking *t)
{
	const struct td_profile *profile = t->profile;

	t->region = malloc((profile->places + 1) * sizeof(*t->region));
	if (!t->region)
		return -ENOMEM;
	for (size_t i = 0; i < profile->places; i++) {
		const struct td_file_place *place = profile->place[i].place;

		if (place->kind == TD_PLACE_GAP || place->kind == TD_PLACE_JIT)
			t->region[t->regions++] = (struct region){
				profile->place[i].object, place->address, place->region};
	}
	if (t->regions)
		qsort(t->region, t->regions, sizeof(*t->region), by_region);
	return 0;
}

static uint64_t region_of(const struct taking *t, const struct td_file_object *object,
			  uint64_t address)
{
	const struct region key = {.object = object, .address = address};
	const struct region *found =
		t->regions ? bsearch(&key, t->region, t->regions, sizeof(key), by_region)
			   : NULL;

	return found ? found->region : address;
}

static int has_empty(const struct td_profile *profile, uint32_t group)
{
	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (w->state == TD_WINDOW_EMPTY && w->group == group)
			return 1;
	}
	return 0;
}

/* Somebody knows what is ours in the group's windows, and how many of the returns: its
 * empty ones do, and the kernel makes none. */
static int knows_own_cost(const struct td_profile *profile, uint32_t group)
{
	return profile->header.windows == TD_WINDOWS_VERNIER || has_empty(profile, group);
}

/* The window's returns or calls; -1: its group does not count them. */
static int64_t left_of(const struct taking *t, const struct td_file_window *w,
		       const double *value, int which)
{
	int at = t->group[w->group].left[which];

	return at < 0 ? -1 : (int64_t)value[at];
}

/*
 * Our own returns, which are the same in all windows: what most empty windows have, or
 * without any what windows have at least, but for one in a hundred.
 */
static uint64_t base_of(const struct taking *t, uint32_t group, int which)
{
	const struct td_profile *profile = t->profile;
	uint64_t count[BASE_MOST] = {0}, most = 0, all = 0, few = 0;
	double value[TD_COUNTERS_MAX];
	int empty = has_empty(profile, group);

	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;
		int64_t left;

		if ((w->state == TD_WINDOW_EMPTY) != empty || w->group != group)
			continue;
		td_profile_window_unrounded(profile, w, value);
		left = left_of(t, w, value, which);
		all += left >= 0;
		if (left >= 0 && left < BASE_MOST)
			count[left]++;
	}
	if (!empty) {
		while (most + 1 < BASE_MOST && (few += count[most]) * 100 < all)
			most++;
		return most;
	}
	for (uint64_t i = 1; i < BASE_MOST; i++)
		most = count[i] > count[most] ? i : most;
	return most;
}

/* Where no group counts all of level 1, and none returns (doc/vernier.md). */
static void find_parts_of_all(struct taking *t, const struct td_groups_plan *plan)
{
	for (uint32_t g = 0; g < plan->groups; g++) {
		struct group *group = &t->group[g];

		group->counts = td_groups_level1(plan, g, group->factor);
		group->taken = 1;
		t->parts = t->parts || group->counts;
	}
}

static void count_leavings(const struct td_groups_plan *plan, uint32_t number,
			   struct group *group)
{
	group->left[0] = plan->returns[number] ? plan->returns[number] : -1;
	group->left[1] = plan->calls[number] ? plan->calls[number] : -1;
}

/* Where a core is shared, or its small cores go with such ones, or there is no top-down:
 * a node is no sum of a group's counts, but each group's events can be told apart; by
 * lengths alone where nobody counts returns. */
static void find_rates(struct taking *t, const struct td_groups_plan *plan)
{
	int apart = td_groups_count_returns(plan);
	int judged = apart || t->group[0].left[0] >= 0;

	for (uint32_t g = 0; g < plan->groups; g++) {
		struct group *group = &t->group[g];

		if (apart)
			count_leavings(plan, g, group);
		group->taken =
			(!judged || group->left[0] >= 0) && knows_own_cost(t->profile, g);
		t->rates = t->rates || group->taken;
		if (group->taken && group->left[1] >= 0)
			t->returns = TD_RETURNS_AND_CALLS;
	}
	if (judged && !t->returns)
		t->returns = t->rates;
}

/* Nodes of which other groups count parts: how they make the whole, group 0's windows
 * do not tell. */
static unsigned shared_nodes(const struct taking *t)
{
	unsigned more = 0;

	for (uint32_t g = 1; g < TD_GROUPS_MAX; g++)
		more |= t->group[g].counts >> TD_NODES_LEVEL1;
	return more;
}

/*
 * Where group 0 has no returns, and others have them beside a part of level 1: these
 * others.
 */
static void find_parts(struct taking *t)
{
	struct td_groups_plan plan;

	td_groups_read(&plan, &t->profile->header);
	if (!t->whole) {
		if (t->profile->header.windows == TD_WINDOWS_VERNIER &&
		    !td_groups_is_shared(&plan))
			find_parts_of_all(t, &plan);
		if (!t->parts)
			find_rates(t, &plan);
		return;
	}
	for (uint32_t g = 1; g < plan.groups; g++) {
		struct group *group = &t->group[g];

		group->taken = has_empty(t->profile, g);
		if (!plan.returns[g])
			continue;
		count_leavings(&plan, g, group);
		if (t->group[0].left[0] >= 0)
			continue;
		group->counts = td_groups_level1(&plan, g, group->factor);
		t->parts = t->parts || group->counts;
		/* what one of them does not know, none is judged by */
		if (group->counts && t->returns != 1)
			t->returns = group->left[1] < 0 ? 1 : TD_RETURNS_AND_CALLS;
	}
	t->group[0].counts &= ~shared_nodes(t);
}

static void find_groups(struct taking *t)
{
	const struct td_profile *profile = t->profile;

	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++)
		t->group[g].left[0] = t->group[g].left[1] = -1;
	t->group[0].taken = 1;
	t->group[0].counts = t->whole ? TD_COUNTS_LEVEL1 : 0;
	if (!knows_own_cost(profile, 0))
		return;
	/* counters are in all groups' windows */
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++) {
		t->group[g].left[0] = td_profile_counter(profile, "near_returns");
		t->group[g].left[1] = td_profile_counter(profile, "near_calls");
	}
	if (profile->header.backend == TD_BACKEND_EVENTS) {
		find_parts(t);
		td_report_more_find(profile, t->more);
	}
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++)
		for (int i = 0; i < 2 && t->group[g].taken; i++)
			t->group[g].base[i] = base_of(t, g, i);
}

static int has_returns(const struct taking *t)
{
	if (t->group[0].left[0] < 0 || t->parts || t->rates)
		return t->returns;
	return t->group[0].left[1] < 0 ? 1 : TD_RETURNS_AND_CALLS;
}

/* 1 if the windows are such that they can be told apart. */
static int start(struct taking *t)
{
	const struct td_profile *profile = t->profile;

	if ((profile->header.backend != TD_BACKEND_METRICS &&
	     profile->header.backend != TD_BACKEND_EVENTS) ||
	    !profile->windows || !td_profile_counts_lengths(profile))
		return 0;
	t->whole = 1;
	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		t->node[k] =
			td_profile_counter(profile, td_topdown_tree[own_counter[k]].name);
		t->whole = t->whole && (k >= TD_NODES_LEVEL1 || t->node[k] >= 0);
	}
	find_groups(t);
	return t->whole || t->parts || t->rates;
}

/* Profiles of other processors or with other counters are not mixed with these. */
static int fits(const struct taking *t, struct td_report_log *log)
{
	unsigned nodes =
		t->node[TD_SEPARATE_NODES - 1] >= 0 ? TD_SEPARATE_NODES : TD_NODES_LEVEL1;
	uint32_t width = t->profile->header.slots_a_cycle;
	int exact = t->profile->header.backend == TD_BACKEND_EVENTS;
	int by_kernel = t->profile->header.windows == TD_WINDOWS_VERNIER;

	if (!log->seen) {
		log->nodes = nodes;
		log->width = width;
		log->returns = has_returns(t);
		log->parts = t->parts;
		log->rates = t->rates;
		log->exact = exact;
		log->by_kernel = by_kernel;
	}
	log->chosen = log->chosen || t->profile->header.drilled;
	return log->width == width && log->nodes == nodes && log->exact == exact &&
	       log->by_kernel == by_kernel && log->returns == has_returns(t) &&
	       log->parts == t->parts && log->rates == t->rates;
}

static void note_together(struct td_report_log *log, const struct td_profile *profile)
{
	const struct td_file_header *header = &profile->header;
	unsigned together = td_profile_together(profile);

	if (together > log->together)
		log->together = together;
	log->shuffled = log->shuffled || header->windows_seen > header->windows_max;
}

static uint64_t next_random(struct td_report_log *log)
{
	log->random ^= log->random << 13;
	log->random ^= log->random >> 7;
	log->random ^= log->random << 17;
	return log->random;
}

static int grow(struct td_report_log *log, size_t room)
{
	struct td_separate_window *window =
		reallocarray(log->window, room, sizeof(*window));
	struct ends *ends = reallocarray(log->ends, room, sizeof(*ends));
	struct td_report_counts *counts =
		log->exact ? reallocarray(log->counts, room, sizeof(*counts)) : NULL;
	float *clock = reallocarray(log->clock, room, sizeof(*clock));

	log->window = window ? window : log->window;
	log->ends = ends ? ends : log->ends;
	log->counts = counts ? counts : log->counts;
	log->clock = clock ? clock : log->clock;
	if (!window || !ends || !clock || (log->exact && !counts))
		return -ENOMEM;
	log->room = room;
	return 0;
}

/* Where the next window goes; SIZE_MAX: nowhere.  -ENOMEM in *err. */
static size_t make_room(struct td_report_log *log, int *err)
{
	uint64_t slot = log->seen++;

	if (log->windows == TD_REPORT_WINDOWS_MAX) {
		log->shuffled = 1;
		slot = next_random(log) % log->seen;
		return slot < log->windows ? (size_t)slot : SIZE_MAX;
	}
	if (log->windows == log->room) {
		*err = grow(log, log->room ? 2 * log->room : 1024);
		if (*err)
			return SIZE_MAX;
	}
	return log->windows++;
}

static int is_wanted(const struct taking *t, const struct td_file_window *w)
{
	if (!t->group[w->group].taken)
		return 0;
	return (w->state == TD_WINDOW_EMPTY && w->reject == TD_REJECT_MAX) ||
	       (td_window_is_used(w) &&
		(w->reject == TD_REJECT_MAX || w->reject == TD_REJECT_FUNCTION ||
		 w->reject == TD_REJECT_NESTED));
}

/* The program's returns, and calls as well if they are wanted. */
static uint8_t calls_of(const struct taking *t, const struct td_file_window *w,
			const double *value, int returns)
{
	const uint64_t *base = t->group[w->group].base;
	int64_t calls = 0;

	for (int i = 0; i < returns; i++) {
		int64_t left = left_of(t, w, value, i);

		if (left > (int64_t)base[i])
			calls += left - (int64_t)base[i];
	}
	return calls < UINT8_MAX ? (uint8_t)calls : UINT8_MAX;
}

static void fill_nodes(const struct taking *t, const struct group *group,
		       const double *value, struct td_separate_window *to)
{
	int nodes = t->whole && group == &t->group[0];

	for (int k = 0; k < TD_SEPARATE_NODES && nodes; k++)
		to->value[k] = t->node[k] < 0 ? 0 : (float)value[t->node[k]];
	for (int k = 0; k < TD_GROUPS_PARTS && !nodes; k++)
		for (unsigned i = 0; i < TD_COUNTERS_MAX; i++)
			to->value[k] += (float)(group->factor[k][i] * value[i]);
}

/* In cycles that are the thread's: width slots each, whoever had the core's others. */
static float requested_of(const struct taking *t, const struct td_file_window *from,
			  uint64_t slots)
{
	double had = (double)slots / t->profile->header.slots_a_cycle - t->own;

	return t->lacking && had < from->requested ? (float)fmax(0, had)
						   : (float)from->requested;
}

static void fill(const struct taking *t, const struct td_file_window *from,
		 const double *value, struct td_separate_window *to)
{
	int cycles = t->profile->header.period_unit == TD_UNIT_CYCLES;
	const struct group *group = &t->group[from->group];

	memset(to, 0, sizeof(*to));
	to->requested = cycles ? requested_of(t, from, value[0]) : 0;
	to->slots = (float)value[0] - t->more[from->group];
	fill_nodes(t, group, value, to);
	to->counts = (uint8_t)group->counts;
	to->silent = !group->counts;
	to->unsure = group->left[0] < 0 ||
		     (group->left[1] < 0 && has_returns(t) == TD_RETURNS_AND_CALLS);
	to->calls = calls_of(t, from, value, has_returns(t));
	to->empty = from->state == TD_WINDOW_EMPTY;
	to->sharp = from->state == TD_WINDOW_EXACT;
}

static void fill_counts(const struct taking *t, const struct td_file_window *from,
			const double *value, struct td_report_counts *to)
{
	const struct group *group = &t->group[from->group];

	to->group = from->group;
	to->counted = (uint8_t)((group->left[0] >= 0) + (group->left[1] >= 0));
	to->returns = calls_of(t, from, value, 1);
	for (unsigned v = 0; v < TD_REPORT_COUNTS; v++)
		to->value[v] = (float)value[1 + v];
}

static int take(const struct taking *t, const struct td_profile_window *from,
		td_report_row_fn *row, void *context)
{
	const struct td_file_window *w = from->window;
	double value[TD_COUNTERS_MAX];
	uint32_t number[2] = {0, 0};
	int err = 0;
	size_t slot;

	if (!td_profile_window_unrounded(t->profile, w, value) || value[0] <= 0)
		return 0;
	for (int k = 0; k < 2 && w->state != TD_WINDOW_EMPTY; k++) {
		uint64_t address = w->end[k].address;

		number[k] = row(context, from->object[k], w->kind[k], address,
				region_of(t, from->object[k], address));
		if (number[k] == UINT32_MAX)
			return -ENOMEM;
	}
	slot = make_room(t->log, &err);
	if (slot == SIZE_MAX)
		return err;
	fill(t, w, value, &t->log->window[slot]);
	t->log->window[slot].open = number[0];
	t->log->window[slot].close = number[1];
	t->log->clock[slot] = td_report_ticks_of(&t->ticks, w->group, value);
	if (t->log->exact)
		fill_counts(t, w, value, &t->log->counts[slot]);
	for (int k = 0; k < 2; k++)
		t->log->ends[slot].at[k] = w->end[k].address + w->end[k].offset;
	return 0;
}

int td_report_log_add(struct td_report *report, const struct td_profile *profile,
		      td_report_row_fn *row, td_report_thread_fn *thread, void *context)
{
	struct taking t = {.profile = profile};
	int err = 0;

	/* Where windows end as late as that, few functions can be told apart
	 * (separate.h), and for the others the plain rule is as good. */
	if (td_profile_skid(profile) >= TD_SKID_MUCH || !start(&t))
		return 0;
	if (!report->log) {
		report->log = calloc(1, sizeof(*report->log));
		if (!report->log)
			return -ENOMEM;
		report->log->random = 88172645463325252u;
	}
	t.log = report->log;
	t.lacking = td_profile_lacks_slots(profile, &t.own);
	if (!fits(&t, report->log))
		return 0;
	note_together(report->log, profile);
	err = find_regions(&t);
	if (!err)
		err = td_report_ticks_find(profile, &t.ticks);
	report->log->clocked = report->log->clocked || (!err && t.ticks.known);
	for (size_t i = 0; i < profile->windows && !err; i++) {
		const struct td_profile_window *w = &profile->window[i];

		if (is_wanted(&t, w->window) && !td_window_is_cold(profile, i) &&
		    thread(context, w->window->thread))
			err = take(&t, w, row, context);
	}
	free(t.region);
	return err;
}

static uint32_t root(uint32_t *same, uint32_t number)
{
	while (same[number] != number)
		number = same[number] = same[same[number]];
	return number;
}

static int know_numbers(struct td_report *report, uint32_t number)
{
	struct td_report_log *log = report->log;
	size_t n = log->numbers ? log->numbers : 64;
	uint32_t *same;

	if (number < log->numbers)
		return 0;
	while (n <= number)
		n *= 2;
	same = reallocarray(log->same, n, sizeof(*same));
	if (!same)
		return -ENOMEM;
	for (size_t i = log->numbers; i < n; i++)
		same[i] = (uint32_t)i;
	log->same = same;
	log->numbers = n;
	return 0;
}

int td_report_log_merge(struct td_report *report, uint32_t into, uint32_t from)
{
	int err;

	if (!report->log)
		return 0;
	err = know_numbers(report, into > from ? into : from);
	if (!err)
		report->log->same[root(report->log->same, from)] =
			root(report->log->same, into);
	return err;
}

static uint32_t offset_of(const struct td_report_function *f, uint64_t at)
{
	uint64_t offset = at - f->address;

	/* only where a function has a start do offsets mean the same in all windows */
	return f->kind == TD_PLACE_FUNCTION && offset < UINT32_MAX ? (uint32_t)offset : 0;
}

/* From numbers to indexes of the final rows. */
static int assign(struct td_report *report)
{
	struct td_report_log *log = report->log;
	uint32_t *index;
	uint32_t last = 0;

	for (size_t i = 0; i < report->functions; i++)
		last = report->function[i].number > last ? report->function[i].number
							 : last;
	for (size_t i = 0; i < log->windows; i++) {
		const struct td_separate_window *w = &log->window[i];

		last = w->open > last ? w->open : last;
		last = w->close > last ? w->close : last;
	}
	if (know_numbers(report, last) < 0)
		return -ENOMEM;
	index = calloc(log->numbers, sizeof(*index));
	if (!index)
		return -ENOMEM;
	for (size_t i = 0; i < report->functions; i++)
		index[root(log->same, report->function[i].number)] = (uint32_t)i;
	for (size_t i = 0; i < log->windows; i++) {
		struct td_separate_window *w = &log->window[i];

		w->open = index[root(log->same, w->open)];
		w->close = index[root(log->same, w->close)];
		w->open_offset =
			offset_of(&report->function[w->open], log->ends[i].at[0]);
		w->close_offset =
			offset_of(&report->function[w->close], log->ends[i].at[1]);
	}
	free(index);
	return 0;
}

static void take_result(struct td_report *report, const struct td_separate *result,
			const struct td_report_stays *stays)
{
	struct td_topdown_value mean[TD_NODES];

	td_report_stays_mean(result, mean);
	for (size_t i = 0; i < report->functions; i++) {
		const struct td_separate_function *from = &result->function[i];
		struct td_report_function *to = &report->function[i];

		to->own = from->own;
		to->told = from->windows;
		if (from->evidence == TD_EVIDENCE_NONE ||
		    (stays &&
		     td_report_stays_take(report, &stays[i], from->node, mean, to)))
			continue;
		to->evidence = from->evidence;
		to->identifiability = from->identifiability;
		to->visit = from->visit;
		memcpy(to->node, from->node, sizeof(to->node));
		td_topdown_flag(to->node, report->map.over);
	}
	report->separated = 1;
	report->cost = result->cost;
	report->told = result->windows;
	report->own = result->own;
}

static int separate(struct td_report *report, const struct td_separate_input *input,
		    const struct td_report_stays *stays)
{
	struct td_report_rates_of of = {
		.input = input,
		.counts = report->log->counts,
		.stays = report->log->parts ? NULL : stays,
	};
	struct td_separate result;
	int err;

	if (report->log->rates)
		return td_report_rates(report, &of);
	err = report->log->parts ? td_separate_parts(input, &result)
				 : td_separate(input, &result);
	if (err)
		return err;
	if (result.cost.axis != TD_AXIS_NONE)
		take_result(report, &result, stays);
	of.insns = result.trace;
	of.first = 1;
	if (report->log->exact && (input->returns || report->log->parts))
		err = td_report_rates(report, &of);
	td_separate_free(&result);
	return err;
}

int td_report_log_separate(struct td_report *report)
{
	struct td_separate_input input;
	struct td_report_stays *stays = NULL;
	float *insns = NULL;
	int err;

	if (!report->log || !report->log->windows || !report->functions)
		return 0;
	err = assign(report);
	if (err)
		return err;
	input = (struct td_separate_input){
		.window = report->log->window,
		.windows = report->log->windows,
		.functions = report->functions,
		.nodes = report->log->nodes,
		.returns = report->log->returns,
		.chosen = report->log->chosen,
		.by_kernel = report->log->by_kernel,
		.shared = td_groups_is_shared(&report->plan),
		.exact = report->log->exact,
		.width = report->log->width,
		.together = report->log->together,
		.shuffled = report->log->shuffled,
		.clock = report->log->clocked ? report->log->clock : NULL,
	};
	if (report->log->exact) {
		insns = td_report_instructions(&report->plan, &input,
					       report->log->counts);
		input.common = insns;
	}
	if (!input.returns)
		stays = td_report_stays_find(&input);
	err = (!input.returns && !stays) || (report->log->exact && !insns)
		      ? -ENOMEM
		      : separate(report, &input, stays);
	free(stays);
	free(insns);
	return err == -EINVAL ? 0 : err; /* windows of a few groups only */
}

void td_report_log_free(struct td_report_log *log)
{
	if (!log)
		return;
	free(log->window);
	free(log->ends);
	free(log->counts);
	free(log->clock);
	free(log->same);
	free(log);
}
