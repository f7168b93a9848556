// SPDX-License-Identifier: MIT
#include "decoder/window_lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/window_rows.h"

#define NODES TD_SEPARATE_NODES
#define WINDOWS_FEWEST 20
#define AWAY 2.        /* cycles: nearer to the edges' mix, it may not have started */
#define COST_ERROR 0.1 /* cycles, of what all windows hold */
#define READ_MORE 1.5  /* rounding is not all there is to reading */
#define VARIES 0.35    /* of what windows differ by: own ones are not the mean of all */
#define ACROSS 2.      /* directions across the line, of level 1 */
#define DIRECTIONS 3.  /* of all that fractions can differ in: they add up to 1 */
#define DIFFER 0.05    /* a function that is like the edges has no direction */

struct sums {
	double n, away[NODES];
	/* squares: across the line, along it, of fields rounded to 255ths */
	double across, along, read;
};

/* What a window counted beyond what it would have, had all of it been edges; its
 * square. */
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

static double product(const double *a, const double *b)
{
	double sum = 0;

	for (int k = 0; k < NODES; k++)
		sum += a[k] * b[k];
	return sum;
}

struct search {
	const struct td_separate_input *input;
	const struct td_axis *axis;
	const struct td_columns *columns;
	const double *cost;
	unsigned without;
	struct sums *sums; /* [columns] */
};

/* First the means, then how far windows are from the line along them, squared. */
static void add_windows(const struct search *s, const struct td_lines *lines)
{
	double still = td_axis_still(s->axis);

	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		struct sums *to;
		double away[NODES], square, along;

		if (w->silent || w->requested < still ||
		    td_row_batch(s->input, i) == s->without ||
		    !td_columns_own(s->columns, s->input, s->axis, i))
			continue;
		square = away_of(w, s->axis, s->cost, away);
		if (square < AWAY * AWAY)
			continue;
		to = &s->sums[s->columns->open[i]];
		if (lines) {
			along = product(away, lines->line[s->columns->open[i]].along);
			to->across += square - along * along;
			to->along += along * along;
			to->read += pow(w->slots / s->axis->width / 255, 2) / 12 * NODES;
			continue;
		}
		to->n++;
		for (int k = 0; k < NODES; k++)
			to->away[k] += away[k];
	}
}

static void find_along(const struct search *s, struct td_lines *lines)
{
	for (uint32_t c = 0; c < s->columns->columns; c++) {
		struct td_line *line = &lines->line[c];
		const struct sums *sums = &s->sums[c];
		double length = sqrt(product(sums->away, sums->away));

		memset(line, 0, sizeof(*line));
		for (int k = 0; k < NODES && length > 0; k++)
			line->along[k] = sums->away[k] / length;
	}
}

/*
 * The mean of n windows is `mean` cycles along the line, and across it not known by
 * their scatter and by the cost; fractions differ from the edges in proportion.  Where
 * windows are farther across than reading explains, the function is not alike in all
 * of them, and those that it has for itself may not be like the others.
 */
static void find_weights(const struct search *s, const struct td_lines_known *known,
			 struct td_lines *lines)
{
	for (uint32_t c = 0; c < s->columns->columns; c++) {
		struct td_line *line = &lines->line[c];
		const struct sums *sums = &s->sums[c];
		double from[NODES], mean, square, error, beyond;

		if (sums->n < WINDOWS_FEWEST || s->columns->function[c] == TD_NO_FUNCTION)
			continue;
		for (int k = 0; k < NODES; k++)
			from[k] = known->fraction[c][k] - s->axis->mix[k];
		mean = product(sums->away, line->along) / sums->n;
		square = fmax(DIFFER * DIFFER, product(from, from));
		error = (sums->across / ACROSS / sums->n / sums->n +
			 COST_ERROR * COST_ERROR) *
			square / mean / mean;
		beyond = (sums->across - READ_MORE * sums->read) / sums->along;
		line->varies = sqrt(square * fmax(0, beyond) * DIRECTIONS / ACROSS /
				    TD_NODES_LEVEL1);
		error += VARIES * VARIES * square * fmax(0, beyond) / ACROSS;
		line->weight = 1 / error;
	}
}

int td_lines_find(struct td_lines *lines, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_lines_known *known, unsigned without)
{
	struct search s = {input, axis, columns, known->cost, without, NULL};

	/* counts of events have no line: each has its own scale */
	if (axis->kind != TD_AXIS_REQUESTED || axis->start_spread <= 0 ||
	    !input->returns || input->rates)
		return 0;
	if (!lines->line)
		lines->line = malloc((columns->columns + 1) * sizeof(*lines->line));
	s.sums = calloc(columns->columns + 1, sizeof(*s.sums));
	if (!lines->line || !s.sums) {
		free(s.sums);
		return -ENOMEM;
	}
	memcpy(lines->mix, axis->mix, sizeof(lines->mix));
	add_windows(&s, NULL);
	find_along(&s, lines);
	add_windows(&s, lines);
	find_weights(&s, known, lines);
	free(s.sums);
	return 0;
}

void td_lines_free(struct td_lines *lines)
{
	free(lines->line);
	memset(lines, 0, sizeof(*lines));
}

void td_line_pull(const struct td_lines *lines, uint32_t column, const double *at,
		  double *pull)
{
	const struct td_line *line = &lines->line[column];
	double from[NODES], along;

	for (int k = 0; k < NODES; k++)
		from[k] = lines->mix[k] - at[k];
	along = product(from, line->along);
	for (int k = 0; k < NODES; k++)
		pull[k] = line->weight * (from[k] - along * line->along[k]);
}
