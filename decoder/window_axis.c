// SPDX-License-Identifier: MIT
#include "decoder/window_axis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/gauss.h"

#define WINDOWS_FEWEST 30
#define PER_STEP 16 /* windows, at least */
#define SURE 96     /* windows that are not alike by chance */
#define SHARP_PERCENT 98
#define CONSTANT 4. /* cycles of spread that interrupts have of themselves */
/* How much the start may be off where empty windows tell it, in cycles.  With edges that
 * is more: empty windows have one return to user mode less than the others. */
#define START_ERROR 0.5
#define START_ERROR_NONE 1000.
#define STILL 1.2 /* standard deviations */
#define RARE 1000 /* one window of so many, and one, may have lost cycles */

static int known(const struct td_separate_window *window)
{
	return !window->empty && window->requested > 0 && window->slots > 0;
}

static float longest(const struct td_separate_input *input)
{
	float most = 0;

	for (size_t i = 0; i < input->windows; i++) {
		if (known(&input->window[i]) && input->window[i].requested > most)
			most = input->window[i].requested;
	}
	return most;
}

/*
 * Whole slots a cycle: the slope of measured on requested length, which no edge
 * moves, for edges do not know what was asked for.  Of the longer half: short windows
 * may end in an edge.
 */
static double find_width(const struct td_separate_input *input)
{
	double n = 0, sq = 0, ss = 0, qq = 0, qs = 0, slope;
	float half = longest(input) / 2;

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (!known(w) || w->requested < half)
			continue;
		n++;
		sq += w->requested;
		ss += w->slots;
		qq += (double)w->requested * w->requested;
		qs += (double)w->requested * w->slots;
	}
	if (n < WINDOWS_FEWEST || qq - sq * sq / n < n)
		return 0;
	slope = (qs - sq * ss / n) / (qq - sq * sq / n);
	return slope > 0.5 ? fmax(1, round(slope)) : 0;
}

static int by_requested(const void *a, const void *b)
{
	const struct td_axis_point *x = a, *y = b;

	return (x->requested > y->requested) - (x->requested < y->requested);
}

static void mean_of(const struct td_axis_point *point, size_t n, double *mean,
		    double *spread)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += point[i].beyond;
		squares += (double)point[i].beyond * point[i].beyond;
	}
	*mean = sum / (double)n;
	*spread = sqrt(fmax(0, squares / (double)n - *mean * *mean));
}

/* What the points' values are like. */
struct usual {
	double mean, spread;
};

static int is_usual(const struct usual *usual, const struct td_axis_point *point,
		    size_t n)
{
	double mean, spread;

	mean_of(point, n, &mean, &spread);
	return mean - usual->mean < 3 * spread / sqrt((double)n) + 0.5 &&
	       spread < 1.5 * usual->spread + CONSTANT;
}

/* Few windows may look complete by chance: with those behind them they must, too. */
double td_axis_first(struct td_axis_point *point, size_t n)
{
	size_t i = 0, end = 0;
	struct usual usual;

	if (n < WINDOWS_FEWEST)
		return 0;
	qsort(point, n, sizeof(*point), by_requested);
	mean_of(point + n / 2, n - n / 2, &usual.mean, &usual.spread);
	for (; i < n / 2; i = end) {
		size_t sure = i + SURE < n / 2 ? i + SURE : n / 2;

		end = i + PER_STEP + i / 8;
		end = end < n / 2 ? end : n / 2;
		if (is_usual(&usual, point + i, end - i) &&
		    is_usual(&usual, point + i, sure - i))
			break;
	}
	return i ? point[i].requested : 0;
}

static int by_beyond(const void *a, const void *b)
{
	const struct td_axis_point *x = a, *y = b;

	return (x->beyond > y->beyond) - (x->beyond < y->beyond);
}

/*
 * A trigger comes when it is due or later, so how soon windows have ended says how much
 * later than that others are.  Where the kernel throttles the trigger its counter
 * of cycles stands still for some hundreds of them, which no other event lacks.  Of
 * groups of events some agents have logged such windows: one of them must not say that
 * triggers are due before they can be, nor be told apart.  Sorts the points.
 */
static void find_soonest(struct td_axis *axis, struct td_axis_point *point, size_t n)
{
	size_t lost = n / RARE + 1;

	qsort(point, n, sizeof(*point), by_beyond);
	axis->soonest = point[lost < n ? lost : 0].beyond - axis->beyond;
	axis->lacks = axis->spread + 1 - axis->soonest;
}

/*
 * A window that is too short for its edges ends before the program starts, and is
 * longer than asked for by what is left of them: `first` is where that ends.
 */
