// SPDX-License-Identifier: MIT
#include "decoder/window_stays.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/order.h"

#define AGAIN 0.75        /* how alike a visit and the next one of the function are */
#define STEP 0.2          /* of the logarithm of a length, from one to the next */
#define KNOWN 1.          /* windows of no length that would be in the same visit still */
#define LEAN_MOST 3.      /* then hardly any but the longest visits are left */
#define PLACES_CHANCE 1.5 /* standard deviations */
#define PLACES_FEWEST 8   /* windows, of which something is seen */
#define GONE 1e-3         /* part of the windows: less is none */
#define WIDTH_LEAST 0.5   /* cycles */

static double length_of(int i)
{
	return exp(STEP * i);
}

static int class_of(double cycles)
{
	double i = log(fmax(1, cycles)) / STEP + 0.5;

	return i < TD_STAYS ? (int)i : TD_STAYS - 1;
}

/* Between the lengths that there are; from 0 on a straight line to the first. */
static double at(const double *of, double cycles, double zero)
{
	double i = log(fmax(1, cycles)) / STEP;
	int below = (int)fmin(i, TD_STAYS - 2);

	if (cycles < 1)
		return zero + (of[0] - zero) * fmax(0, cycles);
	i = fmin(i, TD_STAYS - 1);
	return of[below] + (of[below + 1] - of[below]) * (i - below);
}

/* Windows by their cycles: all, and those in one visit. */
struct counts {
	double n[TD_STAYS], left[TD_STAYS];
};

static void count(const struct td_separate_input *input, const struct td_axis *axis,
		  const struct td_columns *columns, struct counts *counts)
{
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		double length = td_axis_length(axis, w);
		double cycles = length - td_axis_lost(axis, length);
		uint32_t end[2] = {columns->open[i], columns->close[i]};

		if (w->empty || (w->unsure && input->returns) || !td_axis_counts(axis, w))
			continue;
		for (int e = 0; e < 2; e++) {
			counts[end[e]].n[class_of(cycles)]++;
			counts[end[e]].left[class_of(cycles)] +=
				end[0] == end[1] && !w->calls;
		}
	}
}

/* The part that is left can only fall: neighbours that do not are one. */
static void find_left(const struct counts *counts, double *left)
{
	double n[TD_STAYS], sum[TD_STAYS];
	int last[TD_STAYS], pools = 0;

	for (int i = 0; i < TD_STAYS; i++) {
		n[pools] = counts->n[i] + (i ? 0 : KNOWN);
		sum[pools] = counts->left[i] + (i ? 0 : KNOWN);
		last[pools] = i;
		for (pools++; pools > 1 && sum[pools - 1] * n[pools - 2] >=
						   sum[pools - 2] * n[pools - 1];) {
			pools--;
			n[pools - 1] += n[pools];
			sum[pools - 1] += sum[pools];
			last[pools - 1] = last[pools];
		}
	}
	for (int i = 0, p = 0; i < TD_STAYS; i++) {
		p += i > last[p];
		left[i] = sum[p] / n[p];
	}
}

/*
 * Visits that take exp(x) times as long are left by a window of u cycles as others by
 * one of u exp(-x): what is left of them has that much more of the long ones.
 */
static double leaning(const double *left, int i)
{
	double before = i ? left[i - 1] : 1, after = i + 1 < TD_STAYS ? left[i + 1] : 0;

	return (before - after) / (2 * STEP);
}

static void add_up(struct td_stay *stay)
{
	double cycles = 0, first = 0, lean = 0, left = 1, leans = 0;

	for (int i = 0; i < TD_STAYS; i++) {
		double width = length_of(i) - cycles;
		double now = leaning(stay->left, i);

		first += width * (left + stay->left[i]) / 2;
		lean += width * (leans + now) / 2;
		stay->first[i] = first;
		stay->lean[i] = lean;
		left = stay->left[i];
		leans = now;
		cycles = length_of(i);
	}
}

