// SPDX-License-Identifier: MIT
/* What functions count for each instruction: the clock's rows solved, with all windows
 * and without each batch, and what chance in their regressors is taken off. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/cholesky.h"
#include "decoder/clock_internal.h"
#include "decoder/parallel.h"

#define NODES TD_SEPARATE_NODES
#define ROUNDS 3
#define DIFFER 0.5 /* between columns, cycles an instruction; standard deviation */
#define UNSURE_LEAST 1e-6
/* of what a column leans: as it is in a visit that windows pass, and in one that they
 * hardly leave, longer than it stays as it is */
#define LEANS_ERROR 0.1
#define LEANS_ERROR_LONG 0.3
#define PACE_ERROR 0.005 /* of it: by how late interrupts are where */
#define FIELD 0.0007     /* rounding of fields that are alike: chosen by how many hold */
#define SWAY_PART 1.5    /* of its pace's sway, which own windows show at both ends */
/* by how much of their paces functions may differ of which chance leaves nothing, beyond
 * those that were found by themselves; standard deviation */
#define LOST_PACE 0.05
#define LOST_DRAWS 32
/* what chance adds without a batch, of what it adds with all but this one's part */
#define WITHOUT_ONE (TD_BATCHES / (TD_BATCHES - 2.))

static size_t sides_of(const struct td_clock_data *d, int set)
{
	return (size_t)d->set[set].sides + 1;
}

int td_clock_slopes_init(struct td_clock_slopes *slopes, const struct td_clock_data *d)
{
	int err = 0;

	memset(slopes, 0, sizeof(*slopes));
	slopes->sets = d->input->nodes > TD_NODES_LEVEL1 ? 2 : 1;
	for (int s = 0; s < slopes->sets && !err; s++) {
		size_t n = d->columns * sides_of(d, s);

		err = td_clock_fit_room(&slopes->fit[s], n);
		if (!err)
			err = td_clock_fit_room(&slopes->chance[s], n);
		if (!err)
			err = td_clock_fit_room(&slopes->twice[s], n);
		slopes->chance[s].adding = 1;
		slopes->pull[s] = calloc(TD_BATCHES * n + 1, sizeof(*slopes->pull[s]));
		if (!err && !slopes->pull[s])
			err = -ENOMEM;
	}
	return err;
}

void td_clock_slopes_free(struct td_clock_slopes *slopes)
{
	for (int s = 0; s < TD_CLOCK_SETS; s++) {
		td_clock_fit_free(&slopes->fit[s]);
		td_clock_fit_free(&slopes->chance[s]);
		td_clock_fit_free(&slopes->twice[s]);
		free(slopes->pull[s]);
	}
}

static int is_pace(const struct td_clock_data *d, int set, size_t side)
{
	return d->sharp && side < (size_t)d->set[set].sides &&
	       d->set[set].node[side] == TD_CLOCK_CYCLES;
}

/* What a column takes was found by all windows; of groups more than tell what it counts.
 */
static double surely(const struct td_clock_data *d, int set, uint32_t c, size_t side)
{
	if (d->input->exact && is_pace(d, set, side))
		return 1 / fmax(UNSURE_LEAST, d->pace[c] * d->pace[c] * d->pace_error[c]);
	return 1 / (DIFFER * DIFFER);
}

/* From what own windows say, and how they lean. */
static void begin_rows(const struct td_clock_data *d, int set, struct td_clock_fit *fit)
{
	size_t sides = sides_of(d, set);

	for (uint32_t c = 0; c < d->columns; c++) {
		double *at = fit->at + c * sides, *ridge = fit->ridge + c * sides;

		for (size_t r = 0; r + 1 < sides; r++) {
			at[r] = d->slope[c][d->set[set].node[r]];
			ridge[r] = surely(d, set, c, r);
		}
		at[sides - 1] = d->state[c].speed;
		ridge[sides - 1] = 1 / fmax(UNSURE_LEAST, d->state[c].unsure);
	}
}

/* Of a column: what it counts beyond an edge is none, and what it takes was found. */
static double prior_of(const struct td_clock_data *d, int set, const double *pace,
		       uint32_t c, size_t side)
{
	if (side == (size_t)d->set[set].sides)
		return d->state[c].speed;
	return is_pace(d, set, side) ? pace[c] : 0;
}

static void pull_rows(const struct td_clock_data *d, int set, const double *pace,
		      struct td_clock_fit *fit)
{
	size_t sides = sides_of(d, set);

	for (size_t i = 0; i < fit->n; i++) {
		double prior = prior_of(d, set, pace, (uint32_t)(i / sides), i % sides);

		fit->pull[i] += fit->ridge[i] * (prior - fit->at[i]);
	}
}

