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
#define ROW_ROUNDS 3
#define PACES_DIFFER 0.5  /* of the mean, between columns; standard deviation */
#define SLOPES_DIFFER 0.5 /* cycles an instruction, the same */
#define START_RIDGE 1e-9
#define UNSURE_LEAST 1e-6
/* of what a column leans: as it is in a visit that windows pass, and in one that they
 * hardly leave, longer than it stays as it is */
#define LEANS_ERROR 0.1
#define LEANS_ERROR_LONG 0.3
#define PACE_ERROR 0.005  /* of it: by how late interrupts are where */
#define PACED_ERROR 0.012 /* the same where paces are all: chosen by how many hold */
#define SWAY_ERROR 0.2    /* of the variance of its logarithm, by how windows meet it */
#define FIELD 0.001       /* rounding of fields that are alike */
#define SWAY_PART 1.5     /* of its pace's sway, which own windows show at both ends */

int td_clock_fit_room(struct td_clock_fit *fit, size_t n)
{
	*fit = (struct td_clock_fit){.n = n};
	fit->matrix = calloc(n * n + 1, sizeof(double));
	fit->pull = calloc(6 * n + 8, sizeof(double));
	if (!fit->matrix || !fit->pull)
		return -ENOMEM;
	fit->ridge = fit->pull + n;
	fit->at = fit->ridge + n;
	fit->spare = fit->at + n;
	return 0;
}

void td_clock_fit_free(struct td_clock_fit *fit)
{
	free(fit->matrix);
	free(fit->pull);
}

void td_clock_fit_add(struct td_clock_fit *fit, const uint32_t *at, const double *x,
		      uint32_t n, double y, double weight)
{
	for (uint32_t i = 0; i < n; i++) {
		double *to = fit->matrix + at[i] * fit->n;

		fit->pull[at[i]] += weight * x[i] * y;
		for (uint32_t j = 0; j < n && fit->adding; j++)
			to[at[j]] += weight * x[i] * x[j];
	}
}

/* The prior is in the matrix as well. */
static void clear(struct td_clock_fit *fit)
{
	memset(fit->matrix, 0, fit->n * fit->n * sizeof(*fit->matrix));
	memset(fit->pull, 0, fit->n * sizeof(*fit->pull));
	for (size_t i = 0; i < fit->n; i++)
		fit->matrix[i * fit->n + i] = fit->ridge[i];
	fit->adding = 1;
}

void td_clock_factor(struct td_clock_fit *fit)
{
	double *least = fit->spare, *raised = fit->spare + fit->n;

	for (size_t i = 0; i < fit->n; i++)
		least[i] = fit->ridge[i] / 2;
	td_cholesky(fit->matrix, fit->n, least, raised);
	fit->adding = 0;
}

void td_clock_step(struct td_clock_fit *fit)
{
	td_cholesky_solve(fit->matrix, fit->n, fit->pull, 1);
}

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

