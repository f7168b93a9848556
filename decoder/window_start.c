// SPDX-License-Identifier: MIT
#include "decoder/window_start.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/window_batches.h"

#define WINDOWS_FEWEST 20
#define LINES_FEWEST 3
#define DISAGREE 5.        /* standard deviations */
#define DISAGREE_CYCLES 8. /* by which empty windows are thought to be wrong */
#define COST_ERROR 0.3
#define ALIKE 0.2 /* standard deviation of empty windows' length, cycles */
#define START_ALIKE 0.01
#define COST_ALIKE 0.005
#define BEGUN 4.  /* standard deviations of the start */
#define VARIES 4. /* times the variance of reading: they differ by more than that */
#define NODES TD_SEPARATE_NODES

struct line {
	double n, length, square;
	double count[NODES], both[NODES], squares[NODES];
	/* of what the windows took beyond others: with lengths, counts and itself */
	double beyond, with_length, with_beyond, with_count[NODES];
	double at_zero[NODES], slope[NODES], weight[NODES];
	int fits;      /* it has these */
	double misses; /* variance about the line, parts of what reading has, all nodes */
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

static int fit(struct line *line, const struct td_axis *axis, double doubt)
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
		double variance = fmax(rest / (n - 2), least) + doubt * line->square / n;

		line->misses += k < TD_NODES_LEVEL1 ? rest / (n - 2) / least : 0;
		line->slope[k] = both / spread;
		line->at_zero[k] = count - line->slope[k] * mean;
		line->weight[k] = 1 / (variance * (1 / n + mean * mean / spread));
	}
	return 1;
}

/* Weighted regression of at_zero on slope, all nodes together, each with a level of
 * its own: the cost. */
struct meeting {
	double w[NODES], x[NODES], y[NODES], xx[NODES];
	double xy, yy;
};