/* An own window. */
struct sample {
	uint32_t column, offset;
	float cycles, value[TD_NODES_LEVEL1];
};

static int by_offset(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return td_order(x->column, y->column) ?: td_order(x->offset, y->offset);
}

static size_t take_samples(const struct td_separate_input *input,
			   const struct td_axis *axis, const struct td_columns *columns,
			   struct sample *sample)
{
	size_t n = 0;

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		double length = td_axis_length(axis, w);

		if (w->silent || !td_axis_counts(axis, w) ||
		    !td_columns_own(columns, input, axis, i))
			continue;
		sample[n].column = columns->open[i];
		sample[n].offset = w->open_offset;
		sample[n].cycles = (float)(length - td_axis_lost(axis, length));
		for (int k = 0; k < TD_NODES_LEVEL1; k++)
			sample[n].value[k] =
				(float)(w->value[k] / axis->width -
					axis->mix[k] * td_axis_beyond(axis, w));
		n++;
	}
	return n;
}

/*
 * Counts about a straight line over the cycles: half the squares of what neighbours by
 * place differ is as much as all differ from their mean, unless place matters.
 */
static double node_by_place(const struct sample *sample, size_t n, int k)
{
	double x = 0, y = 0, xx = 0, xy = 0, slope, last = 0, all = 0, near = 0;

	for (size_t i = 0; i < n; i++) {
		x += sample[i].cycles / (double)n;
		y += sample[i].value[k] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		xx += (sample[i].cycles - x) * (sample[i].cycles - x);
		xy += (sample[i].cycles - x) * (sample[i].value[k] - y);
	}
	slope = xx > 0 ? xy / xx : 0;
	for (size_t i = 0; i < n; i++) {
		double rest = sample[i].value[k] - y - slope * (sample[i].cycles - x);

		all += rest * rest;
		near += i ? (rest - last) * (rest - last) / 2 : 0;
		last = rest;
	}
	/* the difference is that much by chance */
	return all - near - PLACES_CHANCE * all / sqrt((double)n);
}

static double by_place(const struct sample *sample, size_t n)
{
	double squares = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		squares += sample[i].cycles * sample[i].cycles;
	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		sum += node_by_place(sample, n, k) / TD_NODES_LEVEL1;
	return n >= PLACES_FEWEST && sum > 0 ? sqrt(sum / squares) : 0;
}

static int find_places(const struct td_separate_input *input, const struct td_axis *axis,
		       const struct td_columns *columns, struct td_stay *stay)
{
	struct sample *sample = malloc((input->windows + 1) * sizeof(*sample));
	size_t n;

	if (!sample)
		return -ENOMEM;
	n = take_samples(input, axis, columns, sample);
	if (n)
		qsort(sample, n, sizeof(*sample), by_offset);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && sample[end].column == sample[i].column;)
			end++;
		stay[sample[i].column].by_place = by_place(sample + i, end - i);
	}
	free(sample);
	return 0;
}

struct td_stay *td_stays_find(const struct td_separate_input *input,
			      const struct td_axis *axis,
			      const struct td_columns *columns)
{
	struct td_stay *stay = calloc(columns->columns + 1, sizeof(*stay));
	struct counts *counts = calloc(columns->columns + 1, sizeof(*counts));

	if (!stay || !counts || find_places(input, axis, columns, stay) < 0) {
		free(stay);
		free(counts);
		return NULL;
	}
	count(input, axis, columns, counts);
	for (uint32_t c = 0; c < columns->columns; c++) {
		find_left(&counts[c], stay[c].left);
		add_up(&stay[c]);
	}
	free(counts);
	return stay;
}

/* Of windows with so many cycles that are in one visit: for each of those. */
static double lean_of_own(const struct td_stay *stay, double cycles)
{
	double left = at(stay->left, cycles, 1);
	double before = at(stay->left, cycles * exp(-STEP), 1);
	double after = at(stay->left, cycles * exp(STEP), 1);

	if (!(left > 0))
		return LEAN_MOST;
	return fmin(LEAN_MOST, (before - after) / (2 * STEP) / left);
}

