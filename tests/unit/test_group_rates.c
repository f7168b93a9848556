// SPDX-License-Identifier: MIT
/* What a report makes of the sums and rates of event groups. */
#include "decoder/groups.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/groups_level1.h"
#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* `n` equal windows of 4000 slots with so many events. */
static void windows(struct td_file_sum *sum, double x, uint64_t n)
{
	*sum = (struct td_file_sum){(uint64_t)(int64_t)(x * (double)n), x * x * (double)n,
				    x * 4000 * (double)n};
}

static struct td_groups_plan plan;
static struct td_groups groups;
static struct td_file_sum first[TD_COUNTERS_MAX];
static struct td_topdown_value node[TD_NODES];
static uint16_t values_of_group_4;

/* Skylake with the counts above, a window being 1000 cycles. */
static void setup(void)
{
	static const struct {
		const char *name;
		uint16_t group, value;
		double count;
	} event[] = {
		{"inst", 0, 5, 1240},        {"cycles_0", 1, 1, 120},
		{"br_misp", 1, 2, 6},        {"clears", 1, 3, 4},
		{"inst", 1, 5, 1240},        {"stalls_mem", 2, 1, 200},
		{"stalls_total", 2, 2, 240}, {"stores", 2, 3, 50},
		{"ports_1", 2, 4, 60},       {"ports_2", 3, 1, 100},
		{"retired", 3, 2, 1200},     {"fused", 3, 3, 200},
	};
	static const double level1[] = {4000, 1200, 400, 800, 1600, 1240};

	memset(&plan, 0, sizeof(plan));
	memset(&groups, 0, sizeof(groups));
	memset(node, 0, sizeof(node));
	plan.family = td_events_named("skylake");
	plan.groups = 4;
	plan.width = 4;
	plan.alone = (struct td_estimate){1, 1, 1};
	values_of_group_4 = 0;
	for (size_t i = 0; i < TD_COUNTERS_MAX; i++)
		plan.first[i] = i < COUNT(level1) ? (int)i : -1;
	for (size_t i = 0; i < COUNT(level1); i++)
		windows(&first[i], level1[i], 100);
	for (int g = 1; g < 4; g++) {
		groups.group[g].windows = 100;
		windows(&groups.group[g].sum[0], 4000, 100);
	}
	for (size_t i = 0; i < COUNT(event); i++) {
		struct td_file_event *to = &plan.event[plan.events++];

		snprintf(to->name, sizeof(to->name), "%s", event[i].name);
		to->group = event[i].group;
		to->value = event[i].value;
		if (event[i].group)
			windows(&groups.group[event[i].group].sum[event[i].value],
				event[i].count, 100);
	}
}

static void level1(void)
{
	static const struct td_topdown_map map = {
		.slots = 0, .node = {1, 2, 3, 4, -1, -1, -1, -1, -1, -1, -1, -1}};

	td_topdown_values(&map, first, 100, 0, node);
}

static void assert_node(int n, double expected)
{
	ck_assert(node[n].present);
	ck_assert_double_eq_tol(100 * node[n].estimate.value, expected, 1e-6);
	ck_assert_double_le(node[n].estimate.low, node[n].estimate.value);
	ck_assert_double_ge(node[n].estimate.high, node[n].estimate.value);
}

START_TEST(groups_give_level_2)
{
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_FETCH_LATENCY, 12);
	assert_node(TD_NODE_FETCH_BANDWIDTH, 8);
	assert_node(TD_NODE_BRANCH_MISPREDICTS, 6);
	assert_node(TD_NODE_MACHINE_CLEARS, 4);
	assert_node(TD_NODE_HEAVY_OPERATIONS, 4);
	assert_node(TD_NODE_LIGHT_OPERATIONS, 26);
	assert_node(TD_NODE_MEMORY_BOUND, 40 * 250. / 380);
	ck_assert(node[TD_NODE_MEMORY_BOUND].flagged);
	ck_assert_uint_eq(node[TD_NODE_MEMORY_BOUND].df, 99);
	/* equal windows: hardly any interval */
	ck_assert_double_lt(node[TD_NODE_MEMORY_BOUND].estimate.high -
				    node[TD_NODE_MEMORY_BOUND].estimate.low,
			    1e-3);
}
END_TEST

