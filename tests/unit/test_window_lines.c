// SPDX-License-Identifier: MIT
/* Directions of functions that behave now like this and now like that, behind edges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/sigsafe/random.h"
#include "decoder/window_lines.h"
#include "decoder/window_rows.h"
#include "tests/unit/one_column.h"
#include "tests/unit/unit.h"

#define WINDOWS 40000
#define LONGEST 600. /* cycles asked for */
#define START 100.   /* the program's, mean */
#define EDGE 50.     /* to either side of it */
#define VISIT 120.   /* cycles, mean */
#define COST 20.     /* cycles of each node in a window, level 1 */

static const double mix[TD_SEPARATE_NODES] = {0, 0.05, 0.55, 0.4, 0, 0, 0.4, 0.2};
static const double mean[TD_SEPARATE_NODES] = {0.4, 0.1, 0.2, 0.3, 0.1, 0.05, 0.1, 0.2};
static const double swing[TD_SEPARATE_NODES] = {0.12, 0, 0, -0.12, 0.03, 0, 0, -0.08};

static struct td_separate_window window[WINDOWS];
static uint32_t column[WINDOWS];
static struct td_random numbers;

static double random_below(double most)
{
	return most * (double)td_random_below(&numbers, 1000000) / 1e6;
}

/*
 * Windows that opened in a function and ended in it without a return: it is `slower`
 * in one of two states, as much faster in the other, and opened in as often as it takes
 * time.  How many.
 */
static size_t fill(double slower)
{
	size_t n = 0;

	while (n < WINDOWS) {
		int state = random_below(2) < 1 + slower ? 1 : -1;
		double left = random_below(VISIT * (1 + state * slower));
		double start = START - EDGE + random_below(EDGE) + random_below(EDGE);
		double asked = random_below(LONGEST), cycles = fmax(0, asked - start);
		double edges = asked - START - cycles;

		if (cycles > left)
			continue;
		window[n].requested = window[n].slots = (float)asked;
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			window[n].value[k] =
				(float)(COST + edges * mix[k] +
					cycles * (mean[k] + state * swing[k]));
		n++;
	}
	return n;
}

/* Own windows' line, and what is true of it: over all cycles, states take as much of them
 * as they are slower. */
static struct td_line line_of(double slower, double *true_mean)
{
	static const double fractions[1][TD_SEPARATE_NODES] = {
		{0.4, 0.1, 0.2, 0.3, 0.1, 0.05, 0.1, 0.2}};
	const struct td_columns columns = one_column(column);
	struct td_axis axis = {.kind = TD_AXIS_REQUESTED,
			       .width = 1,
			       .start = START,
			       .start_spread = EDGE / sqrt(6),
			       .ended = START - 40};
	double cost[TD_SEPARATE_NODES];
	const struct td_lines_known known = {.cost = cost, .fraction = fractions};
	struct td_separate_input input = {.window = window,
					  .functions = 1,
					  .nodes = TD_SEPARATE_NODES,
					  .returns = 1,
					  .exact = 1};
	struct td_lines lines = {NULL};
	struct td_line line;

	td_random_seed(&numbers, 1, 0);
	input.windows = fill(slower);
	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		cost[k] = COST;
		axis.mix[k] = mix[k];
		true_mean[k] = mean[k] + slower * swing[k];
	}
	ck_assert_int_eq(
		td_lines_find(&lines, &input, &axis, &columns, &known, TD_NO_BATCH), 0);
	line = lines.line[0];
	td_lines_free(&lines);
	return line;
}

/* How far the true mean is from the line, in points. */
static double aside(const struct td_line *line, const double *true_mean)
{
	double from[TD_SEPARATE_NODES], along = 0, square = 0;

	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		from[k] = true_mean[k] - mix[k];
		along += from[k] * line->along[k];
	}
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		square += pow(from[k] - along * line->along[k], 2);
	return 100 * sqrt(square);
}

/*
 * Of the slower state are more windows, and longer ones.  Chance is 0.3 points, as
 * the line says of itself to that side; as they come they are 5.0 off.
 */
START_TEST(slower_states)
{
	double true_mean[TD_SEPARATE_NODES];
	struct td_line line = line_of(0.2, true_mean);

	ck_assert_double_gt(line.weight, 0);
	ck_assert_double_lt(aside(&line, true_mean), 1);
	ck_assert_double_lt(aside(&line, true_mean), 300 / sqrt(line.weight_side));
	/* in no other direction do they differ */
	ck_assert_double_gt(line.weight, 1.5 * line.weight_side);
}
END_TEST

/* Where states are equally long there is nothing to be taken back. */
START_TEST(states_alike)
{
	double true_mean[TD_SEPARATE_NODES];
	struct td_line line = line_of(0, true_mean);

	ck_assert_double_gt(line.weight, 0);
	ck_assert_double_lt(aside(&line, true_mean), 1);
}
END_TEST

/* To its side a line pulls by that weight, to others by the other one. */
START_TEST(pulls_by_sides)
{
	const struct td_line line = {.weight = 10,
				     .weight_side = 3,
				     .through = {0.5},
				     .along = {1},
				     .side = {0, 1}};
	const double at[TD_SEPARATE_NODES] = {0.2, 0.1, 0.1};
	double pull[TD_SEPARATE_NODES];

	td_line_pull(&line, at, pull);
	ck_assert_double_eq_tol(pull[0], 0, 1e-9);
	ck_assert_double_eq_tol(pull[1], -0.3, 1e-9);
	ck_assert_double_eq_tol(pull[2], -1, 1e-9);
}
END_TEST

int main(void)
{
	return unit_main("window_lines",
			 (const TTest *const[]){slower_states, states_alike,
						pulls_by_sides, NULL});
}
