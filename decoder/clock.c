// SPDX-License-Identifier: MIT
#include "decoder/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/cholesky.h"
#include "decoder/clock_internal.h"

#define NODES TD_SEPARATE_NODES
#define UNKNOWNS_MOST 1500u /* of a matrix */
#define PACE_ROUNDS 20      /* at most */
#define STATE_ROUNDS 3
#define CHOICE_ROUNDS 8
/* A step without a batch is from where all stands still: paces step by no larger part. */
#define STILL 1e-5
#define PACES_DIFFER 0.5 /* of the mean, between columns; standard deviation */
#define START_RIDGE 1e-9
#define DOUBT_LEAST 1e-4  /* cycles squared */
#define PACED_ERROR 0.007 /* the same where paces are all: chosen by how many hold */
#define SWAY_ERROR 0.1    /* of the variance of its logarithm, by how windows meet it */

static double pace_after(double pace, double by)
{
	return fmax(TD_CLOCK_PACE_LEAST, pace * fmax(0.5, fmin(2, 1 + by)));
}

static double mean_pace(const struct td_clock_data *d)
{
	double ticks = 0, cycles = 0;

	for (size_t i = 0; i < d->windows; i++) {
		if (d->window[i].ticks < d->first)
			continue;
		ticks += d->window[i].ticks;
		cycles += d->window[i].asked - d->start;
	}
	return ticks > 0 && cycles > 0 ? cycles / ticks : 1;
}

/* Paces that nothing tells are what they are in the mean, and interrupts as late as was
 * said. */
static void pull_paces(const struct td_clock_data *d, double mean,
		       struct td_clock_fit *fit)
{
	for (uint32_t c = 0; c < d->columns; c++)
		fit->pull[c] += fit->ridge[c] * (mean / d->pace[c] - 1);
	for (uint32_t c = 0; c < d->columns && d->doubt; c++) {
		uint32_t at = td_clock_late_at(d, c);

		fit->pull[at] -= fit->ridge[at] * d->late[c];
	}
}

static int find_states(struct td_clock_data *d, int filled)
{
	return d->paced ? td_clock_sways(d) : td_clock_states(d, filled);
}

/* Where lengths are sharp a window's cycles are what it was asked for but the start. */
static void move_start(struct td_clock_data *d, double by)
{
	d->start += by;
	for (size_t i = 0; i < d->windows && d->sharp; i++)
		d->window[i].beyond[TD_CLOCK_CYCLES] -= (float)by;
}

static void move_late(struct td_clock_data *d, const double *by)
{
	for (uint32_t c = 0; c < d->columns; c++)
		d->late[c] += by[c];
	for (size_t i = 0; i < d->windows; i++) {
		struct td_clock_window *w = &d->window[i];

		w->asked += (float)by[w->column[1]];
		w->beyond[TD_CLOCK_CYCLES] += (float)by[w->column[1]];
	}
}

/* The largest step of them, a part. */
static double step_paces(struct td_clock_data *d, double mean, struct td_clock_fit *fit)
{
	double most = 0;

	td_clock_fit_clear(fit);
	td_clock_pace(d, fit, TD_NO_BATCH);
	pull_paces(d, mean, fit);
	td_clock_factor(fit);
	td_clock_step(fit);
	for (uint32_t c = 0; c < d->columns; c++) {
		d->pace[c] = pace_after(d->pace[c], fit->pull[c]);
		most = fmax(most, fabs(fit->pull[c]));
	}
	move_start(d, fit->pull[d->columns]);
	if (d->doubt)
		move_late(d, fit->pull + td_clock_late_at(d, 0));
	return most;
}