/* A group without windows: its nodes are blank, the others stay. */
START_TEST(groups_that_are_missing)
{
	groups.group[2].windows = 0;
	memset(groups.group[2].sum, 0, sizeof(groups.group[2].sum));
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	ck_assert(!node[TD_NODE_MEMORY_BOUND].present);
	ck_assert(!node[TD_NODE_CORE_BOUND].present);
	assert_node(TD_NODE_FETCH_LATENCY, 12);
	assert_node(TD_NODE_BACKEND_BOUND, 40);
	memset(node, 0, sizeof(node));
	level1();
	td_groups_values(&plan, first, 100, NULL, node);
	ck_assert(!node[TD_NODE_FETCH_LATENCY].present);
}
END_TEST

/* A scatter of the counts shows in the interval: +- 50 % of the mispredicts. */
START_TEST(groups_know_their_scatter)
{
	double half;

	groups.group[1].sum[2].squares *= 1.25;
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	half = (node[TD_NODE_BRANCH_MISPREDICTS].estimate.high -
		node[TD_NODE_BRANCH_MISPREDICTS].estimate.low) /
	       2;
	/* 2 sigma of a mean of 100: 10 % of 6 in 10 * br / (br + 4) */
	ck_assert_double_gt(half, 0.0020);
	ck_assert_double_lt(half, 0.0030);
}
END_TEST

/* Half an event of own cost that may be wrong, a window; but nothing is below zero. */
START_TEST(groups_know_their_own_cost)
{
	struct td_groups window = {0};
	const struct td_own_cost cost = {.windows = 50, .unsure = {[2] = 0.29}};
	const struct td_topdown_value *br = &node[TD_NODE_BRANCH_MISPREDICTS];
	double half;

	for (int i = 0; i < 100; i++)
		td_groups_add(&window, 1, groups.group[1].sum, 3, 1, &cost);
	memcpy(groups.group[1].unsure, window.group[1].unsure,
	       sizeof(window.group[1].unsure));
	ck_assert_double_eq_tol(groups.group[1].unsure[2], 29, 1e-9);
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	/* 6 +- 0.57 mispredicts and 4 clears */
	half = (br->estimate.high - br->estimate.low) / 2;
	ck_assert_double_eq_tol(100 * half, 10 * (6 / 10. - 5.43 / 9.43), 0.03);
	groups.group[1].unsure[2] = 2900;
	level1();
	memset(&node[TD_NODES_LEVEL1], 0, (TD_NODES - TD_NODES_LEVEL1) * sizeof(node[0]));
	td_groups_values(&plan, first, 100, &groups, node);
	ck_assert_double_le(br->estimate.high, 0.12 + 1e-9);
}
END_TEST

static float change[TD_EVENTS_MAX][TD_BATCHES];

/* A rate, per window, that is known to so much by how batches go up and down (`sign`, or
 * 0: nobody knows how they do), and to so much that none shows. */
static void know(int event, double count, double half, int sign, double unseen)
{
	/* of so many equal moves: Student's t of 31 degrees of freedom */
	double move = half / 1000 / (2.0395 * sqrt(TD_BATCHES - 1));

	for (int b = 0; b < TD_BATCHES; b++)
		change[event][b] = (float)(b % 2 ? sign * move : -sign * move);
	groups.rate[event] = (struct td_groups_rate){
		.known = 1,
		.df = 1000,
		.value = count / 1000,
		.half = hypot(half, unseen) / 1000,
		.change = sign ? change[event] : NULL,
		.unseen = unseen / 1000,
	};
}

/* Half of a node's interval, points. */
static double half_of(int which)
{
	memset(node, 0, sizeof(node));
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	return 50 * (node[which].estimate.high - node[which].estimate.low);
}

/* Six mispredicts and four clears of 10 % bad speculation, each known to a tenth: where
 * both are a tenth too many at once, their parts are what they are. */
