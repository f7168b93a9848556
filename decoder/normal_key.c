// SPDX-License-Identifier: MIT
#include "decoder/normal_key.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNSEEN                                                                           \
	0.15 /* of such cycles, in another function than supposed, squared mean          \
	      */

#define LEANS_MOST                                                                       \
	2. /* beyond that, own windows are of the longest visits, and it is no line */

#define AGAIN 2. /* times the chance of ends that are those of other keys as well */

int td_key_init(struct td_key_work *work, const struct td_rows *rows, int matrix)
{
	size_t most = 0, bins = 1;

	memset(work, 0, sizeof(*work));
	for (; rows; rows = rows->more) {
		for (size_t k = 0; k < rows->keys; k++) {
			most = rows->key[k].columns > most ? rows->key[k].columns : most;
			bins = rows->key[k].bins > bins ? rows->key[k].bins : bins;
		}
	}
	most = 2 * most + 1;
	work->gain = malloc(bins * sizeof(*work->gain));
	work->weight = malloc(bins * sizeof(*work->weight));
	work->count = calloc(most, sizeof(*work->count));
	work->more = calloc(most, sizeof(*work->more));
	work->touched = malloc(most * sizeof(*work->touched));
	work->unknown = malloc(most * sizeof(*work->unknown));
	work->column = malloc(most * sizeof(*work->column));
	work->x = malloc(most * sizeof(*work->x));
	work->sum = malloc(most * sizeof(*work->sum));
	work->error_x = malloc(most * sizeof(*work->error_x));
	work->matrix = matrix ? malloc(most * most * sizeof(*work->matrix)) : NULL;
	return work->unknown && work->column && work->x && work->sum && work->error_x &&
			       work->gain && work->weight && work->count && work->more &&
			       work->touched && (work->matrix || !matrix)
		       ? 0
		       : -ENOMEM;
}

void td_key_free(struct td_key_work *work)
{
	free(work->unknown);
	free(work->column);
	free(work->x);
	free(work->sum);
	free(work->error_x);
	free(work->gain);
	free(work->weight);
	free(work->count);
	free(work->more);
	free(work->touched);
	free(work->matrix);
}

void td_key_begin(struct td_key_work *work, const struct td_normal *normal,
		  const struct td_key *key)
{
	work->n = key->columns;
	for (uint32_t c = 0; c < key->columns; c++) {
		work->unknown[c] = key->column[c];
		work->column[c] = c;
		if (normal->twin[key->column[c]] != TD_NO_TWIN) {
			work->unknown[work->n] = normal->twin[key->column[c]];
			work->column[work->n++] = c;
		}
	}
	work->next_bin = 0;
	work->next_class = 0;
	memset(work->sum, 0, work->n * sizeof(*work->sum));
	memset(work->error_x, 0, work->n * sizeof(*work->error_x));
	memset(&work->error, 0, sizeof(work->error));
	work->variance = 0;
	memset(work->shared, 0, sizeof(work->shared));
	memset(work->value, 0, sizeof(work->value));
	work->total = 0;
	if (work->matrix)
		memset(work->matrix, 0, (size_t)work->n * work->n * sizeof(double));
}

/* Fills x[]; the range that can be nonzero is [*from, *to). */
static void row_of(struct td_key_work *work, const struct td_key *key, uint32_t b,
		   int class)
{
	const double *time = key->time + (size_t)b * key->columns;
	const double *lean = key->lean + (size_t)b * key->columns;

	if (class == TD_ROW_OWN) {
		memset(work->x, 0, work->n * sizeof(*work->x));
		work->x[key->itself] = key->bin[b].row[class].cycles;
	} else {
		memcpy(work->x, time, key->columns * sizeof(*work->x));
	}
	for (uint32_t i = key->columns; i < work->n; i++) {
		uint32_t c = work->column[i];

		work->x[i] = class == TD_ROW_OWN ? work->x[c] * key->bin[b].lean
						 : key->bin[b].row[class].n * lean[c];
	}
}

/* Own windows are the same in both directions. */
static int has(const struct td_key *key, uint32_t b, int class)
{
	return key->bin[b].row[class].n > 0 && !(key->backward && class == TD_ROW_OWN);
}

static void less(struct td_key_work *work, struct td_row *row, double by)
{
	for (uint32_t i = 0; i < work->n; i++) {
		work->x[i] -= work->error_x[i];
		work->error_x[i] += by * work->x[i];
	}
	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		row->value[k] -= work->error.value[k];
		work->error.value[k] += by * row->value[k];
	}
	for (int s = 0; s < TD_ROW_SHARED; s++) {
		row->shared[s] -= work->error.shared[s];
		work->error.shared[s] += by * row->shared[s];
	}
	row->n -= work->error.n;
	work->error.n += by * row->n;
}