/* And d->pace_error.  fit->matrix is the last round's afterwards, factored. */
static int find_paces(struct td_clock_data *d, double mean, struct td_clock_fit *fit)
{
	double most = 1;

	for (uint32_t c = 0; c <= d->columns; c++)
		fit->ridge[c] =
			c < d->columns ? 1 / (PACES_DIFFER * PACES_DIFFER) : START_RIDGE;
	for (uint32_t c = 0; c < d->columns && d->doubt; c++)
		fit->ridge[td_clock_late_at(d, c)] = 1 / fmax(DOUBT_LEAST, d->doubt[c]);
	for (int round = 0; round < PACE_ROUNDS && most > STILL; round++) {
		int err = round < STATE_ROUNDS ? find_states(d, round > 0) : 0;

		if (err)
			return err;
		td_clock_fill(d, TD_NO_BATCH);
		/* chosen anew each time, paces go to and fro */
		if (round < CHOICE_ROUNDS)
			td_clock_choose(d);
		most = step_paces(d, mean, fit);
	}
	td_clock_fill(d, TD_NO_BATCH);
	return td_cholesky_inverse_diagonal(fit->matrix, fit->n, d->pace_error);
}

/* One step from the solution of all windows: pace->at. */
static void find_paces_without(struct td_clock_data *d, unsigned batch, double mean,
			       struct td_clock_fit *pace)
{
	td_clock_fill(d, batch);
	memset(pace->pull, 0, pace->n * sizeof(*pace->pull));
	td_clock_pace(d, pace, batch);
	pull_paces(d, mean, pace);
	td_clock_step(pace);
	for (uint32_t c = 0; c < d->columns; c++)
		pace->at[c] = pace_after(d->pace[c], pace->pull[c]);
}

/* clock->value: without each batch, from paces[TD_BATCHES][columns]. */
static void set_values(struct td_clock_data *d, struct td_clock_slopes *slopes,
		       const double *paces, struct td_clock *clock)
{
	td_clock_slopes_chance(slopes);
	for (unsigned b = 0; b < TD_BATCHES; b++) {
		double(*value)[NODES] = clock->value + (1 + (size_t)b) * d->columns;

		td_clock_slopes_take(slopes, d, b, value);
		td_clock_fractions(d, paces + (size_t)b * d->columns,
				   (const double(*)[NODES])value, value);
	}
	td_clock_slopes_take(slopes, d, TD_NO_BATCH, d->slope);
	td_clock_fractions(d, d->pace, (const double(*)[NODES])d->slope, clock->value);
}

static int solve_slopes(struct td_clock_data *d, struct td_clock *clock,
			struct td_clock_fit *pace, struct td_clock_slopes *slopes)
{
	double *paces = malloc((TD_BATCHES * (size_t)d->columns + 1) * sizeof(*paces));
	double mean = mean_pace(d);
	int err = paces ? 0 : -ENOMEM;

	for (uint32_t c = 0; c < d->columns; c++)
		d->pace[c] = mean;
	if (!err)
		err = find_paces(d, mean, pace);
	if (!err)
		err = td_clock_slopes_find(slopes, d);
	for (unsigned b = 0; b < TD_BATCHES && !err; b++) {
		find_paces_without(d, b, mean, pace);
		memcpy(paces + (size_t)b * d->columns, pace->at,
		       d->columns * sizeof(*paces));
		err = td_clock_slopes_without(slopes, d, b, pace->at);
	}
	if (!err)
		set_values(d, slopes, paces, clock);
	free(paces);
	return err ? err : td_clock_slopes_errors(slopes, d, clock);
}

static int solve(struct td_clock_data *d, struct td_clock *clock,
		 struct td_clock_fit *pace)
{
	struct td_clock_slopes slopes;
	int err = td_clock_slopes_init(&slopes, d);

	if (!err)
		err = solve_slopes(d, clock, pace, &slopes);
	td_clock_slopes_free(&slopes);
	return err;
}

/* A cycle's instructions, as parts of its slots. */
static void set_instructions(const struct td_clock_data *d, double width,
			     const double *pace, double (*value)[NODES])
{
	unsigned node = d->input->traced - 1, rest = d->input->left - 1;

	for (uint32_t c = 0; c < d->columns; c++) {
		value[c][node] = 1 / (pace[c] * width);
		value[c][rest] = 1 - value[c][node];
	}
}

static void find_pace_errors(const struct td_clock_data *d,
			     const struct td_clock_fit *fit, struct td_clock *clock)
{
	unsigned node = d->input->traced - 1, rest = d->input->left - 1;

	for (uint32_t c = 0; c < d->columns; c++) {
		double error =
			clock->value[c][node] *
			hypot(PACED_ERROR, SWAY_ERROR * td_clock_sway(&d->state[c]));

		clock->error[c][node] = clock->error[c][rest] = error * error;
		clock->prior[c] = d->pace_error[c] * fit->ridge[c];
	}
}

