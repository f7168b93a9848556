// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"

#define NODES TD_SEPARATE_NODES
#define FEWEST 200 /* own windows */
#define BAND_FEWEST 50
#define FAR 100. /* instructions: from there on states are what windows differ by */
#define ROUNDS 2
#define MARGIN 10    /* cycles: where it may be this or that */
#define FEWEST_OF 5  /* of a column, to know how they scatter */
#define READING 0.03 /* cycles squared */

/* An own window, less an empty one. */
struct own {
	uint32_t column;
	double ticks, length, value[NODES];
	double left;
};

/* Of a column's: products of instructions, lengths and counts. */
struct sums {
	double n, ii, il, ll, iy[NODES], ly[NODES], yy[NODES];
};

/* How much of a length goes with counts, and how surely. */
struct goes {
	double much, sure;
};

struct search {
	struct own *own;
	struct td_axis_point *point;
	struct sums *sums; /* [columns] */
	struct goes *goes; /* likewise */
	size_t n;
	uint32_t columns;
};

static double left_of(const struct td_axis *axis, const struct td_separate_window *w)
{
	return 2. * w->requested - w->slots / axis->width;
}

static void collect(const struct td_clock_data *d, const struct td_axis *axis,
		    const struct td_columns *columns, struct search *s)
{
	for (size_t i = 0; i < d->input->windows; i++) {
		const struct td_separate_window *w = &d->input->window[i];
		const struct td_clock_empty *empty = &d->empty[w->counts];
		struct own *to = &s->own[s->n];

		if (!td_clock_known(d->input, i) || w->silent || !empty->known ||
		    !td_columns_own(columns, d->input, axis, i))
			continue;
		to->column = columns->open[i];
		to->ticks = d->input->clock[i];
		to->length = w->slots / axis->width - empty->length;
		to->left = left_of(axis, w);
		for (int k = 0; k < NODES; k++)
			to->value[k] = w->value[k] / axis->width - empty->value[k];
		s->n++;
	}
}

static void add_products(const struct td_clock_data *d, struct search *s)
{
	memset(s->sums, 0, s->columns * sizeof(*s->sums));
	for (size_t i = 0; i < s->n; i++) {
		const struct own *w = &s->own[i];
		struct sums *to = &s->sums[w->column];
		double weight = 1 / (1 + pow(w->ticks / FAR, 2));

		if (w->left < d->whole)
			continue;
		to->n += weight;
		to->ii += weight * w->ticks * w->ticks;
		to->il += weight * w->ticks * w->length;
		to->ll += weight * w->length * w->length;
		for (int k = 0; k < NODES; k++) {
			to->iy[k] += weight * w->ticks * w->value[k];
			to->ly[k] += weight * w->length * w->value[k];
			to->yy[k] += weight * w->value[k] * w->value[k];
		}
	}
}

/* Of a column, of what instructions leave of lengths and counts. */
static struct goes goes_of(const struct sums *of, int k)
{
	double left = of->ii > 0 ? of->ll - of->il * of->il / of->ii : 0, go, rest;

	if (of->n < FEWEST_OF || left <= 0)
		return (struct goes){0, 0};
	go = of->ly[k] - of->il * of->iy[k] / of->ii;
	rest = of->yy[k] - of->iy[k] * of->iy[k] / of->ii - go * go / left;
	return (struct goes){go / left, left / (rest / of->n + READING)};
}

static int by_much(const void *a, const void *b)
{
	const struct goes *x = a, *y = b;

	return (x->much > y->much) - (x->much < y->much);
}

/* The median: where windows differ by anything else it may be anything. */
static void find_mix(struct td_clock_data *d, struct search *s)
{
	add_products(d, s);
	for (int k = 0; k < NODES; k++) {
		double sum = 0, all = 0;
		uint32_t c;

		for (c = 0; c < s->columns; c++) {
			s->goes[c] = goes_of(&s->sums[c], k);
			all += s->goes[c].sure;
		}
		qsort(s->goes, s->columns, sizeof(*s->goes), by_much);
		for (c = 0; c + 1 < s->columns && sum + s->goes[c].sure < all / 2; c++)
			sum += s->goes[c].sure;
		d->mix[k] = s->goes[c].much;
	}
}

