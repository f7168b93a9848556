// SPDX-License-Identifier: MIT
#include "decoder/window_lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/directions.h"
#include "decoder/window_batches.h"
#include "decoder/window_rows.h"

#define NODES TD_SEPARATE_NODES
#define WINDOWS_FEWEST 20
#define AWAY 2.        /* cycles: nearer to the edges' mix, it may not have started */
#define COST_ERROR 0.1 /* cycles, of what all windows hold */
#define READ_MORE 1.5  /* rounding is not all there is to reading */
#define SIDE_READ 4.   /* nodes' reading at most, in the direction that scatters most */
#define VARIES 0.35    /* of what windows differ by: own ones are not the mean of all */
#define SIDE 0.1       /* the same, once as many are taken of each way as are met */
#define ACROSS 2.      /* directions across the line, of level 1 */
#define DIRECTIONS 3.  /* of all that fractions can differ in: they add up to 1 */
#define DIFFER 0.05    /* a function that is like the edges has no direction */
#define PLACES_MOST 3. /* standard deviations: farther aside is reading */
#define TIME_LEAST 5.  /* cycles of own windows on average: shorter ones tell nothing */
#define OWN_PART 0.5   /* of scatter is the function's, or its places are reading */
#define SLOWER_MOST 2. /* of two ways to behave, against the mean */
#define ROUNDS 20      /* for what functions have in common */

/* All of a column's own windows. */
struct sums {
	double n, away[NODES];
	/* squares: across the line in all pairs of nodes, along it, of rounding to 255ths
	 */
	double across[NODES][NODES], along, read;
	/* by their cycles along the line: weights, their squares, places aside, times */
	double w, ww, place, time, places, both, times;
	/* each as often as its visits are met: weights, counts, their squares */
	double met, mean[NODES], side, rest;
};

/* How a column's windows differ across the line. */
struct aside {
	double side[NODES]; /* the direction in which they differ most, of length 1 */
	double spread;      /* standard deviation of places, parts of the way along */
	double beyond;      /* the same squared, without reading */
	double middle;      /* mean place */
	double slower;      /* visits of windows a spread aside are so much longer */
	double error;       /* of that; 0: nothing is known of it */
};

struct search {
	const struct td_separate_input *input;
	const struct td_axis *axis;
	const struct td_columns *columns;
	const double *cost;
	unsigned without;
	const struct td_line *line; /* [columns] */
	struct sums *sums;          /* [columns] */
	struct aside *aside;        /* [columns] */
};

/* A column's own window, and what it counted beyond what it would have, had all of it
 * been edges. */
struct own {
	uint32_t column;
	const struct td_separate_window *window;
	double away[NODES];
};

/* The square of it. */
static double away_of(const struct td_separate_window *w, const struct td_axis *axis,
		      const double *cost, double *away)
{
	double more = td_axis_length(axis, w) - axis->start + td_axis_beyond(axis, w);
	double square = 0;

	for (int k = 0; k < NODES; k++) {
		away[k] = w->value[k] / axis->width - cost[k] - axis->mix[k] * more;
		square += away[k] * away[k];
	}
	return square;
}

static void add_mean(const struct search *s, const struct own *own)
{
	struct sums *to = &s->sums[own->column];

	to->n++;
	for (int k = 0; k < NODES; k++)
		to->away[k] += own->away[k];
}

static void add_scatter(const struct search *s, const struct own *own)
{
	const double *away = own->away;
	const double *line = s->line[own->column].along;
	struct sums *to = &s->sums[own->column];
	double along = td_direction_product(away, line);

	for (int k = 0; k < NODES; k++)
		for (int j = 0; j < NODES; j++)
			to->across[k][j] +=
				(away[k] - along * line[k]) * (away[j] - along * line[j]);
	to->along += along * along;
	to->read += pow(own->window->slots / s->axis->width / 255, 2) / 12;
}

/* How far aside of the line a window is, for each cycle along it. */
static double place_of(const struct aside *aside, const double *away, double along)
{
	double place = td_direction_product(away, aside->side) / fmax(along, 2 * AWAY);

	return fmax(-PLACES_MOST * aside->spread,
		    fmin(PLACES_MOST * aside->spread, place));
}

static void add_time(const struct search *s, const struct own *own)
{
	const double *away = own->away;
	struct sums *to = &s->sums[own->column];
	double along = fmax(0, td_direction_product(away, s->line[own->column].along));
	double place = place_of(&s->aside[own->column], away, along);
	double time = td_axis_length(s->axis, own->window) - s->axis->start;

	to->w += along;
	to->ww += along * along;
	to->place += along * place;
	to->time += along * time;
	to->places += along * place * place;
	to->both += along * place * time;
	to->times += along * time * time;
}

