// SPDX-License-Identifier: MIT
#include "decoder/normal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/cholesky.h"
#include "decoder/normal_key.h"
#include "decoder/normal_lines.h"

#define PINNED 1e12
#define RAISED_MOST 0.5 /* times the least pivot: more is not calm */
#define TRIES 12
#define ALONE 0.25 /* part of an unknown's noise that is with others */
#define LESS 0.6
#define NOISE_KEPT 0.2 /* of an unknown's noise: less is not told from none */
#define WEAK 100       /* times the prior: below, noise is not taken off */
#define NOISE_MOST 0.8 /* of what there is, that noise can be */

int td_normal_init(struct td_normal *normal, uint32_t columns, uint32_t unknowns)
{
	size_t n = unknowns + 1;

	memset(normal, 0, sizeof(*normal));
	normal->columns = columns;
	normal->unknowns = unknowns;
	normal->twin = malloc((columns + 1) * sizeof(*normal->twin));
	normal->covered = calloc(columns + 1, sizeof(*normal->covered));
	normal->ridge = calloc(n, sizeof(*normal->ridge));
	normal->prior = calloc(n, sizeof(*normal->prior));
	normal->group_of = calloc(n, sizeof(*normal->group_of));
	normal->place_of = calloc(n, sizeof(*normal->place_of));
	normal->member = calloc(n, sizeof(*normal->member));
	normal->group = calloc(n, sizeof(*normal->group));
	normal->cross = calloc(n, sizeof(*normal->cross));
	normal->solved = calloc(n, sizeof(*normal->solved));
	normal->right.each = calloc(n, sizeof(*normal->right.each));
	normal->right_noise = calloc(n, sizeof(*normal->right_noise));
	if (!normal->twin || !normal->covered || !normal->ridge || !normal->prior ||
	    !normal->group_of || !normal->place_of || !normal->member || !normal->group ||
	    !normal->cross || !normal->solved || !normal->right.each ||
	    !normal->right_noise)
		return -ENOMEM;
	memset(normal->twin, 0xff, columns * sizeof(*normal->twin));
	return 0;
}

void td_normal_free(struct td_normal *normal)
{
	for (size_t g = 0; g < normal->groups; g++) {
		free(normal->group[g].matrix);
		free(normal->group[g].noise);
		free(normal->group[g].scale);
		free(normal->group[g].diagonal);
	}
	free(normal->twin);
	free(normal->covered);
	free(normal->ridge);
	free(normal->prior);
	free(normal->group_of);
	free(normal->place_of);
	free(normal->member);
	free(normal->group);
	free(normal->cross);
	free(normal->solved);
	free(normal->right.each);
	free(normal->right_noise);
	memset(normal, 0, sizeof(*normal));
}

static uint32_t find(uint32_t *parent, uint32_t x)
{
	while (parent[x] != x)
		x = parent[x] = parent[parent[x]];
	return x;
}

static void connect_rows(uint32_t *parent, const struct td_rows *rows)
{
	for (size_t k = 0; k < rows->keys; k++) {
		const struct td_key *key = &rows->key[k];

		for (uint32_t c = 1; c < key->columns; c++)
			parent[find(parent, key->column[c])] =
				find(parent, key->column[0]);
	}
}

/* group_of is the union-find forest first. */
static void connect(struct td_normal *normal, const struct td_rows *rows)
{
	uint32_t *parent = normal->group_of;

	for (uint32_t i = 0; i < normal->unknowns; i++)
		parent[i] = i;
	for (; rows; rows = rows->more)
		connect_rows(parent, rows);
	for (uint32_t c = 0; c < normal->columns; c++) {
		if (normal->twin[c] != TD_NO_TWIN)
			parent[find(parent, normal->twin[c])] = find(parent, c);
		if (normal->tie && normal->tie[c].weight > 0)
			parent[find(parent, normal->tie[c].to)] = find(parent, c);
	}
	for (uint32_t i = 0; i < normal->unknowns; i++)
		parent[i] = find(parent, i);
}

static int make_groups(struct td_normal *normal)
{
	uint32_t *index = malloc((normal->unknowns + 1) * sizeof(*index));
	uint32_t first = 0;

	if (!index)
		return -ENOMEM;
	memset(index, 0xff, normal->unknowns * sizeof(*index));
	for (uint32_t i = 0; i < normal->unknowns; i++) {
		uint32_t root = normal->group_of[i];

		if (index[root] == UINT32_MAX)
			index[root] = (uint32_t)normal->groups++;
		normal->group_of[i] = index[root];
		normal->place_of[i] = normal->group[index[root]].size++;
	}
	for (size_t g = 0; g < normal->groups; g++) {
		normal->group[g].first = first;
		first += normal->group[g].size;
	}
	for (uint32_t i = 0; i < normal->unknowns; i++)
		normal->member[normal->group[normal->group_of[i]].first +
			       normal->place_of[i]] = i;
	free(index);
	for (size_t g = 0; g < normal->groups; g++) {
		struct td_group *group = &normal->group[g];

		group->matrix =
			calloc((size_t)group->size * group->size, sizeof(*group->matrix));
		group->noise =
			calloc((size_t)group->size * group->size, sizeof(*group->noise));
		group->diagonal = calloc(group->size, sizeof(*group->diagonal));
		group->scale = calloc(group->size, sizeof(*group->scale));
		if (!group->matrix || !group->noise || !group->scale || !group->diagonal)
			return -ENOMEM;
	}
	return 0;
}

