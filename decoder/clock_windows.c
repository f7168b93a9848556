// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"
#include "decoder/window_batches.h"

#define NODES TD_SEPARATE_NODES
#define FEWEST 500 /* windows */
#define EMPTIES_FEWEST 20
#define STILL_FEWEST 100 /* windows in which the program has hardly begun */
#define STILL_MOST 64u   /* of its instructions in them */
#define STILL_SHARP 20u  /* the same where it begins in all of them */
#define CLASSES TD_CLOCK_CLASSES
#define LENGTHS 1024
#define LIKE 32      /* lengths behind one, that are as frequent */
#define CUT 3.       /* standard deviations */
#define ROUNDED 0.1  /* variance of rounding, in steps */
#define BLURRED 400. /* variance of a start behind edges, about; cycles squared */
#define SHARP 1.
#define RAREST 3.      /* logarithm: so much rarer at most */
#define WHOLE (1 / 6.) /* slots squared: what counts have for being whole, at least */

const struct td_clock_set td_clock_sets[2][TD_CLOCK_SETS] = {
	{{3, {0, 2, 3}}, {4, {4, 5, 6, 7}}},
	{{4, {0, 2, 3, TD_CLOCK_CYCLES}}, {4, {4, 5, 6, 7}}},
};

/* Counts over length, of windows that are alike but for their edges. */
struct line {
	double n, x, xx, y[NODES], xy[NODES];
};

static void add(struct line *line, const struct td_separate_window *w, double width)
{
	double x = w->slots / width;

	line->n++;
	line->x += x;
	line->xx += x * x;
	for (int k = 0; k < NODES; k++) {
		line->y[k] += w->value[k] / width;
		line->xy[k] += x * w->value[k] / width;
	}
}

/* 1: a window with instructions of the program, as far as one can tell. */
static int is_known(const struct td_separate_input *input, size_t i)
{
	const struct td_separate_window *w = &input->window[i];

	return !w->empty && w->requested > 0 && !isnan(input->clock[i]);
}

/* Groups draw lengths at random, and long ones are not drawn more often than short ones:
 * where there are fewer of these some are missing.  Behind that they become rarer. */
static void find_lengths(struct td_clock_data *d)
{
	double class[CLASSES] = {0}, most = 0, width = d->most / CLASSES;
	int least = 0;

	for (size_t i = 0; i < d->input->windows; i++) {
		double at = d->input->window[i].requested / fmax(1, width);

		if (is_known(d->input, i))
			class[(int)fmin(CLASSES - 1, at)]++;
	}
	for (int i = 0; i < CLASSES; i++)
		most = fmax(most, class[i]);
	while (class[least] + CUT * sqrt(class[least]) < most)
		least++;
	d->least = least * width;
	for (int i = least + 1; i + 1 < CLASSES; i++)
		d->fall[i] = log((class[i - 1] + 1) / (class[i + 1] + 1)) / (2 * width);
}

/* The shortest length that is asked for as often as those behind it: an agent that learns
 * how long it takes to the program asks for shorter ones first. */
static double find_shortest(const struct td_clock_data *d)
{
	double length[LENGTHS] = {0}, width = fmax(1, d->most / (LENGTHS - 1));
	int shortest = 0;

	for (size_t i = 0; i < d->input->windows; i++)
		if (is_known(d->input, i))
			length[(int)(d->input->window[i].requested / width)]++;
	for (; shortest + 1 < LENGTHS - LIKE; shortest++) {
		double n = length[shortest], like = 0;

		for (int i = 1; i <= LIKE; i++)
			like += length[shortest + i] / LIKE;
		if (n > 0 && n + CUT * sqrt(n) >= like)
			break;
	}
	return shortest * width;
}

/* What windows take beyond what was asked for is more where the program may not have
 * begun. */
static int find_first(struct td_clock_data *d, const struct td_axis *axis)
{
	const struct td_separate_input *input = d->input;
	struct td_axis_point *point = malloc((input->windows + 1) * sizeof(*point));
	double shortest = HUGE_VAL;
	size_t n = 0;

	if (!point)
		return -ENOMEM;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (!is_known(input, i))
			continue;
		d->most = fmax(d->most, w->requested);
		shortest = fmin(shortest, w->requested);
		point[n++] = (struct td_axis_point){
			input->clock[i], (float)(w->slots / axis->width - w->requested)};
	}
	d->first = fmax(1, td_axis_first(point, n));
	d->least = -HUGE_VAL;
	if (input->exact)
		find_lengths(d);
	/* what is missing of the others is in edges, or begins with the least */
	if (input->exact && d->sharp)
		d->least = d->paced ? find_shortest(d) : shortest;
	free(point);
	return 0;
}

