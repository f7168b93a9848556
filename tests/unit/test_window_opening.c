// SPDX-License-Identifier: MIT
/* Windows that the kernel cuts, with an edge behind the interrupt that opens them. */
#include <math.h>

#include "decoder/window_opening.h"
#include "decoder/window_start.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define EDGE 50.

static const struct sim_setup edges = {.kind = SIM_AWKWARD,
				       .seed = 1,
				       .windows = 30000,
				       .shortest = 3,
				       .most = 600,
				       .edge = EDGE,
				       .edge_spread = 0.5,
				       .block = 5,
				       .calls = 1,
				       .by_kernel = 1};

static struct td_axis find(const struct sim_setup *setup, int drop_late)
{
	struct td_separate_input input;
	struct td_axis axis;

	sim_run(&sim, setup);
	for (size_t i = 0; i < sim.windows && drop_late; i++)
		sim.window[i].requested = floorf(sim.window[i].slots / 6);
	input = sim_input(&sim);
	ck_assert_int_eq(td_axis_find(&input, &axis), 0);
	td_opening_find(&input, &axis);
	return axis;
}

/* Windows that were to be shorter say how long an edge is, and what it is made of. */
START_TEST(short_windows_are_edges)
{
	struct td_axis axis = find(&edges, 0);

	ck_assert_int_eq(axis.edges, 1);
	ck_assert_double_eq_tol(axis.start, EDGE, 4);
	ck_assert_double_eq_tol(axis.start_spread, EDGE / 2 / sqrt(3), 1.5);
	ck_assert_double_eq_tol(axis.mix[0], 0, 0.02);
	ck_assert_double_eq_tol(axis.mix[1], 0.05, 0.02);
	ck_assert_double_eq_tol(axis.mix[2], 0.55, 0.02);
	ck_assert_double_eq_tol(axis.mix[3], 0.40, 0.02);
	ck_assert_double_gt(axis.first, 1.3 * EDGE);
	sim_free(&sim);
}
END_TEST

/* As on a processor, which is interrupted behind any instruction. */
START_TEST(edges_before_interrupts_that_are_not_late)
{
	struct sim_setup setup = edges;
	struct td_axis axis;

	setup.block = 1;
	axis = find(&setup, 0);
	ck_assert_int_eq(axis.blocks, 0);
	ck_assert_int_eq(axis.edges, 1);
	ck_assert_double_eq_tol(axis.start, EDGE, 1);
	ck_assert_double_eq_tol(axis.start_spread, EDGE / 2 / sqrt(3), 1);
	ck_assert_double_eq_tol(axis.mix[2], 0.55, 0.02);
	sim_free(&sim);
}
END_TEST

/* A window's length is what it took; when it was due is as much before as its interrupt
 * was late. */
START_TEST(late_is_the_program_s)
{
	struct td_axis axis = find(&edges, 0);

	for (size_t i = 0; i < sim.windows; i++) {
		const struct td_separate_window *w = &sim.window[i];
		double late = td_axis_length(&axis, w) - td_axis_due(&axis, w);

		ck_assert_double_eq_tol(td_axis_length(&axis, w), w->slots / 6, 1e-3);
		ck_assert_double_eq(td_axis_beyond(&axis, w), 0);
		if (td_axis_counts(&axis, w) && w->requested > 1.6 * EDGE) {
			ck_assert_double_ge(late, 0);
			ck_assert_double_lt(late, 5.2);
		}
	}
	sim_free(&sim);
}
END_TEST

START_TEST(none)
{
	struct sim_setup setup = edges;
	struct td_axis axis;

	setup.edge = 0;
	for (setup.block = 1; setup.block <= 5; setup.block += 4) {
		axis = find(&setup, 0);
		ck_assert_int_eq(axis.edges, 0);
		ck_assert_int_eq(axis.blocks, setup.block > 1);
		ck_assert_double_eq(axis.first, 0);
		ck_assert_double_eq(axis.start, 0);
		ck_assert_double_eq(axis.start_spread, 0);
		sim_free(&sim);
	}
}
END_TEST

/* Interrupts that are as late as edges are long do not come later where less was asked
 * for. */
START_TEST(late_interrupts_are_none)
{
	struct sim_setup setup = edges;
	struct td_axis axis;

	setup.edge = 0;
	setup.block = 100;
	axis = find(&setup, 0);
	ck_assert_int_eq(axis.edges, 0);
	ck_assert_double_eq(axis.start_spread, 0);
	sim_free(&sim);
}
END_TEST

/* Windows of up to 200 cycles whose second tick was missed until another interrupt came,
 * as QEMU does. */
START_TEST(missed_ticks_are_none)
{
	struct sim_setup setup = edges;
	struct td_separate_input input;
	struct td_axis axis;

	setup.edge = 0;
	sim_run(&sim, &setup);
	for (size_t i = 0; i < sim.windows; i++)
		if (sim.window[i].requested < 200)
			sim.window[i].slots = 6.f * (20000 + (float)(i * 7919 % 10000));
	input = sim_input(&sim);
	ck_assert_int_eq(td_axis_find(&input, &axis), 0);
	td_opening_find(&input, &axis);
	ck_assert_int_eq(axis.edges, 0);
	ck_assert_double_eq(axis.start, 0);
	sim_free(&sim);
}
END_TEST

/* What a window of one length looks like says what the program was doing, or nothing. */
START_TEST(alike_or_not)
{
	struct sim_setup setup = edges;

	setup.edge = 0;
	setup.dwell = 400;
	for (int noise = 0; noise < 2; noise++) {
		struct td_axis axis = find(&setup, 0);
		struct td_separate_input input = sim_input(&sim);
		struct td_columns columns;

		ck_assert_int_eq(td_columns_find(&columns, &input, &axis), 0);
		ck_assert_int_eq(td_start_find(&input, &columns, TD_NO_BATCH, &axis), 0);
		ck_assert_int_eq(axis.alike, !noise);
		ck_assert_int_eq(td_axis_due(&axis, sim.window) ==
					 td_axis_length(&axis, sim.window),
				 !noise);
		td_columns_free(&columns);
		sim_free(&sim);
		setup.slower = 0.2;
	}
}
END_TEST

/* Profiles in which the length that was asked for is the one that was measured: nobody
 * knows of the edges. */
START_TEST(profiles_of_earlier_versions)
{
	struct td_axis axis = find(&edges, 1);

	ck_assert_int_eq(axis.edges, 0);
	ck_assert_int_eq(axis.blocks, 0);
	sim_free(&sim);
}
END_TEST

/* Where windows were due is not known, what is nothing but edges is taken for the
 * program: 1.4, 4.8 and 9 points. */
START_TEST(fractions)
{
	separate(&edges);
	limit(1000, INFINITY, 0.5);
	limit(95, 1000, 1.5);
	limit(25, 95, 5);
	done();
}
END_TEST

/* And 40 % of the intervals hold. */
START_TEST(intervals_hold)
{
	struct sim_setup setup = edges;
	struct held held = {0, 0};

	setup.slower = 0.2;
	setup.dwell = 400;
	for (setup.seed = 1; setup.seed <= 3; setup.seed++) {
		separate(&setup);
		count_held(&held);
	}
	limit_held(&held, 92, 100);
}
END_TEST

int main(void)
{
	return unit_main("window_opening",
			 (const TTest *const[]){short_windows_are_edges,
						edges_before_interrupts_that_are_not_late,
						late_is_the_program_s, none,
						late_interrupts_are_none,
						missed_ticks_are_none, alike_or_not,
						profiles_of_earlier_versions, fractions,
						intervals_hold, NULL});
}
