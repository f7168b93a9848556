// SPDX-License-Identifier: MIT
/*
 * A piece that no own window tells of behaves like the rest of its function, or it does
 * not: part of separate.h.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/separate_state.h"

#define ALIKE_BEFORE 0.8 /* how likely pieces of a function are, before they are seen */
#define ALIKE_MOST 0.999

/* Of each function's columns the one that own windows tell most of. */
static void find_told(const struct td_separate_state *s, uint32_t *told)
{
	const double *covered = s->normal.covered, *ends = s->columns.ends;

	memset(told, 0xff, s->input->functions * sizeof(*told));
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		uint32_t function = s->columns.function[c], *best;

		if (function == TD_NO_FUNCTION || covered[c] <= 0)
			continue;
		best = &told[function];
		if (*best == TD_NO_TWIN ||
		    covered[c] * ends[c] > covered[*best] * ends[*best])
			*best = c;
	}
}

/*
 * How likely two pieces are alike that are so far apart (square of it, mean of the nodes
 * of level 1), if one is known with such a variance. If not they are as far apart as any
 * two functions.  Of four fractions three are free, of a part and what is left one.
 */
static double are_alike(const struct td_separate_state *s, double apart, double variance)
{
	double free = s->input->left ? 1 : TD_NODES_LEVEL1 - 1;
	double unlike = variance + 2 * TD_FRACTION_SPREAD * TD_FRACTION_SPREAD;
	double odds = ALIKE_BEFORE / (1 - ALIKE_BEFORE);

	apart *= s->input->left ? 2 : free;
	odds *= pow(unlike / variance, free / 2) *
		exp(apart / 2 * (1 / unlike - 1 / variance));
	return fmin(ALIKE_MOST, odds / (1 + odds));
}

/* What is expected of the piece if it is alike so likely: between what it seems to be,
 * and the other one. */
static struct td_tie tie(const struct td_separate_state *s, uint32_t column, uint32_t to,
			 double variance)
{
	double apart = 0, alike;

	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		apart += pow(s->at.each[column][k] - s->at.each[to][k], 2) /
			 TD_NODES_LEVEL1;
	alike = are_alike(s, apart, variance);
	return (struct td_tie){
		.to = to,
		.weight = alike / (1 - alike) / variance,
		.doubt = alike * (1 - alike) * (variance + apart),
	};
}

int td_separate_tie(struct td_separate_state *s, const double *prior_part)
{
	uint32_t *told;

	/* behind edges own windows have cut them, because they differ */
	if (s->input->rates || s->axis.start_spread > 0)
		return 0;
	told = malloc((s->input->functions + 1) * sizeof(*told));
	if (!told)
		return -ENOMEM;
	find_told(s, told);
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		uint32_t function = s->columns.function[c];

		if (function != TD_NO_FUNCTION && told[function] != TD_NO_TWIN &&
		    s->normal.covered[c] <= 0)
			s->tie[c] = tie(s, c, told[function],
					prior_part[c] / s->normal.ridge[c]);
	}
	free(told);
	return 0;
}