static void find_first(struct td_axis *axis, struct td_axis_point *point, size_t n)
{
	size_t i = 0;

	axis->first = axis->ended = td_axis_first(point, n);
	while (i + 1 < n && point[i].requested < axis->first)
		i++;
	mean_of(point + i, n - i, &axis->beyond, &axis->spread);
	find_soonest(axis, point + i, n - i);
}

static int find_beyond(const struct td_separate_input *input, struct td_axis *axis)
{
	struct td_axis_point *point = malloc((input->windows + 1) * sizeof(*point));
	size_t n = 0;

	if (!point)
		return -ENOMEM;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (known(w))
			point[n++] = (struct td_axis_point){
				w->requested,
				(float)(w->slots / axis->width - w->requested),
			};
	}
	if (n >= WINDOWS_FEWEST)
		find_first(axis, point, n);
	free(point);
	return 0;
}

static void find_empty(const struct td_separate_input *input, struct td_axis *axis)
{
	double n = 0, sum = 0, squares = 0, mean;

	for (size_t i = 0; i < input->windows; i++) {
		if (!input->window[i].empty)
			continue;
		n++;
		sum += input->window[i].slots;
		squares += (double)input->window[i].slots * input->window[i].slots;
	}
	if (n <= 0)
		return;
	mean = sum / n;
	axis->empty = mean / axis->width;
	axis->empty_spread = sqrt(fmax(0, squares / n - mean * mean)) / axis->width;
}

/* Do lengths asked for begin where windows opened?  A few may have gone another way. */
static int is_sharp(const struct td_separate_input *input)
{
	size_t sharp = 0, all = 0;

	for (size_t i = 0; i < input->windows; i++) {
		all += !input->window[i].empty;
		sharp += input->window[i].sharp;
	}
	return sharp && sharp * 100 >= all * SHARP_PERCENT;
}

/*
 * Edges are random, and in empty windows, too; interrupts that come some
 * instructions late are not.  A start has about as many edges as an end.
 */
static void find_start(const struct td_separate_input *input, struct td_axis *axis)
{
	axis->follows = axis->spread < CONSTANT ||
			(axis->empty > 0 && axis->empty_spread < axis->spread / 4);
	axis->sharp = !axis->follows && is_sharp(input);
	axis->start_spread = axis->follows || axis->sharp ? 0 : axis->spread;
	axis->blocks = axis->follows && axis->spread < CONSTANT && axis->empty > 0 &&
		       (!input->exact || input->returns == TD_RETURNS_AND_CALLS);
	axis->start = axis->empty - axis->beyond;
	/* below 0: interrupts are late by more than the way to the program takes */
	if (!axis->follows || axis->empty <= 0)
		axis->start = fmax(0, axis->start);
	axis->start_error = START_ERROR_NONE;
	if (axis->empty > 0)
		axis->start_error = START_ERROR + axis->start_spread;
}

static int by_value(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double td_axis_inner_variance(float *value, size_t n)
{
	size_t least = n / 20 + (n > 2), most = n - least;
	double sum = 0, squares = 0, in = (double)(most - least);

	if (n < 3)
		return 0;
	qsort(value, n, sizeof(*value), by_value);
	for (size_t i = least; i < most; i++) {
		sum += value[i];
		squares += (double)value[i] * value[i];
	}
	return fmax(0, squares - sum * sum / in) / in;
}

/* By how much more of a value empty windows have that are longer: their edges are. */
static double slope_of(const struct td_separate_input *input, int k)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (!w->empty || w->silent)
			continue;
		n++;
		x += w->slots;
		y += w->value[k];
		xx += (double)w->slots * w->slots;
		xy += (double)w->slots * w->value[k];
	}
	return xx - x * x / n > 1e-9 * xx ? (xy - x * y / n) / (xx - x * x / n) : 0;
}

/*
 * What a window begins to count another one may finish, at both ends, by a slot; or by
 * more where an event is a cycle of slots, as empty windows show, which are all alike but
 * for that and for their edges: without those if `edgeless`.  -1: no memory.
 */
static double variance_of(const struct td_separate_input *input,
			  const struct td_axis *axis, int edgeless)
{
	float *value = malloc((input->windows + 1) * sizeof(*value));
	double variance = 0;

	if (!value)
		return -1;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		double edges = edgeless ? slope_of(input, k) : 0;
		size_t n = 0;

		for (size_t i = 0; i < input->windows; i++) {
			const struct td_separate_window *w = &input->window[i];

			if (w->empty && !w->silent)
				value[n++] = (float)(w->value[k] - edges * w->slots);
		}
		variance += td_axis_inner_variance(value, n) / TD_NODES_LEVEL1;
	}
	free(value);
	return fmax(1 / 6., variance) / pow(fmax(1, axis->width), 2);
}

