// SPDX-License-Identifier: MIT
/* How slow functions are in their states, by windows of several functions as well. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/cholesky.h"
#include "decoder/clock_internal.h"

#define SIDES 3         /* of level 1 */
#define CLASS 40        /* instructions */
#define FEWEST 12       /* windows of a cell */
#define READING 0.05    /* cycles squared */
#define SPREAD_LEAST 5. /* instructions squared, of a column in a window */
#define SPEED_MOST 0.5  /* standard deviation */
#define PART 0.1        /* of a speed: by what its windows are thought to hold */
#define FUZZ 60         /* cycles, of a start */
#define SLOW 1.2

/* A window, where it opened and closed, whether it was in one column all the time, and
 * about how many instructions it has. */
struct place {
	uint64_t cell;
	uint32_t window;
};

/* Which of a key's bins a window is in. */
struct in {
	const struct td_clock_key *key;
	uint32_t bin;
};

/* What its windows count beyond what is expected of them, and take. */
struct cell {
	double n, beyond[SIDES], asked;
	double square[SIDES * SIDES], with[SIDES], asked_square;
};

struct work {
	struct td_clock_data *d;
	struct place *place;
	struct in (*in)[2];
	double *ticks;  /* [columns]: of a window */
	double *spread; /* [columns]: of a cell's windows, summed up */
	double *x;      /* [SIDES][columns]: of an equation */
	uint32_t *at;   /* [columns] */
	struct td_clock_fit fit;
};

static int by_cell(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return x->window < y->window ? -1 : x->window > y->window;
}

static int room(struct work *work, struct td_clock_data *d)
{
	*work = (struct work){.d = d};
	work->place = malloc((d->windows + 1) * sizeof(*work->place));
	work->in = calloc(d->windows + 1, sizeof(*work->in));
	work->ticks = calloc((2 + SIDES) * (size_t)d->columns + 1, sizeof(double));
	work->at = calloc((size_t)d->columns + 1, sizeof(*work->at));
	if (!work->place || !work->in || !work->ticks || !work->at)
		return -ENOMEM;
	work->spread = work->ticks + d->columns;
	work->x = work->spread + d->columns;
	return td_clock_fit_room(&work->fit, d->columns);
}

static void find_bins(struct work *work)
{
	struct td_clock_data *d = work->d;

	for (size_t k = 0; k < d->keys; k++)
		for (uint32_t b = 0; b < d->key[k].bins; b++)
			for (uint32_t i = d->key[k].bin[b].begin;
			     i < d->key[k].bin[b].end; i++)
				work->in[d->entry[i].window][d->key[k].backward] =
					(struct in){&d->key[k], b};
}

static double cycles_of(const struct work *work)
{
	double cycles = 0;

	for (uint32_t c = 0; c < work->d->columns; c++)
		cycles += work->ticks[c] * work->d->pace[c];
	return cycles;
}

/* The instructions of a window in each column: all of them, or the mean of what windows
 * with as many have that open there, and that close there.  0: nobody knows. */
static int find_ticks(struct work *work, uint32_t window)
{
	const struct td_clock_window *w = &work->d->window[window];

	memset(work->ticks, 0, work->d->columns * sizeof(double));
	if (w->own) {
		work->ticks[w->column[0]] = w->ticks;
		return 1;
	}
	for (int side = 0; side < 2; side++) {
		const struct td_clock_key *key = work->in[window][side].key;
		size_t at = (size_t)work->in[window][side].bin;
		double more;

		if (!key)
			return 0;
		more = w->ticks - key->bin[at].ticks;
		at *= key->columns;
		for (uint32_t c = 0; c < key->columns; c++)
			work->ticks[key->column[c]] +=
				fmax(0, key->time[at + c] + key->share[at + c] * more) /
				2;
	}
	return 1;
}

/* Those whose length tells, sorted by cell. */
static size_t sort_windows(struct work *work)
{
	const struct td_clock_data *d = work->d;
	size_t n = 0;

	for (uint32_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		uint64_t cell = (uint64_t)w->column[0] * d->columns + w->column[1];

		if (w->silent || w->ticks < d->first || !find_ticks(work, i) ||
		    SLOW * cycles_of(work) + d->start + FUZZ > d->most)
			continue;
		cell = (cell * 2 + w->own) << 32 | (uint32_t)(w->ticks / CLASS);
		work->place[n++] = (struct place){cell, i};
	}
	qsort(work->place, n, sizeof(*work->place), by_cell);
	return n;
}

/* As columns differ within a window: without what ends in slow states shift its mean. */
static void add_spread(struct work *work, const struct td_clock_window *w)
{
	const struct td_clock_data *d = work->d;

	for (uint32_t c = 0; c < d->columns; c++) {
		double ends = (w->column[0] == c) + (w->column[1] == c);
		double lean = ends * td_clock_lean(d, work->ticks[c]);

		if (work->ticks[c] > 0)
			work->spread[c] += td_clock_spread(d, work->ticks[c]) -
					   d->differ * lean * lean;
	}
}

