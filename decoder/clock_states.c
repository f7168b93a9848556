// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"
#include "decoder/directions.h"

#define NODES TD_SEPARATE_NODES
#define FEWEST 20     /* own windows of a column */
#define READ_SIDES 2. /* times a node's reading: along an axis, of nodes that add up */
#define SURE 0.05     /* of a pace, a part */
#define LEAST 1e-3    /* cycles an instruction */
#define BEYOND 2.     /* times reading's part of squares */
#define OFFSET 0.08   /* cycles: of rounding, where windows are alike */
#define VISIT 10.     /* instructions: without own windows */
#define FUZZ 3.       /* standard deviations, of a start */
#define SLOW 1.2      /* times as long */
#define RELATIVE_MOST 0.6
#define SPEED_LEAST 0.01
#define MEMORY_LEAST 25. /* instructions */
#define MEMORY_STEP M_SQRT2
#define MEMORIES 19 /* the last is TD_CLOCK_MEMORY */

/* Sums over own windows; p is how far along the axis one is, i its instructions, q the
 * cycles that it was asked for, less the start. */
struct sums {
	double all, own, n, ticks, square, spread, read, most;
	double product[NODES][NODES];
	double pp, ii, ip, iq, pq, read_p; /* weighted, of those whose q tells */
};

static void add_means(const struct td_clock_data *d, struct sums *sums)
{
	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		struct sums *to = &sums[w->column[0]];

		to->all += !w->silent;
		to->own += w->own;
		if (w->weight <= 0)
			continue;
		to->n++;
		to->ticks += w->weight * w->ticks;
		to->square += w->weight * w->ticks * w->ticks;
		to->read += w->weight * READ_SIDES * w->reading;
		for (int k = 0; k < NODES; k++)
			d->state[w->column[0]].mean[k] += w->weight * w->beyond[k];
	}
	for (uint32_t c = 0; c < d->columns; c++)
		for (int k = 0; k < NODES && sums[c].n > 0; k++)
			d->state[c].mean[k] /= sums[c].ticks;
}

static void differ(const struct td_clock_data *d, const struct td_clock_window *w,
		   double *by)
{
	for (int k = 0; k < NODES; k++)
		by[k] = w->beyond[k] - d->state[w->column[0]].mean[k] * w->ticks;
}

static void find_axes(const struct td_clock_data *d, struct sums *sums)
{
	double by[NODES];

	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];

		if (w->weight <= 0)
			continue;
		differ(d, w, by);
		for (int j = 0; j < NODES; j++)
			for (int k = 0; k < NODES; k++)
				sums[w->column[0]].product[j][k] +=
					w->weight * by[j] * by[k];
	}
	for (uint32_t c = 0; c < d->columns; c++) {
		struct td_clock_state *to = &d->state[c];

		sums[c].most = td_direction_most((const double(*)[NODES])sums[c].product,
						 to->axis);
		to->stays = sums[c].own / fmax(1, sums[c].all);
		to->offset = sums[c].square > 0 ? OFFSET * sums[c].ticks / sums[c].square
						: OFFSET / VISIT;
		to->n = sums[c].n >= FEWEST ? sums[c].n : 0;
	}
}

/* Of what reading makes as well as they do there is no axis. */
static void find_varies(const struct td_clock_data *d, struct sums *sums)
{
	for (uint32_t c = 0; c < d->columns; c++)
		sums[c].spread = 0;
	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];

		if (w->weight > 0)
			sums[w->column[0]].spread +=
				w->weight * td_clock_spread(d, w->ticks);
	}
	for (uint32_t c = 0; c < d->columns; c++)
		d->state[c].varies =
			sums[c].most > BEYOND * sums[c].read
				? sqrt((sums[c].most - sums[c].read) / sums[c].spread)
				: 0;
}

/* How well own windows of a length differ by as much as they should: minus twice the
 * logarithm of the likelihood. */
static double memory_off(const struct td_clock_data *d)
{
	double sum = 0;

	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		const struct td_clock_state *state = &d->state[w->column[0]];
		double by[NODES], p, variance;

		if (w->weight <= 0 || state->n <= 0 || state->varies <= 0)
			continue;
		differ(d, w, by);
		p = td_direction_product(by, state->axis);
		variance = READ_SIDES * w->reading +
			   state->varies * state->varies * td_clock_spread(d, w->ticks);
		sum += w->weight * (log(variance) + fmin(TD_CLOCK_FAR, p * p / variance));
	}
	return sum;
}

static double try_memory(struct td_clock_data *d, void *sums)
{
	find_varies(d, sums);
	return memory_off(d);
}

static void set_memory(struct td_clock_data *d, double steps)
{
	d->memory = MEMORY_LEAST * pow(MEMORY_STEP, steps);
}

void td_clock_find_memory(struct td_clock_data *d, td_clock_try *try_it, void *with)
{
	double off[MEMORIES], at = 0, bend;
	int best = 0;

	for (int i = 0; i < MEMORIES; i++) {
		set_memory(d, i);
		off[i] = try_it(d, with);
		best = off[i] < off[best] ? i : best;
	}
	if (best > 0 && best + 1 < MEMORIES) {
		bend = off[best - 1] - 2 * off[best] + off[best + 1];
		at = bend > 0 ? (off[best - 1] - off[best + 1]) / (2 * bend) : 0;
	}
	set_memory(d, best + at);
}

