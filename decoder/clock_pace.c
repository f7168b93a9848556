// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "decoder/clock_internal.h"

#define BOTH 0.5  /* each window is in two keys */
#define NEAR 3u   /* bins on either side, from which scatter is known */
#define LIKE 10.  /* windows, as all with as many cycles are */
#define FEW 8.    /* windows of a class */
#define CLASS 25. /* cycles */
#define CLASSES 400
#define CUT 3. /* standard deviations */

/* By cycles, what windows with as many instructions scatter by. */
struct scatter {
	double n[CLASSES], square[CLASSES], variance[CLASSES];
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

	key->bin[b].missed = 0;
	for (uint32_t i = key->bin[b].begin; i < key->bin[b].end; i++) {
		const struct td_clock_window *w = &d->window[d->entry[i].window];
		double off = w->asked - d->start - cycles -
			     pace * (w->ticks - key->bin[b].ticks);

		scatter->n[class]++;
		scatter->square[class] += off * off;
		key->bin[b].missed += off * off;
	}
}

/* Classes of few windows, or none, are like the one before. */
static void find_scatter(const struct td_clock_data *d, struct scatter *scatter)
{
	double before = d->scatter;

	memset(scatter, 0, sizeof(*scatter));
	for (size_t k = 0; k < d->keys; k++)
		for (uint32_t b = 0; b < d->key[k].bins; b++) {
			if (!d->key[k].bin[b].slow && d->key[k].bin[b].ticks >= d->first)
				add_scatter(d, &d->key[k], b, scatter);
		}
	for (int i = 0; i < CLASSES; i++) {
		before = (before * FEW + scatter->square[i]) / (FEW + scatter->n[i]);
		scatter->variance[i] = before;
	}
}

static double variance_at(const struct scatter *scatter, double cycles)
{
	return scatter->variance[class_of(cycles)];
}

/* Windows of one function scatter by its states, more than those of many do; and those
 * that come by fast and slow functions by how long they were in which. */
static double variance_near(const struct td_clock_data *d, const struct td_clock_key *key,
			    uint32_t b, double usual)
{
	uint32_t from = b > NEAR ? b - NEAR : 0;
	uint32_t to = b + NEAR + 1 < key->bins ? b + NEAR + 1 : key->bins;
	double n = LIKE, sum = LIKE * usual;

	if (!d->sharp) /* behind scattered edges it does not show */
		return usual;
	for (uint32_t i = from; i < to; i++) {
		if (key->bin[i].slow || key->bin[i].ticks < d->first)
			continue;
		n += key->bin[i].end - key->bin[i].begin;
		sum += key->bin[i].missed;
	}
	return sum / n;
}

static void choose_bins(const struct td_clock_data *d, const struct td_clock_key *key,
			const struct scatter *scatter)
{
	int slow = 0;

	for (uint32_t b = 0; b < key->bins; b++) {
		struct td_clock_bin *bin = &key->bin[b];
		double pace, cycles = cycles_of(d, key, b, &pace);
		double last = d->window[d->entry[bin->end - 1].window].ticks;
		double longest = cycles + pace * fmax(0, last - bin->ticks);
		double variance = variance_at(scatter, cycles);

		variance = fmax(variance, variance_near(d, key, b, variance));
		slow |= longest + d->start + CUT * sqrt(variance) > d->most;
		bin->slow = slow;
	}
	for (uint32_t b = 0; b < key->bins; b++) {
		struct td_clock_bin *bin = &key->bin[b];
		double pace, cycles = cycles_of(d, key, b, &pace);

		bin->variance = variance_near(d, key, b, variance_at(scatter, cycles));
		bin->tells = !bin->slow && bin->ticks >= d->first &&
			     cycles + d->start - CUT * sqrt(bin->variance) >= d->least;
	}
}

/* The variance of an own window's cycles by its states. */
static double states_of(const struct td_clock_data *d, const struct td_clock_window *w)
{
	double pace = d->pace[w->column[0]];

	return pace * pace * td_clock_spread(d, w->ticks) *
	       td_clock_sway(&d->state[w->column[0]]);
}

/* Where blocks are long interrupts are late by more or less; behind scattered edges that
 * does not show. */
static void find_jitter(struct td_clock_data *d)
{
	memset(d->jitter, 0, d->columns * sizeof(*d->jitter));
	for (size_t i = 0; i < d->windows && d->sharp; i++) {
		const struct td_clock_window *w = &d->window[i];
		struct td_clock_jitter *own = &d->jitter[w->column[0]];
		double off = w->asked - d->start - d->pace[w->column[0]] * w->ticks;
		double states = states_of(d, w);
		double weight = d->scatter / (d->scatter + states);

		if (!w->tells)
			continue;
		own->n += weight;
		own->square += weight * (off * off - states);
	}
}

void td_clock_choose(struct td_clock_data *d)
{
	struct scatter scatter;

	find_scatter(d, &scatter);
	for (size_t k = 0; k < d->keys; k++)
		choose_bins(d, &d->key[k], &scatter);
	for (size_t i = 0; i < d->windows; i++)
		d->window[i].tells =
			d->window[i].alone && td_clock_asked(d, &d->window[i]);
	find_jitter(d);
}

