// SPDX-License-Identifier: MIT
/* What instructions say of a function, and lengths: one answer of the two. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/separate_state.h"

#define UNSURE_LEAST 1e-12
#define PRIOR_MOST 0.2 /* more, and it is no answer */
/* The two answers' errors are of the same windows.  In the lab they go together by .15
 * without noise, by .35 with. */
#define TOGETHER 0.3
/* By how much what rows say of where windows are is off at the ends of a visit, which
 * no batch shows: cycles, chosen by how many intervals of functions of up to 100 hold. */
#define ENDS_OFF 0.7

/* By columns' ends, without the batch. */
struct share {
	double ends;
	td_sides sum;
};

/* Of each function, the mean of its columns. */
static void add_up(const struct td_separate_state *s, unsigned without, double *ends,
		   struct share *share)
{
	td_separate_ends(s, without, ends);
	memset(share, 0, s->input->functions * sizeof(*share));
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		uint32_t function = s->columns.function[c];
		const double *value = td_clock_value(&s->clock, without, c);

		if (function == TD_NO_FUNCTION)
			continue;
		share[function].ends += ends[c];
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			share[function].sum[k] += ends[c] * value[k];
	}
	for (size_t f = 0; f < s->input->functions; f++)
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			share[f].sum[k] /= fmax(1, share[f].ends);
}

/* The jackknife, and its own estimate of a bias: where the ends' chance is as large as
 * what there is to be seen, all that they tell apart is too flat. */
static void add_changes(const struct td_separate_state *s, unsigned batch,
			const struct share *share, struct td_told *told)
{
	for (size_t f = 0; f < s->input->functions; f++) {
		for (int i = 0; i < TD_NODES && told[f].known; i++) {
			double by = td_separate_node(share[f].sum, i) -
				    td_separate_node(told[f].value, i);

			told[f].variance[i] += (TD_BATCHES - 1.) / TD_BATCHES * by * by;
			told[f].bias[i] += (TD_BATCHES - 1.) / TD_BATCHES * by;
			if (i + 1 == (int)s->input->traced)
				told[f].change[batch] = by;
		}
	}
}

/* Of a node that is the difference of two, both. */
static double error_of(const double *error, int node)
{
	double positive[TD_SEPARATE_NODES];

	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		positive[k] = k < TD_NODES_LEVEL1 ? error[k] : -error[k];
	return fabs(td_separate_node(positive, node));
}

/* What no batch shows, and how much of it is the prior's. */
static void add_errors(const struct td_separate_state *s, struct td_told *told)
{
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		uint32_t function = s->columns.function[c];
		double part;

		if (function == TD_NO_FUNCTION || !told[function].known)
			continue;
		part = s->columns.ends[c] / told[function].ends;
		told[function].prior += part * s->clock.prior[c];
		for (int i = 0; i < TD_NODES; i++)
			told[function].variance[i] +=
				part * error_of(s->clock.error[c], i);
	}
	for (size_t f = 0; f < s->input->functions; f++) {
		double prior = told[f].prior * TD_FRACTION_SPREAD;

		told[f].known &= told[f].prior < PRIOR_MOST;
		for (int i = 0; i < TD_NODES; i++)
			told[f].variance[i] += prior * prior;
	}
}

int td_separate_tell(const struct td_separate_state *s, struct td_told *told)
{
	double *ends = malloc((s->columns.columns + 1) * sizeof(*ends));
	struct share *share = malloc((s->input->functions + 1) * sizeof(*share));
	int err = ends && share ? 0 : -ENOMEM;

	if (!err)
		add_up(s, TD_NO_BATCH, ends, share);
	for (size_t f = 0; f < s->input->functions && !err; f++) {
		told[f].known = share[f].ends > 0;
		told[f].ends = share[f].ends;
		memcpy(told[f].value, share[f].sum, sizeof(told[f].value));
	}
	for (unsigned b = 0; b < TD_BATCHES && !err; b++) {
		add_up(s, b, ends, share);
		add_changes(s, b, share, told);
	}
	if (!err)
		add_errors(s, told);
	free(ends);
	free(share);
	return err;
}

/* Within the bounds of fractions: level 1 adds up to 1, level 2 is within its parent. */
static void bound(const double *value, double *to)
{
	double sum = 0;

	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		to[k] = fmax(0, value[k]);
	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		sum += to[k];
	for (int k = 0; k < TD_NODES_LEVEL1 && sum > 0; k++)
		to[k] /= sum;
	for (int k = TD_NODES_LEVEL1; k < TD_SEPARATE_NODES; k++)
		to[k] = fmin(to[k], to[k - TD_NODES_LEVEL1]);
}

static double variance_of(const struct td_told *told, int node)
{
	return told->variance[node] + told->bias[node] * told->bias[node];
}

static double mean_of(const struct td_told *told, const struct td_reading *reading)
{
	double sum = UNSURE_LEAST;

	for (int i = 0; i < TD_NODES_LEVEL1; i++)
		sum += (told ? variance_of(told, i) : reading[i].variance) /
		       TD_NODES_LEVEL1;
	return sum;
}

/* What errors do not explain of how far answers are apart is an error of one of them,
 * of each as likely as its part is small. */
static double mix_errors(double part, double told, double read, double apart)
{
	double both = told * told + read * read - 2 * TOGETHER * told * read;
	double more = fmax(0, apart * apart - both);

	told *= part;
	read *= 1 - part;
	return told * told + read * read + 2 * TOGETHER * told * read +
	       part * (1 - part) * more;
}

double td_separate_blend(const struct td_told *told, double visit, int nodes,
			 struct td_reading *reading)
{
	double ends = ENDS_OFF / fmax(1, visit / 2) * TD_FRACTION_SPREAD;
	double lengths = mean_of(NULL, reading), ticks, part;
	td_sides bounded;

	if (!told->known)
		return 0;
	ticks = mean_of(told, NULL);
	part = lengths / (lengths + ticks);
	if (!isfinite(part))
		return 0;
	bound(told->value, bounded);
	for (int i = 0; i < nodes; i++) {
		struct td_reading *to = &reading[i];
		double error = hypot(sqrt(variance_of(told, i)), ends);
		double apart = td_separate_node(told->value, i) - to->free;

		to->bounded += part * (td_separate_node(bounded, i) - to->bounded);
		to->free += part * (td_separate_node(told->value, i) - to->free);
		to->variance = mix_errors(part, error, sqrt(to->variance), apart);
	}
	return part;
}