/* What is counted beyond an edge is none in sum. */
static double the_other(const double *level1)
{
	return -level1[0] - level1[2] - level1[3];
}

/* Unknowns at[], and what they change by. */
static void take_slopes(const struct td_clock_data *d, int set, const double *at,
			const double *by, double (*slope)[NODES])
{
	size_t sides = sides_of(d, set);

	for (uint32_t c = 0; c < d->columns; c++) {
		for (size_t r = 0; r + 1 < sides; r++) {
			size_t i = c * sides + r;

			slope[c][d->set[set].node[r]] = at[i] + by[i];
		}
		if (!d->sharp)
			slope[c][1] = the_other(slope[c]);
	}
}

/* Chance is in the matrix: functions that are hardly told apart count too much alike. */
static int solve_rows(struct td_clock_data *d, struct td_clock_slopes *slopes, int set)
{
	struct td_clock_fit *fit = &slopes->fit[set], *twice = &slopes->twice[set];
	int err;

	begin_rows(d, set, fit);
	td_clock_fit_clear(fit);
	err = td_clock_rows(d, set, fit, TD_NO_BATCH);
	pull_rows(d, set, d->pace, fit);
	memcpy(twice->matrix, fit->matrix, fit->n * fit->n * sizeof(*fit->matrix));
	memcpy(twice->ridge, fit->ridge, fit->n * sizeof(*fit->ridge));
	td_clock_factor(fit);
	td_clock_step(fit);
	take_slopes(d, set, fit->at, fit->pull, d->slope);
	for (size_t i = 0; i < fit->n; i++)
		fit->at[i] += fit->pull[i];
	return err;
}

int td_clock_slopes_find(struct td_clock_slopes *slopes, struct td_clock_data *d)
{
	int err = 0;

	for (uint32_t c = 0; c < d->columns; c++)
		memcpy(d->slope[c], d->state[c].mean, sizeof(d->slope[c]));
	for (int round = 0; round < ROUNDS && !err; round++) {
		err = td_clock_weigh(d);
		for (int s = 0; s < slopes->sets && !err; s++)
			err = solve_rows(d, slopes, s);
	}
	return err ? err : td_clock_keep(d);
}

/* What rows of a set pull without a batch, or what chance adds: neither changes what the
 * other, or another set's, reads. */
struct without {
	const struct td_clock_data *d;
	int set;
	unsigned batch;
	struct td_clock_fit *fit, *chance; /* chance: NULL where it is the rows' */
};

static int add_without(void *piece)
{
	const struct without *of = piece;

	return of->chance ? td_clock_chance(of->d, of->set, of->fit, of->chance)
			  : td_clock_rows(of->d, of->set, of->fit, of->batch);
}

/*
 * Regressors are as random as the ends of the windows that they were counted from, and
 * what rows lack goes with them.  X being their mean over n batches, and X(b) the same
 * without one, chance adds (n - 1) / n times the sum of (X(b) - X)' W (X(b) - X) to X' W
 * X in the mean: the jackknife's variance.
 */
int td_clock_slopes_without(struct td_clock_slopes *slopes, const struct td_clock_data *d,
			    unsigned batch, const double *pace)
{
	struct without part[2 * TD_CLOCK_SETS];
	size_t parts = 0;
	int err;

	for (int s = 0; s < slopes->sets; s++) {
		struct td_clock_fit *fit = &slopes->fit[s], *chance = &slopes->chance[s];
		double *before = slopes->pull[s] + batch * fit->n;

		memset(fit->pull, 0, fit->n * sizeof(*fit->pull));
		for (size_t i = 0; i < fit->n; i++)
			before[i] = WITHOUT_ONE * chance->pull[i];
		part[parts++] = (struct without){d, s, batch, fit, chance};
		part[parts++] = (struct without){d, s, batch, fit, NULL};
	}
	err = td_parallel_run(add_without, part, sizeof(part[0]), parts);
	for (int s = 0; s < slopes->sets; s++) {
		struct td_clock_fit *fit = &slopes->fit[s];
		double *pull = slopes->pull[s] + batch * fit->n;

		pull_rows(d, s, pace, fit);
		for (size_t i = 0; i < fit->n; i++)
			pull[i] = fit->pull[i] - pull[i] +
				  WITHOUT_ONE * slopes->chance[s].pull[i];
	}
	return err;
}

/* The sums of all batches become what chance adds.  Of two functions that few windows
 * met, all of them both, nothing but their priors is in the matrix for how they differ,
 * and without a batch that is not so: ten thousand times as much chance. */
