// SPDX-License-Identifier: MIT
/* Least squares of the clock's rows, step by step. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/cholesky.h"
#include "decoder/clock_internal.h"

#define CHANCE_TERMS 3 /* behind the first */

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

		if (x[i] == 0)
			continue;
		fit->pull[at[i]] += weight * x[i] * y;
		for (uint32_t j = 0; j < n && fit->adding; j++)
			to[at[j]] += weight * x[i] * x[j];
	}
}

void td_clock_fit_add_square(struct td_clock_fit *fit, const uint32_t *at,
			     const double *square, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j <= i; j++) {
			double more = square[(size_t)i * n + j];

			fit->matrix[at[i] * fit->n + at[j]] += more;
			if (i != j)
				fit->matrix[at[j] * fit->n + at[i]] += more;
		}
	}
}

void td_clock_fit_clear(struct td_clock_fit *fit)
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

/* to += times * square * by */
static void add_times(const double *square, const double *by, double times, size_t n,
		      double *to)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			to[i] += times * square[i * n + j] * by[j];
}

void td_clock_step_beyond(struct td_clock_fit *twice, const double *chance)
{
	double *pull = twice->spare, *step = twice->spare + twice->n;

	memcpy(pull, twice->pull, twice->n * sizeof(*pull));
	td_clock_step(twice);
	for (int term = 0; term < CHANCE_TERMS; term++) {
		memcpy(step, twice->pull, twice->n * sizeof(*step));
		memcpy(twice->pull, pull, twice->n * sizeof(*pull));
		add_times(chance, step, 2, twice->n, twice->pull);
		td_clock_step(twice);
	}
}

void td_clock_step_lost(struct td_clock_fit *once, struct td_clock_fit *twice,
			const double *chance, double *step)
{
	double *most = once->spare;

	for (size_t i = 0; i < once->n; i++)
		most[i] = fabs(step[i]);
	/* what the first solution leaves, and each term of that */
	for (int term = -1; term <= CHANCE_TERMS; term++) {
		struct td_clock_fit *fit = term < 0 ? once : twice;

		memset(fit->pull, 0, fit->n * sizeof(*fit->pull));
		add_times(chance, step, term < 0 ? 1 : 2, fit->n, fit->pull);
		td_clock_step(fit);
		for (size_t i = 0; i < fit->n; i++)
			step[i] = fmin(most[i], fmax(-most[i], fit->pull[i]));
	}
}
