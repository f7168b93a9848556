// SPDX-License-Identifier: MIT
/* How far quantities are uncertain: by sampling, and from run to run. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/compare_internal.h"
#include "decoder/order.h"
#include "decoder/student.h"

/* No fraction is known better than this, whatever its windows say. */
#define ERROR_LEAST 1e-4

/* For the noise between two single runs: functions with so many samples. */
#define NOISE_SAMPLES 30
#define NOISE_FUNCTIONS 5
#define MEDIAN_CHI2 0.4549364231195724 /* of one degree of freedom */
#define MEDIAN_EFFICIENCY 0.37         /* of a variance from it, to the best one's */

/* The row's part; NULL: not on that side. */
static const struct td_part *find_part(const struct td_comparing *c,
				       const struct td_parts *parts,
				       const struct td_compare_row *row)
{
	const struct td_part key = {
		.module = row->module, .name = row->name, .inclusive = row->inclusive};

	return row == &c->compare->total ? &parts->total : td_parts_find(parts, &key);
}

/*
 * The variance of the side's mean as its runs show it, and its degrees of
 * freedom: 0 with fewer than two runs that have the quantity.
 */
static double between_runs(const struct td_comparing *c, int side,
			   const struct td_compare_row *row, int quantity, double *df)
{
	double sum = 0, weight = 0, variance = 0, runs = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; c->run[side] && i < c->runs[side]; i++) {
			const struct td_parts *parts = &c->run[side][i];
			const struct td_part *part = find_part(c, parts, row);
			struct td_measured value =
				td_compare_value(parts, part, quantity);

			if (!value.present)
				continue;
			if (pass == 0) {
				runs++;
				sum += value.weight * value.value;
				weight += value.weight;
			} else {
				variance += pow(value.weight / weight *
							(value.value - sum / weight),
						2);
			}
		}
	}
	*df = runs > 1 ? runs - 1 : 0;
	return runs > 1 ? runs / (runs - 1) * variance : 0;
}

/* The degrees of freedom of a sum of two variances (Welch, Satterthwaite). */
static double welch(double a, double df_a, double b, double df_b)
{
	double sum = a + b, below = 0;

	if (a > 0)
		below += a * a / df_a;
	if (b > 0)
		below += b * b / df_b;
	return below > 0 ? sum * sum / below : INFINITY;
}

/* The variance of one side's value by sampling, and its degrees of freedom. */
static double sampling(const struct td_comparing *c, int side,
		       const struct td_compare_row *row, int quantity, double *df)
{
	const struct td_part *total = &c->all[side].total;
	double pooled = td_compare_pooled(c->compare, row), cost = 1;
	const struct td_measured *node;
	const struct td_part *part;

	*df = INFINITY;
	if (quantity == TD_COST)
		cost = total->cost / (double)c->runs[side];
	if (quantity < TD_NODE)
		return pooled * (1 - pooled) / (double)total->samples * cost * cost;
	part = find_part(c, &c->all[side], row);
	node = quantity == TD_LATENCY ? &part->latency : &part->node[quantity - TD_NODE];
	*df = node->df;
	return pow(fmax(node->error, ERROR_LEAST), 2);
}

/* How many times larger than by sampling; df 0 and 0: not known. */
static void spread(const struct td_comparing *c, const struct td_compare_row *row,
		   int quantity, struct td_error *error)
{
	double own[2], own_df[2], between[2], df[2];

	for (int side = 0; side < 2; side++) {
		own[side] = sampling(c, side, row, quantity, &own_df[side]);
		between[side] = between_runs(c, side, row, quantity, &df[side]);
	}
	error->variance = own[0] + own[1];
	error->df = welch(own[0], own_df[0], own[1], own_df[1]);
	if (quantity == TD_COST || row == &c->compare->total) {
		/* what all functions have in common: no function tells of another */
		error->between = df[0] > 0 && df[1] > 0 ? between[0] + between[1] : 0;
		error->between_df = df[0] > 0 && df[1] > 0
					    ? welch(between[0], df[0], between[1], df[1])
					    : 0;
		return;
	}
	error->between_df = df[0] + df[1];
	error->between = 0;
	for (int side = 0; side < 2 && error->between_df > 0; side++) {
		if (own[side] > 0)
			error->between +=
				df[side] / error->between_df * between[side] / own[side];
	}
}

/*
 * Makes the ratios of spread() variances: few runs say little of one function,
 * but all functions together say much.
 */
static int moderate(const struct td_comparing *c, int first, int last)
{
	struct td_compare *compare = c->compare;
	size_t most = compare->rows * (size_t)(last - first) + 1, n = 0;
	double *ratio = calloc(most, sizeof(*ratio)), *df = calloc(most, sizeof(*df));
	struct td_moderation common = {0};

	for (int pass = 0; pass < 2 && ratio && df; pass++) {
		for (size_t i = 0; i < compare->rows; i++) {
			for (int q = first; q < last; q++) {
				struct td_error *e =
					&c->error[i * TD_QUANTITIES + (size_t)q];

				if (!td_compare_change(&compare->row[i], q)->present ||
				    e->between_df <= 0)
					continue;
				if (pass == 0 && !compare->row[i].inclusive &&
				    td_compare_change(&compare->row[i], q)->tested) {
					ratio[n] = fmax(e->between, 1e-3);
					df[n++] = e->between_df;
				} else if (pass == 1) {
					double ratio_of = td_moderated(
						&common, e->between, &e->between_df);

					/* an odd one is as bad as it shows */
					e->between =
						e->variance * fmax(ratio_of, e->between);
				}
			}
		}
		if (pass == 0)
			common = td_moderate(ratio, df, n);
	}
	free(ratio);
	free(df);
	return ratio && df ? 0 : -ENOMEM;
}

