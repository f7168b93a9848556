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
#define OTHER 0.1 /* of all speeds, beforehand: not of that size */

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

/* Times the square root of 2 pi. */
static double normal(double x, double variance)
{
	return exp(-x * x / (2 * variance)) / sqrt(variance);
}

/* How likely a speed is of the size in common, not of another one: a function of two
 * halves sways more than its states make it. */
static double part_common(const struct size *of, const struct td_clock_state *state)
{
	double all = of->apart + state->unsure, speed = state->speed;
	double common = normal(speed - of->mean, all) + normal(speed + of->mean, all);
	double other = OTHER * normal(speed, DIFFER_MOST + state->unsure);

	common *= (1 - OTHER) / 2;
	return common > 0 ? common / (common + other) : 0;
}

/* One round: by how many speeds, of those that are known well enough to tell, whatever
 * they are. */
static double find_mean(const struct td_clock_data *d, struct size *of)
{
	double sum = 0, sure = 0, apart = 0, weights = 0, n = 0;

	for (uint32_t c = 0; c < d->columns; c++) {
		double chance = d->state[c].unsure, size = fabs(d->state[c].speed);
		double weight = 1 / (of->apart + chance), part;

		if (chance <= 0 || chance > TELLING * d->differ)
			continue;
		part = part_common(of, &d->state[c]);
		weight *= part;
		sum += weight * size;
		sure += weight;
		apart += weight * weight * (pow(size - of->mean, 2) - chance);
		weights += weight * weight;
		n += part;
	}
	if (n < FEWEST)
		return n;
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
static void be_common(const struct size *of, struct td_clock_state *state)
{
	double chance = state->unsure, all = of->apart + chance;
	double odds = -2 * state->speed * of->mean / all;
	double back = 1 / (1 + exp(fmax(-ODDS_MOST, fmin(ODDS_MOST, odds))));
	double common = chance / all, moved = of->mean * common;

	state->speed = state->speed * of->apart / all + (2 * back - 1) * moved;
	state->unsure = of->apart * common + 4 * back * (1 - back) * moved * moved +
			(of->chance + pow(SURE * of->mean, 2)) * common * common;
}

/* The mean of that and of what it is if it is of another size, by how likely they are. */
static void shrink_to(const struct size *of, struct td_clock_state *state)
{
	double part = part_common(of, state), apart;
	struct td_clock_state other = *state;

	be_common(of, state);
	shrink(DIFFER_MOST, 0, &other);
	apart = state->speed - other.speed;
	state->speed = other.speed + part * apart;
	state->unsure = part * state->unsure + (1 - part) * other.unsure +
			part * (1 - part) * apart * apart;
}

void td_clock_shrink(struct td_clock_data *d)
{
	struct size size = {.mean = 0};
	int sure = d->input->exact || d->sharp;

	d->differ = find_differ(d);
	/* of groups of events behind scattered edges few windows tell speeds */
	if (!d->input->exact || d->sharp)
		size = find_size(d);
	for (uint32_t c = 0; c < d->columns; c++) {
		struct td_clock_state *state = &d->state[c];

		if (size.mean > 0 && state->unsure > 0)
			shrink_to(&size, state);
		else
			shrink(d->differ, sure, state);
	}
}
