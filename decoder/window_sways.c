// SPDX-License-Identifier: MIT
#include "decoder/window_sways.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/directions.h"
#include "decoder/window_batches.h"
#include "decoder/window_rows.h"

#define NODES TD_SEPARATE_NODES
#define WINDOWS_FEWEST 10
#define COST_ERROR 0.05 /* cycles, of what all windows hold */
#define ACROSS 6.       /* directions across the line; seven are free */
#define VARIES 0.35     /* of what windows differ by: own ones are not the mean of all */

/* An own window: cycles of its column, and what it counted of each node in them. */
struct sample {
	double cycles, value[NODES];
};

struct sums {
	double n, cycles, square, mean[NODES];
	double read;                  /* squares that reading explains, of a node */
	double product[NODES][NODES]; /* of what windows count beyond the mean */
};

struct search {
	const struct td_separate_input *input;
	const struct td_axis *axis;
	const struct td_columns *columns;
	const double *cost, *sways;
	unsigned without;
	struct sums *sums; /* [columns] */
};

static int take_sample(const struct search *s, size_t i, struct sample *sample)
{
	const struct td_separate_window *w = &s->input->window[i];
	double length = td_axis_length(s->axis, w);

	if (w->empty || w->silent || !td_axis_counts(s->axis, w) ||
	    !(s->sways[s->columns->open[i]] > 0) || td_batch(s->input, i) == s->without ||
	    !td_columns_own(s->columns, s->input, s->axis, i))
		return 0;
	sample->cycles = length - td_axis_lost(s->axis, length);
	for (int k = 0; k < NODES; k++)
		sample->value[k] = w->value[k] / s->axis->width - s->cost[k] -
				   s->axis->mix[k] * td_axis_beyond(s->axis, w);
	return sample->cycles > 0;
}

static void add_means(const struct search *s)
{
	struct sample sample;

	for (size_t i = 0; i < s->input->windows; i++) {
		struct sums *to = &s->sums[s->columns->open[i]];

		if (!take_sample(s, i, &sample))
			continue;
		to->n++;
		to->cycles += sample.cycles;
		to->square += sample.cycles * sample.cycles;
		for (int k = 0; k < NODES; k++)
			to->mean[k] += sample.value[k];
	}
	for (uint32_t c = 0; c < s->columns->columns; c++) {
		struct sums *sums = &s->sums[c];

		for (int k = 0; k < NODES && sums->n > 0; k++)
			sums->mean[k] /= sums->cycles;
	}
}

static void add_products(const struct search *s)
{
	struct sample sample;

	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		struct sums *to = &s->sums[s->columns->open[i]];
		double beyond[NODES];

		if (!take_sample(s, i, &sample))
			continue;
		to->read += td_axis_least(s->axis, w->slots / s->axis->width);
		for (int k = 0; k < NODES; k++)
			beyond[k] = sample.value[k] - sample.cycles * to->mean[k];
		for (int j = 0; j < NODES; j++) {
			for (int k = 0; k < NODES; k++)
				to->product[j][k] += beyond[j] * beyond[k];
		}
	}
}

/*
 * The mean, across the line, is as sure as windows are alike there; beyond what reading
 * explains they may differ because the function does, and own ones are not its mean in
 * that, either.
 */
static void find_line(struct sums *sums, struct td_line *line)
{
	double along, across = 0, error;

	memset(line, 0, sizeof(*line));
	if (sums->n < WINDOWS_FEWEST)
		return;
	for (int k = 0; k < NODES; k++)
		across += sums->product[k][k] / ACROSS;
	along = td_direction_most(sums->product, line->along);
	across = fmax(across - along / ACROSS, sums->read);
	if (along <= across)
		return;
	error = across / pow(sums->cycles, 2) +
		pow(COST_ERROR * sums->n / sums->cycles, 2) +
		VARIES * VARIES * (across - sums->read) / sums->square;
	memcpy(line->through, sums->mean, sizeof(line->through));
	line->weight = 1 / error;
}

static int any_sways(const struct td_columns *columns, const double *sways)
{
	for (uint32_t c = 0; c < columns->columns; c++) {
		if (sways[c] > 0)
			return 1;
	}
	return 0;
}

int td_sways_find(struct td_lines *lines, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const double *cost, const double *sways, unsigned without)
{
	struct search s = {input, axis, columns, cost, sways, without, NULL};

	if (!any_sways(columns, sways))
		return 0;
	if (!lines->line)
		lines->line = malloc((columns->columns + 1) * sizeof(*lines->line));
	s.sums = calloc(columns->columns + 1, sizeof(*s.sums));
	if (!lines->line || !s.sums) {
		free(s.sums);
		return -ENOMEM;
	}
	add_means(&s);
	add_products(&s);
	for (uint32_t c = 0; c < columns->columns; c++)
		find_line(&s.sums[c], &lines->line[c]);
	free(s.sums);
	return 0;
}
