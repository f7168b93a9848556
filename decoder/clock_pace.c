// SPDX-License-Identifier: MIT
#include <math.h>

#include "decoder/clock_internal.h"

#define BOTH 0.5  /* each window is in two keys */
#define CLASS 25. /* cycles */
#define CLASSES 400
#define CUT 3. /* standard deviations */

struct scatter {
	double n[CLASSES], square[CLASSES];
};

static int class_of(double cycles)
{
	return (int)fmax(0, fmin(CLASSES - 1, cycles / CLASS));
}

/* The cycles of a bin's windows, in the mean, and an instruction's there. */
static double cycles_of(const struct td_clock_data *d, const struct td_clock_key *key,
			uint32_t b, double *pace)
{
	const double *time = key->time + (size_t)b * key->columns;
	const double *lean = key->lean + (size_t)b * key->columns;
	double sum = 0, ticks = 0;

	for (uint32_t c = 0; c < key->columns; c++) {
		uint32_t column = key->column[c];

		sum += d->pace[column] *
		       (time[c] + td_clock_sway(&d->state[column]) * lean[c]);
		ticks += time[c];
	}
	*pace = ticks > 0 ? sum / ticks : 1;
	return sum;
}

static void add_scatter(const struct td_clock_data *d, const struct td_clock_key *key,
			uint32_t b, struct scatter *scatter)
{
	double pace, cycles = cycles_of(d, key, b, &pace);
	int class = class_of(cycles);

	for (uint32_t i = key->bin[b].begin; i < key->bin[b].end; i++) {
		const struct td_clock_window *w = &d->window[d->entry[i].window];
		double off = w->asked - d->start - cycles -
			     pace * (w->ticks - key->bin[b].ticks);

		scatter->n[class]++;
		scatter->square[class] += off * off;
	}
}

static void find_scatter(const struct td_clock_data *d, struct scatter *scatter)
{
	for (int i = 0; i < CLASSES; i++)
		scatter->n[i] = scatter->square[i] = 0;
	for (size_t k = 0; k < d->keys; k++)
		for (uint32_t b = 0; b < d->key[k].bins; b++) {
			if (!d->key[k].bin[b].slow && d->key[k].bin[b].ticks >= d->first)
				add_scatter(d, &d->key[k], b, scatter);
		}
}

static double variance_at(const struct td_clock_data *d, const struct scatter *scatter,
			  double cycles)
{
	int class = class_of(cycles);

	return (d->scatter * 8 + scatter->square[class]) / (8 + scatter->n[class]);
}

void td_clock_find_slow(struct td_clock_data *d)
{
	struct scatter scatter;

	find_scatter(d, &scatter);
	for (size_t k = 0; k < d->keys; k++) {
		int slow = 0;

		for (uint32_t b = 0; b < d->key[k].bins; b++) {
			struct td_clock_bin *bin = &d->key[k].bin[b];
			double pace, cycles = cycles_of(d, &d->key[k], b, &pace);
			double last = d->window[d->entry[bin->end - 1].window].ticks;

			cycles += pace * fmax(0, last - bin->ticks);
			slow |= cycles + d->start +
					CUT * sqrt(variance_at(d, &scatter, cycles)) >
				d->most;
			bin->slow = slow;
		}
	}
}

/* What is asked for of windows with as many cycles varies by where the program starts,
 * and of windows with as many instructions by how slow it is; where fewer windows are
 * asked for a longer one there are more of the shorter ones. */
static double unbiased(const struct td_clock_data *d, double asked, double variance)
{
	double at = asked / d->most * TD_CLOCK_CLASSES;

	return asked + variance * d->fall[(int)fmax(0, fmin(TD_CLOCK_CLASSES - 1, at))];
}

static void add_bin(const struct td_clock_data *d, const struct td_clock_key *key,
		    uint32_t b, const struct scatter *scatter, struct td_clock_fit *fit,
		    double *x, uint32_t *at)
{
	const double *time = key->time + (size_t)b * key->columns;
	const double *lean = key->lean + (size_t)b * key->columns;
	double pace, cycles = cycles_of(d, key, b, &pace);
	double variance = variance_at(d, scatter, cycles);
	const struct td_clock_bin *bin = &key->bin[b];

	if (bin->slow || bin->n <= 0 || bin->ticks < d->first ||
	    cycles + d->start - CUT * sqrt(variance) < d->least)
		return;
	for (uint32_t c = 0; c < key->columns; c++) {
		uint32_t column = key->column[c];

		at[c] = column;
		x[c] = d->pace[column] *
		       (time[c] + td_clock_sway(&d->state[column]) * lean[c]);
	}
	at[key->columns] = d->columns;
	x[key->columns] = 1;
	td_clock_fit_add(fit, at, x, key->columns + 1,
			 unbiased(d, bin->asked, variance) - d->start - cycles,
			 BOTH * bin->n / variance);
}

/* Own windows are in one column for sure. */
static void add_own(const struct td_clock_data *d, const struct td_clock_window *w,
		    struct td_clock_fit *fit)
{
	uint32_t at[2] = {w->column[0], d->columns};
	double sway = td_clock_sway(&d->state[at[0]]);
	double cycles = w->ticks * d->pace[at[0]], x[2] = {0, 1};
	double pace = d->pace[at[0]];
	double variance = d->scatter + pace * pace * td_clock_spread(d, w->ticks) * sway;

	if (!td_clock_asked(d, w))
		return;
	x[0] = cycles + TD_CLOCK_OWN * sway * pace * td_clock_lean(d, w->ticks);
	td_clock_fit_add(fit, at, x, 2, unbiased(d, w->asked, variance) - d->start - x[0],
			 1 / (d->scatter + cycles * cycles * d->differ));
}

void td_clock_pace(const struct td_clock_data *d, struct td_clock_fit *fit,
		   unsigned without)
{
	struct scatter scatter;

	find_scatter(d, &scatter);
	for (size_t k = 0; k < d->keys; k++)
		for (uint32_t b = 0; b < d->key[k].bins; b++)
			add_bin(d, &d->key[k], b, &scatter, fit, fit->spare,
				(uint32_t *)(fit->spare + fit->n));
	for (size_t i = 0; i < d->windows; i++) {
		if (d->window[i].alone && d->window[i].batch != without)
			add_own(d, &d->window[i], fit);
	}
}
