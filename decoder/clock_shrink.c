// SPDX-License-Identifier: MIT
/* How slow functions are in their states, by what all functions' speeds have in common.
 */
#include <math.h>

#include "decoder/clock_internal.h"

#define DIFFER_FIRST 0.02
#define DIFFER_MOST 0.1
#define ROUNDS 50
#define FAR 2.       /* standard deviations */
#define TELLING 0.11 /* chance, a part of speeds' squares: a third of one */
#define FEWEST 6     /* speeds that have a size in common */
#define SURE 0.05    /* of that size, a part */
#define ODDS_MOST 50.

/* Speeds this way and that are about as large.  `apart` and `chance` are variances: of
 * one speed's size, and of the mean. */
struct size {
	double mean, apart, chance;
};

/* How much speeds differ in truth (DerSimonian and Laird), each not too far from what
 * it may be. */
static double find_differ(const struct td_clock_data *d)
{
	double differ = DIFFER_FIRST;

	for (int round = 0; round < ROUNDS; round++) {
		double sum = 0, weights = 0;

		for (uint32_t c = 0; c < d->columns; c++) {
			double chance = d->state[c].unsure, square, weight;

			if (chance <= 0)
				continue;
			square = fmin(pow(d->state[c].speed, 2),
				      FAR * FAR * (differ + chance));
			weight = 1 / pow(differ + chance, 2);
			sum += weight * (square - chance);
			weights += weight;
		}
		differ = weights > 0 ? fmax(0, fmin(DIFFER_MOST, sum / weights)) : 0;
	}
	return differ;
}

/* One round: of speeds that are known well enough to tell, whatever they are. */
static uint32_t find_mean(const struct td_clock_data *d, struct size *of)
{
	double sum = 0, sure = 0, apart = 0, weights = 0;
	uint32_t n = 0;

	for (uint32_t c = 0; c < d->columns; c++) {
		double chance = d->state[c].unsure, size = fabs(d->state[c].speed);
		double weight = 1 / (of->apart + chance);

		if (chance <= 0 || chance > TELLING * d->differ)
			continue;
		sum += weight * size;
		sure += weight;
		apart += weight * weight * (pow(size - of->mean, 2) - chance);
		weights += weight * weight;
		n++;
	}
	*of = (struct size){sum / sure, fmax(0, fmin(DIFFER_MOST, apart / weights)),
			    1 / sure};
	return n;
}

/* Of no size where too few speeds tell. */
static struct size find_size(const struct td_clock_data *d)
{
	struct size of = {.mean = sqrt(d->differ), .apart = d->differ};

	for (int round = 0; round < ROUNDS; round++)
		if (find_mean(d, &of) < FEWEST)
			return (struct size){.mean = 0};
	return of;
}

/* What is known of a speed that comes from as many as differ by so much. */
static void shrink(double differ, int sure, struct td_clock_state *state)
{
	double chance = state->unsure, most = FAR * sqrt(differ);

	if (chance <= 0) {
		/* by exact counts or lengths one that does not vary is not slower here
		 * than there, either */
		state->unsure = sure && state->n > 0 && state->varies <= 0 ? 0 : differ;
		return;
	}
	state->speed *= differ / (differ + chance);
	state->speed = fmax(-most, fmin(most, state->speed));
	state->unsure = differ * chance / (differ + chance);
}

/* What is known of one that is about as large as the others, this way or that: two
 * normal distributions, each as likely as it says what was seen. */
static void shrink_to(const struct size *of, struct td_clock_state *state)
{
	double chance = state->unsure, all = of->apart + chance;
	double odds = -2 * state->speed * of->mean / all;
	double back = 1 / (1 + exp(fmax(-ODDS_MOST, fmin(ODDS_MOST, odds))));
	double common = chance / all, moved = of->mean * common;

	state->speed = state->speed * of->apart / all + (2 * back - 1) * moved;
	state->unsure = of->apart * common + 4 * back * (1 - back) * moved * moved +
			(of->chance + pow(SURE * of->mean, 2)) * common * common;
}

void td_clock_shrink(struct td_clock_data *d)
{
	struct size size = {.mean = 0};
	int sure = d->input->exact || d->sharp;

	d->differ = find_differ(d);
	if (!sure)
		size = find_size(d);
	for (uint32_t c = 0; c < d->columns; c++) {
		struct td_clock_state *state = &d->state[c];

		if (size.mean > 0 && state->unsure > 0)
			shrink_to(&size, state);
		else
			shrink(d->differ, sure, state);
	}
}
