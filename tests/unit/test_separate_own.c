// SPDX-License-Identifier: MIT
/* Where own windows alone would mislead. */
#include <math.h>

#include "decoder/separate_state.h"
#include "decoder/window_columns.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define RUNS 3
#define LINKS 3       /* functions of 27, 40 and 30 cycles */
#define LONG_WAY 1000 /* offset of the long way in it */
#define WAYS 1        /* the function of a short way and a long one */

/* All own windows are of the long way. */
START_TEST(short_way_and_long_way)
{
	struct held held = {0};

	for (unsigned run = 0; run < 8; run++) {
		const struct sim_setup setup = {.kind = SIM_WAYS,
						.seed = 2 + run,
						.program = run,
						.windows = 15000,
						.shortest = 2,
						.most = 600};

		separate(&setup);
		limit(100, INFINITY, 0.7);
		limit(25, 100, 2);
		ck_assert_int_eq(result.function[WAYS].evidence, TD_EVIDENCE_SEPARATED);
		count_held(&held);
	}
	limit_held(&held, 93, 99);
}
END_TEST

/* Of functions below 100 cycles. */
static double half_width_of(struct td_separate_input *input)
{
	double points;

	ck_assert_int_eq(td_separate(input, &result), 0);
	points = half_width(0, 100);
	td_separate_free(&result);
	return points;
}

/* Without empty windows nobody knows when the program begins, nor when it ends. */
START_TEST(start_without_empty_windows)
{
	const struct sim_setup setup = {.kind = SIM_CYCLE,
					.seed = 2,
					.windows = 20000,
					.shortest = 2,
					.most = 600};
	struct td_separate_input input;
	double with;

	sim_run(&sim, &setup);
	input = sim_input(&sim);
	with = half_width_of(&input);
	input.windows = 0;
	for (size_t i = 0; i < sim.windows; i++)
		if (!sim.window[i].empty)
			sim.window[input.windows++] = sim.window[i];
	ck_assert_uint_lt(input.windows, sim.windows);
	ck_assert_double_gt(half_width_of(&input), 1.1 * with);
	sim_free(&sim);
}
END_TEST

/* Own windows of the short way are none, but for one that is really of the long way, of
 * so many cycles, and ends at this offset. */
static void move_window(double cycles, uint32_t last)
{
	int moved = 0;

	for (size_t i = 0; i < sim.windows; i++) {
		struct td_separate_window *w = &sim.window[i];

		if (w->open != WAYS || w->close != WAYS || w->calls || w->empty)
			continue;
		if (w->open_offset < LONG_WAY) {
			w->calls = 1;
		} else if (!moved && fabs(w->requested - SIM_BEFORE - cycles) < 1) {
			w->open_offset = 0;
			w->close_offset = last;
			moved = 1;
		}
	}
	ck_assert(moved);
}

/* Pieces of the function whose own windows are of one way, if edges are so wide. */
static unsigned pieces_of_ways(double edges, double moved, uint32_t last)
{
	const struct sim_setup setup = {.kind = SIM_WAYS,
					.seed = 2,
					.windows = 15000,
					.shortest = 2,
					.most = 600};
	struct td_separate_input input = {.nodes = TD_SEPARATE_NODES, .returns = 1};
	struct td_columns columns;
	struct td_axis axis;
	unsigned pieces = 0;

	sim_run(&sim, &setup);
	if (moved > 0)
		move_window(moved, last);
	input.window = sim.window;
	input.windows = sim.windows;
	input.functions = sim.functions;
	ck_assert_int_eq(td_axis_find(&input, &axis), 0);
	axis.start_spread = edges;
	ck_assert_int_eq(td_columns_find(&columns, &input, &axis), 0);
	for (uint32_t c = 0; c < columns.columns; c++)
		pieces += columns.function[c] == WAYS;
	td_columns_free(&columns);
	sim_free(&sim);
	return pieces;
}

/* Behind edges a piece that few windows know of is worse than a mean. */
START_TEST(whole_behind_edges)
{
	ck_assert_uint_eq(pieces_of_ways(0, 0, 0), 2);
	ck_assert_uint_eq(pieces_of_ways(20, 0, 0), 1);
}
END_TEST

/* One window in which a difference would hardly show does not say that both behave
 * alike; one in which it would does. */
START_TEST(told_by_what_would_show)
{
	ck_assert_uint_eq(pieces_of_ways(0, 6, 1), 2);
	ck_assert_uint_eq(pieces_of_ways(0, 60, 1), 1);
}
END_TEST

/* Nor does one that has jumped to the long way, though it has hardly come into it. */
START_TEST(jumped_tells_of_where_it_is)
{
	ck_assert_uint_eq(pieces_of_ways(0, 60, LONG_WAY + 20), 2);
}
END_TEST

/* Own windows of a dozen different lengths, each of them rounded the same way again and
 * again. */