static void add_row(struct td_key_work *work, struct td_normal *normal,
		    const struct td_row *row, double weight)
{
	for (uint32_t i = 0; i < work->n; i++) {
		double x = weight * work->x[i];
		td_sides *right = &normal->right.each[work->unknown[i]];
		double *line = work->matrix + (size_t)i * work->n;

		if (x == 0)
			continue;
		for (uint32_t j = 0; j <= i; j++)
			line[j] += x * work->x[j];
		for (int s = 0; s < TD_ROW_SHARED; s++)
			normal->cross[work->unknown[i]][s] += x * row->shared[s];
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			(*right)[k] += x * row->value[k];
		work->sum[i] += x * row->n;
	}
	for (int s = 0; s < TD_ROW_SHARED; s++) {
		for (int r = 0; r < TD_ROW_SHARED; r++)
			normal->shared[s][r] += weight * row->shared[s] * row->shared[r];
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			normal->right.shared[s][k] +=
				weight * row->shared[s] * row->value[k];
		work->shared[s] += weight * row->n * row->shared[s];
	}
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		work->value[k] += weight * row->n * row->value[k];
	work->total += weight * row->n * row->n;
}

static void centre_key(struct td_key_work *work, struct td_normal *normal,
		       const struct td_key *key)
{
	double by = td_key_centre(normal, key, work->total);

	if (by <= 0)
		return;
	for (uint32_t i = 0; i < work->n; i++) {
		double x = by * work->sum[i];

		for (uint32_t j = 0; j <= i; j++)
			work->matrix[(size_t)i * work->n + j] -= x * work->sum[j];
		for (int s = 0; s < TD_ROW_SHARED; s++)
			normal->cross[work->unknown[i]][s] -= x * work->shared[s];
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			normal->right.each[work->unknown[i]][k] -= x * work->value[k];
	}
	for (int s = 0; s < TD_ROW_SHARED; s++) {
		for (int r = 0; r < TD_ROW_SHARED; r++)
			normal->shared[s][r] -= by * work->shared[s] * work->shared[r];
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			normal->right.shared[s][k] -=
				by * work->shared[s] * work->value[k];
	}
}

/* The key's block into its group's matrix. */
static void place_key(const struct td_key_work *work, struct td_normal *normal)
{
	struct td_group *group;

	if (!work->n)
		return;
	group = &normal->group[normal->group_of[work->unknown[0]]];
	for (uint32_t i = 0; i < work->n; i++) {
		uint32_t a = normal->place_of[work->unknown[i]];

		for (uint32_t j = 0; j <= i; j++) {
			uint32_t b = normal->place_of[work->unknown[j]];
			double add = work->matrix[(size_t)i * work->n + j];

			if (a >= b)
				group->matrix[(size_t)a * group->size + b] += add;
			else
				group->matrix[(size_t)b * group->size + a] += add;
		}
	}
}

static void noise_of_bin(struct td_key_work *work, struct td_normal *normal,
			 const struct td_key *key, double n, struct td_echo echo)
{
	struct td_group *group = &normal->group[normal->group_of[key->function]];
	double step = echo.step / (n * (n - 1));
	double peak = echo.peak / (n * (n - 1));

	for (uint32_t i = 0; i < work->ends; i++) {
		uint32_t c = work->touched[i], a = normal->place_of[key->column[c]];

		for (uint32_t j = 0; j < work->ends; j++) {
			uint32_t d = work->touched[j];
			uint32_t b = normal->place_of[key->column[d]];
			double noise = -work->count[c] * work->count[d] / n;

			if (a < b)
				continue;
			if (c == d)
				noise += work->count[c];
			group->noise[(size_t)a * group->size + b] += step * noise;
		}
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			normal->right_noise[key->column[c]][k] += peak * work->more[c][k];
	}
}

static void add_noise(struct td_key_work *work, struct td_normal *normal,
		      const struct td_rows *rows, const struct td_key *key)
{
	double after = 0;

	for (uint32_t b = key->bins; b--;) {
		const struct td_bin *bin = &key->bin[b];
		struct td_echo echo;
		double n;

		echo = td_key_echo(work, bin, b, &after);
		n = td_key_ends(work, rows, bin, TD_NO_BATCH);
		if (n > 1)
			noise_of_bin(work, normal, key, n, echo);
		td_key_forget(work);
	}
}

