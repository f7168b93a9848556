// SPDX-License-Identifier: MIT
/* Where the program starts in windows, and from which length on they are used. */
#include <math.h>

#include "decoder/window_start.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define EDGE 50. /* cycles of a return to user mode, half of that to either side */

static struct td_axis axis;
static int returns = 1;

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
	input = sim_input(&sim);
	input.exact = exact;
	input.returns = returns;
	ck_assert_int_eq(td_axis_find(&input, &axis), 0);
	ck_assert_int_eq(axis.kind, TD_AXIS_REQUESTED);
	ck_assert_int_eq(td_columns_find(&columns, &input, &axis), 0);
	ck_assert_int_eq(td_start_find(&input, &columns, TD_NO_BATCH, &axis), 0);
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
	struct td_separate_window late = {.requested = 200, .slots = 6 * 300};

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

int main(void)
{
	return unit_main("window_start",
			 (const TTest *const[]){exact_counts_have_begun, without_edges,
						due_lengths, NULL});
}
