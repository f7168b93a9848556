// SPDX-License-Identifier: MIT
/* What functions' speeds have in common says more of each than its own windows do. */
#include <math.h>
#include <string.h>

#include "decoder/clock_internal.h"
#include "tests/unit/unit.h"

#define COLUMNS 12
#define SIZE 0.2

static struct td_clock_state state[COLUMNS];
static struct td_separate_input input;
static struct td_clock_data data;

/* Every third one is slow where the others are fast; known to `sd`, and that far off,
 * to either side. */
static void setup(void)
{
	const double sd = 0.03;

	memset(state, 0, sizeof(state));
	memset(&input, 0, sizeof(input));
	data = (struct td_clock_data){
		.input = &input, .state = state, .columns = COLUMNS};
	for (int c = 0; c < COLUMNS; c++) {
		double size = SIZE + (c % 2 ? sd : -sd);

		state[c] = (struct td_clock_state){.n = 100,
						   .varies = 0.1,
						   .speed = c % 3 ? size : -size,
						   .unsure = sd * sd};
	}
}

START_TEST(of_one_size)
{
	td_clock_shrink(&data);
	ck_assert_double_eq_tol(data.differ, SIZE * SIZE, 0.005);
	for (int c = 0; c < COLUMNS; c++) {
		ck_assert_double_eq_tol(state[c].speed, c % 3 ? SIZE : -SIZE, 0.01);
		ck_assert_double_gt(sqrt(state[c].unsure), 0.005);
		ck_assert_double_lt(sqrt(state[c].unsure), 0.02);
	}
}
END_TEST

/* A function of two halves: it keeps its own, and says nothing of the others'. */
START_TEST(of_another_size)
{
	state[1].speed = 0.6;
	td_clock_shrink(&data);
	ck_assert_double_eq_tol(state[1].speed, 0.6, 0.01);
	ck_assert_double_eq_tol(sqrt(state[1].unsure), 0.03, 0.001);
	for (int c = 2; c < COLUMNS; c++) {
		ck_assert_double_eq_tol(state[c].speed, c % 3 ? SIZE : -SIZE, 0.015);
		ck_assert_double_lt(sqrt(state[c].unsure), 0.02);
	}
}
END_TEST

/* Groups of events have a size in common where own windows' lengths tell speeds. */
START_TEST(of_groups)
{
	input.exact = 1;
	td_clock_shrink(&data);
	ck_assert_double_gt(fabs(state[1].speed), SIZE + 0.02);
	setup();
	input.exact = 1;
	data.sharp = 1;
	td_clock_shrink(&data);
	ck_assert_double_eq_tol(state[1].speed, SIZE, 0.01);
}
END_TEST

/* As large as they may be, some have none: each is what it says itself. */
START_TEST(of_several_sizes)
{
	for (int c = 0; c < COLUMNS; c++) {
		state[c].speed = 0.04 * (c / 2) * (c % 3 ? 1 : -1);
		state[c].unsure = 0.01 * 0.01;
	}
	td_clock_shrink(&data);
	for (int c = 0; c < COLUMNS; c++) {
		ck_assert_double_eq_tol(fabs(state[c].speed), 0.04 * (c / 2), 0.01);
		ck_assert_double_eq_tol(sqrt(state[c].unsure), 0.01, 0.002);
	}
}
END_TEST

/* One of which hardly anything is known may be slow or fast. */
START_TEST(of_either_sign)
{
	state[0].speed = 0;
	state[1].speed = 0.1;
	state[0].unsure = state[1].unsure = 0.2 * 0.2;
	td_clock_shrink(&data);
	ck_assert_double_eq_tol(state[0].speed, 0, 1e-6);
	ck_assert_double_eq_tol(sqrt(state[0].unsure), SIZE, 0.02);
	ck_assert_double_gt(state[1].speed, 0.05);
	ck_assert_double_lt(state[1].speed, 0.15);
	ck_assert_double_gt(sqrt(state[1].unsure), 0.1);
}
END_TEST

/* Nobody has said anything of it, or too few have. */
START_TEST(of_no_size)
{
	state[0].unsure = 0;
	state[0].speed = 0;
	td_clock_shrink(&data);
	ck_assert_double_eq(state[0].unsure, data.differ);
	setup();
	data.columns = 5;
	td_clock_shrink(&data);
	for (uint32_t c = 0; c < data.columns; c++) {
		double size = SIZE + (c % 2 ? 0.03 : -0.03);

		ck_assert_double_lt(fabs(state[c].speed), size);
		ck_assert_double_gt(fabs(state[c].speed), 0.95 * size);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		of_one_size,    of_another_size, of_groups, of_several_sizes,
		of_either_sign, of_no_size,      NULL};

	return unit_main_between("clock_shrink", tests, setup, NULL);
}
