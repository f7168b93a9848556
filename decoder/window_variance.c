// SPDX-License-Identifier: MIT
#include "decoder/window_variance.h"

#include <math.h>
#include <string.h>

#define OCTAVES 40
#define EDGES_MORE 1.2   /* their scatter is not known exactly */
#define PARTS 3          /* of a key's bins */
#define PRIOR_WINDOWS 10 /* that the mean of all keys counts for */

static double length_of(const struct td_bin *bin)
{
	return (bin->left + bin->right) / 2;
}

static int octave(const struct td_bin *bin)
{
	int o = (int)(2 * log2(fmax(1, length_of(bin))));

	return o < 0 ? 0 : o >= OCTAVES ? OCTAVES - 1 : o;
}

void td_variance_guess(struct td_rows *rows)
{
	for (size_t k = 0; k < rows->keys; k++) {
		for (uint32_t b = 0; b < rows->key[k].bins; b++) {
			struct td_bin *bin = &rows->key[k].bin[b];
			double length = length_of(bin);

			bin->row[TD_ROW_OWN].variance = 1 + pow(0.02 * length, 2);
			bin->row[TD_ROW_ALL].variance = 1 + pow(0.25 * length, 2);
		}
	}
}

struct pool {
	double scatter, windows;
};

static void add(struct pool *pool, const struct td_row *row)
{
	if (row->n < 3)
		return;
	pool->scatter += row->scatter;
	pool->windows += row->n - 2;
}

static double least(const struct td_rows *rows, const struct td_bin *bin)
{
	return td_axis_least(&rows->axis, length_of(bin) + fmax(0, rows->axis.empty));
}

static void set_part(struct td_rows *rows, struct td_key *key, uint32_t from, uint32_t to,
		     struct pool all[TD_ROW_CLASSES][OCTAVES])
{
	struct pool pool[TD_ROW_CLASSES] = {0};

	for (uint32_t b = from; b < to; b++) {
		for (int c = 0; c < TD_ROW_CLASSES; c++)
			add(&pool[c], &key->bin[b].row[c]);
	}
	for (uint32_t b = from; b < to; b++) {
		struct td_bin *bin = &key->bin[b];

		for (int c = 0; c < TD_ROW_CLASSES; c++) {
			const struct pool *mean = &all[c][octave(bin)];
			double prior = mean->windows > 0 ? mean->scatter / mean->windows
							 : bin->row[c].variance;
			double v = (pool[c].scatter + PRIOR_WINDOWS * prior) /
				   (pool[c].windows + PRIOR_WINDOWS);

			bin->row[c].variance = fmax(v, least(rows, bin));
		}
	}
}

void td_variance_find(struct td_rows *rows)
{
	struct pool all[TD_ROW_CLASSES][OCTAVES];

	memset(all, 0, sizeof(all));
	for (size_t k = 0; k < rows->keys; k++) {
		for (uint32_t b = 0; b < rows->key[k].bins; b++) {
			struct td_bin *bin = &rows->key[k].bin[b];

			for (int c = 0; c < TD_ROW_CLASSES; c++)
				add(&all[c][octave(bin)], &bin->row[c]);
		}
	}
	for (size_t k = 0; k < rows->keys; k++) {
		struct td_key *key = &rows->key[k];

		for (uint32_t p = 0; p < PARTS; p++)
			set_part(rows, key, key->bins * p / PARTS,
				 key->bins * (p + 1) / PARTS, all);
	}
}

/*
 * Each window's counts scatter by a quarter of a step's square and by the edges,
 * whatever the function does; what is beyond that and grows with the length is
 * the function's.
 */
void td_variance_of_functions(const struct td_rows *rows, const double *edges,
			      double *varies)
{
	memset(varies, 0, rows->columns * sizeof(*varies));
	for (size_t k = 0; k < rows->keys; k++) {
		const struct td_key *key = &rows->key[k];
		double excess = 0, squares = 0;

		for (uint32_t b = 0; b < key->bins && !key->backward; b++) {
			const struct td_bin *bin = &key->bin[b];
			const struct td_row *row = &bin->row[TD_ROW_OWN];
			double length = length_of(bin);

			if (row->n < 3)
				continue;
			excess += row->scatter -
				  (row->n - 2) * (least(rows, bin) * 1.5 +
						  EDGES_MORE * edges[key->function]);
			squares += (row->n - 2) * length * length;
		}
		if (squares > 0 && excess > 0)
			varies[key->function] = sqrt(excess / squares);
	}
}