START_TEST(rates_go_together)
{
	const double one = 10 * 6 * 4 / 100. / 10;

	know(2, 6, 0.6, 1, 0);
	know(3, 4, 0.4, 1, 0);
	ck_assert_double_lt(half_of(TD_NODE_BRANCH_MISPREDICTS), 0.01);
	know(3, 4, 0.4, -1, 0);
	ck_assert_double_eq_tol(half_of(TD_NODE_BRANCH_MISPREDICTS), 2 * one, 0.03);
	/* of what no batch shows nobody knows */
	know(2, 6, 0, 1, 0.6);
	know(3, 4, 0, 1, 0.4);
	ck_assert_double_eq_tol(half_of(TD_NODE_BRANCH_MISPREDICTS), 2 * one, 0.03);
	know(2, 6, 0.6, 1, 0);
	ck_assert_double_eq_tol(half_of(TD_NODE_BRANCH_MISPREDICTS), sqrt(2) * one, 0.03);
	know(2, 6, 0.6, 0, 0);
	know(3, 4, 0.4, 0, 0);
	ck_assert_double_eq_tol(half_of(TD_NODE_BRANCH_MISPREDICTS), 2 * one, 0.03);
}
END_TEST

/* The same by what all windows know of instructions, each by so much and to one side;
 * that is no other error than batches show. */
START_TEST(rates_go_with_instructions)
{
	const double one = 10 * 6 * 4 / 100. / 10;

	for (int sign = -1; sign <= 1; sign += 2) {
		know(2, 6, 0, 1, 0);
		know(3, 4, 0, 1, 0);
		groups.rate[2].beside = sign * 0.6 / 1000;
		groups.rate[3].beside = 0.4 / 1000;
		groups.rate[2].half = 0.6 / 1000;
		groups.rate[3].half = 0.4 / 1000;
		ck_assert_double_eq_tol(half_of(TD_NODE_BRANCH_MISPREDICTS),
					(1 - sign) * one, 0.03);
	}
	know(2, 6, 0.6, 1, 0);
	know(3, 4, 0.4, 1, 0);
	groups.rate[3].beside = 0.4 / 1000;
	ck_assert_double_eq_tol(half_of(TD_NODE_BRANCH_MISPREDICTS), one, 0.03);
	/* whose batches nobody knows all is unseen of */
	know(2, 6, 0, 1, 0);
	know(3, 4, 0.4, 0, 0);
	groups.rate[3].beside = -0.4 / 1000;
	ck_assert_double_eq_tol(half_of(TD_NODE_BRANCH_MISPREDICTS), one, 0.03);
}
END_TEST

/* Uops retired and fused are group 3's, instructions all groups': which of the function's
 * states windows met is in all of them. */
START_TEST(groups_go_together)
{
	know(10, 1200, 60, 1, 0);
	know(11, 200, 10, 1, 0);
	know(0, 1240, 70, 1, 0);
	ck_assert_double_lt(half_of(TD_NODE_HEAVY_OPERATIONS), 0.01);
	know(0, 1240, 70, -1, 0);
	ck_assert_double_eq_tol(half_of(TD_NODE_HEAVY_OPERATIONS), 140 / 40., 0.05);
	know(0, 1240, 70, 0, 0);
	ck_assert_double_eq_tol(half_of(TD_NODE_HEAVY_OPERATIONS), hypot(70, 70) / 40,
				0.05);
}
END_TEST

static void add_to_group_4(const char *name, double count)
{
	struct td_file_event *to = &plan.event[plan.events++];

	snprintf(to->name, sizeof(to->name), "%s", name);
	to->group = 4;
	to->value = ++values_of_group_4;
	windows(&groups.group[4].sum[to->value], count, 100);
}

/* Half of the time the other thread of the core runs as well: three quarters of the
 * slots are ours, and of a cycle of recovery no more than that is lost to us. */
static void assert_three_quarters(double known)
{
	struct td_estimate alone = {.value = NAN};

	/* level 1 in several groups: its events are raw */
	groups.group[4].windows = 100;
	windows(&groups.group[4].sum[0], 4000, 100);
	add_to_group_4("not_delivered", 800);
	add_to_group_4("issued", 1400);
	add_to_group_4("recovery", 50);
	td_groups_alone(&plan, first, 100, &groups, &alone);
	ck_assert(isnan(known) || fabs(alone.value - known) < 1e-9);
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_RETIRING, 30 / 0.75);
	assert_node(TD_NODE_BAD_SPECULATION, (1400 - 1200 + 3 * 50) / 30.);
}