/* What the window counted that instructions and an edge do not explain. */
static double beyond(const struct td_clock_data *d, const struct search *s,
		     const struct own *w, int k)
{
	const struct sums *of = &s->sums[w->column];
	double slope = (of->iy[k] - d->mix[k] * of->il) / of->ii;

	return w->value[k] - d->mix[k] * w->length - slope * w->ticks;
}

/* Those that end later than `from`, but before `to`, are as those just before that. */
static double find_from(const struct td_clock_data *d, const struct search *s, double to)
{
	double from = -HUGE_VAL, least = HUGE_VAL;

	for (size_t i = 0; i < s->n; i++)
		least = fmin(least, s->own[i].left);
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		size_t n = 0;

		for (size_t i = 0; i < s->n; i++) {
			const struct own *w = &s->own[i];

			if (w->left < to && s->sums[w->column].ii > 0)
				s->point[n++] =
					(struct td_axis_point){(float)(w->left - least),
							       (float)beyond(d, s, w, k)};
		}
		from = fmax(from, least + td_axis_first(s->point, n));
	}
	return from;
}

static void find_more(struct td_clock_data *d, const struct search *s)
{
	double n = 0, sum[NODES] = {0}, square[NODES] = {0};

	for (size_t i = 0; i < s->n; i++) {
		const struct own *w = &s->own[i];

		if (w->left < d->torn || w->left >= d->once || s->sums[w->column].ii <= 0)
			continue;
		n++;
		for (int k = 0; k < NODES; k++) {
			double by = beyond(d, s, w, k);

			sum[k] += by;
			square[k] += by * by;
		}
	}
	if (n < BAND_FEWEST)
		d->torn = d->once;
	for (int k = 0; k < NODES && n >= BAND_FEWEST; k++) {
		d->more[k] = sum[k] / n;
		d->more_varies = fmax(d->more_varies, square[k] / n - pow(sum[k] / n, 2));
	}
}

static void find(struct td_clock_data *d, struct search *s)
{
	double middle = 0;

	for (size_t i = 0; i < s->n; i++)
		middle += s->own[i].left / (double)s->n;
	d->whole = middle;
	for (int round = 0; round < ROUNDS; round++) {
		find_mix(d, s);
		d->whole = find_from(d, s, HUGE_VAL) + MARGIN;
	}
	find_mix(d, s);
	d->once = d->whole - 2 * MARGIN;
	d->torn = find_from(d, s, d->once) + MARGIN;
	find_more(d, s);
}

int td_clock_tear(struct td_clock_data *d, const struct td_axis *axis,
		  const struct td_columns *columns)
{
	struct search s = {.columns = columns->columns};

	s.own = malloc((d->input->windows + 1) * sizeof(*s.own));
	s.point = malloc((d->input->windows + 1) * sizeof(*s.point));
	s.sums = calloc(s.columns + 1, sizeof(*s.sums));
	s.goes = calloc(s.columns + 1, sizeof(*s.goes));
	if (s.own && s.point && s.sums && s.goes) {
		collect(d, axis, columns, &s);
		if (s.n >= FEWEST)
			find(d, &s);
	}
	free(s.own);
	free(s.point);
	free(s.sums);
	free(s.goes);
	return s.own && s.point && s.sums && s.goes ? 0 : -ENOMEM;
}

double td_clock_more(const struct td_clock_data *d, const struct td_axis *axis,
		     const struct td_separate_window *w, const double **more)
{
	double left = left_of(axis, w);

	*more = left < d->whole ? d->more : NULL;
	if (left >= d->whole)
		return 0;
	return left >= d->torn && left < d->once ? d->more_varies : HUGE_VAL;
}
