// SPDX-License-Identifier: MIT
/* How late interrupts are where windows end, if the program starts behind all edges but
 * others hide it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "decoder/clock_internal.h"

#define UNLIKE 1. /* cycles, by which loops may differ; standard deviation */

/* Of windows that end in a column. */
struct sums {
	double opened, own; /* of those that open there, own ones */
	double n, beyond, square;
	double seen;  /* how late at places that a visit comes by once, none at others */
	double loops; /* the part of them at others */
};

static void add_windows(const struct td_separate_input *input, const struct td_axis *axis,
			const struct td_columns *columns, struct sums *sums)
{
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		struct sums *to = &sums[columns->close[i]];
		double beyond = td_axis_beyond(axis, w);

		if (w->empty || !td_axis_counts(axis, w))
			continue;
		sums[columns->open[i]].opened++;
		sums[columns->open[i]].own += td_columns_own(columns, input, axis, i);
		to->n++;
		to->beyond += beyond;
		to->square += beyond * beyond;
	}
}

/*
 * Windows end at a place that a visit comes by once as often as it takes to come there
 * from the place before, and half of that they are late.  How long a visit is say own
 * windows: of those that open in it, up to `range` long, visit / 2 / range.
 */
static void see(const struct td_ends *ends, double range, uint32_t columns,
		struct sums *sums)
{
	for (uint32_t c = 0; c < columns; c++) {
		double visit = 2 * range * sums[c].own / fmax(1, sums[c].opened);

		sums[c].loops = fmax(0, 1 - ends->once[c]);
		sums[c].seen = visit * fmax(0, ends->squares[c]) / 2;
	}
}

/* How late they are in loops: the regression of what windows took beyond what was asked
 * for; as elsewhere, unless windows say otherwise. */
static double in_loops(const struct sums *sums, uint32_t columns)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, squares = 0, once = 0, seen = 0, like;

	for (uint32_t c = 0; c < columns; c++) {
		double beyond = sums[c].beyond - sums[c].n * sums[c].seen;

		n += sums[c].n;
		x += sums[c].n * sums[c].loops;
		xx += sums[c].n * sums[c].loops * sums[c].loops;
		y += beyond;
		xy += sums[c].loops * beyond;
		squares += sums[c].square;
		once += sums[c].n * (1 - sums[c].loops);
		seen += sums[c].n * sums[c].seen;
	}
	if (n < 2 || once <= 0)
		return 0;
	like = seen / once;
	xx = (xx - x * x / n) / (squares / n);
	xy = (xy - x * y / n) / (squares / n);
	return (xy + like / (UNLIKE * UNLIKE)) / (xx + 1 / (UNLIKE * UNLIKE));
}

int td_clock_late(const struct td_clock_data *d, const struct td_axis *axis,
		  const struct td_columns *columns, const struct td_ends *ends,
		  double *late)
{
	struct sums *sums = calloc((size_t)columns->columns + 1, sizeof(*sums));
	double loops, n = 0, mean = 0;

	if (!sums)
		return -ENOMEM;
	add_windows(d->input, axis, columns, sums);
	see(ends, d->most - axis->start, columns->columns, sums);
	loops = in_loops(sums, columns->columns);
	for (uint32_t c = 0; c < columns->columns; c++) {
		late[c] = sums[c].seen + sums[c].loops * loops;
		n += sums[c].n;
		mean += sums[c].n * late[c];
	}
	for (uint32_t c = 0; c < columns->columns; c++)
		late[c] -= mean / fmax(1, n);
	free(sums);
	return 0;
}