START_TEST(groups_on_a_shared_core)
{
	add_to_group_4("one_thread", 20);
	add_to_group_4("ref_clock", 40);
	assert_three_quarters(0.5);
}
END_TEST

START_TEST(groups_that_count_their_slots)
{
	add_to_group_4("own_slots", 3000);
	assert_three_quarters(0.5);
}
END_TEST

/* Zen: retired + bad speculation + frontend + backend are what the other thread left, and
 * that may be less than half. */
static void assert_what_is_left(double other)
{
	double left = 6000 - other;
	struct td_estimate alone;

	plan.family = td_events_named("zen4");
	plan.width = 6;
	plan.events -= values_of_group_4;
	values_of_group_4 = 0;
	memset(&groups.group[4], 0, sizeof(groups.group[4]));
	groups.group[4].windows = 100;
	windows(&groups.group[4].sum[0], 6000, 100);
	add_to_group_4("retired", 0.4 * left);
	add_to_group_4("dispatched", 0.5 * left);
	add_to_group_4("frontend", 0.2 * left);
	add_to_group_4("backend", 0.3 * left);
	add_to_group_4("other_thread", other);
	memset(node, 0, sizeof(node));
	ck_assert_int_eq(td_groups_is_shared(&plan), TD_SHARED_SLOTS);
	ck_assert_int_eq(td_groups_alone(&plan, first, 100, &groups, &alone), 1);
	ck_assert_double_eq_tol(alone.value, 1 - other / 3000, 1e-9);
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_RETIRING, 40);
	assert_node(TD_NODE_BAD_SPECULATION, 10);
	assert_node(TD_NODE_FRONTEND_BOUND, 20);
	assert_node(TD_NODE_BACKEND_BOUND, 30);
}

START_TEST(groups_that_count_the_others_slots)
{
	const struct td_estimate run = {-0.2, -0.25, -0.15};

	/* group 2's `retired` is of another family */
	groups.group[3].windows = 0;
	assert_what_is_left(0);
	assert_what_is_left(1500);
	assert_what_is_left(4500);
	/* 60 % of the run's slots were the other's: of half of it 25 to 95 % */
	plan.alone = run;
	groups.share = 0.5;
	assert_what_is_left(4500);
	groups.group[4].windows = 0;
	memset(node, 0, sizeof(node));
	td_groups_values(&plan, first, 100, &groups, node);
	ck_assert(!node[TD_NODE_BACKEND_BOUND].present);
}
END_TEST

/* A function without windows of that group has as much of its core as the run. */
START_TEST(groups_that_share_as_the_run_does)
{
	plan.alone = (struct td_estimate){0.5, 0.5, 0.5};
	assert_three_quarters(NAN);
}
END_TEST

/* What was seen of the function alone says `seen`, of half the run's cycles; how much
 * more of its core it can have had depends on the run. */
static void assert_bounded(const struct td_estimate *run, double seen, double alone)
{
	plan.events -= values_of_group_4;
	values_of_group_4 = 0;
	plan.alone = *run;
	groups.share = 0.5;
	groups.group[4].windows = 100;
	windows(&groups.group[4].sum[0], 4000, 100);
	add_to_group_4("not_delivered", 800);
	add_to_group_4("issued", 1400);
	add_to_group_4("recovery", 50);
	add_to_group_4("one_thread", 40 * seen);
	add_to_group_4("ref_clock", 40);
	memset(node, 0, sizeof(node));
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_RETIRING, 30 / ((1 + alone) / 2));
}

START_TEST(groups_that_share_what_the_run_leaves)
{
	const struct td_estimate mostly = {0.9, 0.88, 0.92}, hardly = {0.1, 0.08, 0.12},
				 half = {0.5, 0.48, 0.52};

	assert_bounded(&mostly, 0.1, 0.76); /* 12 % shared, all of it in this half */
	assert_bounded(&mostly, 0.95, 0.95);
	assert_bounded(&hardly, 0.9, 0.24); /* 12 % alone, likewise */
	assert_bounded(&hardly, 0, 0);
	assert_bounded(&half, 0.1, 0.1);
	groups.share = 0;
	plan.alone.value = NAN;
	memset(node, 0, sizeof(node));
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_RETIRING, 30 / 0.55);
}
END_TEST

