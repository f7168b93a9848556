// SPDX-License-Identifier: MIT
#include "decoder/normal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/cholesky.h"
#include "decoder/normal_key.h"
#include "decoder/normal_lines.h"

#define SWEEPS 300
#define SETTLED 1e-6
#define ORDERS 8 /* of noise times what noise leaves */

static void solve_group(const struct td_normal *normal, const struct td_group *group,
			struct td_unknowns *right, double *side)
{
	const uint32_t *member = normal->member + group->first;

	for (uint32_t i = 0; i < group->size; i++)
		memcpy(side + (size_t)i * TD_SEPARATE_NODES, right->each[member[i]],
		       sizeof(td_sides));
	td_cholesky_solve(group->matrix, group->size, side, TD_SEPARATE_NODES);
	for (uint32_t i = 0; i < group->size; i++)
		memcpy(right->each[member[i]], side + (size_t)i * TD_SEPARATE_NODES,
		       sizeof(td_sides));
}

static int solve_rows(const struct td_normal *normal, struct td_unknowns *right)
{
	double *side = malloc((normal->unknowns + 1) * sizeof(td_sides));
	td_sides left[TD_ROW_SHARED];

	if (!side)
		return -ENOMEM;
	memcpy(left, right->shared, sizeof(left));
	for (uint32_t i = 0; i < normal->unknowns; i++) {
		for (int s = 0; s < TD_ROW_SHARED; s++) {
			for (int k = 0; k < TD_SEPARATE_NODES; k++)
				left[s][k] -= normal->solved[i][s] * right->each[i][k];
		}
	}
	for (int s = 0; s < TD_ROW_SHARED; s++) {
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			right->shared[s][k] = normal->shared[s][0] * left[0][k] +
					      normal->shared[s][1] * left[1][k];
	}
	for (size_t g = 0; g < normal->groups; g++)
		solve_group(normal, &normal->group[g], right, side);
	for (uint32_t i = 0; i < normal->unknowns; i++) {
		for (int s = 0; s < TD_ROW_SHARED; s++) {
			for (int k = 0; k < TD_SEPARATE_NODES; k++)
				right->each[i][k] -=
					normal->solved[i][s] * right->shared[s][k];
		}
	}
	free(side);
	return 0;
}

int td_normal_solve(const struct td_normal *normal, struct td_unknowns *right)
{
	return normal->lines && normal->lines->line
		       ? td_normal_solve_lines(normal, right, solve_rows)
		       : solve_rows(normal, right);
}

static void residual_of(const struct td_key_work *work, const struct td_row *row,
			const struct td_unknowns *at, double *residual)
{
	memcpy(residual, row->value, sizeof(td_sides));
	for (uint32_t i = 0; i < work->n; i++) {
		for (int k = 0; k < TD_SEPARATE_NODES && work->x[i] != 0; k++)
			residual[k] -= work->x[i] * at->each[work->unknown[i]][k];
	}
	for (int s = 0; s < TD_ROW_SHARED; s++) {
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			residual[k] -= row->shared[s] * at->shared[s][k];
	}
}

static void pull_row(struct td_key_work *work, const struct td_row *row, double weight,
		     const struct td_unknowns *at, struct td_unknowns *pull)
{
	td_sides residual;

	residual_of(work, row, at, residual);
	for (uint32_t i = 0; i < work->n; i++) {
		double x = weight * work->x[i];

		for (int k = 0; k < TD_SEPARATE_NODES && x != 0; k++)
			pull->each[work->unknown[i]][k] += x * residual[k];
		work->sum[i] += x * row->n;
	}
	for (int s = 0; s < TD_ROW_SHARED; s++) {
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			pull->shared[s][k] += weight * row->shared[s] * residual[k];
		work->shared[s] += weight * row->n * row->shared[s];
	}
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		work->value[k] += weight * row->n * residual[k];
	work->total += weight * row->n * row->n;
}

static void pull_centre(const struct td_normal *normal, const struct td_key *key,
			const struct td_key_work *work, struct td_unknowns *pull)
{
	double by = td_key_centre(normal, key, work->total);

	for (int k = 0; k < TD_SEPARATE_NODES && by > 0; k++) {
		double own = by * work->value[k];

		for (uint32_t i = 0; i < work->n; i++)
			pull->each[work->unknown[i]][k] -= work->sum[i] * own;
		for (int s = 0; s < TD_ROW_SHARED; s++)
			pull->shared[s][k] -= work->shared[s] * own;
	}
}

