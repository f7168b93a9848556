// SPDX-License-Identifier: MIT
#include "decoder/window_start.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WINDOWS_FEWEST 20
#define LINES_FEWEST 3
#define DISAGREE 5.        /* standard deviations */
#define DISAGREE_CYCLES 8. /* by which empty windows are thought to be wrong */
#define COST_ERROR 0.3
#define BEGUN 4. /* standard deviations of the start */
#define NODES TD_SEPARATE_NODES

struct line {
	double n, length, square;
	double count[NODES], both[NODES], squares[NODES];
	/* of what the windows took beyond others: with lengths, counts and itself */
	double beyond, with_length, with_beyond, with_count[NODES];
	double at_zero[NODES], slope[NODES], weight[NODES];
};

static void add(struct line *line, const struct td_axis *axis,
		const struct td_separate_window *w)
{
	double length = td_axis_length(axis, w), beyond = td_axis_beyond(axis, w);

	line->n++;
	line->beyond += beyond;
	line->with_length += beyond * length;
	line->with_beyond += beyond * beyond;
	line->length += length;
	line->square += length * length;
	for (int k = 0; k < NODES; k++) {
		double value = w->value[k] / axis->width;

		line->count[k] += value;
		line->both[k] += value * length;
		line->squares[k] += value * value;
		line->with_count[k] += beyond * value;
	}
}

static int fit(struct line *line, const struct td_axis *axis)
{
	double n = line->n, mean, spread;

	if (n < WINDOWS_FEWEST)
		return 0;
	mean = line->length / n;
	spread = line->square - n * mean * mean;
	if (!(spread > 1e-3 * line->square))
		return 0;
	for (int k = 0; k < NODES; k++) {
		double count = line->count[k] / n;
		double both = line->both[k] - n * mean * count;
		double rest = line->squares[k] - n * count * count - both * both / spread;
		double least = td_axis_least(axis, mean);
		double variance = fmax(rest / (n - 2), least);

		line->slope[k] = both / spread;
		line->at_zero[k] = count - line->slope[k] * mean;
		line->weight[k] = 1 / (variance * (1 / n + mean * mean / spread));
	}
	return 1;
}

/* Weighted regression of at_zero on slope, all nodes together, each with a level of
 * its own: the cost. */
struct meeting {
	double w[NODES], x[NODES], y[NODES];
	double xx, xy, yy;
};

static void meet(struct meeting *m, const struct line *line)
{
	for (int k = 0; k < NODES; k++) {
		double w = line->weight[k];
		double x = line->slope[k], y = line->at_zero[k];

		m->w[k] += w;
		m->x[k] += w * x;
		m->y[k] += w * y;
		m->xx += w * x * x;
		m->xy += w * x * y;
		m->yy += w * y * y;
	}
}

/* Of what the lines say where they meet, by their own errors: the least known of nodes.
 */
static double worst(const struct meeting *m)
{
	double least = INFINITY;

	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		least = fmin(least, m->w[k]);
	return 1 / sqrt(least);
}

/*
 * Empty windows and lines agree within some cycles, or there are edges that empty
 * windows do not have: then the lines alone count.
 */
static void move_start(struct meeting *m, double lines, struct td_axis *axis)
{
	double known = 1 / (axis->start_error * axis->start_error), seen, at, excess;
	double xx = m->xx, xy = m->xy, yy = m->yy;

	for (int k = 0; k < NODES; k++) {
		xx -= m->x[k] * m->x[k] / m->w[k];
		xy -= m->x[k] * m->y[k] / m->w[k];
		yy -= m->y[k] * m->y[k] / m->w[k];
	}
	if (!(xx > 0))
		return;
	at = -xy / xx;
	/* lines that miss each other by more than their errors say */
	excess = fmax(1, (yy - xy * xy / xx) / (NODES * (lines - 1) - 1));
	seen = xx / excess;
	if (fabs(at - axis->start) > DISAGREE_CYCLES &&
	    (at - axis->start) * (at - axis->start) * seen > DISAGREE * DISAGREE)
		known = 0;
	axis->start = (at * seen + axis->start * known) / (seen + known);
	if (!axis->follows)
		axis->start = fmax(0, axis->start);
	axis->start_error = 1 / sqrt(seen + known);
	for (int k = 0; k < NODES; k++)
		axis->cost[k] = (m->y[k] + axis->start * m->x[k]) / m->w[k];
	axis->cost_error = COST_ERROR + axis->start_error + worst(m);
}

/* Regression of the counts on what was beyond, at equal length. */
static void find_mix(const struct line *line, uint32_t lines, struct td_axis *axis)
{
	double squares = 0, products[NODES] = {0};

	for (uint32_t i = 0; i < lines; i++) {
		const struct line *l = &line[i];
		double spread, by;

		if (l->n < WINDOWS_FEWEST)
			continue;
		spread = l->square - l->length * l->length / l->n;
		by = (l->with_length - l->beyond * l->length / l->n) / spread;
		squares +=
			l->with_beyond - l->beyond * l->beyond / l->n - by * by * spread;
		for (int k = 0; k < NODES; k++)
			products[k] += l->with_count[k] - l->beyond * l->count[k] / l->n -
				       by * (l->both[k] - l->length * l->count[k] / l->n);
	}
	for (int k = 0; k < NODES && squares > 0; k++)
		axis->mix[k] = fmin(1, fmax(0, products[k] / squares));
}

int td_start_find(const struct td_separate_input *input, const struct td_columns *columns,
		  unsigned without, struct td_axis *axis)
{
	struct line *line;
	struct meeting m = {0};
	double lines = 0;

	if (axis->kind != TD_AXIS_REQUESTED || !input->returns)
		return 0;
	line = calloc(columns->columns + 1, sizeof(*line));
	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (td_row_batch(input, i) != without && !w->silent &&
		    td_axis_counts(axis, w) && td_columns_own(columns, input, axis, i))
			add(&line[columns->open[i]], axis, w);
	}
	for (uint32_t c = 0; c < columns->columns; c++) {
		if (!fit(&line[c], axis))
			continue;
		meet(&m, &line[c]);
		lines++;
	}
	if (axis->start_spread > 0)
		find_mix(line, columns->columns, axis);
	free(line);
	if (lines >= LINES_FEWEST)
		move_start(&m, lines, axis);
	/* that few windows have not begun shows in counts that nothing rounds */
	if (input->exact)
		axis->first = fmax(axis->first, axis->start + BEGUN * axis->start_spread);
	return 0;
}