static void assert_rate(int i, double per_cycle, double per_instruction)
{
	struct td_event_rate rate;

	ck_assert(td_groups_rate(&plan, (uint32_t)i, first, 100, &groups, &rate));
	ck_assert_double_eq_tol(rate.per_cycle.value, per_cycle, 1e-9);
	if (isnan(per_instruction))
		ck_assert_double_nan(rate.per_instruction.value);
	else
		ck_assert_double_eq_tol(rate.per_instruction.value, per_instruction,
					1e-9);
}

/* Group 2 has no instructions of its own; the second "inst" is the first one again. */
START_TEST(rates_of_events)
{
	struct td_event_rate rate;

	assert_rate(0, 1.24, 1);
	assert_rate(1, 0.12, 120. / 1240);
	ck_assert(td_groups_rate(&plan, 1, first, 100, &groups, &rate));
	ck_assert(!rate.asked);
	ck_assert(!td_groups_rate(&plan, 4, first, 100, &groups, &rate));
	ck_assert(td_groups_rate(&plan, 5, first, 100, &groups, &rate));
	ck_assert_double_nan(rate.per_instruction.value);
	snprintf(plan.event[2].name, sizeof(plan.event[2].name), "branch-misses");
	ck_assert(td_groups_rate(&plan, 2, first, 100, &groups, &rate));
	ck_assert(rate.asked);
	ck_assert(!td_groups_rate(&plan, 2, first, 100, NULL, &rate));
}
END_TEST

/* The same event in several groups: in windows that nobody judged others may have been,
 * but not in others of which it is told apart. */
START_TEST(rates_of_the_best_windows)
{
	struct td_event_rate rate;

	windows(&groups.group[1].sum[5], 1300, 100);
	assert_rate(0, 1.24, 1);
	plan.returns[1] = 6;
	ck_assert(td_groups_is_unjudged(&plan, 0));
	ck_assert(!td_groups_rate(&plan, 0, first, 100, &groups, &rate));
	assert_rate(4, 1.3, 1);
	/* that group has no windows of this function */
	groups.group[1].windows = 0;
	assert_rate(0, 1.24, 1);
	groups.group[1].windows = 100;
	plan.returns[1] = 0;
	groups.rate[4] = (struct td_groups_rate){.known = 1, .df = 50, .value = 0.9};
	ck_assert(!td_groups_rate(&plan, 0, first, 100, &groups, &rate));
	assert_rate(4, 0.9, 1);
}
END_TEST

/* In ten times as many windows as other events have. */
static void ask(const char *name, double count, uint64_t config)
{
	plan.asked |= 1ull << plan.events;
	plan.event[plan.events].config = config;
	groups.group[4].windows = 1000;
	windows(&groups.group[4].sum[0], 4000, 1000);
	add_to_group_4(name, 0);
	windows(&groups.group[4].sum[values_of_group_4], count, 1000);
}

/* Another event by the name of one of the table's: formulas do not take it, and the name
 * is its own. */
START_TEST(asked_by_the_name_of_another)
{
	struct td_event_rate rate;

	ask("stores", 130, 0x82d0);
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_MEMORY_BOUND, 40 * 250. / 380);
	ck_assert(td_groups_rate(&plan, plan.events - 1, first, 100, &groups, &rate));
	ck_assert(rate.asked);
	ck_assert_double_eq_tol(rate.per_cycle.value, 0.13, 1e-9);
	ck_assert(!td_groups_rate(&plan, 7, first, 100, &groups, &rate));
	/* not counted here: nor is the other one what was asked for */
	groups.group[4].windows = 0;
	ck_assert(!td_groups_rate(&plan, 7, first, 100, &groups, &rate));
	/* but the same event is */
	plan.event[plan.events - 1].config = 0;
	ck_assert(td_groups_rate(&plan, 7, first, 100, &groups, &rate));
	ck_assert(!rate.asked);
}
END_TEST

/* The core is no more shared for it. */
START_TEST(asked_how_often_a_thread_is_alone)
{
	struct td_estimate alone;

	ask("one_thread", 20, 0);
	ck_assert(!td_groups_is_shared(&plan));
	ck_assert(!td_groups_alone(&plan, first, 100, &groups, &alone));
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_FETCH_LATENCY, 12);
	assert_node(TD_NODE_HEAVY_OPERATIONS, 4);
	assert_rate((int)plan.events - 1, 0.02, NAN);
	plan.asked = 0;
	ck_assert(td_groups_is_shared(&plan));
}
END_TEST

