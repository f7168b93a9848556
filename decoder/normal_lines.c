// SPDX-License-Identifier: MIT
#include "decoder/normal_lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MOST 10. /* times what rows know: more changes nothing, but takes longer */
#define STEPS 60
#define SETTLED 1e-14 /* of the first square */

void td_normal_add_lines(struct td_normal *normal)
{
	const struct td_lines *lines = normal->lines;
	const td_sides none = {0};

	for (uint32_t c = 0; lines && lines->line && c < normal->columns; c++) {
		const struct td_group *group = &normal->group[normal->group_of[c]];
		double most = LINE_MOST * group->diagonal[normal->place_of[c]];
		td_sides pull;

		lines->line[c].weight = fmin(lines->line[c].weight, most);
		lines->line[c].weight_side = fmin(lines->line[c].weight_side, most);
		td_line_pull(&lines->line[c], none, pull);
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			normal->right.each[c][k] += pull[k];
	}
}

static double dot(const td_sides *a, const td_sides *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			sum += a[i][k] * b[i][k];
	}
	return sum;
}

/* a += by * b */
static void add(td_sides *a, double by, const td_sides *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			a[i][k] += by * b[i][k];
	}
}

/* a = b + by * a */
static void turn(td_sides *a, double by, const td_sides *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			a[i][k] = b[i][k] + by * a[i][k];
	}
}

/* to += what the lines' matrix makes of x */
static void add_product(const struct td_normal *normal, const td_sides *x, td_sides *to)
{
	for (uint32_t c = 0; c < normal->columns; c++) {
		td_sides across;

		td_line_across(&normal->lines->line[c], x[c], across);
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			to[c][k] += across[k];
	}
}

/* Of all unknowns, the shared ones behind the others. */
struct gradients {
	td_sides *x, *rest, *nearer, *step, *rows, *product;
};

static int solve_rest(const struct td_normal *normal, struct gradients *g,
		      int (*solve)(const struct td_normal *, struct td_unknowns *))
{
	size_t n = normal->unknowns;
	struct td_unknowns u = {.each = g->nearer};
	int err;

	memcpy(g->nearer, g->rest, (n + TD_ROW_SHARED) * sizeof(td_sides));
	memcpy(u.shared, g->rest + n, sizeof(u.shared));
	err = solve(normal, &u);
	memcpy(g->nearer + n, u.shared, sizeof(u.shared));
	return err;
}

/*
 * The rows' own solution is what a step starts from, so the rows' matrix times a step is
 * known without multiplying: it is made of the rests that the steps are made from.
 */
static int descend(const struct td_normal *normal, struct gradients *g,
		   int (*solve)(const struct td_normal *, struct td_unknowns *))
{
	size_t n = (size_t)normal->unknowns + TD_ROW_SHARED;
	double first = 0, last = 0;

	for (int i = 0; i < STEPS; i++) {
		int err = solve_rest(normal, g, solve);
		double now = dot(g->rest, g->nearer, n), by;

		if (err)
			return err;
		first = i ? first : now;
		if (!(now > SETTLED * first))
			break;
		turn(g->step, i ? now / last : 0, (const td_sides *)g->nearer, n);
		turn(g->rows, i ? now / last : 0, (const td_sides *)g->rest, n);
		memcpy(g->product, g->rows, n * sizeof(td_sides));
		add_product(normal, (const td_sides *)g->step, g->product);
		by = now / dot(g->step, g->product, n);
		add(g->x, by, (const td_sides *)g->step, n);
		add(g->rest, -by, (const td_sides *)g->product, n);
		last = now;
	}
	return 0;
}

int td_normal_solve_lines(const struct td_normal *normal, struct td_unknowns *right,
			  int (*solve)(const struct td_normal *normal,
				       struct td_unknowns *right))
{
	size_t n = (size_t)normal->unknowns + TD_ROW_SHARED;
	td_sides *memory = calloc(6 * n, sizeof(*memory));
	struct gradients g = {memory,         memory + n,     memory + 2 * n,
			      memory + 3 * n, memory + 4 * n, memory + 5 * n};
	int err;

	if (!memory)
		return -ENOMEM;
	memcpy(g.rest, right->each, normal->unknowns * sizeof(td_sides));
	memcpy(g.rest + normal->unknowns, right->shared, sizeof(right->shared));
	err = descend(normal, &g, solve);
	memcpy(right->each, g.x, normal->unknowns * sizeof(td_sides));
	memcpy(right->shared, g.x + normal->unknowns, sizeof(right->shared));
	free(memory);
	return err;
}
