// SPDX-License-Identifier: MIT
/* Pieces of which no own window tells. */
#include <string.h>

#include "decoder/separate_state.h"
#include "tests/unit/unit.h"

#define PIECES 4
#define ERROR 0.06

/* Of one function: two that own windows tell of, one that seems to be like the better
 * known one, and one that does not. */
static uint32_t function[PIECES];
static double covered[PIECES] = {0.1, 0.6, 0, 0}, ends[PIECES] = {100, 100, 300, 300};
static double ridge[PIECES] = {25, 25, 25, 25}, prior_part[PIECES];
static td_sides each[PIECES] = {{0.2, 0.1, 0.3, 0.4},
				{0.4, 0.1, 0.3, 0.2},
				{0.45, 0.05, 0.33, 0.17},
				{0.1, 0.1, 0.1, 0.7}};
static struct td_tie tie[PIECES];
static struct td_separate_input input;
static struct td_separate_state state;

static void find_ties(double error)
{
	input = (struct td_separate_input){.functions = 1};
	state = (struct td_separate_state){
		.input = &input,
		.columns = {.columns = PIECES, .function = function, .ends = ends},
		.normal = {.covered = covered, .ridge = ridge},
		.at = {.each = each},
		.tie = tie,
	};
	memset(tie, 0, sizeof(tie));
	for (int i = 0; i < PIECES; i++)
		prior_part[i] = ridge[i] * error * error;
	ck_assert_int_eq(td_separate_tie(&state, prior_part), 0);
}

/* How likely the piece is thought to be like the other one. */
static double alike(unsigned piece, double error)
{
	double odds = tie[piece].weight * error * error;

	return odds / (1 + odds);
}

/* Who is told of by own windows is what they say. */
START_TEST(ties_those_alike)
{
	find_ties(ERROR);
	ck_assert_double_eq(tie[0].weight, 0);
	ck_assert_double_eq(tie[1].weight, 0);
	ck_assert_uint_eq(tie[2].to, 1);
	ck_assert_double_gt(alike(2, ERROR), 0.9);
	ck_assert_double_lt(alike(3, ERROR), 1e-3);
	ck_assert_double_gt(tie[2].doubt, 0);
	ck_assert_double_lt(tie[2].doubt, ERROR * ERROR);
}
END_TEST

/* The same difference is one if both are known better, and none if they are not known. */
START_TEST(by_how_well_they_are_known)
{
	find_ties(ERROR / 6);
	ck_assert_double_lt(alike(2, ERROR / 6), 1e-3);
	find_ties(5 * ERROR);
	ck_assert_double_gt(alike(3, 5 * ERROR), 0.5);
}
END_TEST

/* Behind edges own windows have cut them, and events have other differences. */
START_TEST(not_tied)
{
	find_ties(ERROR);
	ck_assert_double_gt(tie[2].weight, 0);
	memset(tie, 0, sizeof(tie));
	state.axis.start_spread = 1;
	ck_assert_int_eq(td_separate_tie(&state, prior_part), 0);
	ck_assert_double_eq(tie[2].weight, 0);
	state.axis.start_spread = 0;
	input.rates = 1;
	ck_assert_int_eq(td_separate_tie(&state, prior_part), 0);
	ck_assert_double_eq(tie[2].weight, 0);
}
END_TEST

int main(void)
{
	return unit_main("separate_alike",
			 (const TTest *const[]){ties_those_alike,
						by_how_well_they_are_known, not_tied,
						NULL});
}
