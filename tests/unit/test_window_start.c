// SPDX-License-Identifier: MIT
/* Where the program starts in windows, and from which length on they are used. */
#include <math.h>

#include "decoder/window_start.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define EDGE 50. /* cycles of a return to user mode, half of that to either side */
#define WIDTH 6. /* slots a cycle */
#define LOST 262.
#define NODES_ALL 2

static struct td_axis axis;
static int returns = 1;
static int rates; /* NODES_ALL: each node counts what the first one does */
static unsigned batch = TD_NO_BATCH;
static int decided;
static double empties_beside; /* cycles by which they say another start */
static size_t torn;           /* so many windows lose cycles, and no other count does */
static float longer;          /* slots, of every third empty window */
static float apart; /* slots of frontend bound by which odd functions' cost is more, and
		       of bad speculation by which it is less */

static void lose_cycles(void)
{
	for (size_t i = 0, left = torn; i < sim.windows && left; i++) {
		struct td_separate_window *w = &sim.window[i];

		if (w->empty || w->requested < 500)
			continue;
		w->slots -= LOST * WIDTH;
		left--;
	}
}

static void lengthen_empties(void)
{
	for (size_t i = 0, empty = 0; i < sim.windows; i++)
		if (sim.window[i].empty && empty++ % 3 == 0)
			sim.window[i].slots += longer;
}

static void tear_costs(void)
{
	for (size_t i = 0; i < sim.windows; i++) {
		struct td_separate_window *w = &sim.window[i];

		if (w->empty || w->open % 2 == 0)
			continue;
		w->value[TD_NODE_FRONTEND_BOUND] += apart;
		w->value[TD_NODE_BAD_SPECULATION] -= apart;
	}
}

static void count_alike(void)
{
	for (size_t i = 0; i < sim.windows && rates; i++) {
		struct td_separate_window *w = &sim.window[i];

		for (int k = 1; k < TD_SEPARATE_NODES; k++)
			w->value[k] = rates == NODES_ALL ? w->value[0] : 0;
	}
}

/* Finds both for functions of long visits; the counts are exact, or 255ths. */
static void find(int exact, double edge)
{
	const struct sim_setup setup = {.kind = SIM_LONG,
					.seed = 5,
					.windows = 20000,
					.shortest = 2,
					.most = 2000,
					.edge = edge,
					.edge_spread = 0.5};
	struct td_separate_input input;
	struct td_columns columns;

	sim_run(&sim, &setup);
	lose_cycles();
	lengthen_empties();
	tear_costs();
	input = sim_input(&sim);
	input.exact = exact;
	input.returns = returns;
	input.rates = rates;
	count_alike();
	ck_assert_int_eq(td_axis_find(&input, &axis), 0);
	ck_assert_int_eq(axis.kind, TD_AXIS_REQUESTED);
	ck_assert_int_eq(td_columns_find(&columns, &input, &axis), 0);
	axis.start += empties_beside;
	axis.lines_alone = decided;
	ck_assert_int_eq(td_start_find(&input, &columns, batch, &axis), 0);
	td_columns_free(&columns);
	sim_free(&sim);
}

/*
 * A start is late by an edge or two, now and then by much more.  Counts that nothing
 * rounds are a window's in which the program has begun for all but one in ten thousand.
 */
START_TEST(exact_counts_have_begun)
{
	double rounded;

	find(0, EDGE);
	ck_assert_double_gt(axis.start_spread, EDGE / 6);
	rounded = axis.first;
	find(1, EDGE);
	ck_assert_double_ge(axis.first, axis.start + 4 * axis.start_spread - 1e-6);
	ck_assert_double_gt(axis.first, rounded);
	ck_assert_double_le(axis.first, axis.start + 4 * EDGE);
}
END_TEST

/* Nothing is late: windows of any length count, and the program starts where it does in
 * empty ones. */
START_TEST(without_edges)
{
	find(1, 0);
	ck_assert_double_le(axis.start_spread, 0);
	ck_assert_double_le(axis.first, axis.start + 3);
	ck_assert_double_le(axis.start_error, 0.02);
}
END_TEST

/* By a slot or two, as far as whole ones are counted, empty windows may differ: their
 * mean is what says where the program starts. */
START_TEST(nearly_equal_empties)
{
	longer = 2;
	find(1, 0);
	longer = 0;
	ck_assert_double_gt(axis.empty_spread, 0.1);
	ck_assert_double_eq(axis.start, axis.empty - axis.beyond);
	ck_assert_double_ge(axis.start_error, 0.015);
	ck_assert_double_le(axis.start_error, 0.05);
}
END_TEST