/* As the agent writes it: all groups count returns, of which the header says nothing but
 * in counters, and two events in one of their own. */
START_TEST(asked_for_returns)
{
	static struct td_file_header header;
	struct td_event_rate rate;

	memset(&header, 0, sizeof(header));
	header.backend = TD_BACKEND_EVENTS;
	header.groups = 5;
	header.slots_a_cycle = 4;
	header.counters = TD_COUNTERS_MAX;
	strcpy(header.family, "skylake");
	ask("near_returns", 10, 0);
	ask("inst", 310, 0);
	header.events = plan.events;
	header.asked = plan.asked;
	memcpy(header.event, plan.event, sizeof(header.event));
	td_groups_read(&plan, &header);
	ck_assert_uint_eq(plan.asked, header.asked);
	ck_assert(!td_groups_is_unjudged(&plan, 0));
	ck_assert_int_eq(td_groups_value(&plan, 4, "inst"), -1);
	assert_rate((int)plan.events - 2, 0.01, NAN);
	ck_assert(td_groups_rate(&plan, plan.events - 1, first, 100, &groups, &rate));
	ck_assert(rate.asked);
	header.asked = 0;
	td_groups_read(&plan, &header);
	ck_assert(td_groups_is_unjudged(&plan, 0));
	ck_assert_uint_eq(plan.events, header.events - 1);
}
END_TEST

/* What was told apart counts, not the sums of windows: those of a function that is slow
 * now and then are more often of its slow visits.  What empty windows do not tell of the
 * own cost is in the interval of a long one. */
START_TEST(rates_told_apart)
{
	struct td_event_rate rate;

	groups.rate[1] = (struct td_groups_rate){.known = 1, .df = 50, .value = 0.2};
	groups.rate[4] = (struct td_groups_rate){.known = 1, .df = 50, .value = 2};
	assert_rate(1, 0.2, 0.1);
	groups.rate[1].half = 0.0003;
	groups.group[1].unsure[1] = 29; /* 0.29 events in each of 100 windows */
	assert_rate(1, 0.2, 0.1);
	ck_assert(td_groups_rate(&plan, 1, first, 100, &groups, &rate));
	ck_assert_double_eq_tol(rate.per_cycle.high, 0.2003, 1e-9);
	groups.rate[1].own = 1;
	assert_rate(1, 0.2, 0.1);
	ck_assert(td_groups_rate(&plan, 1, first, 100, &groups, &rate));
	ck_assert_double_eq_tol(rate.per_cycle.high,
				0.2 + hypot(0.0003, 1.95996 * 29 / 100000), 1e-9);
	groups.rate[1].value = 0.12;
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_FETCH_LATENCY, 12);
}
END_TEST

/* A fetch latency of so many percent, told apart, +- `half`, is known to be `expected`;
 * the frontend is 20. */
static void assert_latency(double told, double half, double expected)
{
	const struct td_topdown_value *latency = &node[TD_NODE_FETCH_LATENCY];

	groups.rate[1] = (struct td_groups_rate){
		.known = 1, .df = 50, .value = told / 100, .half = half / 100};
	memset(node, 0, sizeof(node));
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	ck_assert_double_eq_tol(100 * latency->estimate.value, expected, 0.2);
	ck_assert_double_le(latency->estimate.low, latency->estimate.value);
	ck_assert_double_ge(latency->estimate.high, latency->estimate.value);
	ck_assert_double_le(latency->estimate.high,
			    node[TD_NODE_FRONTEND_BOUND].estimate.high);
}

/* Where hardly anything is known of it, it is half of its parent; a little known moves it
 * from there, and what is known well it is. */
START_TEST(level_2_is_a_part_of_level_1)
{
	assert_latency(0, 500, 10);
	assert_latency(0, 1, 0.41); /* sqrt(2 / pi) of a standard deviation */
	assert_latency(20, 1, 19.59);
	assert_latency(19, 10, 15.55);
	assert_latency(12, 1, 12);
	assert_latency(90, 1, 20);
}
END_TEST

