// SPDX-License-Identifier: MIT
/* How much functions' cycles an instruction vary, and for how long, where there are no
 * edges: by how long own windows take. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "decoder/clock_internal.h"

#define READ 0.3         /* cycles squared: a window's ends */
#define AVERAGE 20.      /* windows' worth of what all columns vary by */
#define BRIEF 10.        /* cycles squared: less is as well known */
#define SWAY_MOST 0.2    /* variance of a pace's logarithm */
#define MEMORY_LEAST 25. /* instructions */
#define TICKS_FEWEST 200 /* of a column, to know its pace */

/* Squares of what windows take beyond their instructions, and of what one instruction
 * that varies by 1 would make of it. */
struct squares {
	double missed, ones;
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

/* Those of few windows are as all are. */
static void average(struct td_clock_data *d, const struct squares *squares)
{
	struct squares all = {0, 0};
	double mean;

	for (uint32_t c = 0; c < d->columns; c++) {
		all.missed += squares[c].missed;
		all.ones += squares[c].ones;
	}
	mean = all.ones > 0 ? all.missed / all.ones : 0;
	for (uint32_t c = 0; c < d->columns; c++) {
		double sway = (squares[c].missed + AVERAGE * mean) /
			      (squares[c].ones + AVERAGE);

		d->state[c] =
			(struct td_clock_state){.unsure = fmax(0, fmin(SWAY_MOST, sway))};
	}
}

int td_clock_sways(struct td_clock_data *d)
{
	struct squares *squares = calloc((size_t)d->columns + 1, sizeof(*squares));

	if (!squares)
		return -ENOMEM;
	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		double ones = ones_of(d, w), weight = 1 / (ones + BRIEF);

		if (!w->alone)
			continue;
		squares[w->column[0]].missed += weight * (pow(beyond_of(d, w), 2) - READ);
		squares[w->column[0]].ones += weight * ones;
	}
	average(d, squares);
	free(squares);
	return 0;
}

/* Minus twice the logarithm of how likely own windows' lengths are. */
static double memory_off(const struct td_clock_data *d)
{
	double sum = 0;

	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		double variance = READ + d->state[w->column[0]].unsure * ones_of(d, w);

		if (w->alone)
			sum += log(variance) + pow(beyond_of(d, w), 2) / variance;
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
	double best = HUGE_VAL, found = TD_CLOCK_MEMORY;
	int err = guess_paces(d);

	for (double memory = MEMORY_LEAST; memory <= TD_CLOCK_MEMORY && !err;
	     memory *= M_SQRT2) {
		double off;

		d->memory = memory;
		err = td_clock_sways(d);
		off = memory_off(d);
		if (off < best) {
			best = off;
			found = memory;
		}
	}
	d->memory = found;
	return err;
}
