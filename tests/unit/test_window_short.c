// SPDX-License-Identifier: MIT
/* Windows that lack the cycle which was not finished when their counter was set anew. */
#include <math.h>
#include <string.h>

#include "agent/sigsafe/random.h"
#include "decoder/window_short.h"
#include "tests/unit/unit.h"

#define WINDOWS 400
#define WIDTH 4
#define REST 3 /* node */
#define STATE_LASTS 16

enum { EVEN, ODD, COLUMNS };

static struct td_separate_window window[WINDOWS], before[WINDOWS];
static float common[WINDOWS];
static uint32_t open_column[WINDOWS], close_column[WINDOWS];
static float alone[COLUMNS];
static struct td_axis axis;
static struct td_separate_input input;

/* Own windows by turns of two functions: one of a cycle an instruction, and one of
 * `cycles`.  Of the instructions `scatter` is chance. */
static void fill(double cycles, double scatter)
{
	struct td_random random;

	td_random_seed(&random, 1, 0);
	axis = (struct td_axis){
		.kind = TD_AXIS_REQUESTED, .width = WIDTH, .follows = 1, .start = 10};
	for (uint32_t i = 0; i < WINDOWS; i++) {
		double insns = 3. + (double)td_random_below(&random, 40);
		double whole = insns * (i % COLUMNS == ODD ? cycles : 1);
		double more = (double)td_random_below(&random, 1000) / 500 - 1;

		window[i] = (struct td_separate_window){
			.open = i % COLUMNS,
			.close = i % COLUMNS,
			.requested = 1,
			.slots = (float)(WIDTH * (axis.start + floor(whole + 1e-9))),
			.value = {[REST] = 5},
			.silent = i % 8 > 3,
		};
		common[i] = (float)(insns + scatter * more);
		open_column[i] = close_column[i] = i % COLUMNS;
	}
	alone[EVEN] = alone[ODD] = INFINITY;
	memcpy(before, window, sizeof(window));
	input = (struct td_separate_input){
		.window = before,
		.windows = WINDOWS,
		.common = common,
		.functions = COLUMNS,
		.nodes = TD_NODES_LEVEL1,
		.returns = 1,
		.exact = 1,
		.width = WIDTH,
		.left = 1 + REST,
	};
}

/* Cycles that a function's windows have got, mean. */
static double lengthened(uint32_t function)
{
	const struct td_columns columns = {.columns = COLUMNS,
					   .open = open_column,
					   .close = close_column,
					   .alone = alone};
	double sum = 0, n = 0;

	memcpy(window, before, sizeof(window));
	ck_assert_int_eq(td_short_lengthen(window, &input, &columns, &axis), 0);
	for (uint32_t i = 0; i < WINDOWS; i++) {
		double more = window[i].slots - before[i].slots;

		if (i % COLUMNS != function)
			continue;
		n++;
		sum += more / WIDTH;
		ck_assert_double_eq_tol(window[i].value[REST] - before[i].value[REST],
					window[i].silent ? 0 : more, 1e-4);
	}
	return sum / n;
}

/* 7 tenths of a cycle an instruction: 0.45 are missing on average. */
START_TEST(parts_of_cycles)
{
	fill(0.7, 0);
	ck_assert_double_eq_tol(lengthened(ODD), 0.45, 0.08);
	ck_assert_double_eq_tol(lengthened(EVEN), 0, 0.02);
}
END_TEST

/* What cannot be seen is left as it is, and no window has lost more than a cycle. */
START_TEST(chance)
{
	fill(0.7, 30);
	ck_assert_double_lt(lengthened(ODD), 0.2);
	fill(1, 0);
	for (uint32_t i = 0; i < WINDOWS; i++)
		common[i] += 20;
	ck_assert_double_le(lengthened(ODD), 1);
}
END_TEST

/* All are whole cycles.  A third of the short ones are of a fast state, which does not
 * last: a line through all has instructions at no cycles, and none are missing. */
START_TEST(states)
{
	fill(1, 0);
	for (uint32_t i = 0; i < WINDOWS; i++)
		if (common[i] < STATE_LASTS && i % 3 == 0)
			common[i] *= 2;
	ck_assert_double_lt(lengthened(ODD), 0.05);
	ck_assert_double_lt(lengthened(EVEN), 0.05);
}
END_TEST

/* Windows that others were in, edges, and where nobody knows what is left. */
START_TEST(not_seen)
{
	fill(0.7, 0);
	for (uint32_t i = 0; i < WINDOWS; i++)
		before[i].calls = 1;
	ck_assert_double_eq(lengthened(ODD), 0);
	fill(0.7, 0);
	axis.start_spread = 10;
	ck_assert_double_eq(lengthened(ODD), 0);
	fill(0.7, 0);
	input.left = 0;
	ck_assert_double_eq(lengthened(ODD), 0);
	fill(0.7, 0);
	input.common = NULL;
	ck_assert_double_eq(lengthened(ODD), 0);
}
END_TEST

int main(void)
{
	return unit_main("window_short", (const TTest *const[]){parts_of_cycles, chance,
								states, not_seen, NULL});
}
