// SPDX-License-Identifier: MIT
/* The second half of window_rows.h: what a bin's windows say. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/window_rows.h"

#define HAZARD_MOST 0.5 /* times the start's spread */

/* Sums of squares and products of lengths and counts. */
struct squares {
	double length, count[TD_NODES_LEVEL1], both[TD_NODES_LEVEL1];
};

static void add_window(struct td_row *row, struct squares *squares,
		       const struct td_row_window *w)
{
	row->n++;
	row->cycles += w->length;
	row->shared[0]++;
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		row->value[k] += w->value[k];
	squares->length += (double)w->length * w->length;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		squares->count[k] += (double)w->value[k] * w->value[k];
		squares->both[k] += (double)w->value[k] * w->length;
	}
}

static void finish_row(struct td_row *row, const struct squares *squares)
{
	double n = row->n, lengths, sum = 0;

	row->scatter = 0;
	if (n < 3)
		return;
	lengths = squares->length - row->cycles * row->cycles / n;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		double both = squares->both[k] - row->value[k] * row->cycles / n;

		sum += squares->count[k] - row->value[k] * row->value[k] / n;
		if (lengths > 1e-6 * squares->length)
			sum -= both * both / lengths;
	}
	row->scatter = fmax(0, sum) / TD_NODES_LEVEL1;
}

static void clear_row(struct td_row *row)
{
	double variance = row->variance;

	memset(row, 0, sizeof(*row));
	row->variance = variance;
}

/* What the ends of windows say about time: for each column of the key. */
struct ends {
	double *before; /* cycles up to the bin, of windows at least as long */
	double *whole;  /* cycles across the bin */
	double *still;  /* part of the windows in which the program stood still */
	double *part;   /* cycles from the bin's start to the end of its windows, mean */
};

/*
 * The probability to be in f after u cycles is seen where windows of length u end.
 * Each window stands for an equal piece of the bin; the windows that are longer
 * than u, and so have that time in them, are the part (right - u) / width of the
 * bin's.  Without a window (a batch is left out): as in the bin before.
 */
static void count_ends(const struct td_rows *rows, const struct td_bin *bin,
		       unsigned without, struct ends *ends, uint32_t columns)
{
	double width = (double)bin->right - bin->left, n = 0, right = 0, left = 0,
	       last = 0, counted = 0;

	for (uint32_t i = bin->begin; i < bin->end; i++) {
		const struct td_row_window *w = &rows->window[i];

		if (w->batch == without)
			continue;
		n++;
		right += bin->right - w->due;
		left += w->counted ? w->due - bin->left : 0;
		counted += w->counted;
	}
	left /= fmax(1, counted);
	if (n <= 0) {
		for (uint32_t c = 0; c < columns; c++)
			last += ends->whole[c];
		for (uint32_t c = 0; c < columns && last > 0; c++)
			ends->whole[c] *= width / last;
		return;
	}
	memset(ends->whole, 0, columns * sizeof(*ends->whole));
	memset(ends->part, 0, columns * sizeof(*ends->part));
	for (uint32_t i = bin->begin; i < bin->end; i++) {
		const struct td_row_window *w = &rows->window[i];

		if (w->batch == without)
			continue;
		ends->whole[w->other] += width / n;
		ends->part[w->other] +=
			right > 0 ? (bin->right - w->due) / right * left : left / n;
	}
}

/*
 * In some windows the program has not started: they end where they opened, or at the
 * first place where it can be interrupted, and say nothing of where it is later.
 */
static void count_still(const struct td_rows *rows, const struct td_key *key,
			unsigned without, struct ends *ends)
{
	double n = 1;

	memset(ends->still, 0, key->columns * sizeof(*ends->still));
	ends->still[key->itself] = 1;
	for (uint32_t i = key->still; i < key->bin[0].begin; i++) {
		if (rows->window[i].batch == without)
			continue;
		ends->still[rows->window[i].other]++;
		n++;
	}
	for (uint32_t c = 0; c < key->columns; c++)
		ends->still[c] /= n;
}

/* Takes them out of what the bin's ends say: they are in itself. */
static void correct_ends(const struct td_rows *rows, const struct td_key *key,
			 const struct td_bin *bin, struct ends *ends)
{
	double left = td_axis_lost(&rows->axis, bin->left);
	double whole = td_axis_lost(&rows->axis, bin->right) - left;
	double part = td_axis_lost(&rows->axis, (bin->left + bin->right) / 2) - left;

	if (rows->axis.start_spread <= 0)
		return;
	for (uint32_t c = 0; c < key->columns; c++) {
		double by = (c == key->itself) - ends->still[c];

		ends->whole[c] += whole * by;
		ends->part[c] += part * by;
	}
}