static double scale_of(const struct td_normal *normal, uint32_t unknown)
{
	return normal->group[normal->group_of[unknown]].scale[normal->place_of[unknown]];
}

static double scaled(const struct td_normal *normal, const struct td_key *key, uint32_t c,
		     const struct td_unknowns *at, int node)
{
	return scale_of(normal, key->column[c]) * at->each[key->column[c]][node];
}

/* The same for the gradient: the noise is not there to be explained. */
static void pull_noise(struct td_key_work *work, const struct td_normal *normal,
		       const struct td_rows *rows, const struct td_key *key,
		       unsigned without, const struct td_unknowns *at,
		       struct td_unknowns *pull)
{
	double after = 0;

	for (uint32_t b = key->bins; b--;) {
		const struct td_bin *bin = &key->bin[b];
		double n;
		td_sides mean = {0};
		struct td_echo echo;

		echo = td_key_echo(work, bin, b, &after);
		n = td_key_ends(work, rows, bin, without);
		for (uint32_t i = 0; i < work->ends; i++) {
			for (int k = 0; k < TD_SEPARATE_NODES; k++)
				mean[k] += scaled(normal, key, work->touched[i], at, k) *
					   work->count[work->touched[i]] / n;
		}
		for (uint32_t i = 0; i < work->ends && n > 1; i++) {
			uint32_t c = work->touched[i], unknown = key->column[c];
			double by = scale_of(normal, unknown) / (n * (n - 1));

			for (int k = 0; k < TD_SEPARATE_NODES; k++)
				pull->each[unknown][k] +=
					by * (echo.step * work->count[c] *
						      (scaled(normal, key, c, at, k) -
						       mean[k]) -
					      echo.peak * work->more[c][k]);
		}
		td_key_forget(work);
	}
}

static void pull_ties(const struct td_normal *normal, const struct td_unknowns *at,
		      struct td_unknowns *pull)
{
	for (uint32_t c = 0; c < normal->columns && normal->tie; c++) {
		const struct td_tie *tie = &normal->tie[c];

		for (int k = 0; k < TD_SEPARATE_NODES && tie->weight > 0; k++) {
			double by = tie->weight * (at->each[tie->to][k] - at->each[c][k]);

			pull->each[c][k] += by;
			pull->each[tie->to][k] -= by;
		}
	}
}

static void pull_prior(const struct td_normal *normal, const struct td_unknowns *at,
		       struct td_unknowns *pull)
{
	for (uint32_t i = 0; i < normal->unknowns; i++) {
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			pull->each[i][k] +=
				normal->ridge[i] * (normal->prior[i][k] - at->each[i][k]);
	}
	for (int s = 0; s < TD_ROW_SHARED; s++) {
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			pull->shared[s][k] +=
				normal->shared_ridge[s] *
				(normal->shared_prior[s][k] - at->shared[s][k]);
	}
}

static void pull_lines(const struct td_normal *normal, const struct td_lines *lines,
		       const struct td_unknowns *at, struct td_unknowns *pull)
{
	for (uint32_t c = 0; lines && lines->line && c < normal->columns; c++) {
		struct td_line line = lines->line[c];
		td_sides by;

		if (!(line.weight > 0))
			continue;
		/* no more than lowered weights let it */
		line.weight = normal->lines->line[c].weight;
		line.weight_side = normal->lines->line[c].weight_side;
		td_line_pull(&line, at->each[c], by);
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			pull->each[c][k] += by[k];
	}
}

static void pull_rows(struct td_key_work *work, const struct td_normal *normal,
		      const struct td_rows *rows, unsigned without,
		      const struct td_unknowns *at, struct td_unknowns *pull)
{
	for (size_t k = 0; k < rows->keys; k++) {
		const struct td_key *key = &rows->key[k];
		struct td_row row;
		double weight;

		td_key_begin(work, normal, key);
		while (td_key_next(work, normal, key, &row, &weight))
			pull_row(work, &row, weight, at, pull);
		pull_centre(normal, key, work, pull);
		pull_noise(work, normal, rows, key, without, at, pull);
	}
}