/* Paces that nothing tells are what they are in the mean. */
static void pull_paces(const struct td_clock_data *d, double mean,
		       struct td_clock_fit *fit)
{
	for (uint32_t c = 0; c < d->columns; c++)
		fit->pull[c] += fit->ridge[c] * (mean / d->pace[c] - 1);
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

/* The largest step of them, a part. */
static double step_paces(struct td_clock_data *d, double mean, struct td_clock_fit *fit)
{
	double most = 0;

	clear(fit);
	td_clock_pace(d, fit, TD_NO_BATCH);
	pull_paces(d, mean, fit);
	td_clock_factor(fit);
	td_clock_step(fit);
	for (uint32_t c = 0; c < d->columns; c++) {
		d->pace[c] = pace_after(d->pace[c], fit->pull[c]);
		most = fmax(most, fabs(fit->pull[c]));
	}
	move_start(d, fit->pull[d->columns]);
	return most;
}

/* fit->matrix is the last round's afterwards, factored. */
static int find_paces(struct td_clock_data *d, double mean, struct td_clock_fit *fit)
{
	double most = 1;

	for (uint32_t c = 0; c <= d->columns; c++)
		fit->ridge[c] =
			c < d->columns ? 1 / (PACES_DIFFER * PACES_DIFFER) : START_RIDGE;
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
	return 0;
}

static size_t sides_of(const struct td_clock_data *d, int set)
{
	return (size_t)d->set[set].sides + 1;
}

/* From what own windows say, and how they lean. */
static void begin_rows(const struct td_clock_data *d, int set, struct td_clock_fit *fit)
{
	size_t sides = sides_of(d, set);

	for (uint32_t c = 0; c < d->columns; c++) {
		double *at = fit->at + c * sides, *ridge = fit->ridge + c * sides;

		for (size_t r = 0; r + 1 < sides; r++) {
			at[r] = d->slope[c][d->set[set].node[r]];
			ridge[r] = 1 / (SLOPES_DIFFER * SLOPES_DIFFER);
		}
		at[sides - 1] = d->state[c].speed;
		ridge[sides - 1] = 1 / fmax(UNSURE_LEAST, d->state[c].unsure);
	}
}

/* Of a column: what it counts beyond an edge is none, and what it takes was found. */
static double prior_of(const struct td_clock_data *d, int set, uint32_t c, size_t side)
{
	if (side == (size_t)d->set[set].sides)
		return d->state[c].speed;
	return d->sharp && d->set[set].node[side] == TD_CLOCK_CYCLES ? d->pace[c] : 0;
}

static void pull_rows(const struct td_clock_data *d, int set, struct td_clock_fit *fit)
{
	size_t sides = sides_of(d, set);

	for (size_t i = 0; i < fit->n; i++) {
		double prior = prior_of(d, set, (uint32_t)(i / sides), i % sides);

		fit->pull[i] += fit->ridge[i] * (prior - fit->at[i]);
	}
}

/* What is counted beyond an edge is none in sum. */
static double the_other(const double *level1)
{
	return -level1[0] - level1[2] - level1[3];
}

static void take_slopes(struct td_clock_data *d, int set, const double *at,
			double (*slope)[NODES])
{
	size_t sides = sides_of(d, set);

	for (uint32_t c = 0; c < d->columns; c++) {
		for (size_t r = 0; r + 1 < sides; r++)
			slope[c][d->set[set].node[r]] = at[c * sides + r];
		if (!d->sharp)
			slope[c][1] = the_other(slope[c]);
	}
}

static int solve_rows(struct td_clock_data *d, int sets, struct td_clock_fit *fit)
{
	for (int round = 0; round < ROW_ROUNDS; round++) {
		int err = td_clock_weigh(d);

		for (int s = 0; s < sets && !err; s++) {
			begin_rows(d, s, &fit[s]);
			clear(&fit[s]);
			err = td_clock_rows(d, s, &fit[s], TD_NO_BATCH);
			pull_rows(d, s, &fit[s]);
			td_clock_factor(&fit[s]);
			td_clock_step(&fit[s]);
			for (size_t i = 0; i < fit[s].n; i++)
				fit[s].at[i] += fit[s].pull[i];
			take_slopes(d, s, fit[s].at, d->slope);
		}
		if (err)
			return err;
	}
	return 0;
}

/* Slopes become fractions, in place as well. */
static void set_values(const struct td_clock_data *d, const double *pace,
		       const double (*slope)[NODES], double (*value)[NODES])
{
	for (uint32_t c = 0; c < d->columns; c++) {
		double other = the_other(slope[c]);
		double cycles =
			d->sharp ? fmax(TD_CLOCK_PACE_LEAST, slope[c][TD_CLOCK_CYCLES])
				 : pace[c];

		for (int k = 0; k < NODES; k++)
			value[c][k] =
				d->mix[k] +
				(k == TD_CLOCK_CYCLES ? other : slope[c][k]) / cycles;
	}
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

/* The same of slopes. */
static int find_without(struct td_clock_data *d, unsigned batch, int sets,
			struct td_clock_fit *pace, struct td_clock_fit *fit, double mean,
			double (*value)[NODES])
{
	double *paces = pace->at, (*slope)[NODES] = value;
	int err = 0;

	find_paces_without(d, batch, mean, pace);
	for (int s = 0; s < sets && !err; s++) {
		memset(fit[s].pull, 0, fit[s].n * sizeof(*fit[s].pull));
		err = td_clock_rows(d, s, &fit[s], batch);
		pull_rows(d, s, &fit[s]);
		td_clock_step(&fit[s]);
		for (size_t i = 0; i < fit[s].n; i++)
			fit[s].pull[i] += fit[s].at[i];
		take_slopes(d, s, fit[s].pull, slope);
	}
	set_values(d, paces, (const double(*)[NODES])slope, value);
	return err;
}

/* What state a column was met in moves a fraction by so much of the state's axis: where
 * lengths are sharp it moves the cycles as well. */
static double along_axis(const struct td_clock_data *d, uint32_t c, int node)
{
	const double *axis = d->state[c].axis, *slope = d->slope[c];
	double by = axis[node], counts = slope[node];

	if (!d->sharp)
		return by;
	if (node == TD_CLOCK_CYCLES) {
		by = the_other(axis);
		counts = the_other(slope);
	}
	return by - counts / d->pace[c] * axis[TD_CLOCK_CYCLES];
}

/* What no batch shows of a column's node, by how much of how it leans nobody knows. */
static double error_of(const struct td_clock_data *d, uint32_t c, int node,
		       double guessed)
{
	const struct td_clock_state *state = &d->state[c];
	double axis = TD_CLOCK_OWN * state->varies * along_axis(d, c, node);
	double leans = axis * state->speed *
		       (LEANS_ERROR + LEANS_ERROR_LONG * state->stays * state->stays);
	double sway = 2 * fabs(state->speed) * sqrt(state->unsure) + state->unsure;
	/* paces that were found by themselves */
	double slope = d->sharp ? 0 : d->slope[c][node];
	double along = slope * SWAY_PART * sway, pace = slope * PACE_ERROR;

	return (leans * leans + axis * axis * state->unsure * guessed + along * along +
		pace * pace + state->offset * state->offset) /
		       (d->pace[c] * d->pace[c]) +
	       FIELD * FIELD;
}

static void take_errors(const struct td_clock_data *d, int set,
			const struct td_clock_fit *fit, const double *diagonal,
			struct td_clock *clock)
{
	size_t sides = sides_of(d, set);

	for (uint32_t c = 0; c < d->columns; c++) {
		size_t at = c * sides, leans = at + sides - 1;
		double guessed = diagonal[leans] * fit->ridge[leans], prior = 0;

		for (size_t r = 0; r + 1 < sides; r++) {
			int node = d->set[set].node[r];

			clock->error[c][node] = error_of(d, c, node, guessed);
			if (set == 0 && node == 0)
				clock->error[c][1] = error_of(d, c, 1, guessed);
			prior += diagonal[at + r] * fit->ridge[at + r] /
				 (double)(sides - 1);
		}
		if (set == 0)
			clock->prior[c] = prior;
	}
}

static int find_errors(const struct td_clock_data *d, int sets,
		       const struct td_clock_fit *fit, struct td_clock *clock)
{
	int err = 0;

	for (int s = 0; s < sets && !err; s++) {
		double *diagonal = malloc((fit[s].n + 1) * sizeof(*diagonal));

		err = diagonal ? td_cholesky_inverse_diagonal(fit[s].matrix, fit[s].n,
							      diagonal)
			       : -ENOMEM;
		if (!err)
			take_errors(d, s, &fit[s], diagonal, clock);
		free(diagonal);
	}
	return err;
}

static int solve(struct td_clock_data *d, struct td_clock *clock,
		 struct td_clock_fit *fit, int sets)
{
	double mean = mean_pace(d);
	int err;

	for (uint32_t c = 0; c < d->columns; c++)
		d->pace[c] = mean;
	err = find_paces(d, mean, &fit[TD_CLOCK_SETS]);
	for (uint32_t c = 0; c < d->columns; c++)
		memcpy(d->slope[c], d->state[c].mean, sizeof(d->slope[c]));
	if (!err)
		err = solve_rows(d, sets, fit);
	if (!err)
		err = find_errors(d, sets, fit, clock);
	set_values(d, d->pace, (const double(*)[NODES])d->slope, clock->value);
	for (unsigned b = 0; b < TD_BATCHES && !err; b++)
		err = find_without(d, b, sets, &fit[TD_CLOCK_SETS], fit, mean,
				   clock->value + (1 + (size_t)b) * d->columns);
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

static int find_pace_errors(const struct td_clock_data *d, const struct td_clock_fit *fit,
			    struct td_clock *clock)
{
	unsigned node = d->input->traced - 1, rest = d->input->left - 1;
	double *diagonal = malloc((fit->n + 1) * sizeof(*diagonal));
	int err = diagonal ? td_cholesky_inverse_diagonal(fit->matrix, fit->n, diagonal)
			   : -ENOMEM;

	for (uint32_t c = 0; c < d->columns && !err; c++) {
		double error = clock->value[c][node] *
			       hypot(PACED_ERROR, SWAY_ERROR * d->state[c].unsure);

		clock->error[c][node] = clock->error[c][rest] = error * error;
		clock->prior[c] = diagonal[c] * fit->ridge[c];
	}
	free(diagonal);
	return err;
}

/* Where there are no edges paces say all that is asked for. */
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
	return find_pace_errors(d, fit, clock);
}

static int find(struct td_clock_data *d, double width, struct td_clock *clock)
{
	struct td_clock_fit fit[TD_CLOCK_SETS + 1] = {{0}};
	int sets = d->input->nodes > TD_NODES_LEVEL1 ? 2 : 1, err;

	clock->value =
		calloc((1 + TD_BATCHES) * (size_t)d->columns + 1, sizeof(*clock->value));
	clock->error = calloc((size_t)d->columns + 1, sizeof(*clock->error));
	clock->prior = calloc((size_t)d->columns + 1, sizeof(*clock->prior));
	d->pace = calloc(d->columns + 1, sizeof(*d->pace));
	d->slope = calloc(d->columns + 1, sizeof(*d->slope));
	d->state = calloc(d->columns + 1, sizeof(*d->state));
	if (!clock->value || !clock->error || !clock->prior || !d->pace || !d->slope ||
	    !d->state)
		return -ENOMEM;
	err = td_clock_sort(d);
	for (int s = 0; s < sets && !err; s++)
		err = td_clock_fit_room(&fit[s], d->columns * sides_of(d, s));
	if (!err)
		err = td_clock_fit_room(&fit[TD_CLOCK_SETS], (size_t)d->columns + 1);
	if (!err)
		err = d->paced ? solve_paces(d, width, clock, &fit[TD_CLOCK_SETS])
			       : solve(d, clock, fit, sets);
	for (int s = 0; s <= TD_CLOCK_SETS; s++)
		td_clock_fit_free(&fit[s]);
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
	free(d->pace);
	free(d->slope);
	free(d->state);
}

/* Counts that nothing rounds, and windows that are all alike but for the program. */
static int has_no_edges(const struct td_separate_input *input, const struct td_axis *axis)
{
	return input->exact && axis->follows && axis->start_spread <= 0;
}

int td_clock_find(struct td_clock *clock, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_ends *ends)
{
	struct td_clock_data data = {0};
	int told;

	memset(clock, 0, sizeof(*clock));
	clock->columns = columns->columns;
	if (!input->clock || axis->kind != TD_AXIS_REQUESTED ||
	    has_no_edges(input, axis) != input->paced || input->rates ||
	    !input->returns || columns->columns * (TD_CLOCK_SIDES + 1) > UNKNOWNS_MOST)
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
	memset(clock, 0, sizeof(*clock));
}
