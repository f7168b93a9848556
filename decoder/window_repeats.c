// SPDX-License-Identifier: MIT
#include "decoder/window_repeats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A key's own windows. */
struct repeats {
	double windows, lengths;
	double scatter; /* squares about the mean of their length, mean of level 1 */
	double step;    /* squares of a 255th, sum */
	double pulled; /* square of what their rounding pulls beyond what it would if each
			  window had its own */
	double known;  /* what their rows know of the fraction */
};

/* Those of one length. */
struct alike {
	double n, sum[TD_NODES_LEVEL1], squares;
	double pull, pulls; /* of an error in each on their rows; sum of squares */
	double step;        /* square of a 255th, cycles */
};

static double step_of(const struct td_rows *rows, double length)
{
	return pow((length + fmax(0, rows->axis.empty)) / 255, 2);
}

static void finish(struct repeats *all, const struct alike *alike)
{
	double squares = alike->squares;

	if (alike->n <= 0)
		return;
	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		squares -= alike->sum[k] * alike->sum[k] / alike->n;
	all->windows += alike->n;
	all->lengths++;
	all->scatter += fmax(0, squares) / TD_NODES_LEVEL1;
	all->step += alike->n * alike->step;
	all->pulled += (alike->pull * alike->pull - alike->pulls) * alike->step / 12;
}

static void add(struct alike *alike, const struct td_row_window *w, double pull)
{
	alike->pull += pull;
	alike->pulls += pull * pull;
	alike->n++;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		alike->sum[k] += w->value[k];
		alike->squares += (double)w->value[k] * w->value[k];
	}
}

/* How much an error in each own window of the bin moves the sum of its row. */
static double pull_of(const struct td_bin *bin)
{
	const struct td_row *own = &bin->row[TD_ROW_OWN];

	return own->n > 0 ? own->cycles / (own->n * own->variance) : 0;
}

/* An own window. */
struct repeat {
	const struct td_row_window *window;
	double pull;
};

static int by_length(const void *a, const void *b)
{
	const struct repeat *x = a, *y = b;

	return (x->window->length > y->window->length) -
	       (x->window->length < y->window->length);
}

static size_t take_own(const struct td_rows *rows, const struct td_key *key,
		       struct repeat *repeat, struct repeats *all)
{
	size_t n = 0;

	for (uint32_t b = 0; b < key->bins; b++) {
		const struct td_bin *bin = &key->bin[b];

		all->known += bin->row[TD_ROW_OWN].cycles * pull_of(bin);
		for (uint32_t i = bin->begin; i < bin->end; i++) {
			const struct td_row_window *w = &rows->window[i];

			if (w->own && w->counted)
				repeat[n++] = (struct repeat){w, pull_of(bin)};
		}
	}
	return n;
}

static void look_through(const struct td_rows *rows, const struct td_key *key,
			 struct repeat *repeat, struct repeats *all)
{
	struct alike alike = {0};
	size_t n;

	memset(all, 0, sizeof(*all));
	n = take_own(rows, key, repeat, all);
	if (n)
		qsort(repeat, n, sizeof(*repeat), by_length);
	for (size_t i = 0; i < n; i++) {
		if (!i || by_length(&repeat[i - 1], &repeat[i])) {
			double length = repeat[i].window->length;

			finish(all, &alike);
			alike = (struct alike){.step = step_of(rows, length)};
		}
		add(&alike, repeat[i].window, repeat[i].pull);
	}
	finish(all, &alike);
}

/* The part of their rounding that windows of one length have in common: 0 where they
 * scatter as much as rounding does. */
static double in_common(const struct td_rows *rows, const struct repeats *all)
{
	double more = all->windows - all->lengths;

	if (rows->axis.whole > 0 || more <= 0)
		return 0;
	return fmax(0, 1 - 12 * all->scatter / more / (all->step / all->windows));
}

int td_repeats_error(const struct td_rows *rows, const double *inverse, double *square)
{
	struct repeat *repeat = malloc((rows->windows + 1) * sizeof(*repeat));

	if (!repeat)
		return -ENOMEM;
	memset(square, 0, rows->columns * sizeof(*square));
	for (size_t k = 0; k < rows->keys; k++) {
		const struct td_key *key = &rows->key[k];
		struct repeats all;
		double known;

		if (key->backward)
			continue;
		look_through(rows, key, repeat, &all);
		/* the equations without noise may say less than their own windows do */
		known = fmax(all.known, 1 / inverse[key->function]);
		square[key->function] =
			all.pulled / (known * known) * in_common(rows, &all);
	}
	free(repeat);
	return 0;
}
