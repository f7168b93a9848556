// SPDX-License-Identifier: MIT
#include "decoder/window_variance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/order.h"

#define OCTAVES 40
#define EDGES_MORE 1.2   /* their scatter is not known exactly */
#define READ_MORE 1.5    /* nor is that of reading */
#define OWN_FEWEST 8     /* windows, of which something is seen */
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

static double edgeless(const struct td_rows *rows, const struct td_bin *bin)
{
	return td_axis_edgeless(&rows->axis, length_of(bin) + fmax(0, rows->axis.empty));
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

/* Of a key's own windows: sums for a straight line of each node's counts over the
 * length. */
struct line {
	double n, length, square, read;
	double count[TD_NODES_LEVEL1], both[TD_NODES_LEVEL1], counts[TD_NODES_LEVEL1];
};

static void add_window(struct line *line, const struct td_row_window *w)
{
	line->n++;
	line->length += w->length;
	line->square += (double)w->length * w->length;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		line->count[k] += w->value[k];
		line->both[k] += (double)w->value[k] * w->length;
		line->counts[k] += (double)w->value[k] * w->value[k];
	}
}

/* What the lines miss, squared, mean of the nodes. */
static double missed(const struct line *line)
{
	double lengths = line->square - line->length * line->length / line->n, sum = 0;

	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		double both = line->both[k] - line->count[k] * line->length / line->n;

		sum += line->counts[k] - line->count[k] * line->count[k] / line->n;
		if (lengths > 1e-6 * line->square)
			sum -= both * both / lengths;
	}
	return fmax(0, sum) / TD_NODES_LEVEL1;
}

/* The key's own windows; *squares of their cycles. */
static void add_own(const struct td_rows *rows, const struct td_key *key,
		    struct line *line, double *squares)
{
	for (uint32_t b = 0; b < key->bins; b++) {
		const struct td_bin *bin = &key->bin[b];
		double cycles;

		for (uint32_t i = bin->begin; i < bin->end && bin->row[TD_ROW_OWN].n > 0;
		     i++) {
			const struct td_row_window *w = &rows->window[i];

			if (!w->own || !w->counted)
				continue;
			add_window(line, w);
			cycles = w->length - td_axis_lost(&rows->axis, w->length);
			*squares += cycles * cycles;
			line->read += edgeless(rows, bin);
		}
	}
}

/*
 * Each window's counts scatter by a quarter of a step's square and by the edges,
 * whatever the function does; what is beyond that and grows with the length is
 * the function's.  Of all lengths together: where lengths are whole blocks of
 * instructions, windows of one length are all as fast, and so all alike.
 */
static double varies_by(const struct td_rows *rows, const struct td_key *key,
			const struct td_key *end, double edges)
{
	struct line line = {0};
	double squares = 0, excess;

	for (; key < end; key++)
		add_own(rows, key, &line, &squares);
	if (line.n < OWN_FEWEST)
		return 0;
	excess = missed(&line) -
		 (line.n - 2) * (READ_MORE * line.read / line.n + EDGES_MORE * edges);
	return excess > 0 ? sqrt(excess / squares) : 0;
}

void td_variance_of_functions(const struct td_rows *rows, const double *edges,
			      double *varies)
{
	const struct td_key *key = rows->key, *last = rows->key + rows->keys, *end;

	memset(varies, 0, rows->columns * sizeof(*varies));
	for (; key < last && !key->backward; key = end) {
		for (end = key;
		     end < last && !end->backward && end->function == key->function;)
			end++;
		varies[key->function] = varies_by(rows, key, end, edges[key->function]);
	}
}

/* What functions vary by, squared: the median of those of which it is to be seen. */
static double usual(const double *varies, const double *windows, uint32_t columns,
		    double *sorted)
{
	size_t n = 0;

	for (uint32_t c = 0; c < columns; c++)
		if (windows[c] >= OWN_FEWEST)
			sorted[n++] = varies[c] * varies[c];
	return td_lower_median(sorted, n);
}

static void count_own(const struct td_rows *rows, double *windows)
{
	for (size_t k = 0; k < rows->keys; k++) {
		const struct td_key *key = &rows->key[k];

		for (uint32_t b = 0; b < key->bins && !key->backward; b++)
			windows[key->function] += key->bin[b].row[TD_ROW_OWN].n;
	}
}

int td_variance_widen_own(struct td_rows *rows, const double *varies)
{
	double *windows = calloc(2 * (size_t)rows->columns + 1, sizeof(*windows));
	double common;

	if (!windows)
		return -ENOMEM;
	count_own(rows, windows);
	common = usual(varies, windows, rows->columns, windows + rows->columns);
	for (size_t k = 0; k < rows->keys; k++) {
		const struct td_key *key = &rows->key[k];
		double n = windows[key->function];
		double square = pow(varies[key->function], 2);

		square += td_variance_unseen(common, square, n);
		for (uint32_t b = 0; b < key->bins; b++) {
			struct td_row *own = &key->bin[b].row[TD_ROW_OWN];

			if (own->n > 0)
				own->variance =
					fmax(own->variance,
					     square * pow(own->cycles / own->n, 2));
		}
	}
	free(windows);
	return 0;
}