static void add_keys(struct td_normal *normal, const struct td_rows *rows,
		     struct td_key_work *work)
{
	for (size_t k = 0; k < rows->keys; k++) {
		const struct td_key *key = &rows->key[k];
		struct td_row row;
		double weight;

		td_key_begin(work, normal, key);
		while (td_key_next(work, normal, key, &row, &weight))
			add_row(work, normal, &row, weight);
		centre_key(work, normal, key);
		place_key(work, normal);
		add_noise(work, normal, rows, key);
	}
}

/* Into the lower triangle. */
static void add_tie(struct td_normal *normal, uint32_t column, const struct td_tie *tie)
{
	struct td_group *group = &normal->group[normal->group_of[column]];
	size_t n = group->size, a = normal->place_of[column];
	size_t b = normal->place_of[tie->to];

	group->matrix[a * (n + 1)] += tie->weight;
	group->matrix[b * (n + 1)] += tie->weight;
	group->matrix[a > b ? a * n + b : b * n + a] -= tie->weight;
}

static void add_prior(struct td_normal *normal)
{
	for (uint32_t i = 0; i < normal->unknowns; i++) {
		struct td_group *group = &normal->group[normal->group_of[i]];

		group->matrix[(size_t)normal->place_of[i] * (group->size + 1)] +=
			normal->ridge[i];
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			normal->right.each[i][k] +=
				normal->ridge[i] * normal->prior[i][k];
	}
	for (uint32_t c = 0; c < normal->columns && normal->tie; c++) {
		if (normal->tie[c].weight > 0)
			add_tie(normal, c, &normal->tie[c]);
	}
	for (int s = 0; s < TD_ROW_SHARED; s++) {
		normal->shared[s][s] += normal->shared_ridge[s];
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			normal->right.shared[s][k] +=
				normal->shared_ridge[s] * normal->shared_prior[s][k];
	}
}

/*
 * An end in one is none in the others, so chance moves unknowns against each other.  To
 * take it off one and leave it in the others that it is about makes less than nothing of
 * what is left.  1 if there was such an unknown.
 */
static int join_others(struct td_group *group)
{
	size_t n = group->size;
	int changed = 0;

	for (size_t i = 0; i < n; i++) {
		double all = 0, off = 0;

		for (size_t j = 0; j < n; j++) {
			double noise = fabs(group->noise[i > j ? i * n + j : j * n + i]);

			all += i == j ? 0 : noise;
			off += i == j ? 0 : noise * group->scale[j];
		}
		if (group->scale[i] > 0 && off < ALONE * all) {
			group->scale[i] = 0;
			changed = 1;
		}
	}
	return changed;
}

/* How much of each unknown's noise is taken off: all where there is much to be seen. */
static void choose_scale(const struct td_normal *normal, struct td_group *group)
{
	size_t n = group->size;

	for (size_t i = 0; i < n; i++) {
		double all = group->matrix[i * (n + 1)],
		       noise = group->noise[i * (n + 1)];
		double ridge = normal->ridge[normal->member[group->first + i]];

		group->scale[i] = all < WEAK * ridge ? 0
				  : noise > NOISE_MOST * all
					  ? sqrt(NOISE_MOST * all / noise)
					  : 1;
	}
	while (join_others(group))
		;
}

/* The sums as they came: above the diagonal and in diagonal[]. */
static void keep_sums(struct td_group *group)
{
	size_t n = group->size;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			group->matrix[j * n + i] = group->matrix[i * n + j];
		group->diagonal[i] = group->matrix[i * n + i];
	}
}

/* Below the diagonal and on it: the sums without noise. */
static void take_noise_off(struct td_group *group)
{
	size_t n = group->size;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			group->matrix[i * n + j] = group->matrix[j * n + i] -
						   group->scale[i] * group->scale[j] *
							   group->noise[i * n + j];
		group->matrix[i * n + i] =
			group->diagonal[i] -
			group->scale[i] * group->scale[i] * group->noise[i * n + i];
	}
}

/*
 * A pivot that had to be raised by much makes all behind it wild: from that unknown
 * nothing is taken off, or, if that is so already, less from all.  1 if there was one.
 */
static int calm(struct td_group *group, const double *least, const double *raised)
{
	for (size_t i = 0; i < group->size; i++) {
		if (raised[i] <= RAISED_MOST * least[i])
			continue;
		if (group->scale[i] > 0) {
			group->scale[i] = 0;
			return 1;
		}
		for (size_t j = 0; j < group->size; j++)
			group->scale[j] *= LESS;
		return 1;
	}
	return 0;
}