/* Visits twice as long are met twice as often, and have twice as many windows for
 * themselves for that: once for what is too much. */
static double weight_of(const struct aside *aside, double place)
{
	double longer = 1;

	if (aside->spread > 0)
		longer += aside->slower * (place - aside->middle) / aside->spread;
	longer = fmax(1 / SLOWER_MOST, fmin(SLOWER_MOST, longer));
	return 1 / (longer * longer);
}

static void add_met(const struct search *s, const struct own *own)
{
	const double *away = own->away;
	struct sums *to = &s->sums[own->column];
	double along = td_direction_product(away, s->line[own->column].along);
	double side = td_direction_product(away, s->aside[own->column].side);
	double place = place_of(&s->aside[own->column], away, along);
	double weight = along > 0 ? weight_of(&s->aside[own->column], place) : 0;
	double rest = td_direction_product(away, away) - along * along - side * side;

	to->met += weight;
	for (int k = 0; k < NODES; k++)
		to->mean[k] += weight * away[k];
	to->side += weight * weight * side * side;
	to->rest += weight * weight * fmax(0, rest);
}

static void add_windows(const struct search *s,
			void (*add)(const struct search *s, const struct own *own))
{
	double still = td_axis_still(s->axis);

	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		struct own own = {.column = s->columns->open[i], .window = w};

		if (w->silent || w->requested < still ||
		    td_batch(s->input, i) == s->without ||
		    !td_columns_own(s->columns, s->input, s->axis, i))
			continue;
		if (away_of(w, s->axis, s->cost, own.away) >= AWAY * AWAY)
			add(s, &own);
	}
}

static void find_along(const struct search *s, struct td_lines *lines)
{
	for (uint32_t c = 0; c < s->columns->columns; c++) {
		struct td_line *line = &lines->line[c];

		memset(line, 0, sizeof(*line));
		memcpy(line->through, s->axis->mix, sizeof(line->through));
		td_direction_of(s->sums[c].away, line->along);
	}
}

static void find_sides(const struct search *s)
{
	for (uint32_t c = 0; c < s->columns->columns; c++) {
		const struct sums *sums = &s->sums[c];
		struct aside *aside = &s->aside[c];
		double square = td_direction_most(sums->across, aside->side);

		if (!(sums->along > 0))
			continue;
		aside->spread = sqrt(square / sums->along);
		aside->beyond = fmax(0, square - READ_MORE * SIDE_READ * sums->read) /
				sums->along;
	}
}

/* Own windows that are so much aside were asked to be so much longer: what visits in
 * which a function behaves like that are, in the mean, against all of them. */
static void find_slower(const struct sums *sums, struct aside *aside)
{
	double w = sums->w, place = sums->place / w, time = sums->time / w;
	double places = sums->places / w - place * place;
	double both = sums->both / w - place * time;
	double times = sums->times / w - time * time;
	double left = times - both * both / places;

	if (sums->n < WINDOWS_FEWEST || !(places > 0) || !(time > TIME_LEAST) ||
	    aside->beyond <= OWN_PART * aside->spread * aside->spread || !(left > 0))
		return;
	aside->middle = place;
	aside->slower = both / places / time * aside->spread;
	aside->error = sqrt(left / places * sums->ww) / w / time * aside->spread;
}

/* How much of it is more than chance, over all functions: DerSimonian and Laird's. */
static double slower_square(const struct search *s)
{
	double square = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double sum = 0, weights = 0;

		for (uint32_t c = 0; c < s->columns->columns; c++) {
			double chance = pow(s->aside[c].error, 2);
			double weight = 1 / pow(square + chance, 2);

			if (!(chance > 0))
				continue;
			sum += weight * (pow(s->aside[c].slower, 2) - chance);
			weights += weight;
		}
		square = weights > 0 ? fmax(0, sum / weights) : 0;
	}
	return square;
}

static void find_aside(const struct search *s)
{
	double square;

	find_sides(s);
	add_windows(s, add_time);
	for (uint32_t c = 0; c < s->columns->columns; c++)
		find_slower(&s->sums[c], &s->aside[c]);
	square = slower_square(s);
	for (uint32_t c = 0; c < s->columns->columns; c++) {
		struct aside *aside = &s->aside[c];
		double chance = pow(aside->error, 2);

		if (!(chance > 0))
			continue;
		aside->slower *= square / (square + chance);
		/* 0 would be: nothing is known */
		aside->error = sqrt(fmax(1e-12, square * chance / (square + chance)));
	}
}