/* What is asked for of own windows with as many cycles varies by where the program
 * starts, and of those with as many instructions by how slow it is; where fewer windows
 * are asked for a longer one there are more of the shorter ones.  Bins weigh them
 * instead. */
static double unbiased(const struct td_clock_data *d, double asked, double variance)
{
	double at = asked / d->most * TD_CLOCK_CLASSES;

	return asked + variance * d->fall[(int)fmax(0, fmin(TD_CLOCK_CLASSES - 1, at))];
}

/* What the ends of a key's windows have left of error in its rows so far, as a filter
 * sees it: how much, and of which unknowns. */
struct left {
	double variance;
	double *seen; /* [unknowns + 1]: last what is missing */
};

/* Half of what the bin's ends may say wrong of where the program is: that goes on in all
 * bins behind it.  Behind scattered edges it does not show. */
static void add_ends(const struct td_clock_data *d, const struct td_clock_key *key,
		     uint32_t b, struct left *left)
{
	const double *share = key->share + (size_t)b * key->columns;
	const struct td_clock_bin *bin = &key->bin[b];
	double mean = 0, square = 0;

	for (uint32_t c = 0; c < key->columns; c++) {
		double pace = d->pace[key->column[c]];

		mean += share[c] * pace;
		square += share[c] * pace * pace;
	}
	if (d->sharp && bin->n > 0)
		left->variance +=
			(square - mean * mean) * bin->width * bin->width / bin->n / 2;
}

/* Takes off what is seen of the error, and sees more of it.  The row's weight. */
static double filter_row(struct left *left, double variance, double *x, uint32_t n)
{
	double sure = 1 / (variance + left->variance), gain = left->variance * sure;

	for (uint32_t i = 0; i <= n && left->variance > 0; i++) {
		x[i] -= left->seen[i];
		left->seen[i] += gain * x[i];
	}
	left->variance -= gain * left->variance;
	return sure;
}

static void add_bin(const struct td_clock_data *d, const struct td_clock_key *key,
		    uint32_t b, struct left *left, struct td_clock_fit *fit, double *x,
		    uint32_t *at)
{
	const double *time = key->time + (size_t)b * key->columns;
	const double *lean = key->lean + (size_t)b * key->columns;
	const double *share = key->share + (size_t)b * key->columns;
	double pace, cycles = cycles_of(d, key, b, &pace), weight;
	const struct td_clock_bin *bin = &key->bin[b];
	uint32_t n = key->columns + 1;

	if (!bin->tells || bin->n <= 0)
		return;
	for (uint32_t c = 0; c < key->columns; c++) {
		uint32_t column = key->column[c];

		at[c] = column;
		x[c] = d->pace[column] *
		       (time[c] + td_clock_sway(&d->state[column]) * lean[c]);
	}
	at[n - 1] = d->columns;
	x[n - 1] = 1;
	for (uint32_t c = 0; c < key->columns && d->doubt; c++, n++) {
		at[n] = td_clock_late_at(d, key->column[c]);
		x[n] = key->backward ? -(double)(c == key->itself) : -share[c];
	}
	x[n] = bin->asked - d->start - cycles;
	weight = filter_row(left, bin->variance / bin->n, x, n);
	td_clock_fit_add(fit, at, x, n, x[n], BOTH * weight);
}

/* fit->spare has room for two rows and where their unknowns are. */
static void add_key(const struct td_clock_data *d, const struct td_clock_key *key,
		    struct td_clock_fit *fit)
{
	double *x = fit->spare, *seen = x + fit->n + 1;
	struct left left = {.seen = seen};

	for (uint32_t i = 0; i <= 2 * key->columns + 1; i++)
		seen[i] = 0;
	for (uint32_t b = 0; b < key->bins; b++) {
		add_ends(d, key, b, &left);
		add_bin(d, key, b, &left, fit, x, (uint32_t *)(seen + fit->n + 1));
		add_ends(d, key, b, &left);
	}
}

/* Own windows are in one column for sure. */
static void add_own(const struct td_clock_data *d, const struct td_clock_window *w,
		    struct td_clock_fit *fit)
{
	uint32_t at[3] = {w->column[0], d->columns, td_clock_late_at(d, w->column[0])};
	const struct td_clock_state *state = &d->state[at[0]];
	double sway = td_clock_sway(state);
	double cycles = w->ticks * d->pace[at[0]], x[3] = {0, 1, -1};
	double pace = d->pace[at[0]];
	double variance = td_clock_jitter_of(d, at[0]) + states_of(d, w);

	x[0] = cycles + sway * pace * td_clock_own_lean(d, state, w->ticks);
	td_clock_fit_add(fit, at, x, d->doubt ? 3 : 2,
			 unbiased(d, w->asked, variance) - d->start - x[0], 1 / variance);
}

void td_clock_pace(const struct td_clock_data *d, struct td_clock_fit *fit,
		   unsigned without)
{
	for (size_t k = 0; k < d->keys; k++)
		add_key(d, &d->key[k], fit);
	for (size_t i = 0; i < d->windows; i++) {
		if (d->window[i].tells && d->window[i].batch != without)
			add_own(d, &d->window[i], fit);
	}
}