/* Of instructions paces say all that is asked for. */
static int solve_paces(struct td_clock_data *d, double width, struct td_clock *clock,
		       struct td_clock_fit *fit)
{
	double mean = mean_pace(d);
	int err;

	for (uint32_t c = 0; c < d->columns; c++)
		d->pace[c] = mean;
	err = td_clock_sways_memory(d);
	if (!err)
		err = find_paces(d, mean, fit);
	if (err)
		return err;
	set_instructions(d, width, d->pace, clock->value);
	for (unsigned b = 0; b < TD_BATCHES; b++) {
		find_paces_without(d, b, mean, fit);
		set_instructions(d, width, fit->at,
				 clock->value + (1 + (size_t)b) * d->columns);
	}
	find_pace_errors(d, fit, clock);
	return 0;
}

static int find(struct td_clock_data *d, double width, struct td_clock *clock)
{
	size_t unknowns = td_clock_late_at(d, d->doubt ? d->columns : 0);
	struct td_clock_fit pace;
	int err;

	clock->value =
		calloc((1 + TD_BATCHES) * (size_t)d->columns + 1, sizeof(*clock->value));
	clock->error = calloc((size_t)d->columns + 1, sizeof(*clock->error));
	clock->prior = calloc((size_t)d->columns + 1, sizeof(*clock->prior));
	d->pace = calloc(d->columns + 1, sizeof(*d->pace));
	d->pace_error = calloc(unknowns + 1, sizeof(*d->pace_error));
	d->slope = calloc(d->columns + 1, sizeof(*d->slope));
	d->late = calloc(d->columns + 1, sizeof(*d->late));
	d->state = calloc(d->columns + 1, sizeof(*d->state));
	if (!clock->value || !clock->error || !clock->prior || !d->pace ||
	    !d->pace_error || !d->late || !d->slope || !d->state)
		return -ENOMEM;
	err = td_clock_sort(d);
	if (err)
		return err;
	err = td_clock_fit_room(&pace, unknowns);
	if (!err)
		err = d->paced ? solve_paces(d, width, clock, &pace)
			       : solve(d, clock, &pace);
	td_clock_fit_free(&pace);
	if (d->doubt) {
		clock->late = d->late;
		d->late = NULL;
	}
	return err;
}

void td_clock_data_free(struct td_clock_data *d)
{
	free(d->empty);
	free(d->window);
	free(d->entry);
	free(d->key);
	free(d->numbers);
	free(d->bins);
	free(d->cells);
	free(d->whole.key);
	free(d->whole.bins);
	free(d->whole.cells);
	free(d->pace);
	free(d->pace_error);
	free(d->slope);
	free(d->late);
	free(d->jitter);
	free(d->state);
}

/*
 * Where it is known to the cycle when windows were due, lengths tell as well, and without
 * errors; what they count is told by both, for its errors are others.  Paces alone want
 * such windows.  Where the core is shared `sharp` says only that no edge is in between.
 */
static int is_told(const struct td_separate_input *input, const struct td_axis *axis)
{
	int due = (axis->sharp && !input->shared) ||
		  (axis->follows && axis->start_spread <= 0);

	return !input->paced || (input->exact && due);
}

int td_clock_find(struct td_clock *clock, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_ends *ends)
{
	struct td_clock_data data = {0};
	int told;

	memset(clock, 0, sizeof(*clock));
	clock->columns = columns->columns;
	if (!input->clock || axis->kind != TD_AXIS_REQUESTED || !is_told(input, axis) ||
	    input->rates || !input->returns ||
	    columns->columns * (TD_CLOCK_SIDES + 1) > UNKNOWNS_MOST)
		return 0;
	told = td_clock_take(&data, input, axis, columns, ends);
	if (told > 0)
		told = find(&data, axis->width, clock);
	td_clock_data_free(&data);
	return told < 0 ? told : 0;
}

void td_clock_free(struct td_clock *clock)
{
	free(clock->value);
	free(clock->error);
	free(clock->prior);
	free(clock->late);
	memset(clock, 0, sizeof(*clock));
}