/* Cycles of the visit that a window ends in, if that has begun after the window. */
static double age_of_last(const struct td_stay *stay, double cycles)
{
	double gone = 1 - at(stay->left, cycles, 1);

	return gone > GONE ? fmin(cycles, at(stay->lean, cycles, 0) / gone) : cycles / 2;
}

static double mean_cycles(const struct td_key *key, uint32_t b)
{
	const struct td_row *all = &key->bin[b].row[TD_ROW_ALL];

	return all->n > 0 ? all->cycles / all->n : 0;
}

static double mean_time(const struct td_key *key, uint32_t b, uint32_t c)
{
	return key->time[(size_t)b * key->columns + c] / key->bin[b].row[TD_ROW_ALL].n;
}

/* The part of windows like those of the bin that end in each column: by how its time
 * grows from bins that are shorter by a fifth to those that are longer by as much. */
static void find_ends(const struct td_key *key, uint32_t b, double *part)
{
	double cycles = mean_cycles(key, b), width;
	uint32_t from = b, to = b;

	while (from && mean_cycles(key, from - 1) > 0 &&
	       mean_cycles(key, from) > cycles * exp(-STEP))
		from--;
	while (to + 1 < key->bins && mean_cycles(key, to + 1) > 0 &&
	       mean_cycles(key, to) < cycles * exp(STEP))
		to++;
	width = mean_cycles(key, to) - mean_cycles(key, from);
	for (uint32_t c = 0; c < key->columns && width > WIDTH_LEAST; c++)
		part[c] = fmax(0,
			       (mean_time(key, to, c) - mean_time(key, from, c)) / width);
}

/* Cycles of a function in windows that end in it, as far as they were all long or all
 * short: of the last visit, and of AGAIN of those before it. */
static double since(const struct td_stay *stay, const struct td_key *key, uint32_t b,
		    uint32_t c, double cycles)
{
	double age = age_of_last(&stay[key->column[c]], cycles);

	return age + AGAIN * fmax(0, mean_time(key, b, c) - age);
}

/*
 * A window that opens in a visit meets a long one more often, and it lasts longer then.
 * One that has begun after the window and is not over is met as often as it is entered,
 * long or not.  Those that windows pass are met as often as entered, and have all their
 * cycles in them: just what all cycles together are, but that visits of the function that
 * the window has opened in may be long again.
 */
static void lean_bin(const struct td_stay *stay, struct td_key *key, uint32_t b)
{
	struct td_bin *bin = &key->bin[b];
	const struct td_row *own = &bin->row[TD_ROW_OWN];
	const struct td_stay *itself = &stay[key->function];
	double *lean = key->lean + (size_t)b * key->columns;
	double *of_itself = &lean[key->itself];
	double cycles = mean_cycles(key, b), in, later;

	bin->lean = own->n > 0 ? lean_of_own(itself, own->cycles / own->n) : 0;
	memset(lean, 0, key->columns * sizeof(*lean));
	if (itself->aside > 0)
		bin->lean = itself->aside;
	if (cycles <= 0)
		return;
	find_ends(key, b, lean);
	*of_itself = fmax(0, *of_itself - at(itself->left, cycles, 1));
	for (uint32_t c = 0; c < key->columns; c++)
		lean[c] *= stay[key->column[c]].aside > 0
				   ? 0
				   : -since(stay, key, b, c, cycles);
	if (itself->aside > 0)
		return;
	in = mean_time(key, b, key->itself);
	later = fmax(0, in - at(itself->first, cycles, 0)) * fmax(0, 1 - in / cycles);
	*of_itself =
		at(itself->lean, cycles, 0) + AGAIN * later + (1 - AGAIN) * *of_itself;
}

void td_stays_lean(struct td_rows *rows, const struct td_stay *stay)
{
	for (size_t k = 0; k < rows->keys; k++) {
		for (uint32_t b = 0; b < rows->key[k].bins; b++)
			lean_bin(stay, &rows->key[k], b);
	}
}