static double fuzz_of(const struct td_clock_data *d, const struct td_clock_window *w)
{
	return FUZZ * sqrt(td_clock_jitter_of(d, w->column[0]));
}

int td_clock_complete(const struct td_clock_data *d, const struct td_clock_window *w)
{
	double cycles = w->ticks * d->pace[w->column[0]];

	return SLOW * cycles + d->start + fuzz_of(d, w) < d->most;
}

int td_clock_asked(const struct td_clock_data *d, const struct td_clock_window *w)
{
	double cycles = w->ticks * d->pace[w->column[0]];

	return w->ticks >= d->first && cycles + d->start - fuzz_of(d, w) >= d->least &&
	       td_clock_complete(d, w);
}

static void add_asked(const struct td_clock_data *d, struct sums *sums)
{
	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		struct sums *to = &sums[w->column[0]];
		double by[NODES], p, q = w->asked - d->start, weight, ticks = w->ticks;

		if (w->weight <= 0 || !td_clock_asked(d, w))
			continue;
		differ(d, w, by);
		p = td_direction_product(by, d->state[w->column[0]].axis);
		weight = 1 / (d->scatter + pow(0.1 * ticks * d->pace[w->column[0]], 2));
		to->pp += weight * p * p;
		to->read_p += weight * READ_SIDES * w->reading;
		to->ip += weight * ticks * p;
		to->ii += weight * ticks * ticks;
		to->pq += weight * p * q;
		to->iq += weight * ticks * q;
	}
}

/* The regression of q on i and p, p less what reading adds to it; the pace is known to
 * `SURE`. */
static void find_speed(const struct sums *s, double pace, struct td_clock_state *state)
{
	double pp = s->pp - s->read_p, sure = 1 / pow(SURE * pace, 2);
	double ii = s->ii + sure, iq = s->iq + sure * pace;
	double determinant = ii * pp - s->ip * s->ip, slow, error;

	if (state->n <= 0 || state->varies < LEAST || s->pp <= BEYOND * s->read_p ||
	    determinant <= 0)
		return;
	slow = (ii * s->pq - s->ip * iq) / determinant;
	error = sqrt(ii / determinant);
	state->speed = slow * state->varies / pace;
	state->unsure = pow(error * state->varies / pace, 2);
}

/* Where lengths are sharp they are along the axis. */
static void see_speed(double pace, struct td_clock_state *state)
{
	if (state->n <= 0 || state->varies < LEAST)
		return;
	state->speed = state->axis[TD_CLOCK_CYCLES] * state->varies / pace;
	state->unsure = (TD_CLOCK_SEEN * TD_CLOCK_SEEN + 0.5 / state->n) *
			(state->speed * state->speed + SPEED_LEAST * SPEED_LEAST);
}

static void find_speeds(const struct td_clock_data *d, struct sums *sums)
{
	if (!d->sharp)
		add_asked(d, sums);
	for (uint32_t c = 0; c < d->columns; c++) {
		if (d->sharp)
			see_speed(d->pace[c], &d->state[c]);
		else
			find_speed(&sums[c], d->pace[c], &d->state[c]);
	}
}

/* States anew, with their means and axes: of own windows as they were met less slow, by
 * what is known so far.  NULL: no memory. */
static struct sums *begin(struct td_clock_data *d)
{
	struct sums *sums = calloc(d->columns + 1, sizeof(*sums));

	for (size_t i = 0; i < d->windows; i++) {
		struct td_clock_window *w = &d->window[i];

		w->weight = w->own && td_clock_complete(d, w)
				    ? (float)td_clock_own_weight(d, w)
				    : 0;
	}
	memset(d->state, 0, d->columns * sizeof(*d->state));
	if (sums) {
		add_means(d, sums);
		find_axes(d, sums);
	}
	return sums;
}

int td_clock_states(struct td_clock_data *d, int filled)
{
	struct sums *sums = begin(d);
	int err = 0;

	if (!sums)
		return -ENOMEM;
	td_clock_find_memory(d, try_memory, sums);
	find_varies(d, sums);
	find_speeds(d, sums);
	/* by groups few windows count */
	if (filled && !d->input->exact && !d->sharp)
		err = td_clock_speeds(d);
	td_clock_shrink(d);
	free(sums);
	return err;
}

/* They are met as often as they are slow at both ends. */
double td_clock_own_weight(const struct td_clock_data *d, const struct td_clock_window *w)
{
	const struct td_clock_state *state = &d->state[w->column[0]];
	double spread = td_clock_spread(d, w->ticks), by[NODES], at;
	double square = state->varies * state->varies * spread;
	/* beside others with as many instructions */
	double rare =
		w->rare / td_clock_rarity(d, d->start + w->ticks * d->pace[w->column[0]]);

	if (state->speed == 0 || square <= 0)
		return rare;
	differ(d, w, by);
	/* of both ends, by all between them */
	at = td_direction_product(by, state->axis) * state->varies *
	     td_clock_lean(d, w->ticks) / (square + READ_SIDES * w->reading);
	at *= state->speed;
	at = fmax(-RELATIVE_MOST, fmin(RELATIVE_MOST, at));
	return rare / pow(1 + at, TD_CLOCK_OWN);
}