void td_clock_slopes_chance(struct td_clock_slopes *slopes)
{
	double part = (TD_BATCHES - 1.) / TD_BATCHES;

	for (int s = 0; s < slopes->sets; s++) {
		struct td_clock_fit *chance = &slopes->chance[s];
		struct td_clock_fit *twice = &slopes->twice[s];

		for (size_t i = 0; i < chance->n * chance->n; i++) {
			chance->matrix[i] *= part;
			twice->matrix[i] += chance->matrix[i];
		}
		for (size_t i = 0; i < chance->n; i++)
			chance->pull[i] *= part;
		td_clock_factor(twice);
	}
}

void td_clock_slopes_take(struct td_clock_slopes *slopes, const struct td_clock_data *d,
			  unsigned batch, double (*slope)[NODES])
{
	for (int s = 0; s < slopes->sets; s++) {
		const struct td_clock_fit *chance = &slopes->chance[s];
		struct td_clock_fit *twice = &slopes->twice[s];
		const double *pull = slopes->pull[s] + batch * twice->n;

		for (size_t i = 0; i < twice->n; i++)
			twice->pull[i] =
				batch == TD_NO_BATCH
					? -chance->pull[i]
					: pull[i] - WITHOUT_ONE * chance->pull[i];
		td_clock_step_beyond(twice, chance->matrix);
		take_slopes(d, s, slopes->fit[s].at, twice->pull, slope);
	}
}

void td_clock_fractions(const struct td_clock_data *d, const double *pace,
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
			/* what windows say of paces is no prior */
			prior += diagonal[at + r] / (DIFFER * DIFFER) /
				 (double)(sides - 1);
		}
		if (set == 0)
			clock->prior[c] = prior;
	}
}

/* Marsaglia's xorshift: the same signs in each report. */
static double draw_sign(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random >> 63 ? 1 : -1;
}

/* How functions may differ, as unknowns of the set. */
static void draw_differences(const struct td_clock_data *d, int set, uint64_t *random,
			     double *step)
{
	size_t sides = sides_of(d, set);

	for (uint32_t c = 0; c < d->columns; c++) {
		for (size_t r = 0; r + 1 < sides; r++) {
			double lost = is_pace(d, set, r) ? LOST_PACE : TD_FRACTION_SPREAD;

			step[c * sides + r] = draw_sign(random) * d->pace[c] * lost;
		}
		step[c * sides + sides - 1] = 0;
	}
}

/* d->slope by a step of the set's unknowns, as fractions. */
static void step_values(const struct td_clock_data *d, int set, const double *step,
			double (*value)[NODES])
{
	size_t sides = sides_of(d, set);

	memcpy(value, d->slope, d->columns * sizeof(*value));
	for (uint32_t c = 0; c < d->columns; c++) {
		for (size_t r = 0; r + 1 < sides; r++)
			value[c][d->set[set].node[r]] += step[c * sides + r];
		if (!d->sharp)
			value[c][1] = the_other(value[c]);
	}
	td_clock_fractions(d, d->pace, (const double(*)[NODES])value, value);
}

/* Where windows meet functions together, chance alone tells these apart: they come out
 * alike, without each batch as well. */
static int add_lost(struct td_clock_slopes *slopes, const struct td_clock_data *d,
		    int set, struct td_clock *clock)
{
	struct td_clock_fit *fit = &slopes->fit[set];
	double(*value)[NODES] = malloc((d->columns + 1) * sizeof(*value));
	double *step = malloc((fit->n + 1) * sizeof(*step));
	int err = value && step ? 0 : -ENOMEM, first = set * TD_NODES_LEVEL1;
	uint64_t random = 1;

	for (int draw = 0; draw < LOST_DRAWS && !err; draw++) {
		draw_differences(d, set, &random, step);
		td_clock_step_lost(fit, &slopes->twice[set], slopes->chance[set].matrix,
				   step);
		step_values(d, set, step, value);
		for (uint32_t c = 0; c < d->columns; c++) {
			for (int k = first; k < first + TD_NODES_LEVEL1; k++) {
				double by = value[c][k] - clock->value[c][k];

				clock->error[c][k] += by * by / LOST_DRAWS;
			}
		}
	}
	free(value);
	free(step);
	return err;
}

int td_clock_slopes_errors(struct td_clock_slopes *slopes, const struct td_clock_data *d,
			   struct td_clock *clock)
{
	int err = 0;

	for (int s = 0; s < slopes->sets && !err; s++) {
		const struct td_clock_fit *fit = &slopes->fit[s];
		double *diagonal = malloc((fit->n + 1) * sizeof(*diagonal));

		err = diagonal ? td_cholesky_inverse_diagonal(fit->matrix, fit->n,
							      diagonal)
			       : -ENOMEM;
		if (!err)
			take_errors(d, s, fit, diagonal, clock);
		free(diagonal);
		/* exact counts' intervals hold without, and answers are closer */
		if (!err && !d->input->exact)
			err = add_lost(slopes, d, s, clock);
	}
	return err;
}