int td_normal_pull(const struct td_normal *normal, const struct td_rows *rows,
		   const struct td_lines *lines, unsigned without,
		   const struct td_unknowns *at, struct td_unknowns *pull)
{
	struct td_key_work work;
	int err = td_key_init(&work, rows, 0);

	memset(pull->each, 0, normal->unknowns * sizeof(*pull->each));
	memset(pull->shared, 0, sizeof(pull->shared));
	for (const struct td_rows *r = rows; r && !err; r = r->more)
		pull_rows(&work, normal, r, without, at, pull);
	if (!err) {
		pull_prior(normal, at, pull);
		pull_ties(normal, at, pull);
		pull_lines(normal, lines, at, pull);
	}
	td_key_free(&work);
	return err;
}

/* Noise as it is, less what was taken off, times the solution. */
static void add_noise_left(const struct td_normal *normal, const struct td_group *group,
			   const struct td_unknowns *at, struct td_unknowns *off)
{
	const uint32_t *member = normal->member + group->first;
	size_t n = group->size;

	for (size_t i = 0; i < n; i++) {
		double left = 1 - group->scale[i];

		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			off->each[member[i]][k] -=
				left * normal->right_noise[member[i]][k];
		for (size_t j = 0; j < n; j++) {
			double noise = group->noise[i > j ? i * n + j : j * n + i];

			noise *= 1 - group->scale[i] * group->scale[j];
			for (int k = 0; k < TD_SEPARATE_NODES && noise != 0; k++)
				off->each[member[i]][k] += noise * at->each[member[j]][k];
		}
	}
}

/*
 * `at` with what is off taken off it.  The noise is times the truth, which is a fraction:
 * beyond the bounds there is none, whatever the equations say.
 */
static void take_off(const struct td_normal *normal, const struct td_unknowns *at,
		     const struct td_unknowns *off, struct td_unknowns *truth)
{
	for (size_t i = 0; i < normal->unknowns; i++) {
		for (int k = 0; k < TD_SEPARATE_NODES; k++) {
			double r = at->each[i][k];

			if (i < normal->columns)
				r = fmin(1, fmax(0, r + off->each[i][k]));
			truth->each[i][k] = r;
		}
	}
}

int td_normal_noise_left(const struct td_normal *normal, const struct td_unknowns *at,
			 struct td_unknowns *off)
{
	size_t n = normal->unknowns;
	struct td_unknowns truth = {.each = malloc((n + 1) * sizeof(*truth.each))};
	int err = truth.each ? 0 : -ENOMEM;

	memset(off->each, 0, n * sizeof(*off->each));
	for (int order = 0; order < ORDERS && !err; order++) {
		take_off(normal, at, off, &truth);
		memset(off->each, 0, n * sizeof(*off->each));
		memset(off->shared, 0, sizeof(off->shared));
		for (size_t g = 0; g < normal->groups; g++)
			add_noise_left(normal, &normal->group[g], &truth, off);
		err = td_normal_solve(normal, off);
	}
	free(truth.each);
	return err;
}

int td_normal_prior_part(const struct td_normal *normal, double *part)
{
	for (size_t g = 0; g < normal->groups; g++) {
		const struct td_group *group = &normal->group[g];
		double *diagonal = malloc((group->size + 1) * sizeof(*diagonal));
		int err = diagonal ? td_cholesky_inverse_diagonal(group->matrix,
								  group->size, diagonal)
				   : -ENOMEM;

		for (uint32_t i = 0; i < group->size && !err; i++) {
			uint32_t unknown = normal->member[group->first + i];
			double more = 0;

			for (int r = 0; r < TD_ROW_SHARED; r++) {
				for (int c = 0; c < TD_ROW_SHARED; c++)
					more += normal->solved[unknown][r] *
						normal->shared[r][c] *
						normal->solved[unknown][c];
			}
			part[unknown] =
				fmin(1, normal->ridge[unknown] * (diagonal[i] + more));
		}
		free(diagonal);
		if (err)
			return err;
	}
	return 0;
}