/* Ivy Bridge's memory bound with so many percent of fetch latency, +- 1, which the
 * formula compares with 10; the backend is 40. */
static const struct td_estimate *memory_bound(double latency)
{
	const struct {
		const char *name;
		double value;
	} rate[] = {
		{"cycles_0", latency / 100},
		{"stalls_mem", 0.2},
		{"stalls_total", 0.24},
		{"stores", 0.05},
		{"rs_empty", 0.15},
		{"executed_1", 0.8},
		{"executed_2", 0.5},
		{"executed_3", 0.4},
		{"inst", 1},
	};

	plan.family = td_events_named("ivybridge");
	plan.events = COUNT(rate);
	for (size_t i = 0; i < COUNT(rate); i++) {
		struct td_file_event *event = &plan.event[i];

		snprintf(event->name, sizeof(event->name), "%s", rate[i].name);
		event->group = 1;
		groups.rate[i] = (struct td_groups_rate){
			.known = 1, .df = 50, .value = rate[i].value};
	}
	groups.rate[0].half = 0.01;
	memset(node, 0, sizeof(node));
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	ck_assert(node[TD_NODE_MEMORY_BOUND].present);
	return &node[TD_NODE_MEMORY_BOUND].estimate;
}

/* Near a step of a formula it may be this side or that: both are in the interval. */
START_TEST(steps_of_formulas)
{
	const double below = 0.4 * 0.25 / 0.59, above = 0.4 * 0.25 / 0.44;
	const struct td_estimate *found = memory_bound(8);

	ck_assert_double_eq_tol(found->value, below, 1e-4);
	ck_assert_double_lt(found->high, below + 0.001);
	found = memory_bound(12);
	ck_assert_double_eq_tol(found->value, above, 1e-4);
	ck_assert_double_gt(found->low, above - 0.001);
	found = memory_bound(10);
	ck_assert_double_eq_tol(found->value, 0.4 * 0.25 / (0.59 - 0.15 / 2), 1e-4);
	ck_assert_double_le(found->low, below);
	ck_assert_double_ge(found->high, above);
}
END_TEST

/* 40 % retiring, 30 backend, 40 +- 5 frontend: what is left is 0, and as unsure. */
START_TEST(below_0_by_chance)
{
	const struct td_topdown_value *bad = &node[TD_NODE_BAD_SPECULATION],
				      *misses = &node[TD_NODE_BRANCH_MISPREDICTS];

	plan.family = td_events_named("icelake");
	plan.events = 0;
	groups.group[4].windows = 100;
	windows(&groups.group[4].sum[0], 4000, 100);
	add_to_group_4("retired", 1600);
	add_to_group_4("backend", 1200);
	add_to_group_4("not_delivered", 1600);
	add_to_group_4("dropping", 0);
	add_to_group_4("clears_count", 0);
	add_to_group_4("br_misp", 3);
	add_to_group_4("clears", 1);
	groups.group[4].sum[3].squares *= 1 + 0.63 * 0.63;
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_FRONTEND_BOUND, 40);
	assert_node(TD_NODE_BAD_SPECULATION, 0);
	ck_assert(bad->estimate.low == 0);
	ck_assert_double_eq_tol(bad->estimate.high, 0.05, 0.002);
	assert_node(TD_NODE_BRANCH_MISPREDICTS, 0);
	ck_assert_double_eq_tol(misses->estimate.high, 0.05 * 3 / 4, 0.002);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {groups_give_level_2,
				      groups_that_are_missing,
				      groups_know_their_scatter,
				      groups_on_a_shared_core,
				      groups_that_count_their_slots,
				      groups_that_count_the_others_slots,
				      groups_that_share_as_the_run_does,
				      groups_that_share_what_the_run_leaves,
				      rates_of_events,
				      rates_of_the_best_windows,
				      rates_told_apart,
				      asked_by_the_name_of_another,
				      asked_how_often_a_thread_is_alone,
				      asked_for_returns,
				      level_2_is_a_part_of_level_1,
				      groups_know_their_own_cost,
				      rates_go_together,
				      rates_go_with_instructions,
				      groups_go_together,
				      steps_of_formulas,
				      below_0_by_chance,
				      NULL};

	return unit_main_between("group_rates", tests, setup, NULL);
}
