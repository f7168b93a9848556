// SPDX-License-Identifier: MIT
#include "decoder/window_late.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOWS_FEWEST 20
#define HERE_LEAST 0.5 /* part of them that were late there */

/* Of windows that end in a column: what they took beyond others. */
struct sums {
	double n, beyond, square;
	double here; /* of them, those that opened there as well, or all: add_windows() */
	double late; /* the program's part of the mean */
};

static int counts(const struct td_separate_window *w, const struct td_axis *axis)
{
	return !w->empty && td_axis_counts(axis, w);
}

/* Who ends in a short visit was late in another one.  Where starts are sharp the window
 * is longer by it all the same, and that is all that counts. */
static void add_windows(const struct td_separate_input *input, const struct td_axis *axis,
			const struct td_columns *columns, struct sums *sums)
{
	for (size_t i = 0; i < input->windows; i++) {
		struct sums *to = &sums[columns->close[i]];
		double beyond = td_axis_beyond(axis, &input->window[i]);

		if (!counts(&input->window[i], axis))
			continue;
		to->n++;
		to->here += axis->sharp || columns->open[i] == columns->close[i];
		to->beyond += beyond;
		to->square += beyond * beyond;
	}
}

static int is_told(const struct sums *s)
{
	return s->n >= WINDOWS_FEWEST && s->here >= HERE_LEAST * s->n;
}

/* The square of a mean's error. */
static double error_of(const struct sums *s)
{
	double mean = s->beyond / s->n;

	return fmax(0, s->square / s->n - mean * mean) / (s->n - 1);
}

/* How far columns are from each other, squared, beyond what chance does. */
static double scatter(const struct sums *sums, uint32_t columns)
{
	double n = 0, mean = 0, square = 0, chance = 0;

	for (uint32_t c = 0; c < columns; c++) {
		if (!is_told(&sums[c]))
			continue;
		n += sums[c].n;
		mean += sums[c].beyond;
		square += sums[c].beyond * sums[c].beyond / sums[c].n;
		chance += sums[c].n * error_of(&sums[c]);
	}
	return n > 0 ? fmax(0, (square - mean * mean / n - chance) / n) : 0;
}

/* As much of it as is no chance; the rest of windows is as they are in the mean. */
static void find_late(struct sums *sums, uint32_t columns)
{
	double among = scatter(sums, columns), n = 0, mean = 0;

	for (uint32_t c = 0; c < columns; c++) {
		if (is_told(&sums[c]) && among > 0)
			sums[c].late = sums[c].beyond / sums[c].n * among /
				       (among + error_of(&sums[c]));
		n += sums[c].n;
		mean += sums[c].n * sums[c].late;
	}
	for (uint32_t c = 0; c < columns && n > 0; c++)
		sums[c].late -= mean / n;
}

/* Of 255ths behind sharp starts clock_late.c knows. */
static int is_hidden(const struct td_separate_input *input, const struct td_axis *axis)
{
	return axis->kind == TD_AXIS_REQUESTED && !axis->follows &&
	       (axis->start_spread > 0 || (axis->sharp && input->exact));
}

int td_late_find(struct td_late *late, const struct td_separate_input *input,
		 const struct td_axis *axis, const struct td_columns *columns)
{
	struct sums *sums;

	if (!is_hidden(input, axis))
		return 0;
	sums = calloc(columns->columns + 1, sizeof(*sums));
	late->window = malloc((input->windows + 1) * sizeof(*late->window));
	if (!sums || !late->window) {
		free(sums);
		return -ENOMEM;
	}
	memcpy(late->window, input->window, input->windows * sizeof(*input->window));
	late->input = *input;
	late->input.window = late->window;
	add_windows(input, axis, columns, sums);
	find_late(sums, columns->columns);
	for (size_t i = 0; i < input->windows; i++)
		if (counts(&input->window[i], axis))
			late->window[i].requested += (float)sums[columns->close[i]].late;
	free(sums);
	return 0;
}

void td_late_free(struct td_late *late)
{
	free(late->window);
	memset(late, 0, sizeof(*late));
}
