// SPDX-License-Identifier: MIT
#include "decoder/window_late.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOWS_FEWEST 20
#define HERE_LEAST 0.5 /* part of them that were late there */
#define LEAST 0.08     /* variance of a length in whole cycles */
#define TICKS 2.       /* instructions that interrupts wait for; standard deviation */

/* Of windows that end in a column: what they took beyond others. */
struct sums {
	double n, beyond, square;
	double error; /* of the mean, squared */
	double here; /* of them, those that opened there as well, or all: add_windows() */
	double cycles, ticks; /* the program's, where instructions were counted */
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
		if (input->clock && input->clock[i] > 0) {
			to->cycles += fmax(0, input->window[i].requested - axis->start);
			to->ticks += input->clock[i];
		}
	}
}

static int is_told(const struct sums *s)
{
	return s->n >= WINDOWS_FEWEST && s->here >= HERE_LEAST * s->n;
}

/* The square of a mean's error, at least what reading leaves. */
static double error_of(const struct sums *s)
{
	double mean = s->beyond / s->n;

	return fmax(LEAST, s->square / s->n - mean * mean) / (s->n - 1);
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
		chance += sums[c].n * sums[c].error;
	}
	return n > 0 ? fmax(0, (square - mean * mean / n - chance) / n) : 0;
}

/*
 * An interrupt that waits for instructions is later where those are slow: the part of
 * what windows took beyond others that goes with their functions' paces.
 */
struct line {
	double pace, slope; /* mean; cycles for each of it */
};

static double at(const struct line *line, const struct sums *s)
{
	return s->ticks > 0 ? line->slope * (s->cycles / s->ticks - line->pace) : 0;
}

static struct line fit(const struct sums *sums, uint32_t columns)
{
	double among = scatter(sums, columns), n = 0, x = 0, y = 0, xx = 0, xy = 0;

	for (uint32_t c = 0; c < columns; c++) {
		const struct sums *s = &sums[c];
		double variance, pace;

		if (!is_told(s) || s->ticks <= 0)
			continue;
		variance = among + s->error;
		pace = s->cycles / s->ticks;
		n += 1 / variance;
		x += pace / variance;
		y += s->beyond / s->n / variance;
		xx += pace * pace / variance;
		xy += pace * s->beyond / s->n / variance;
	}
	if (n <= 0)
		return (struct line){0, 0};
	return (struct line){x / n,
			     (xy - x * y / n) / (xx - x * x / n + 1 / (TICKS * TICKS))};
}

/* The line, and as much of the rest as is no chance; windows of others are as they are
 * in the mean. */
static void find_late(struct sums *sums, uint32_t columns, double *late, double *doubt)
{
	struct line line = fit(sums, columns);
	double among, n = 0, mean = 0;

	for (uint32_t c = 0; c < columns; c++) {
		if (!is_told(&sums[c]))
			continue;
		late[c] = at(&line, &sums[c]);
		sums[c].beyond -= sums[c].n * late[c];
	}
	among = scatter(sums, columns);
	for (uint32_t c = 0; c < columns; c++) {
		double told = is_told(&sums[c]) && among > 0
				      ? among / (among + sums[c].error)
				      : 0;

		if (told > 0)
			late[c] += told * sums[c].beyond / sums[c].n;
		doubt[c] = among * (1 - told);
		n += sums[c].n;
		mean += sums[c].n * late[c];
	}
	for (uint32_t c = 0; c < columns && n > 0; c++)
		late[c] -= mean / n;
}

static int is_hidden(const struct td_axis *axis)
{
	return axis->kind == TD_AXIS_REQUESTED && !axis->follows &&
	       td_axis_has_edges(axis);
}

void td_late_move(struct td_separate_window *window, size_t windows,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const double *by)
{
	for (size_t i = 0; i < windows; i++)
		if (counts(&window[i], axis))
			window[i].requested += (float)by[columns->close[i]];
}

int td_late_find(struct td_late *late, const struct td_separate_input *input,
		 const struct td_axis *axis, const struct td_columns *columns)
{
	struct sums *sums;

	if (!is_hidden(axis))
		return 0;
	sums = calloc(columns->columns + 1, sizeof(*sums));
	late->window = malloc((input->windows + 1) * sizeof(*late->window));
	late->by = calloc(columns->columns + 1, sizeof(*late->by));
	late->doubt = calloc(columns->columns + 1, sizeof(*late->doubt));
	if (!sums || !late->window || !late->by || !late->doubt) {
		free(sums);
		return -ENOMEM;
	}
	memcpy(late->window, input->window, input->windows * sizeof(*input->window));
	late->input = *input;
	late->input.window = late->window;
	add_windows(input, axis, columns, sums);
	for (uint32_t c = 0; c < columns->columns; c++)
		sums[c].error = error_of(&sums[c]);
	find_late(sums, columns->columns, late->by, late->doubt);
	td_late_move(late->window, input->windows, axis, columns, late->by);
	free(sums);
	return 0;
}

void td_late_free(struct td_late *late)
{
	free(late->window);
	free(late->by);
	free(late->doubt);
	memset(late, 0, sizeof(*late));
}