static void add_window(struct work *work, uint32_t window, struct cell *cell)
{
	const struct td_clock_data *d = work->d;
	const struct td_clock_window *w = &d->window[window];
	double asked, beyond[SIDES];

	find_ticks(work, window);
	add_spread(work, w);
	asked = w->asked - d->start - cycles_of(work);
	cell->n++;
	cell->asked += asked;
	cell->asked_square += asked * asked;
	for (int k = 0; k < SIDES; k++) {
		int node = td_clock_sets[0][0].node[k];

		beyond[k] = w->beyond[node];
		for (uint32_t c = 0; c < d->columns; c++)
			beyond[k] -= work->ticks[c] * d->state[c].mean[node];
		cell->beyond[k] += beyond[k];
		cell->with[k] += beyond[k] * asked;
	}
	for (int r = 0; r < SIDES; r++)
		for (int s = 0; s < SIDES; s++)
			cell->square[r * SIDES + s] += beyond[r] * beyond[s];
}

/* From sums to covariances. */
static void centre(struct cell *cell)
{
	double n = cell->n;

	for (int r = 0; r < SIDES; r++) {
		for (int s = 0; s < SIDES; s++) {
			double *to = &cell->square[r * SIDES + s];

			*to -= cell->beyond[r] * cell->beyond[s] / n;
			*to = *to / (n - 1) + (r == s ? READING : 0);
		}
		cell->with[r] -= cell->beyond[r] * cell->asked / n;
		cell->with[r] /= n - 1;
	}
	cell->asked_square -= cell->asked * cell->asked / n;
	cell->asked_square /= n - 1;
}

/* l x = y, of a lower triangle. */
static void whiten(const double *l, double *x)
{
	for (int r = 0; r < SIDES; r++) {
		for (int s = 0; s < r; s++)
			x[r] -= l[r * SIDES + s] * x[s];
		x[r] /= l[r * SIDES + r];
	}
}

/*
 * What windows of a cell count and what they take go together as columns are slow along
 * their axes.  Weighted by the inverse of the counts' covariance, which comes from few
 * windows and is too large in the mean (Wishart's).
 */
static void add_cell(struct work *work, struct cell *cell)
{
	const struct td_clock_data *d = work->d;
	double least[SIDES], raised[SIDES];
	uint32_t n = 0;
	double much = (cell->n - 1) / (cell->n - SIDES - 2);

	centre(cell);
	for (int r = 0; r < SIDES; r++)
		least[r] = READING / 2;
	td_cholesky(cell->square, SIDES, least, raised);
	whiten(cell->square, cell->with);
	for (uint32_t c = 0; c < d->columns; c++) {
		const struct td_clock_state *state = &d->state[c];
		double spread = work->spread[c] / cell->n * state->varies * d->pace[c];
		double by[SIDES];

		if (work->spread[c] < SPREAD_LEAST * cell->n || state->varies <= 0)
			continue;
		for (int r = 0; r < SIDES; r++)
			by[r] = spread * state->axis[td_clock_sets[0][0].node[r]];
		whiten(cell->square, by);
		for (int r = 0; r < SIDES; r++)
			work->x[(size_t)r * d->columns + n] = by[r];
		work->at[n++] = c;
	}
	for (int r = 0; r < SIDES; r++)
		td_clock_fit_add(&work->fit, work->at, work->x + (size_t)r * d->columns,
				 n, much * cell->with[r],
				 cell->n / cell->asked_square / much);
}

static void add_cells(struct work *work)
{
	size_t n = sort_windows(work);

	work->fit.adding = 1;
	for (size_t i = 0, end; i < n; i = end) {
		struct cell cell = {0};

		end = i;
		while (end < n && work->place[end].cell == work->place[i].cell)
			end++;
		if (end - i < FEWEST)
			continue;
		memset(work->spread, 0, work->d->columns * sizeof(double));
		for (size_t j = i; j < end; j++)
			add_window(work, work->place[j].window, &cell);
		add_cell(work, &cell);
	}
}

/* Where they say more than own windows. */
static void take(struct work *work, const double *diagonal)
{
	for (uint32_t c = 0; c < work->d->columns; c++) {
		struct td_clock_state *state = &work->d->state[c];
		double speed = work->fit.pull[c], unsure;

		if (state->varies <= 0 || state->n <= 0)
			continue;
		unsure = diagonal[c] + (PART * PART + 0.5 / state->n) * speed * speed;
		if (state->unsure > 0 && state->unsure < unsure)
			continue;
		state->speed = speed;
		state->unsure = unsure;
	}
}

int td_clock_speeds(struct td_clock_data *d)
{
	struct work work;
	double *diagonal = calloc((size_t)d->columns + 1, sizeof(*diagonal));
	int err = room(&work, d);

	if (!err && diagonal) {
		find_bins(&work);
		add_cells(&work);
		for (uint32_t c = 0; c < d->columns; c++) {
			work.fit.ridge[c] = 1 / (SPEED_MOST * SPEED_MOST);
			work.fit.matrix[c * (size_t)d->columns + c] += work.fit.ridge[c];
		}
		td_clock_factor(&work.fit);
		td_clock_step(&work.fit);
		err = td_cholesky_inverse_diagonal(work.fit.matrix, d->columns, diagonal);
	}
	if (!err && diagonal)
		take(&work, diagonal);
	td_clock_fit_free(&work.fit);
	free(work.place);
	free(work.in);
	free(work.ticks);
	free(work.at);
	err = diagonal ? err : -ENOMEM;
	free(diagonal);
	return err;
}