static int find_whole(const struct td_separate_input *input, struct td_axis *axis)
{
	axis->whole = variance_of(input, axis, 0);
	axis->edgeless = axis->sharp ? variance_of(input, axis, 1) : axis->whole;
	return axis->whole < 0 || axis->edgeless < 0 ? -ENOMEM : 0;
}

int td_axis_find(const struct td_separate_input *input, struct td_axis *axis)
{
	size_t windows = 0;
	int err;

	memset(axis, 0, sizeof(*axis));
	for (size_t i = 0; i < input->windows; i++)
		windows += !input->window[i].empty;
	if (windows < WINDOWS_FEWEST)
		return 0;
	axis->width = find_width(input);
	if (axis->width > 0 && input->width > 0)
		axis->width = input->width;
	if (axis->width > 0) {
		axis->kind = TD_AXIS_REQUESTED;
		err = find_beyond(input, axis);
		find_empty(input, axis);
		find_start(input, axis);
		return !err && input->exact ? find_whole(input, axis) : err;
	}
	axis->kind = TD_AXIS_MEASURED;
	axis->width = input->width > 0 ? input->width : 1;
	find_empty(input, axis);
	axis->own = axis->empty;
	return input->exact ? find_whole(input, axis) : 0;
}

double td_axis_length(const struct td_axis *axis, const struct td_separate_window *window)
{
	if (axis->kind == TD_AXIS_MEASURED)
		return fmax(0, window->slots / axis->width - axis->own);
	if (axis->follows)
		return window->slots / axis->width - axis->beyond;
	return fmax(0, window->requested);
}

double td_axis_due(const struct td_axis *axis, const struct td_separate_window *window)
{
	double length = td_axis_length(axis, window);

	if (!axis->blocks || !(window->requested > 0))
		return length;
	if (axis->opening)
		return axis->alike ? length : fmin(length, window->requested);
	return fmin(length, fmax(axis->start, window->requested + axis->soonest));
}

/* Where that is not known (lacks is 0) each window does. */
static int has_its_cycles(const struct td_axis *axis,
			  const struct td_separate_window *window)
{
	return axis->lacks <= 0 ||
	       window->slots / axis->width - window->requested - axis->beyond >
		       -axis->lacks;
}

int td_axis_counts(const struct td_axis *axis, const struct td_separate_window *window)
{
	return axis->kind == TD_AXIS_MEASURED ||
	       (window->requested > 0 && window->requested >= axis->first &&
		has_its_cycles(axis, window));
}

int td_axis_ended(const struct td_axis *axis, const struct td_separate_window *window)
{
	return axis->kind == TD_AXIS_MEASURED ||
	       (window->requested > 0 && window->requested >= axis->ended);
}

double td_axis_lowest(const struct td_axis *axis)
{
	if (axis->kind == TD_AXIS_MEASURED)
		return 0;
	return axis->follows && !axis->edges ? axis->start : 0;
}

double td_axis_still(const struct td_axis *axis)
{
	if (axis->kind == TD_AXIS_MEASURED || axis->start_spread <= 0)
		return td_axis_lowest(axis);
	return fmax(0, axis->start - STILL * axis->start_spread);
}

/* The mean of the smaller one of the length and the start, which is taken to be
 * normally distributed: it is the sum of some edges. */
double td_axis_lost(const struct td_axis *axis, double length)
{
	double z;

	if (axis->kind == TD_AXIS_MEASURED)
		return 0;
	if (axis->start_spread <= 0)
		return fmin(length, axis->start);
	z = (length - axis->start) / axis->start_spread;
	return length - (length - axis->start) * td_gauss_below(z) -
	       axis->start_spread * td_gauss_density(z);
}

double td_axis_least(const struct td_axis *axis, double length)
{
	double step = length / 255;

	return axis->whole > 0 ? axis->whole : 1e-3 + step * step / 12;
}

double td_axis_edgeless(const struct td_axis *axis, double length)
{
	return axis->edgeless > 0 ? axis->edgeless : td_axis_least(axis, length);
}

double td_axis_beyond(const struct td_axis *axis, const struct td_separate_window *window)
{
	if (axis->kind == TD_AXIS_MEASURED || axis->follows)
		return 0;
	return window->slots / axis->width - window->requested - axis->beyond;
}