/* Edges are all that windows of a column with as many instructions, and hardly any,
 * differ by. */
static void add_still(const struct line *line, struct line *all)
{
	if (line->n < 2)
		return;
	all->n += line->n - 1;
	all->xx += line->xx - line->x * line->x / line->n;
	for (int k = 0; k < NODES; k++)
		all->xy[k] += line->xy[k] - line->x * line->y[k] / line->n;
}

/* One whose nodes are kept above 0 may be more than all: that would be a node's, which
 * is what the others leave. */
static void make_whole(double *mix)
{
	double sum = 0;

	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		sum += mix[k];
	for (int k = 0; k < NODES && sum > 0; k++)
		mix[k] /= sum;
}

static int edges_mix(struct td_clock_data *d, const struct td_axis *axis,
		     const struct td_columns *columns)
{
	uint32_t most = (uint32_t)(d->sharp ? STILL_SHARP : fmin(d->first, STILL_MOST));
	size_t n = (size_t)columns->columns * most;
	struct line *line = calloc(n + 1, sizeof(*line)), all = {0};

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < d->input->windows; i++) {
		int told = is_known(d->input, i) && !d->input->window[i].silent;
		double ticks = told ? d->input->clock[i] : most;

		if (ticks < most)
			add(&line[columns->open[i] * most + (uint32_t)ticks],
			    &d->input->window[i], axis->width);
	}
	for (size_t i = 0; i < n; i++)
		add_still(&line[i], &all);
	free(line);
	memcpy(d->mix, axis->mix, sizeof(d->mix));
	for (int k = 0; k < NODES && all.n >= STILL_FEWEST && all.xx > 0; k++)
		d->mix[k] = all.xy[k] / all.xx;
	make_whole(d->mix);
	return 0;
}

/* Where lengths are the program's any mix will do; this one is the prior's, too. */
static void mean_mix(struct td_clock_data *d, const struct td_axis *axis)
{
	double cycles = 0, sum[NODES] = {0};

	for (size_t i = 0; i < d->input->windows; i++) {
		const struct td_separate_window *w = &d->input->window[i];
		const struct td_clock_empty *empty = &d->empty[w->counts];

		if (w->empty || w->silent || !empty->known)
			continue;
		cycles += w->slots / axis->width - empty->length;
		for (int k = 0; k < NODES; k++)
			sum[k] += w->value[k] / axis->width - empty->value[k];
	}
	for (int k = 0; k < NODES; k++)
		d->mix[k] = cycles > 0 ? sum[k] / cycles : 0;
}

/* 0: there are too few, -ENOMEM. */
static int find_empty(struct td_clock_data *d, const struct td_axis *axis)
{
	int known = 0;

	d->empty = calloc(TD_CLOCK_COUNTS, sizeof(*d->empty));
	if (!d->empty)
		return -ENOMEM;
	for (size_t i = 0; i < d->input->windows; i++) {
		const struct td_separate_window *w = &d->input->window[i];
		struct td_clock_empty *to = &d->empty[w->counts];

		if (!w->empty || w->silent)
			continue;
		to->n++;
		to->length += w->slots / axis->width;
		for (int k = 0; k < NODES; k++)
			to->value[k] += w->value[k] / axis->width;
	}
	for (int c = 0; c < TD_CLOCK_COUNTS; c++) {
		struct td_clock_empty *of = &d->empty[c];

		of->known = of->n >= EMPTIES_FEWEST;
		known |= of->known;
		of->length /= fmax(1, of->n);
		for (int k = 0; k < NODES; k++)
			of->value[k] /= fmax(1, of->n);
	}
	return known;
}

/* What a window counts beyond an edge of its length, and its group's own. */
static double beyond_edges(const struct td_clock_data *d, const struct td_axis *axis,
			   const struct td_separate_window *w, int node)
{
	const struct td_clock_empty *empty = &d->empty[w->counts];

	return w->value[node] / axis->width - empty->value[node] -
	       d->mix[node] * (w->slots / axis->width - empty->length);
}

/*
 * Of exact counts: what empty windows differ by.  Where starts are sharp, without their
 * edges: own windows' counts have none either, and what they differ by beyond that is
 * how their functions vary.
 */