static void count_bin(const struct td_rows *rows, struct td_bin *bin, unsigned without)
{
	struct squares squares[TD_ROW_CLASSES] = {0};

	clear_row(&bin->row[TD_ROW_OWN]);
	clear_row(&bin->row[TD_ROW_ALL]);
	bin->ends = 0;
	for (uint32_t i = bin->begin; i < bin->end; i++) {
		const struct td_row_window *w = &rows->window[i];

		if (w->batch == without)
			continue;
		bin->ends++;
		if (!w->counted)
			continue;
		add_window(&bin->row[TD_ROW_ALL], &squares[TD_ROW_ALL], w);
		if (w->own)
			add_window(&bin->row[TD_ROW_OWN], &squares[TD_ROW_OWN], w);
	}
	for (int c = 0; c < TD_ROW_CLASSES; c++)
		finish_row(&bin->row[c], &squares[c]);
}

/*
 * Of windows with a random start, the own ones are those where it was late: by
 * variance times hazard, exactly so for a normal distribution.  What was late is in
 * `shared` as more of the edges' mix.  Where that is nearly a spread, how fast own
 * windows become fewer changes within it: such windows are not taken as own.
 */
static double own_delay(const struct td_axis *axis, const struct td_bin *bin)
{
	double variance = axis->start_spread * axis->start_spread;

	return fmin(variance * bin->hazard, 2 * axis->start_spread);
}

/* What came behind the trigger is the function's that it came in. */
static void add_late(const struct td_rows *rows, struct td_bin *bin,
		     const struct td_key *key, unsigned without, double *time)
{
	for (uint32_t i = bin->begin; i < bin->end; i++) {
		const struct td_row_window *w = &rows->window[i];

		if (!w->counted || w->batch == without)
			continue;
		time[key->backward ? key->itself : w->other] += w->late;
		if (!key->backward)
			bin->late += w->late / bin->row[TD_ROW_ALL].n;
	}
}

static void fill_bin(const struct td_rows *rows, struct td_bin *bin,
		     const struct td_key *key, const struct ends *ends, unsigned without,
		     double *time)
{
	struct td_row *own = &bin->row[TD_ROW_OWN], *all = &bin->row[TD_ROW_ALL];
	double delay, lost;

	memset(time, 0, key->columns * sizeof(*time));
	bin->late = 0;
	if (all->n <= 0)
		return;
	lost = td_axis_lost(&rows->axis, all->cycles / all->n);
	if (bin->hazard * rows->axis.start_spread > HAZARD_MOST)
		clear_row(own);
	delay = own->n > 0 ? own_delay(&rows->axis, bin) : 0;
	for (uint32_t c = 0; c < key->columns; c++)
		time[c] = all->n * (ends->before[c] + ends->part[c]);
	time[key->itself] -= all->n * lost;
	add_late(rows, bin, key, without, time);
	all->cycles -= all->n * lost;
	own->cycles -= own->n * (lost + delay);
	own->shared[1] += own->n * delay;
}

/*
 * Before the shortest window: from being where it opened to the first bin's
 * ends.
 */
static void start_key(const struct td_rows *rows, const struct td_key *key,
		      unsigned without, struct ends *ends)
{
	const struct td_bin *first = &key->bin[0];
	double shortest = first->left, start = td_axis_lost(&rows->axis, shortest);
	double width = (double)first->right - first->left;

	memset(ends->before, 0, key->columns * sizeof(*ends->before));
	memset(ends->whole, 0, key->columns * sizeof(*ends->whole));
	memset(ends->part, 0, key->columns * sizeof(*ends->part));
	ends->whole[key->itself] = 1;
	count_still(rows, key, without, ends);
	count_ends(rows, first, without, ends, key->columns);
	for (uint32_t c = 0; c < key->columns && width > 0; c++)
		ends->before[c] = ends->whole[c] / width * (shortest - start) / 2;
	ends->before[key->itself] +=
		width > 0 ? start + (shortest - start) / 2 : shortest;
}

static void fill_key(struct td_rows *rows, struct td_key *key, unsigned without,
		     struct ends *ends)
{
	start_key(rows, key, without, ends);
	for (uint32_t b = 0; b < key->bins; b++) {
		struct td_bin *bin = &key->bin[b];

		count_bin(rows, bin, without);
		count_ends(rows, bin, without, ends, key->columns);
		correct_ends(rows, key, bin, ends);
		fill_bin(rows, bin, key, ends, without,
			 key->time + (size_t)b * key->columns);
		for (uint32_t c = 0; c < key->columns; c++)
			ends->before[c] += ends->whole[c];
	}
}

int td_rows_fill(struct td_rows *rows, unsigned without)
{
	struct ends ends = {
		.before = malloc((rows->columns + 1) * sizeof(double)),
		.whole = malloc((rows->columns + 1) * sizeof(double)),
		.still = malloc((rows->columns + 1) * sizeof(double)),
		.part = malloc((rows->columns + 1) * sizeof(double)),
	};
	int err = ends.before && ends.whole && ends.still && ends.part ? 0 : -ENOMEM;

	for (size_t k = 0; k < rows->keys && !err; k++)
		fill_key(rows, &rows->key[k], without, &ends);
	free(ends.before);
	free(ends.whole);
	free(ends.still);
	free(ends.part);
	return err;
}
