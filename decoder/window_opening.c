// SPDX-License-Identifier: MIT
#include "decoder/window_opening.h"

#include <math.h>

#define SHORT (1 / 3.) /* of where all windows are complete: the program is in none */
#define SHORT_FEWEST 30
#define EDGE_LEAST 5.   /* cycles: less is how late interrupts are */
#define EDGE_MOST 2000. /* cycles: where ticks were missed windows are longer */
#define FOLLOWS 0.5     /* cycles for each that was asked for: more is no edge */
#define START_ERROR 3.  /* cycles: a block of the program is behind the edge */
#define BLOCK 2.        /* times what interrupts are late, in the mean */
#define SPREAD_LEAST 1. /* the same, of edges that are all alike */
#define LATE_LEAST 0.75 /* cycles, in the mean */

/* Windows in which the program has not started. */
struct sums {
	double n, asked, length;
	double asked2, both, length2;
	double count[TD_SEPARATE_NODES], with[TD_SEPARATE_NODES];
};

static double measured(const struct td_axis *axis, const struct td_separate_window *w)
{
	return w->slots / axis->width;
}

static int is_known(const struct td_separate_window *w)
{
	return !w->empty && w->requested > 0 && w->slots > 0;
}

static void add(struct sums *sums, const struct td_axis *axis,
		const struct td_separate_window *w)
{
	double asked = w->requested, length = measured(axis, w);

	sums->n++;
	sums->asked += asked;
	sums->length += length;
	sums->asked2 += asked * asked;
	sums->both += asked * length;
	sums->length2 += length * length;
	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		sums->count[k] += w->value[k] / axis->width;
		sums->with[k] += length * w->value[k] / axis->width;
	}
}

static struct sums shortest(const struct td_separate_input *input,
			    const struct td_axis *axis)
{
	struct sums sums = {0};

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (is_known(w) && !w->silent && w->requested < SHORT * axis->first)
			add(&sums, axis, w);
	}
	return sums;
}

/* An edge is as long whatever was asked for; a late interrupt is so much later. */
static int are_edges(const struct sums *sums)
{
	double n = sums->n, lengths, rise;

	if (n < SHORT_FEWEST || sums->length - sums->asked < EDGE_LEAST * n ||
	    sums->length > EDGE_MOST * n)
		return 0;
	lengths = sums->asked2 - sums->asked * sums->asked / n;
	rise = sums->both - sums->asked * sums->length / n;
	return rise < FOLLOWS * lengths + 2 * sqrt(lengths * sums->length2 / n);
}

/* Where the program starts, and what is counted until then: edges are long and short,
 * the block of the program behind them is not.  Where nothing counts returns no own
 * windows will tell how long that is. */
static void set_edges(struct td_axis *axis, const struct sums *sums, int returns)
{
	double n = sums->n, mean = sums->length / n;
	double square = sums->length2 - n * mean * mean;
	double variance = square / (n - 1) - axis->spread * axis->spread;

	axis->edges = 1;
	axis->start = mean - (returns ? 0 : BLOCK * axis->late);
	axis->start_error = START_ERROR;
	axis->start_spread = sqrt(fmax(SPREAD_LEAST * SPREAD_LEAST, variance));
	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		double with = sums->with[k] - mean * sums->count[k];

		axis->mix[k] = variance > SPREAD_LEAST * SPREAD_LEAST
				       ? fmin(1, fmax(0, with / square))
				       : sums->count[k] / sums->length;
	}
}

/* Where few windows have calls counted, ends are moved in few; where nothing counts
 * returns in none, and how late they are is an error of them (separate_result.c). */
static void set_none(const struct td_separate_input *input, struct td_axis *axis)
{
	axis->first = axis->ended = 0;
	axis->start = axis->start_spread = 0;
	axis->blocks = axis->blocks && (!input->exact || !input->returns ||
					input->returns == TD_RETURNS_AND_CALLS);
}

void td_opening_find(const struct td_separate_input *input, struct td_axis *axis)
{
	struct sums sums;

	if (!input->by_kernel || axis->kind != TD_AXIS_REQUESTED)
		return;
	sums = shortest(input, axis);
	/* profiles of earlier versions do not say when windows were due */
	axis->blocks = axis->beyond > LATE_LEAST;
	axis->opening = axis->follows = 1;
	axis->late = fmax(0, axis->beyond);
	if (are_edges(&sums))
		set_edges(axis, &sums, input->returns);
	else
		set_none(input, axis);
	axis->beyond = axis->soonest = axis->lacks = 0;
}