static double median(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), td_by_double);
	return n & 1 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

/* log(b / a) of each function's samples, with which sampling error squared. */
static size_t log_ratios(const struct td_compare *compare, double *ratio,
			 double *variance)
{
	size_t n = 0;

	for (size_t i = 0; i < compare->rows; i++) {
		const uint64_t *k = compare->row[i].samples;

		if (compare->row[i].inclusive || k[0] < NOISE_SAMPLES ||
		    k[1] < NOISE_SAMPLES)
			continue;
		ratio[n] = log((double)k[1] / (double)k[0]);
		variance[n++] = 1 / (double)k[0] + 1 / (double)k[1];
	}
	return n;
}

/* The variance of shares, relative to what it is by sampling. */
struct scatter {
	double ratio; /* 0: too few functions to tell */
	double df;    /* what it is worth */
};

/*
 * As two runs show it by themselves: how far the functions' samples scatter
 * around the median of their ratios.  Fewer than half of the functions may have
 * changed.  0 or -ENOMEM.
 */
static int estimate_scatter(const struct td_compare *compare, struct scatter *scatter)
{
	double *ratio = calloc(3 * (compare->rows + 1), sizeof(*ratio));
	double *variance = ratio + compare->rows + 1;
	double *square = variance + compare->rows + 1, middle;
	size_t n;

	*scatter = (struct scatter){0, INFINITY};
	if (!ratio)
		return -ENOMEM;
	n = log_ratios(compare, ratio, variance);
	if (n >= NOISE_FUNCTIONS) {
		memcpy(square, ratio, n * sizeof(*ratio));
		middle = median(square, n);
		for (size_t i = 0; i < n; i++)
			square[i] = pow(ratio[i] - middle, 2) / variance[i];
		scatter->ratio = median(square, n) / MEDIAN_CHI2;
		scatter->df = MEDIAN_EFFICIENCY * (double)n;
	}
	free(ratio);
	return 0;
}

/* 1/n of both sides: what a share's sampling variance is proportional to. */
static double sampled(const struct td_compare *compare)
{
	return 1 / (double)compare->total.samples[0] +
	       1 / (double)compare->total.samples[1];
}

/* By what shares and costs differ beside the program, in both errors. */
static void add_noise(const struct td_comparing *c, double df)
{
	struct td_compare *compare = c->compare;
	const struct td_change *all = &compare->total.cost;
	double square = compare->noise * compare->noise;

	for (size_t i = 0; i <= compare->rows; i++) {
		struct td_compare_row *row = td_compare_row(compare, i);
		const struct td_change *cost = &row->cost;
		struct td_error *error = &c->error[i * TD_QUANTITIES];
		double p = td_compare_pooled(compare, row);
		double variance[2] = {
			2 * square * p * (1 - p),
			/* of the share, and of the machine's speed */
			square *
				(p * (1 - p) *
					 (all->before * all->before +
					  all->after * all->after) +
				 cost->before * cost->before + cost->after * cost->after),
		};

		for (int q = TD_SHARE; q <= TD_COST; q++) {
			error[q].variance += variance[q];
			error[q].df = fmin(error[q].df, df);
			error[q].between += variance[q];
		}
	}
}

static int find_noise(const struct td_comparing *c)
{
	struct td_compare *compare = c->compare;
	struct scatter scatter = {0, INFINITY};
	double shown;
	int err = 0;

	if (c->runs[0] == 1 && c->runs[1] == 1)
		err = estimate_scatter(compare, &scatter);
	shown = sqrt(fmax(0, scatter.ratio - 1) * sampled(compare) / 2);
	compare->noise_measured = shown > compare->query.noise;
	compare->noise = fmax(shown, compare->query.noise);
	add_noise(c, compare->noise_measured ? scatter.df : INFINITY);
	return err;
}

int td_compare_errors(struct td_comparing *c)
{
	struct td_compare *compare = c->compare;
	int err = 0;

	c->error = calloc((compare->rows + 1) * TD_QUANTITIES, sizeof(*c->error));
	if (!c->error)
		return -ENOMEM;
	for (size_t i = 0; i <= compare->rows; i++) {
		struct td_compare_row *row = td_compare_row(compare, i);

		for (int q = 0; q < TD_QUANTITIES; q++) {
			if (td_compare_change(row, q)->present)
				spread(c, row, q,
				       &c->error[i * TD_QUANTITIES + (size_t)q]);
		}
	}
	if (c->runs[0] > 1 || c->runs[1] > 1) {
		err = moderate(c, TD_SHARE, TD_SHARE + 1);
		if (!err)
			err = moderate(c, TD_NODE, TD_LATENCY);
		if (!err)
			err = moderate(c, TD_LATENCY, TD_QUANTITIES);
	}
	if (!err && !compare->alternating)
		err = find_noise(c);
	return err;
}