START_TEST(the_same_windows_again)
{
	struct held held = {0};

	for (unsigned run = 0; run < 20; run++) {
		const struct sim_setup setup = {.kind = SIM_EXACT,
						.seed = 100 + run,
						.program = run,
						.windows = 20000,
						.shortest = 2,
						.most = 600,
						.block = 10};

		separate(&setup);
		limit(100, INFINITY, 0.7);
		limit(25, 100, 2);
		count_held(&held);
	}
	/* 93.2 by errors that take each for another window */
	limit_held(&held, 97, 99.5);
}
END_TEST

static void bounds(double value, double half, double low, double high)
{
	struct td_estimate e = td_separate_bound(value, value, half);

	ck_assert_double_eq_tol(e.low, low, 1e-12);
	ck_assert_double_eq_tol(e.high, high, 1e-12);
}

/* Beyond a bound by more than its error, a value's interval is still as wide as that. */
START_TEST(beyond_a_bound)
{
	bounds(0.5, 0.01, 0.49, 0.51);
	bounds(-0.004, 0.01, 0, 0.01);
	bounds(-0.03, 0.01, 0, 0.01);
	bounds(1.03, 0.01, 0.99, 1);
}
END_TEST

/* Mean over runs of the worst fractions of the chain's longer functions. */
static double error_of_chain(double slower, int loops)
{
	double sum = 0;

	for (unsigned seed = 1; seed <= RUNS; seed++) {
		const struct sim_setup setup = {.kind = SIM_CHAIN,
						.seed = seed,
						.windows = 60000,
						.shortest = 2,
						.most = 600,
						.slower = slower,
						.dwell = 400,
						.block = 5,
						.loops = loops};

		separate(&setup);
		for (unsigned f = 0; f < LINKS; f++)
			sum += error_of(f) / RUNS / LINKS;
		done();
	}
	return sum;
}

/*
 * Interrupts come at the end of a block, so how long windows are says where they end,
 * and in which state the program is: by measured lengths chains are 1.3 and 1.8 points
 * off.
 */
START_TEST(lengths_of_blocks)
{
	ck_assert_double_lt(error_of_chain(0, 0), 1.1);
	ck_assert_double_lt(error_of_chain(0.2, 0), 1.55);
}
END_TEST

/*
 * A function that begins with a loop is where it was entered again and again: of the
 * windows that end there only the first turn's are the caller's.
 */
START_TEST(loops_at_the_entry)
{
	ck_assert_double_lt(error_of_chain(0, 1), 0.7);
}
END_TEST

#define ALIKE 4000u   /* windows of one function, all with the same fields */
#define OUR_CYCLES 38 /* in each of them */

/* Of `cycles` of the program. */
static struct td_separate_window alike_window(unsigned cycles)
{
	static const unsigned field[TD_SEPARATE_NODES] = {64, 64, 64, 63, 30, 30, 30, 30};
	struct td_separate_window window = {
		.requested = (float)cycles,
		.slots = (float)(4 * (OUR_CYCLES + cycles)),
		.empty = !cycles,
	};

	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		window.value[k] = window.slots * (float)field[k] / 255;
	return window;
}

/* Points to either side of a node: what rounding explains, and little more. */
static void limit_half(enum td_node node, double variance)
{
	const struct td_estimate *e = &result.function[0].node[node].estimate;
	double rounding = 1.96 * sqrt(variance) / 255;

	ck_assert_double_ge((e->high - e->low) / 2, rounding);
	ck_assert_double_le((e->high - e->low) / 2, 1.1 * rounding);
}

/* Fields that never change hide where in their step the truth is: four that add up to
 * 255, one of them alone, and what is left of both. */
START_TEST(nothing_below_a_step)
{
	static struct td_separate_window window[ALIKE];
	const struct td_separate_input input = {
		.window = window,
		.windows = ALIKE,
		.functions = 1,
		.nodes = TD_SEPARATE_NODES,
		.returns = 1,
		.width = 4,
	};

	for (unsigned i = 0; i < ALIKE; i++)
		window[i] = alike_window(i % 40 ? 1 + i * 7919 % 600 : 0);
	ck_assert_int_eq(td_separate(&input, &result), 0);
	limit_half(TD_NODE_RETIRING, 3. / 32);
	limit_half(TD_NODE_HEAVY_OPERATIONS, 1. / 12);
	limit_half(TD_NODE_LIGHT_OPERATIONS, 3. / 32 + 1. / 12);
	td_separate_free(&result);
}
END_TEST

int main(void)
{
	return unit_main("separate_own",
			 (const TTest *const[]){
				 short_way_and_long_way, whole_behind_edges,
				 told_by_what_would_show, jumped_tells_of_where_it_is,
				 the_same_windows_again, beyond_a_bound,
				 lengths_of_blocks, loops_at_the_entry,
				 nothing_below_a_step, start_without_empty_windows,
				 NULL});
}
