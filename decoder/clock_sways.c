// SPDX-License-Identifier: MIT
/* How much functions' cycles an instruction vary, and for how long, where there are no
 * edges: by how long own windows take. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"

#define READ 0.3         /* cycles squared: a window's ends */
#define AVERAGE 20.      /* windows' worth of what all columns vary by */
#define BRIEF 10.        /* cycles squared: less is as well known */
#define SWAY_MOST 0.2    /* variance of a pace's logarithm */
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

static struct squares *make_squares(const struct td_clock_data *d)
{
	return calloc((size_t)d->columns + 1, sizeof(struct squares));
}

static void find_sways(struct td_clock_data *d, struct squares *squares)
{
	memset(squares, 0, d->columns * sizeof(*squares));
	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		double ones = ones_of(d, w), weight = 1 / (ones + BRIEF);

		if (!w->alone)
			continue;
		squares[w->column[0]].missed += weight * (pow(beyond_of(d, w), 2) - READ);
		squares[w->column[0]].ones += weight * ones;
	}
	average(d, squares);
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
	struct squares *squares = make_squares(d);
	int err = squares ? guess_paces(d) : -ENOMEM;

	if (!err)
		td_clock_find_memory(d, try_memory, squares);
	free(squares);
	return err;
}