/* The nearest point with all four at least 0 and the sum 1. */
static void onto_simplex(double *x)
{
	double sorted[TD_NODES_LEVEL1], sum = 0, less = 0;

	memcpy(sorted, x, sizeof(sorted));
	for (int i = 1; i < TD_NODES_LEVEL1; i++) {
		for (int j = i; j && sorted[j] > sorted[j - 1]; j--) {
			double t = sorted[j];

			sorted[j] = sorted[j - 1];
			sorted[j - 1] = t;
		}
	}
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		sum += sorted[i];
		if (sorted[i] - (sum - 1) / (i + 1) > 0)
			less = (sum - 1) / (i + 1);
	}
	for (int i = 0; i < TD_NODES_LEVEL1; i++)
		x[i] = fmax(0, x[i] - less);
}

static void bound(double *x, unsigned nodes)
{
	onto_simplex(x);
	for (unsigned k = TD_NODES_LEVEL1; k < nodes; k++)
		x[k] = fmin(fmax(0, x[k]), x[k - TD_NODES_LEVEL1]);
}

/* From where the rows alone have the unknown, held by their `diagonal`, to where its line
 * has it as well. */
static void onto_line(const struct td_normal *normal, uint32_t column, double diagonal,
		      double *to)
{
	struct td_line line;
	td_sides pull;

	if (!normal->lines || !normal->lines->line)
		return;
	line = normal->lines->line[column];
	line.weight /= diagonal + line.weight;
	line.weight_side /= diagonal + line.weight_side;
	td_line_pull(&line, to, pull);
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		to[k] += pull[k];
}

/*
 * One unknown at a time, exactly, the others held: the same matrix serves all
 * nodes, so the nearest point to the data is the nearest point.  `slope` is what
 * the unknowns are pulled by, kept up to date.  Returns the largest change.
 */
static double sweep(const struct td_normal *normal, const struct td_group *group,
		    struct td_unknowns *at, td_sides *slope, unsigned nodes)
{
	size_t n = group->size;
	double largest = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t unknown = normal->member[group->first + i];
		td_sides to, by;

		for (unsigned k = 0; k < TD_SEPARATE_NODES; k++)
			to[k] = at->each[unknown][k] + slope[i][k] / group->diagonal[i];
		if (unknown < normal->columns)
			onto_line(normal, unknown, group->diagonal[i], to);
		if (unknown < normal->columns)
			bound(to, nodes);
		for (unsigned k = 0; k < TD_SEPARATE_NODES; k++) {
			by[k] = to[k] - at->each[unknown][k];
			largest = fmax(largest, fabs(by[k]));
		}
		memcpy(at->each[unknown], to, sizeof(to));
		for (uint32_t j = 0; j < n; j++) {
			double a = j == i  ? group->diagonal[i]
				   : i < j ? group->matrix[(size_t)i * n + j]
					   : group->matrix[(size_t)j * n + i];

			for (unsigned k = 0; k < TD_SEPARATE_NODES; k++)
				slope[j][k] -= a * by[k];
		}
	}
	return largest;
}

static int constrain_group(const struct td_normal *normal, const struct td_group *group,
			   struct td_unknowns *at, unsigned nodes)
{
	td_sides *slope = calloc(group->size + 1, sizeof(*slope));

	if (!slope)
		return -ENOMEM;
	/* at the solution nothing is pulled, but by lines one way and by rows the other
	 */
	for (uint32_t i = 0; i < group->size && normal->lines && normal->lines->line;
	     i++) {
		uint32_t unknown = normal->member[group->first + i];

		if (unknown >= normal->columns)
			continue;
		td_line_pull(&normal->lines->line[unknown], at->each[unknown], slope[i]);
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			slope[i][k] = -slope[i][k];
	}
	for (int i = 0; i < SWEEPS; i++) {
		if (sweep(normal, group, at, slope, nodes) < SETTLED)
			break;
	}
	free(slope);
	return 0;
}

int td_normal_constrain(const struct td_normal *normal, struct td_unknowns *at,
			unsigned nodes)
{
	int err = 0;

	for (size_t g = 0; g < normal->groups && !err; g++)
		err = constrain_group(normal, &normal->group[g], at, nodes);
	return err;
}