static int find_reading(struct td_clock_data *d, const struct td_axis *axis)
{
	float *beyond = malloc((d->input->windows + 1) * sizeof(*beyond));
	double variance = 0;

	if (!beyond)
		return -ENOMEM;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		size_t n = 0;

		for (size_t i = 0; i < d->input->windows; i++) {
			const struct td_separate_window *w = &d->input->window[i];

			if (w->empty && !w->silent && d->empty[w->counts].known)
				beyond[n++] = (float)beyond_edges(d, axis, w, k);
		}
		variance += td_axis_inner_variance(beyond, n) / TD_NODES_LEVEL1;
	}
	free(beyond);
	d->reading = fmax(WHOLE / pow(axis->width, 2), variance);
	return 0;
}

double td_clock_rarity(const struct td_clock_data *d, double asked)
{
	double width = d->most / TD_CLOCK_CLASSES, sum = 0;

	for (int i = 0; i < TD_CLOCK_CLASSES && i * width < asked; i++)
		sum += d->fall[i] * fmin(width, asked - i * width);
	return exp(fmin(RAREST, sum));
}

static void take_one(const struct td_clock_data *d, const struct td_axis *axis,
		     const struct td_keys *keys, size_t i, struct td_clock_window *to)
{
	const struct td_separate_window *from = &d->input->window[i];
	double step = from->slots / axis->width / 255;

	to->ticks = d->input->clock[i];
	to->asked = axis->follows ? (float)td_axis_length(axis, from) : from->requested;
	to->rare = (float)td_clock_rarity(d, from->requested);
	to->batch = (uint8_t)td_batch(d->input, i);
	to->key[0] = keys->open[i];
	to->key[1] = keys->close[i];
	to->reading = (float)(d->input->exact ? d->reading : step * step * ROUNDED);
	to->silent = from->silent || !d->empty[from->counts].known;
	for (int k = 0; k < NODES && !to->silent; k++)
		to->beyond[k] = (float)beyond_edges(d, axis, from, k);
	if (d->sharp)
		to->beyond[TD_CLOCK_CYCLES] = to->asked - (float)axis->start;
}

static void take_all(struct td_clock_data *d, const struct td_axis *axis,
		     const struct td_columns *columns, const struct td_ends *ends,
		     const struct td_keys *keys)
{
	for (size_t i = 0; i < d->input->windows; i++) {
		struct td_clock_window *to = &d->window[d->windows];

		if (!is_known(d->input, i) || d->input->clock[i] <= 0)
			continue;
		d->windows++;
		take_one(d, axis, keys, i, to);
		to->column[0] = columns->open[i];
		to->column[1] = columns->close[i];
		to->trigger[0] = ends->open[i];
		to->trigger[1] = ends->close[i];
		to->alone = (uint8_t)td_columns_own(columns, d->input, axis, i);
		to->own = to->alone && !to->silent;
	}
}

static int find_windows(struct td_clock_data *d, const struct td_axis *axis,
			const struct td_columns *columns, const struct td_ends *ends)
{
	struct td_keys keys;
	int err = td_keys_find(&keys, d->input, columns, 1);

	d->most_keys = keys.keys;
	d->window = calloc(d->input->windows + 1, sizeof(*d->window));
	d->jitter = calloc(d->columns + 1, sizeof(*d->jitter));
	if (!err && d->window && d->jitter)
		take_all(d, axis, columns, ends, &keys);
	td_keys_free(&keys);
	return err || !d->window || !d->jitter ? -ENOMEM : d->windows >= FEWEST;
}

int td_clock_take(struct td_clock_data *d, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_ends *ends)
{
	int err;

	d->input = input;
	d->columns = columns->columns;
	d->doubt = columns->late_doubt;
	d->start = axis->start;
	d->sharp = axis->start_spread <= 0;
	d->paced = input->paced;
	d->scatter = d->sharp ? SHARP : BLURRED;
	d->set = td_clock_sets[d->sharp];
	d->memory = TD_CLOCK_MEMORY;
	err = find_empty(d, axis);
	if (err <= 0)
		return err;
	err = find_first(d, axis);
	if (!err && axis->follows)
		mean_mix(d, axis);
	else if (!err)
		err = edges_mix(d, axis, columns);
	d->reading = axis->whole;
	if (!err && d->input->exact && axis->sharp)
		err = find_reading(d, axis);
	return err ? err : find_windows(d, axis, columns, ends);
}