/* The cost differs from function to function in the nodes in which it does. */
START_TEST(costs_of_their_own)
{
	const double square = pow(3 / 2., 2); /* of half of that about the mean */

	longer = 6;
	apart = 3 * (float)WIDTH;
	find(1, 0);
	longer = apart = 0;
	ck_assert_double_eq_tol(axis.differs[TD_NODE_FRONTEND_BOUND], square, square / 2);
	ck_assert_double_eq_tol(axis.differs[TD_NODE_BAD_SPECULATION], square,
				square / 2);
	ck_assert_double_eq_tol(axis.between, square, square / 2);
	ck_assert_double_lt(axis.differs[TD_NODE_RETIRING], square / 5);
	ck_assert_double_lt(axis.differs[TD_NODE_BACKEND_BOUND], square / 5);
}
END_TEST

/* Due lengths need who called as well where counts are exact: of parts of level 1 by
 * groups.  With edges nobody knows when a window was due. */
START_TEST(due_lengths)
{
	static const struct {
		int exact, returns;
		double edge;
		int blocks;
	} with[] = {
		{0, 1, 0, 1},
		{1, 1, 0, 0},
		{1, TD_RETURNS_AND_CALLS, 0, 1},
		{1, TD_RETURNS_AND_CALLS, EDGE, 0},
	};
	struct td_separate_window late = {.requested = 200, .slots = WIDTH * 300};

	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		returns = with[i].returns;
		find(with[i].exact, with[i].edge);
		ck_assert_int_eq(axis.blocks, with[i].blocks);
		if (axis.blocks)
			ck_assert_double_lt(td_axis_due(&axis, &late), 230);
		else
			ck_assert_double_eq(td_axis_due(&axis, &late),
					    td_axis_length(&axis, &late));
	}
}
END_TEST

/* A few windows that lost cycles do not make triggers due so much sooner, with edges or
 * without; what they counted is not asked. */
START_TEST(lost_cycles)
{
	static const double edge[] = {0, EDGE};
	struct td_separate_window whole = {.requested = 600}, lost = whole;

	for (size_t i = 0; i < 2; i++) {
		double soonest;

		find(0, edge[i]);
		soonest = axis.soonest;
		torn = 5;
		find(0, edge[i]);
		torn = 0;
		ck_assert_double_eq_tol(axis.soonest, soonest, 2);
		whole.slots = (float)(WIDTH * (600 + axis.beyond + axis.soonest));
		lost.slots = (float)(whole.slots - WIDTH * LOST);
		ck_assert_int_eq(td_axis_counts(&axis, &whole), 1);
		ck_assert_int_eq(td_axis_counts(&axis, &lost), 0);
		/* where it ended is known all the same */
		ck_assert_int_eq(td_axis_ended(&axis, &lost), 1);
	}
}
END_TEST

/* What several events of a group say of the start is no more than what one says, if all
 * count the same. */
START_TEST(rates_go_together)
{
	double start, error;

	rates = 1;
	find(1, EDGE);
	start = axis.start;
	error = axis.start_error;
	rates = NODES_ALL;
	find(1, EDGE);
	rates = 0;
	ck_assert_double_eq_tol(axis.start, start, 1e-6);
	ck_assert_double_eq_tol(axis.start_error, error, 1e-6);
}
END_TEST

/* Whether empty windows' word is taken all windows decide: without a batch's the start
 * moves, but does not jump. */
START_TEST(a_batch_decides_nothing)
{
	static const double beside[] = {0, 100};

	for (size_t i = 0; i < 2; i++) {
		double all;

		empties_beside = beside[i];
		find(0, 0);
		ck_assert_int_eq(axis.lines_alone, i == 1);
		all = axis.start;
		batch = 3;
		decided = i == 1;
		find(0, 0);
		ck_assert_double_eq_tol(axis.start, all, 1);
		decided = !decided;
		find(0, 0);
		ck_assert_int_eq(axis.lines_alone, decided);
		if (i)
			ck_assert_double_gt(fabs(axis.start - all), 10);
		batch = TD_NO_BATCH;
		decided = 0;
	}
	empties_beside = 0;
}
END_TEST

int main(void)
{
	return unit_main("window_start",
			 (const TTest *const[]){exact_counts_have_begun, without_edges,
						nearly_equal_empties, costs_of_their_own,
						due_lengths, lost_cycles,
						rates_go_together,
						a_batch_decides_nothing, NULL});
}