/* Of `along`, what is across it, of length 1. */
static void find_side(const double *from, const double *along, double *side)
{
	double part = td_direction_product(from, along);

	for (int k = 0; k < NODES; k++)
		side[k] = from[k] - part * along[k];
	td_direction_of(side, side);
}

/*
 * The mean of n windows is `length` cycles along the line in all, and across it not known
 * by their scatter and by the cost; fractions differ from the edges in proportion.  Where
 * windows are farther across than reading explains, the function is not alike in all of
 * them: in the direction in which they differ most, those that it has for itself are
 * brought to be like the others, as well as that is known; in others they may be unlike.
 */
static void weigh(const struct sums *sums, const struct aside *aside, double square,
		  struct td_line *line)
{
	double length = td_direction_of(sums->mean, line->along);
	double mean = length / sums->met, across = 0, beyond, rest, side, other;

	for (int k = 0; k < NODES; k++)
		across += sums->across[k][k];
	beyond = fmax(0, across - READ_MORE * NODES * sums->read) / sums->along;
	line->varies = sqrt(square * beyond * DIRECTIONS / ACROSS / TD_NODES_LEVEL1);
	rest = fmax(0, across - READ_MORE * (NODES - 2) * sums->read) / sums->along -
	       aside->spread * aside->spread;
	side = pow(aside->error > 0 ? SIDE : VARIES, 2) * aside->beyond +
	       pow(2 * aside->error * aside->spread, 2);
	other = VARIES * VARIES * fmax(0, rest);
	side += sums->side / length / length + COST_ERROR * COST_ERROR / mean / mean;
	other += sums->rest / length / length + COST_ERROR * COST_ERROR / mean / mean;
	line->weight = 1 / square / other;
	line->weight_side = 1 / square / side;
	find_side(aside->side, line->along, line->side);
}

static void find_weights(const struct search *s, const struct td_lines_known *known,
			 struct td_lines *lines)
{
	for (uint32_t c = 0; c < s->columns->columns; c++) {
		const struct sums *sums = &s->sums[c];
		double from[NODES];

		if (sums->n < WINDOWS_FEWEST || !(sums->met > 0) ||
		    s->columns->function[c] == TD_NO_FUNCTION)
			continue;
		for (int k = 0; k < NODES; k++)
			from[k] = known->fraction[c][k] - s->axis->mix[k];
		weigh(sums, &s->aside[c],
		      fmax(DIFFER * DIFFER, td_direction_product(from, from)),
		      &lines->line[c]);
	}
}

int td_lines_find(struct td_lines *lines, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_lines_known *known, unsigned without)
{
	struct search s = {input, axis, columns, known->cost, without, NULL, NULL, NULL};
	size_t n = columns->columns + (size_t)1;

	/* counts of events have no line: each has its own scale */
	if (axis->kind != TD_AXIS_REQUESTED || axis->start_spread <= 0 ||
	    !input->returns || input->rates)
		return 0;
	if (!lines->line)
		lines->line = malloc(n * sizeof(*lines->line));
	s.line = lines->line;
	s.sums = calloc(n, sizeof(*s.sums));
	s.aside = calloc(n, sizeof(*s.aside));
	if (lines->line && s.sums && s.aside) {
		add_windows(&s, add_mean);
		find_along(&s, lines);
		add_windows(&s, add_scatter);
		find_aside(&s);
		add_windows(&s, add_met);
		find_weights(&s, known, lines);
	}
	free(s.sums);
	free(s.aside);
	return lines->line && s.sums && s.aside ? 0 : -ENOMEM;
}

void td_lines_free(struct td_lines *lines)
{
	free(lines->line);
	memset(lines, 0, sizeof(*lines));
}

void td_line_across(const struct td_line *line, const double *x, double *across)
{
	double along = td_direction_product(x, line->along);
	double side = td_direction_product(x, line->side);

	for (int k = 0; k < NODES; k++)
		across[k] = line->weight * (x[k] - along * line->along[k]) +
			    (line->weight_side - line->weight) * side * line->side[k];
}

void td_line_pull(const struct td_line *line, const double *at, double *pull)
{
	double from[NODES];

	for (int k = 0; k < NODES; k++)
		from[k] = line->through[k] - at[k];
	td_line_across(line, from, pull);
}
