// SPDX-License-Identifier: MIT
/*
 * A group's few windows count instructions as well as its events.  How many the program
 * has in a cycle all windows know, so what this group's say too much or too little of
 * them is its own error: by which states it met, and by how slow ones are taken for more.
 * What goes with instructions has it, too.  doc/estimates.md, "Rates beside
 * instructions".
 */
#include <math.h>

#include "decoder/jackknife.h"
#include "decoder/separate_state.h"

#define LEFT (TD_BATCHES - 2) /* degrees of freedom beside a slope */
#define FREEDOM_MOST 1e6
#define FAR 2.5 /* standard deviations: farther away is no chance */

void td_beside_add(struct td_beside *to, const struct td_separate_input *input,
		   size_t function, unsigned batch, const double *change)
{
	double away = change[input->known_at] -
		      input->known_by * input->known[function].change[batch];

	to->mean += away / TD_BATCHES;
	to->square += away * away;
	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		to->means[k] += change[k] / TD_BATCHES;
		to->squares[k] += change[k] * change[k];
		to->with[k] += away * change[k];
		to->alike[k] += change[input->known_at] * change[k];
	}
}

/* What batches do not show of the error of what is known. */
static double unseen(const struct td_separate_trace *known)
{
	return fmax(0, known->variance - td_jackknife_variance(known->change));
}

/* What a count is off by, as far as it is its own error. */
struct off {
	double by;     /* of all that it is away from what is known */
	double weight; /* so much */
	double square; /* variances: of its batches, and of what is known beside them */
	double fixed;
};

/* It may be away by more than both errors: then that is what no batch shows of its own.
 */
static struct off find_off(const struct td_beside *b, unsigned at, double by,
			   double fixed)
{
	double apart = td_jackknife_covariance(b->square, b->mean, b->mean) + fixed;
	double own = td_jackknife_covariance(b->with[at], b->means[at], b->mean);
	double more = fmax(0, by * by - FAR * FAR * apart);

	return (struct off){
		.by = by,
		.weight = fmax(0, fmin(1, (own + more) / (apart + more))),
		.square = td_jackknife_covariance(b->squares[at], b->means[at],
						  b->means[at]),
		.fixed = fixed,
	};
}

/*
 * By the slope of its changes on those of the count; a slope that may be chance is less
 * (W. James and C. Stein, Estimation with quadratic loss, 1961), and so many batches
 * leave an error of it.  The slope that was taken.
 */
static double take(const struct td_beside *b, int k, unsigned at, const struct off *off,
		   struct td_reading *to)
{
	double all = td_jackknife_covariance(b->squares[k], b->means[k], b->means[k]);
	double with = td_jackknife_covariance(b->with[k], b->means[k], b->mean);
	double alike = td_jackknife_covariance(b->alike[k], b->means[k], b->means[at]);
	double slope = alike / off->square;
	double chance = fmax(0, all - slope * alike) / (off->square * LEFT);
	double bias = (TD_BATCHES - 1) * b->means[k], before = to->variance, left;

	if (!isfinite(slope) || !(all > 0) || !(slope * slope > chance))
		return 0;
	slope *= (1 - chance / (slope * slope)) * off->weight;
	chance *= off->weight * off->weight;
	left = (all - 2 * slope * with +
		slope * slope * td_jackknife_covariance(b->square, b->mean, b->mean)) *
	       (TD_BATCHES - 1) / LEFT;
	to->variance = fmax(0, before - all - bias * bias) + left +
		       pow(bias - (TD_BATCHES - 1) * slope * b->mean, 2) +
		       slope * slope * off->fixed + chance * off->by * off->by;
	to->free -= slope * off->by;
	to->bounded = to->free;
	/* Welch, from what the batches' part had to what is left of it */
	to->df = (unsigned)fmin(
		FREEDOM_MOST,
		fmax(1, fmin(LEFT, to->df * pow(all / before, 2)) *
				pow(to->variance / fmax(left, 1e-6 * to->variance), 2)));
	return slope;
}

void td_beside_take(const struct td_beside *beside, const struct td_separate_input *input,
		    size_t function, struct td_reading *reading,
		    struct td_separate_moves *moves)
{
	const struct td_separate_trace *known = &input->known[function];
	const unsigned at = input->known_at;
	double by = input->known_by, away[TD_BATCHES];
	struct off off;

	if (!(known->variance > 0))
		return;
	off = find_off(beside, at,
		       reading[td_separate_node_of(at)].free - by * known->value,
		       by * by * unseen(known));
	for (int b = 0; b < TD_BATCHES && moves; b++)
		away[b] = moves->change[at][b] - by * known->change[b];
	for (unsigned k = 0; k < TD_SEPARATE_NODES; k++) {
		double slope =
			take(beside, (int)k, at, &off, &reading[td_separate_node_of(k)]);

		for (int b = 0; b < TD_BATCHES && moves; b++)
			moves->change[k][b] -= (float)(slope * away[b]);
		if (moves)
			moves->beside[k] = slope * sqrt(off.fixed);
	}
}
