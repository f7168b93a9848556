// SPDX-License-Identifier: MIT
#include "decoder/window_short.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define FEWEST 4        /* own windows that make a line */
#define USUAL 0.5       /* cycles, standard deviation of what is missing, unlooked at */
#define ROUND (1. / 12) /* its variance, as a part of a cycle */
#define NO_MORE 1.      /* a cycle that is finished is counted */

/* Instructions over cycles, of a column's own windows. */
struct line {
	double n, x, y, xx, xy, yy;
};

static void add(struct line *line, double x, double y)
{
	line->n++;
	line->x += x;
	line->y += y;
	line->xx += x * x;
	line->xy += x * y;
	line->yy += y * y;
}

/* Cycles before a window's first at which the line is at 0.  What windows vary by is no
 * chance that evens out: the long ones are own more often in states that last, and bend
 * the line. */
static double missing(const struct line *line)
{
	double n = line->n, mean = line->x / fmax(1, n), xx, xy, slope, rest, before,
	       error;

	if (n < FEWEST)
		return 0;
	xx = line->xx - mean * line->x;
	xy = line->xy - mean * line->y;
	slope = xy / xx;
	if (!(xx > 0) || !(slope > 0))
		return 0;
	rest = (line->yy - line->y * line->y / n - slope * xy) / (slope * slope);
	rest = fmax(ROUND, rest / (n - 2));
	before = line->y / n / slope - mean;
	error = rest * (1 / n + mean * mean / xx) + rest - ROUND;
	return fmin(NO_MORE, fmax(0, before)) * USUAL * USUAL / (USUAL * USUAL + error);
}

static int is_on_line(const struct td_separate_input *input,
		      const struct td_columns *columns, const struct td_axis *axis,
		      size_t i)
{
	return !input->window[i].empty && !isnan(input->common[i]) &&
	       td_axis_counts(axis, &input->window[i]) &&
	       td_columns_own(columns, input, axis, i);
}

int td_short_lengthen(struct td_separate_window *window,
		      const struct td_separate_input *input,
		      const struct td_columns *columns, const struct td_axis *axis)
{
	struct line *line;

	if (!input->common || !input->left || !axis->follows || axis->start_spread > 0)
		return 0;
	line = calloc(columns->columns + 1, sizeof(*line));
	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < input->windows; i++) {
		if (is_on_line(input, columns, axis, i))
			add(&line[columns->open[i]],
			    td_axis_length(axis, &input->window[i]) - axis->start,
			    input->common[i]);
	}
	for (size_t i = 0; i < input->windows; i++) {
		float more;

		if (!is_on_line(input, columns, axis, i))
			continue;
		more = (float)(missing(&line[columns->open[i]]) * axis->width);
		window[i].slots += more;
		window[i].value[input->left - 1] += window[i].silent ? 0 : more;
	}
	free(line);
	return 0;
}