static void meet(struct meeting *m, const struct line *line, double between)
{
	for (int k = 0; k < NODES; k++) {
		double w = 1 / (1 / line->weight[k] + between);
		double x = line->slope[k], y = line->at_zero[k];

		m->w[k] += w;
		m->x[k] += w * x;
		m->y[k] += w * y;
		m->xx[k] += w * x * x;
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
 * windows do not have: then the lines alone count.  Fractions add up to one, so what one
 * node has too much another lacks.  Rates do not: a group's events go together, in all
 * windows in which the other thread of a core ran as well or states took turns, so their
 * errors add up at worst.
 */
static void move_start(struct meeting *m, double lines, int rates, int decide,
		       struct td_axis *axis)
{
	double known = 1 / (axis->start_error * axis->start_error), seen, at, excess;
	double xx = 0, xy = m->xy, yy = m->yy, together = 0, nodes = 0;

	for (int k = 0; k < NODES; k++) {
		double own = fmax(0, m->xx[k] - m->x[k] * m->x[k] / m->w[k]);

		xx += own;
		together += sqrt(own);
		nodes += own > 0;
		xy -= m->x[k] * m->y[k] / m->w[k];
		yy -= m->y[k] * m->y[k] / m->w[k];
	}
	if (!(xx > 0))
		return;
	at = -xy / xx;
	/* lines that miss each other by more than their errors say */
	excess = fmax(1, (yy - xy * xy / xx) / (nodes * (lines - 1) - 1));
	seen = (rates ? pow(xx / together, 2) : xx) / excess;
	if (decide)
		axis->lines_alone = fabs(at - axis->start) > DISAGREE_CYCLES &&
				    pow(at - axis->start, 2) * seen > DISAGREE * DISAGREE;
	if (axis->lines_alone)
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

static double meet_all(struct meeting *m, const struct line *line, uint32_t lines,
		       double between)
{
	double n = 0;

	memset(m, 0, sizeof(*m));
	for (uint32_t i = 0; i < lines; i++) {
		if (!line[i].fits)
			continue;
		meet(m, &line[i], between);
		n++;
	}
	return n;
}

/*
 * How far lines pass by the cost, squared, beyond their own errors.  R. DerSimonian and
 * N. Laird, Meta-analysis in clinical trials, 1986.
 */
static void find_scatter(const struct line *line, uint32_t lines, struct td_axis *axis)
{
	axis->between = 0;
	for (int k = 0; k < NODES; k++) {
		double n = 0, q = 0, w = 0, ww = 0;

		for (uint32_t i = 0; i < lines; i++) {
			const struct line *l = &line[i];
			double off =
				l->at_zero[k] + axis->start * l->slope[k] - axis->cost[k];

			if (!l->fits)
				continue;
			n++;
			q += l->weight[k] * off * off;
			w += l->weight[k];
			ww += l->weight[k] * l->weight[k];
		}
		axis->differs[k] = n > 1 && w - ww / w > 0
					   ? fmax(0, (q - (n - 1)) / (w - ww / w))
					   : 0;
		axis->between = fmax(axis->between, axis->differs[k]);
	}
}

/*
 * Counts that nothing rounds show long functions' lines to a hundredth of a cycle, and
 * that not all pass through one point: what begins or ends where a counter is set
 * anew may be lost, in some functions more than in others.  So each line counts for
 * what it is off by as well, or those few would decide for the short ones.
 */
static void find_meeting(const struct line *line, uint32_t lines,
			 const struct td_separate_input *input, int decide,
			 struct td_axis *axis)
{
	const struct td_axis before = *axis;
	struct meeting m;
	double n = meet_all(&m, line, lines, 0);

	if (n < LINES_FEWEST)
		return;
	move_start(&m, n, input->rates, decide, axis);
	if (!input->exact || axis->start_spread > 0 || axis->cost_error <= 0)
		return;
	find_scatter(line, lines, axis);
	meet_all(&m, line, lines, axis->between);
	axis->start = before.start;
	axis->start_error = before.start_error;
	move_start(&m, n, input->rates, decide, axis);
}

/*
 * Where counts are exact and all empty windows are equally long, so are our own cycles
 * in all others: their mean is the cost, and nothing that lines can add to.  Not of
 * rates: of a rare event all may have counted the same, one or none.  1 if it is so.
 */
static int trust_empties(const struct td_separate_input *input, unsigned without,
			 struct td_axis *axis)
{
	double n = 0, sum[NODES] = {0};

	if (!input->exact || input->rates || !axis->follows || axis->empty <= 0 ||
	    axis->empty_spread > ALIKE)
		return 0;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (!w->empty || w->silent || td_batch(input, i) == without)
			continue;
		n++;
		for (int k = 0; k < NODES; k++)
			sum[k] += w->value[k] / axis->width;
	}
	if (n < WINDOWS_FEWEST)
		return 0;
	for (int k = 0; k < NODES; k++)
		axis->cost[k] = sum[k] / n;
	axis->cost_error = COST_ALIKE + sqrt(axis->whole / n);
	axis->start = axis->empty - axis->beyond;
	axis->start_error = START_ALIKE + axis->empty_spread / sqrt(n);
	return 1;
}

/*
 * Most own windows are where the line of all says, but for how they are read: the
 * program's states do not differ, and lengths say nothing of them.  What the kernel has
 * cut off is the same in all windows of one length, and stays together.
 */
static int are_alike(const struct line *line, uint32_t lines)
{
	double differ = 0, all = 0;

	for (uint32_t i = 0; i < lines; i++) {
		if (!line[i].fits)
			continue;
		all += line[i].n;
		differ += line[i].misses > VARIES * TD_NODES_LEVEL1 ? line[i].n : 0;
	}
	return differ < all / 2;
}

int td_start_find(const struct td_separate_input *input, const struct td_columns *columns,
		  unsigned without, struct td_axis *axis)
{
	struct line *line;

	if (axis->kind != TD_AXIS_REQUESTED || !input->returns)
		return 0;
	line = calloc(columns->columns + 1, sizeof(*line));
	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (td_batch(input, i) != without && !w->silent &&
		    td_axis_counts(axis, w) && td_columns_own(columns, input, axis, i))
			add(&line[columns->open[i]], axis, w);
	}
	for (uint32_t c = 0; c < columns->columns; c++)
		line[c].fits =
			fit(&line[c], axis, columns->doubt ? columns->doubt[c] : 0);
	axis->alike = axis->opening && !axis->edges && are_alike(line, columns->columns);
	if (td_axis_has_edges(axis))
		find_mix(line, columns->columns, axis);
	find_meeting(line, columns->columns, input, without == TD_NO_BATCH, axis);
	trust_empties(input, without, axis);
	free(line);
	/* that few windows have not begun shows in counts that nothing rounds */
	if (input->exact)
		axis->first = fmax(axis->first, axis->start + BEGUN * axis->start_spread);
	return 0;
}
