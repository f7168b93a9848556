// SPDX-License-Identifier: MIT
/* Functions that behave now like this and now like that. */
#include <math.h>
#include <string.h>

#include "decoder/window_rows.h"
#include "decoder/window_sways.h"
#include "tests/unit/one_column.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define WINDOWS 300
#define COST 20. /* cycles of each node in a window, level 1 */
#define RUNS 3
#define PAIR 2 /* functions that call each other every 100 cycles */

/* What the function is, and what it swings by to either side of that. */
static const double mean[TD_SEPARATE_NODES] = {0.4, 0.1, 0.2, 0.3, 0.1, 0.05, 0.1, 0.2};
static const double swing[TD_SEPARATE_NODES] = {0.12, 0, 0, -0.12, 0.03, 0, 0, -0.08};
static struct td_separate_window window[WINDOWS];
static uint32_t column[WINDOWS];
static double cost[TD_SEPARATE_NODES];

/* Own windows of it: seven of ten are in one of two states, as many as `apart` swings
 * away from the mean, the others as much to the other side. */
static struct td_line line_of(double apart, size_t windows)
{
	const struct td_columns columns = one_column(column);
	const struct td_axis axis = {.kind = TD_AXIS_MEASURED, .width = 1};
	const struct td_separate_input input = {.window = window,
						.windows = windows,
						.functions = 1,
						.nodes = TD_SEPARATE_NODES,
						.returns = 1,
						.exact = 1};
	const double sways[1] = {0.1};
	struct td_lines lines = {NULL};
	struct td_line line;

	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		cost[k] = k < TD_NODES_LEVEL1 ? COST : COST / 2;
	for (size_t i = 0; i < windows; i++) {
		double cycles = 5 + (double)(i * 37 % 90);
		double by = i % 10 < 7 ? apart : -apart;

		window[i].slots = (float)cycles;
		window[i].requested = (float)cycles;
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			window[i].value[k] =
				(float)(cost[k] + cycles * (mean[k] + by * swing[k]));
	}
	ck_assert_int_eq(
		td_sways_find(&lines, &input, &axis, &columns, cost, sways, TD_NO_BATCH),
		0);
	line = lines.line[0];
	td_lines_free(&lines);
	return line;
}

/* Own windows are not as often in either state as the function is: that is no reason to
 * pull it along the line, but whatever is not on the line is pulled to it. */
START_TEST(mean_is_on_the_line)
{
	struct td_line line = line_of(1, WINDOWS);
	double off[TD_SEPARATE_NODES], pull[TD_SEPARATE_NODES];

	ck_assert_double_gt(line.weight, 1e5);
	ck_assert_double_gt(fabs(line.through[0] - mean[0]), 0.03);
	td_line_pull(&line, mean, pull);
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		ck_assert_double_le(fabs(pull[k] / line.weight), 1e-5);
	memcpy(off, mean, sizeof(off));
	off[1] += 0.02;
	off[2] -= 0.02;
	td_line_pull(&line, off, pull);
	ck_assert_double_eq_tol(pull[1] / line.weight, -0.02, 1e-4);
	ck_assert_double_eq_tol(pull[2] / line.weight, 0.02, 1e-4);
}
END_TEST

/* Of few windows nobody knows the direction; and what does not sway has none. */
START_TEST(no_line_is_seen)
{
	ck_assert_double_eq(line_of(1, 9).weight, 0);
	ck_assert_double_eq(line_of(0, WINDOWS).weight, 0);
}
END_TEST

/*
 * Two functions that take turns, each in one of two states for longer than a visit: 0.7
 * points off in the mean where rows alone said what they are across their states.
 */
START_TEST(pair_that_sways)
{
	double sum = 0;

	for (unsigned seed = 1; seed <= RUNS; seed++) {
		const struct sim_setup setup = {.kind = SIM_AWKWARD,
						.seed = seed,
						.windows = 60000,
						.shortest = 2,
						.most = 600,
						.slower = 0.2,
						.dwell = 400,
						.block = 5};

		separate(&setup);
		for (unsigned f = 0; f < PAIR; f++)
			sum += error_of(f) / RUNS / PAIR;
		done();
	}
	ck_assert_double_lt(sum, 0.4);
}
END_TEST

int main(void)
{
	return unit_main("window_sways",
			 (const TTest *const[]){mean_is_on_the_line, no_line_is_seen,
						pair_that_sways, NULL});
}