static void factorise_calm(const struct td_normal *normal, struct td_group *group,
			   double *least, double *raised)
{
	size_t n = group->size;

	choose_scale(normal, group);
	keep_sums(group);
	for (int try = 0; try <= TRIES; try++) {
		if (try == TRIES)
			memset(group->scale, 0, n * sizeof(*group->scale));
		take_noise_off(group);
		for (size_t i = 0; i < n; i++)
			least[i] =
				normal->ridge[normal->member[group->first + i]] +
				NOISE_KEPT * group->scale[i] * group->noise[i * (n + 1)];
		td_cholesky(group->matrix, n, least, raised);
		if (!calm(group, least, raised))
			return;
	}
}

/* What the constraints need, above the diagonal: the same without noise. */
static void take_noise_off_above(struct td_group *group)
{
	size_t n = group->size;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			group->matrix[j * n + i] -= group->scale[i] * group->scale[j] *
						    group->noise[i * n + j];
		group->diagonal[i] -=
			group->scale[i] * group->scale[i] * group->noise[i * (n + 1)];
	}
}

/*
 * Where chance is as large as what there is to be seen, nothing is left or less: such
 * an unknown is held by the prior, as much as it takes.
 */
static int factorise_raised(struct td_normal *normal, struct td_group *group)
{
	size_t n = group->size;
	double *least = malloc((2 * n + 1) * sizeof(*least)), *raised;

	if (!least)
		return -ENOMEM;
	raised = least + n;
	factorise_calm(normal, group, least, raised);
	take_noise_off_above(group);
	for (size_t i = 0; i < n; i++) {
		uint32_t unknown = normal->member[group->first + i];

		group->diagonal[i] += raised[i];
		normal->ridge[unknown] += raised[i];
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			normal->right.each[unknown][k] +=
				raised[i] * normal->prior[unknown][k];
	}
	free(least);
	return 0;
}

static int factorise(struct td_normal *normal, struct td_group *group)
{
	size_t n = group->size;
	double *side = malloc((n + 1) * TD_ROW_SHARED * sizeof(*side));
	int err = side ? 0 : -ENOMEM;

	if (!err)
		err = factorise_raised(normal, group);
	for (size_t i = 0; i < n && !err; i++) {
		uint32_t unknown = normal->member[group->first + i];

		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			normal->right.each[unknown][k] -=
				group->scale[i] * normal->right_noise[unknown][k];
		memcpy(side + i * TD_ROW_SHARED, normal->cross[unknown],
		       sizeof(normal->cross[0]));
	}
	if (!err)
		td_cholesky_solve(group->matrix, n, side, TD_ROW_SHARED);
	for (size_t i = 0; i < n && !err; i++)
		memcpy(normal->solved[normal->member[group->first + i]],
		       side + i * TD_ROW_SHARED, sizeof(normal->cross[0]));
	free(side);
	return err;
}

/* With the noise off the functions may leave less than nothing of it: then it is what
 * it was thought to be before. */
static void pin_shared(struct td_normal *normal, int r)
{
	normal->shared_ridge[r] += PINNED;
	normal->shared[r][r] = PINNED;
	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		normal->right.shared[r][k] += PINNED * normal->shared_prior[r][k];
	}
}

/* shared becomes the inverse of what the functions leave of it. */
static void finish_shared(struct td_normal *normal)
{
	double(*s)[TD_ROW_SHARED] = normal->shared, a, b, d, det;

	for (uint32_t i = 0; i < normal->unknowns; i++) {
		for (int r = 0; r < TD_ROW_SHARED; r++) {
			for (int c = 0; c < TD_ROW_SHARED; c++)
				s[r][c] -= normal->cross[i][r] * normal->solved[i][c];
		}
	}
	for (int r = 0; r < TD_ROW_SHARED; r++) {
		if (s[r][r] < normal->shared_ridge[r])
			pin_shared(normal, r);
	}
	a = s[0][0];
	b = (s[0][1] + s[1][0]) / 2;
	d = s[1][1];
	det = a * d - b * b;
	if (!(det > 0))
		det = INFINITY;
	s[0][0] = d / det;
	s[1][1] = a / det;
	s[0][1] = s[1][0] = -b / det;
}

int td_normal_build(struct td_normal *normal, const struct td_rows *rows)
{
	struct td_key_work work;
	int err = td_key_init(&work, rows, 1);

	if (!err) {
		connect(normal, rows);
		err = make_groups(normal);
	}
	if (!err) {
		for (const struct td_rows *r = rows; r; r = r->more)
			add_keys(normal, r, &work);
		add_prior(normal);
	}
	for (size_t g = 0; g < normal->groups && !err; g++)
		err = factorise(normal, &normal->group[g]);
	if (!err) {
		finish_shared(normal);
		td_normal_add_lines(normal);
	}
	td_key_free(&work);
	return err;
}
