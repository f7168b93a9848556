// SPDX-License-Identifier: MIT
/* How much functions' cycles an instruction vary, and for how long, where there are no
 * edges: by how long own windows take. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"

#define READ 0.3    /* cycles squared: a window's ends */
#define AVERAGE 20. /* windows' worth of what all columns vary by */
#define BRIEF 10.   /* cycles squared: less is as well known */
#define SWAY_LEAST 1e-12
#define SWAY_MOST 0.2    /* variance of a pace's logarithm */
#define TICKS_FEWEST 200 /* of a column, to know its pace */

/* Sums over own windows: squares of what they take beyond their instructions, what one
 * instruction that varies by 1 would make of these, and of what they should be squares by
 * `sway`, the variance of a pace's logarithm. */
struct squares {
	double missed, ones, sway, expected;
};

static double beyond_of(const struct td_clock_data *d, const struct td_clock_window *w)
{
	return w->asked - d->start - d->pace[w->column[0]] * w->ticks;
}

static double ones_of(const struct td_clock_data *d, const struct td_clock_window *w)
{
	double pace = d->pace[w->column[0]];

	return pace * pace * td_clock_spread(d, w->ticks);
}

static double variance_of(const struct td_clock_data *d, const struct td_clock_window *w,
			  double sway)
{
	return READ + sway * ones_of(d, w);
}

/* As far as its column may sway so much. */
static double square_of(const struct td_clock_data *d, const struct td_clock_window *w,
			double sway)
{
	return fmin(pow(beyond_of(d, w), 2), TD_CLOCK_FAR * variance_of(d, w, sway));
}

static struct squares *make_squares(const struct td_clock_data *d)
{
	return calloc((size_t)d->columns + 1, sizeof(struct squares));
}

static double weight_of(double ones)
{
	return 1 / (ones + BRIEF);
}

static void add_squares(const struct td_clock_data *d, struct squares *squares)
{
	memset(squares, 0, d->columns * sizeof(*squares));
	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		struct squares *to = &squares[w->column[0]];
		double ones = ones_of(d, w), weight = weight_of(ones);

		if (!w->alone)
			continue;
		to->missed += weight * (square_of(d, w, SWAY_MOST) - READ);
		to->ones += weight * ones;
	}
}

/* Each column's, about: those of few windows are as all are. */
static void set_sways(const struct td_clock_data *d, struct squares *squares)
{
	struct squares all = {0};
	double mean;

	for (uint32_t c = 0; c < d->columns; c++) {
		all.missed += squares[c].missed;
		all.ones += squares[c].ones;
	}
	mean = all.ones > 0 ? all.missed / all.ones : 0;
	for (uint32_t c = 0; c < d->columns; c++) {
		double sway = (squares[c].missed + AVERAGE * mean) /
			      (squares[c].ones + AVERAGE);

		squares[c].sway = fmax(0, fmin(SWAY_MOST, sway));
	}
}

/* How much squares differ from what they should be, of that squared: 2 for normal
 * variables, less for those of two states. */
static double add_expected(const struct td_clock_data *d, struct squares *squares)
{
	double seen = 0, expected = 0;

	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		struct squares *to = &squares[w->column[0]];
		double ones = ones_of(d, w), weight = weight_of(ones);
		double square = weight * variance_of(d, w, to->sway);

		if (!w->alone)
			continue;
		to->expected += square * square;
		expected += square * square;
		seen += pow(weight * square_of(d, w, SWAY_MOST) - square, 2);
	}
	return expected > 0 ? seen / expected : 0;
}

/* A sway as a speed; of a small one that is hardly more than its chance. */
static void set_speed(const struct squares *of, double scatter,
		      struct td_clock_state *state)
{
	double sway = fmax(0, fmin(SWAY_MOST, of->missed / of->ones));
	double chance = scatter * of->expected / (of->ones * of->ones);

	state->speed = sqrt(sway);
	state->unsure = chance / (4 * fmax(SWAY_LEAST, fmax(sway, sqrt(chance)))) +
			TD_CLOCK_SEEN * TD_CLOCK_SEEN * sway;
}

static void find_sways(struct td_clock_data *d, struct squares *squares)
{
	double scatter;

	add_squares(d, squares);
	set_sways(d, squares);
	scatter = add_expected(d, squares);
	memset(d->state, 0, d->columns * sizeof(*d->state));
	for (uint32_t c = 0; c < d->columns; c++)
		if (squares[c].ones > 0)
			set_speed(&squares[c], scatter, &d->state[c]);
	td_clock_shrink(d);
}

int td_clock_sways(struct td_clock_data *d)
{
	struct squares *squares = make_squares(d);

	if (!squares)
		return -ENOMEM;
	find_sways(d, squares);
	free(squares);
	return 0;
}

/* By own windows' lengths. */
static double try_memory(struct td_clock_data *d, void *squares)
{
	double sum = 0;

	find_sways(d, squares);
	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		double sway = td_clock_sway(&d->state[w->column[0]]);
		double variance = variance_of(d, w, sway);

		if (w->alone)
			sum += log(variance) + square_of(d, w, sway) / variance;
	}
	return sum;
}

/* Paces as own windows have them, to begin with. */
static int guess_paces(struct td_clock_data *d)
{
	double *ticks = calloc(2 * (size_t)d->columns + 1, sizeof(*ticks)), *cycles;

	if (!ticks)
		return -ENOMEM;
	cycles = ticks + d->columns;
	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];

		if (!w->alone)
			continue;
		ticks[w->column[0]] += w->ticks;
		cycles[w->column[0]] += w->asked - d->start;
	}
	for (uint32_t c = 0; c < d->columns; c++)
		if (ticks[c] >= TICKS_FEWEST)
			d->pace[c] = fmax(TD_CLOCK_PACE_LEAST, cycles[c] / ticks[c]);
	free(ticks);
	return 0;
}

int td_clock_sways_memory(struct td_clock_data *d)
{
	struct squares *squares = make_squares(d);
	int err = squares ? guess_paces(d) : -ENOMEM;

	if (!err)
		td_clock_find_memory(d, try_memory, squares);
	free(squares);
	return err;
}
