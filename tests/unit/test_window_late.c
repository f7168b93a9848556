// SPDX-License-Identifier: MIT
/* Interrupts that are later in some functions than in others, and edges. */
#include <math.h>

#include "decoder/window_late.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define BLOCK 42. /* the longest; functions have 1 to 7 sevenths of it */

static const struct sim_setup blocks = {.kind = SIM_LONG,
					.seed = 3,
					.windows = 30000,
					.shortest = 2,
					.most = 2000,
					.edge = 50,
					.edge_spread = 0.5,
					.block = BLOCK};

/* How much longer windows that end in each function were asked to be than they were. */
static void find(const struct sim_setup *setup, double *moved)
{
	struct td_separate_input input;
	struct td_columns columns;
	struct td_axis axis;
	struct td_late late = {.window = NULL};
	double n[64] = {0};

	sim_run(&sim, setup);
	input = sim_input(&sim);
	ck_assert_uint_lt(sim.functions, 64);
	ck_assert_int_eq(td_axis_find(&input, &axis), 0);
	ck_assert_int_eq(td_columns_find(&columns, &input, &axis), 0);
	ck_assert_int_eq(td_late_find(&late, &input, &axis, &columns), 0);
	for (size_t i = 0; i < input.windows && late.window; i++) {
		const struct td_separate_window *w = &input.window[i];

		if (w->empty || !td_axis_counts(&axis, w))
			continue;
		moved[w->close] += late.window[i].requested - w->requested;
		n[w->close]++;
	}
	for (unsigned f = 0; f < sim.functions; f++)
		moved[f] /= fmax(1, n[f]);
	td_late_free(&late);
	td_columns_free(&columns);
	sim_free(&sim);
}

/* A window ends half a block late, in the mean. */
START_TEST(half_a_block)
{
	double moved[64] = {0};

	find(&blocks, moved);
	for (unsigned f = 1; f < 7; f++)
		ck_assert_double_eq_tol(moved[f] - moved[0], f * BLOCK / 7 / 2, 2);
}
END_TEST

/* Where nobody is later than others what they differ by is chance: a part of a cycle. */
START_TEST(nobody_is_late)
{
	struct sim_setup setup = blocks;
	double moved[64] = {0};

	setup.block = 0;
	find(&setup, moved);
	for (unsigned f = 0; f < 64; f++)
		ck_assert_double_eq_tol(moved[f], 0, 1);
}
END_TEST

/* Where lengths begin behind the edges windows end as late.  What they took beyond them
 * says so of short visits, too. */
START_TEST(behind_edges)
{
	struct sim_setup setup = blocks;
	double moved[64] = {0};

	setup.sharp = 1;
	setup.most = 20000; /* visits are shorter than most windows */
	find(&setup, moved);
	for (unsigned f = 1; f < 7; f++)
		ck_assert_double_eq_tol(moved[f] - moved[0], f * BLOCK / 7 / 2, 2);
}
END_TEST

enum { SLOW = 30, EACH = 100 }; /* columns, each slower than the one before; windows */

/* How late it is in each column, by windows that scatter by an edge of 24 cycles. */
static struct td_late late_by_pace(const float *clock)
{
	static struct td_separate_window window[SLOW * EACH];
	static uint32_t column[SLOW * EACH];
	const struct td_axis axis = {
		.kind = TD_AXIS_REQUESTED, .width = 1, .sharp = 1, .start = 50};
	const struct td_columns columns = {
		.columns = SLOW, .open = column, .close = column};
	const struct td_separate_input input = {.window = window,
						.windows = SLOW * EACH,
						.functions = SLOW,
						.clock = clock};
	struct td_late late = {.window = NULL};

	for (uint32_t i = 0; i < SLOW * EACH; i++) {
		double edge = 24 * ((i / SLOW * 37 % EACH + 0.5) / EACH - 0.5);

		column[i] = i % SLOW;
		window[i] = (struct td_separate_window){
			.open = column[i], .close = column[i], .requested = 150};
		/* 2 instructions late of 0.5 to 1.95 cycles; chance: 0.7 more or less */
		window[i].slots =
			(float)(150 + edge + 2 * (0.5 + 0.05 * column[i]) +
				(i / SLOW < 50 ? 0 : 1.4 * (column[i] % 2 ? 1 : -1)));
	}
	ck_assert_int_eq(td_late_find(&late, &input, &axis, &columns), 0);
	return late;
}

/* What goes with paces is known of all columns together: of the fastest it is 1.45 cycles
 * less than in the mean, of the slowest as much more.  By itself neither is known to 1.
 */
START_TEST(by_pace)
{
	static float clock[SLOW * EACH]; /* 100 cycles, about */
	struct td_late known, unknown;

	for (uint32_t i = 0; i < SLOW * EACH; i++)
		clock[i] = (float)(100 / (0.5 + 0.05 * (i % SLOW)));
	known = late_by_pace(clock);
	unknown = late_by_pace(NULL);
	for (uint32_t c = 0; c < SLOW; c++) {
		ck_assert_double_eq_tol(known.by[c], 2 * 0.05 * (c - (SLOW - 1) / 2.),
					0.1);
		ck_assert_double_lt(known.doubt[c], 0.05);
		ck_assert_double_gt(unknown.doubt[c], 0.2);
	}
	ck_assert_double_gt(unknown.by[1] - unknown.by[0], 0.5);
	td_late_free(&known);
	td_late_free(&unknown);
}
END_TEST

/* Without edges the length is as it was measured. */
START_TEST(without_edges)
{
	struct sim_setup setup = blocks;
	double moved[64] = {0};

	setup.edge = 0;
	find(&setup, moved);
	for (unsigned f = 0; f < 64; f++)
		ck_assert_double_eq(moved[f], 0);
}
END_TEST

/* Taken for what edges cost, what is late is 0.4 points. */
START_TEST(fractions)
{
	separate(&blocks);
	limit(1000, INFINITY, 0.2);
	done();
}
END_TEST

int main(void)
{
	return unit_main("window_late",
			 (const TTest *const[]){half_a_block, nobody_is_late,
						behind_edges, by_pace, without_edges,
						fractions, NULL});
}
