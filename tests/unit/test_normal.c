// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "decoder/cholesky.h"
#include "decoder/normal.h"
#include "tests/unit/unit.h"

#define ALL 10. /* of each unknown, beside the noise */

/* Two functions that chance moves against each other, nothing of it taken off. */
static void start(struct td_normal *normal, double noise)
{
	double matrix[4] = {ALL, 0, 0, ALL}, least[2] = {1e-9, 1e-9}, raised[2];
	struct td_group *group;

	ck_assert_int_eq(td_normal_init(normal, 2, 2), 0);
	normal->groups = 1;
	group = &normal->group[0];
	group->size = 2;
	normal->member[1] = 1;
	group->matrix = calloc(4, sizeof(double));
	group->noise = calloc(4, sizeof(double));
	group->scale = calloc(2, sizeof(double));
	td_cholesky(matrix, 2, least, raised);
	memcpy(group->matrix, matrix, sizeof(matrix));
	group->noise[0] = group->noise[3] = noise;
	group->noise[2] = -noise;
}

/* Rows with chance in them show 0.2 and 0.7 nearer to each other. */
START_TEST(noise_flattens)
{
	const double truth[2] = {0.2, 0.7}, noise = 4;
	struct td_normal normal;
	td_sides each[2] = {{0}}, by[2];
	struct td_unknowns at = {.each = each}, off = {.each = by};

	start(&normal, noise);
	each[0][3] = truth[0] - noise / ALL * (truth[0] - truth[1]);
	each[1][3] = truth[1] - noise / ALL * (truth[1] - truth[0]);
	ck_assert_double_eq_tol(each[0][3], 0.4, 1e-9);
	ck_assert_int_eq(td_normal_noise_left(&normal, &at, &off), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_double_eq_tol(each[i][3] + by[i][3], truth[i], 0.05);
		ck_assert_double_eq(by[i][0], 0);
	}
	td_normal_free(&normal);
}
END_TEST

/* More noise than there is to be seen: how far fractions may be off is bounded. */
START_TEST(more_noise_than_all)
{
	const double noise = 5 * ALL;
	struct td_normal normal;
	td_sides each[2] = {{0.4}, {0.6}}, by[2];
	struct td_unknowns at = {.each = each}, off = {.each = by};

	start(&normal, noise);
	ck_assert_int_eq(td_normal_noise_left(&normal, &at, &off), 0);
	ck_assert_double_le(by[0][0], -0.5);
	ck_assert_double_ge(by[0][0], -noise / ALL);
	ck_assert_double_eq_tol(by[1][0], -by[0][0], 1e-9);
	td_normal_free(&normal);
}
END_TEST

int main(void)
{
	return unit_main("normal", (const TTest *const[]){noise_flattens,
							  more_noise_than_all, NULL});
}