/* What a bin of so many ends adds to the variance of the times behind it. */
static double walk_of(const struct td_key *key, double width, double ends)
{
	return width * width * key->differ / ends * (key->twice ? AGAIN : 1);
}

/*
 * The times of a key's bins are sums over all shorter bins, each with an error of
 * its own: together a random walk, which a row's counts show as well as the row's
 * own error.  A Kalman filter makes rows of it whose errors are independent.  Returns
 * the weight.
 */
static double filter(struct td_key_work *work, const struct td_key *key, uint32_t b,
		     struct td_row *row)
{
	const struct td_bin *bin = &key->bin[b];
	double all = row->n, width = bin->right - bin->left;
	double variance = row->n * row->variance / (all * all);

	for (uint32_t i = 0; i < work->n; i++)
		work->x[i] /= all;
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		row->value[k] /= all;
	for (int s = 0; s < TD_ROW_SHARED; s++)
		row->shared[s] /= all;
	row->n /= all;
	work->variance += walk_of(key, width, bin->ends);
	variance += work->variance;
	work->gain[b] = work->variance / variance;
	work->weight[b] = 1 / variance;
	less(work, row, work->gain[b]);
	work->variance *= 1 - work->gain[b];
	return work->weight[b];
}

/* A bin without a row of all: its windows' chance is in the times of those behind. */
static void skip(struct td_key_work *work, const struct td_key *key, uint32_t b)
{
	const struct td_bin *bin = &key->bin[b];
	double width = bin->right - bin->left;

	work->variance += walk_of(key, width, bin->end - bin->begin);
	work->gain[b] = work->weight[b] = 0;
}

/* The row in work->x and *row; returns its weight. */
static double take_row(struct td_key_work *work, const struct td_normal *normal,
		       const struct td_key *key, uint32_t b, int class,
		       struct td_row *row)
{
	*row = key->bin[b].row[class];
	row_of(work, key, b, class);
	if (class == TD_ROW_ALL)
		return filter(work, key, b, row);
	if (normal->twin[key->function] != TD_NO_TWIN && key->bin[b].lean > LEANS_MOST)
		return 0;
	return 1 / (row->n * row->variance);
}

int td_key_next(struct td_key_work *work, const struct td_normal *normal,
		const struct td_key *key, struct td_row *row, double *weight)
{
	for (; work->next_bin < key->bins; work->next_bin++) {
		uint32_t b = work->next_bin;

		if (!work->next_class && !has(key, b, TD_ROW_ALL))
			skip(work, key, b);
		while (work->next_class < TD_ROW_CLASSES) {
			int class = work->next_class++;

			if (!has(key, b, class))
				continue;
			*weight = take_row(work, normal, key, b, class, row);
			return 1;
		}
		work->next_class = 0;
	}
	return 0;
}

double td_key_centre(const struct td_normal *normal, const struct td_key *key,
		     double total)
{
	double between = normal->between + pow(UNSEEN * key->unseen, 2);

	return between > 1e-6 ? 1 / (1 / between + total) : 0;
}

double td_key_ends(struct td_key_work *work, const struct td_rows *rows,
		   const struct td_bin *bin, unsigned without)
{
	const struct td_row *row = &bin->row[TD_ROW_ALL];
	double n = 0, counted = 0, known;

	work->ends = 0;
	for (uint32_t i = bin->begin; i < bin->end; i++) {
		const struct td_row_window *w = &rows->window[i];

		if (w->batch == without)
			continue;
		if (work->count[w->other]++ == 0)
			work->touched[work->ends++] = w->other;
		for (int k = 0; k < TD_SEPARATE_NODES && w->counted; k++)
			work->more[w->other][k] += w->value[k] - row->value[k] / row->n;
		n++;
		counted += w->counted;
	}
	/* some tell of more than themselves, as to how counts and ends go together */
	known = counted > 1 ? (n - 1) / (counted - 1) : 0;
	for (uint32_t i = 0; i < work->ends && counted < n; i++)
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			work->more[work->touched[i]][k] *= known;
	return n;
}

void td_key_forget(struct td_key_work *work)
{
	for (uint32_t i = 0; i < work->ends; i++) {
		work->count[work->touched[i]] = 0;
		memset(work->more[work->touched[i]], 0, sizeof(*work->more));
	}
}

struct td_echo td_key_echo(const struct td_key_work *work, const struct td_bin *bin,
			   uint32_t b, double *after)
{
	double gain = work->gain[b], weight = work->weight[b];
	double width = bin->right - bin->left, own = width / 2 + bin->late;
	double next = width - gain * own; /* what is left of it, one bin on */
	struct td_echo echo = {
		.step = weight * own * own + next * next * *after,
		.peak = weight * own - gain * next * *after,
	};

	*after = weight + (1 - gain) * (1 - gain) * *after;
	return echo;
}
