// SPDX-License-Identifier: MIT
#include <math.h>
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

#define FUNCTIONS 4u
#define BINS 2u

/* Two keys of two functions each, that no window connects: the rows of the first bin are
 * in the first function only, those of the second in both. */
struct clusters {
	struct td_rows rows;
	struct td_key key[2];
	struct td_bin bin[2][BINS];
	uint32_t column[2][2];
	double time[2][BINS][2], lean[2][BINS][2];
};

static void set_row(struct clusters *c, int k, uint32_t b, const double *time,
		    const double *fraction)
{
	struct td_row *row = &c->bin[k][b].row[TD_ROW_ALL];

	c->bin[k][b].ends = 1;
	row->n = row->variance = 1;
	for (int i = 0; i < 2; i++) {
		c->time[k][b][i] = time[i];
		row->cycles += time[i];
		row->value[0] += time[i] * fraction[i];
	}
}

static void make_clusters(struct clusters *c, const double fraction[FUNCTIONS])
{
	static const double first[2] = {30, 0}, second[2] = {30, 50};

	memset(c, 0, sizeof(*c));
	for (int k = 0; k < 2; k++) {
		c->column[k][0] = 2 * (uint32_t)k;
		c->column[k][1] = 2 * (uint32_t)k + 1;
		c->key[k] = (struct td_key){.function = c->column[k][0],
					    .columns = 2,
					    .bins = BINS,
					    .column = c->column[k],
					    .bin = c->bin[k],
					    .time = c->time[k][0],
					    .lean = c->lean[k][0]};
		set_row(c, k, 0, first, &fraction[2 * k]);
		set_row(c, k, 1, second, &fraction[2 * k]);
	}
	c->rows = (struct td_rows){.columns = FUNCTIONS, .key = c->key, .keys = 2};
}

/* The second function varies: it has a twin. */
static void solve_clusters(struct td_normal *normal, const double fraction[FUNCTIONS])
{
	struct clusters clusters;

	make_clusters(&clusters, fraction);
	ck_assert_int_eq(td_normal_init(normal, FUNCTIONS, FUNCTIONS + 1), 0);
	normal->twin[1] = FUNCTIONS;
	for (uint32_t i = 0; i <= FUNCTIONS; i++)
		normal->ridge[i] = 1e-3;
	normal->shared_ridge[0] = normal->shared_ridge[1] = 1;
	ck_assert_int_eq(td_normal_build(normal, &clusters.rows), 0);
	ck_assert_int_eq(td_normal_solve(normal, &normal->right), 0);
}

/* Functions that windows connect are solved together, with their twins, and others apart:
 * what these counted is nothing to them. */
START_TEST(clusters_are_solved_apart)
{
	const double truth[FUNCTIONS] = {0.2, 0.7, 0.4, 0.1};
	const double others[FUNCTIONS] = {0.2, 0.7, -40, 80};
	struct td_normal one, two;

	solve_clusters(&one, truth);
	ck_assert_uint_eq(one.groups, 2);
	ck_assert_uint_eq(one.group_of[0], one.group_of[1]);
	ck_assert_uint_eq(one.group_of[FUNCTIONS], one.group_of[1]);
	ck_assert_uint_eq(one.group_of[2], one.group_of[3]);
	ck_assert_uint_ne(one.group_of[0], one.group_of[2]);
	ck_assert_uint_eq(one.group[one.group_of[0]].size, 3);
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		ck_assert_double_eq_tol(one.right.each[f][0], truth[f], 1e-4);
	solve_clusters(&two, others);
	for (uint32_t f = 0; f < 2; f++)
		ck_assert_double_eq(two.right.each[f][0], one.right.each[f][0]);
	td_normal_free(&one);
	td_normal_free(&two);
}
END_TEST

/* A function tied to one that no window connects it with is as that one is, and at the
 * solution nothing pulls. */
START_TEST(tied_together)
{
	const double truth[FUNCTIONS] = {0.2, 0.7, 0.4, 0.1};
	const struct td_tie tie[FUNCTIONS] = {[3] = {.to = 0, .weight = 1e9}};
	struct clusters clusters;
	struct td_normal normal;
	td_sides each[FUNCTIONS];
	struct td_unknowns pull = {.each = each};

	make_clusters(&clusters, truth);
	ck_assert_int_eq(td_normal_init(&normal, FUNCTIONS, FUNCTIONS), 0);
	normal.tie = tie;
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		normal.ridge[i] = 1e-3;
	normal.shared_ridge[0] = normal.shared_ridge[1] = 1;
	ck_assert_int_eq(td_normal_build(&normal, &clusters.rows), 0);
	ck_assert_uint_eq(normal.groups, 1);
	ck_assert_int_eq(td_normal_solve(&normal, &normal.right), 0);
	ck_assert_double_eq_tol(normal.right.each[3][0], normal.right.each[0][0], 1e-3);
	ck_assert_double_gt(fabs(normal.right.each[1][0] - normal.right.each[0][0]), 0.1);
	ck_assert_int_eq(td_normal_pull(&normal, &clusters.rows, NULL, TD_NO_BATCH,
					&normal.right, &pull),
			 0);
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		ck_assert_double_eq_tol(each[f][0], 0, 1e-3);
	td_normal_free(&normal);
}
END_TEST

int main(void)
{
	return unit_main("normal",
			 (const TTest *const[]){noise_flattens, more_noise_than_all,
						clusters_are_solved_apart, tied_together,
						NULL});
}
