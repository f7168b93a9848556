// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/cholesky.h"
#include "decoder/clock_internal.h"
#include "decoder/order.h"
#include "decoder/window_variance.h"

#define NODES TD_SEPARATE_NODES
#define SIDES TD_CLOCK_SIDES
#define BOTH 0.5     /* each window is in two keys */
#define NEAR 3u      /* bins on either side, from which scatter is known */
#define READING 0.03 /* cycles squared */
#define OFFSET 0.15  /* cycles: of the cost, and its rounding */
#define OWN_FEWEST 5
#define VARIES 0.1 /* of own windows' variance, in their weights */

/* What the bin's windows count that is not expected of them. */
static void beyond_of(const struct td_clock_data *d, const struct td_clock_key *key,
		      uint32_t b, const struct td_clock_window *w, double *by)
{
	const double *time = key->time + (size_t)b * key->columns;
	const double *share = key->share + (size_t)b * key->columns;
	double more = w->ticks - key->bin[b].ticks;

	for (int k = 0; k < NODES; k++)
		by[k] = w->beyond[k];
	for (uint32_t c = 0; c < key->columns; c++) {
		double ticks = time[c] + share[c] * more;
		const double *slope = d->slope[key->column[c]];

		for (int k = 0; k < NODES && ticks != 0; k++)
			by[k] -= slope[k] * ticks;
	}
}

static void add_product(const struct td_clock_set *set, const double *by, double weight,
			td_clock_square to)
{
	for (int r = 0; r < set->sides; r++)
		for (int s = 0; s < set->sides; s++)
			to[r][s] += weight * by[set->node[r]] * by[set->node[s]];
}

/* For each window of the bin. */
static void find_scatter(const struct td_clock_data *d, const struct td_clock_key *key,
			 uint32_t b)
{
	struct td_clock_bin *bin = &key->bin[b];

	memset(bin->scatter, 0, sizeof(bin->scatter));
	for (uint32_t i = bin->begin; i < bin->end && bin->told > 0; i++) {
		double pace = d->pace[key->column[d->entry[i].other]];
		const struct td_clock_window *w = &d->window[d->entry[i].window];
		double part = w->rare / pace / bin->told, by[NODES];

		if (w->silent)
			continue;
		beyond_of(d, key, b, w, by);
		for (int s = 0; s < TD_CLOCK_SETS; s++)
			add_product(&d->set[s], by, part * part * bin->telling,
				    bin->scatter[s]);
	}
}

/* A bin's ends are a multinomial's: what its share of each column may be off by goes on
 * in all bins behind it. */
static void find_ends(const struct td_clock_data *d, const struct td_clock_key *key,
		      uint32_t b)
{
	struct td_clock_bin *bin = &key->bin[b];
	const double *share = key->share + (size_t)b * key->columns;
	double mean[NODES] = {0}, by[NODES], square = bin->width * bin->width;

	memset(bin->ends, 0, sizeof(bin->ends));
	for (uint32_t c = 0; c < key->columns; c++)
		for (int k = 0; k < NODES; k++)
			mean[k] += share[c] * d->slope[key->column[c]][k];
	for (uint32_t c = 0; c < key->columns && bin->n > 0; c++) {
		for (int k = 0; k < NODES; k++)
			by[k] = d->slope[key->column[c]][k] - mean[k];
		for (int s = 0; s < TD_CLOCK_SETS; s++)
			add_product(&d->set[s], by, share[c] * square / bin->n,
				    bin->ends[s]);
	}
}

static void average(const struct td_clock_key *key, uint32_t b, int set,
		    td_clock_square out)
{
	uint32_t from = b > NEAR ? b - NEAR : 0;
	uint32_t to = b + NEAR + 1 < key->bins ? b + NEAR + 1 : key->bins;

	memset(out, 0, sizeof(td_clock_square));
	for (uint32_t i = from; i < to; i++)
		for (int r = 0; r < SIDES; r++)
			for (int s = 0; s < SIDES; s++)
				out[r][s] += key->bin[i].scatter[set][r][s] / (to - from);
	for (int r = 0; r < SIDES; r++)
		out[r][r] += READING;
}

/* The inverse. */
static void invert(int n, td_clock_square a, td_clock_square out)
{
	double l[SIDES * SIDES], x[SIDES * SIDES], least[SIDES] = {0}, raised[SIDES];

	for (int r = 0; r < n; r++) {
		for (int s = 0; s < n; s++) {
			l[r * n + s] = a[r][s];
			x[r * n + s] = r == s;
		}
		least[r] = 1e-9 * a[r][r] + 1e-15;
	}
	td_cholesky(l, (size_t)n, least, raised);
	td_cholesky_solve(l, (size_t)n, x, (size_t)n);
	for (int r = 0; r < n; r++)
		for (int s = 0; s < n; s++)
			out[r][s] = x[r * n + s];
}

/*
 * A row: what each of the set's sides has of each unknown, and what is missing.  In the
 * unknowns' order: of each column the sides, then how it leans.
 */
struct row {
	uint32_t n; /* unknowns */
	uint32_t *at;
	double *x[SIDES]; /* [n + 1]: last what is missing */
};

static uint32_t unknown(const struct td_clock_set *set, uint32_t column, int side)
{
	return column * (uint32_t)(set->sides + 1) + (uint32_t)side;
}

static void make_row(const struct td_clock_data *d, const struct td_clock_set *set,
		     const struct td_clock_key *key, uint32_t b,
		     const struct td_clock_fit *fit, struct row *row)
{
	const double *time = key->time + (size_t)b * key->columns;
	const double *lean = key->lean + (size_t)b * key->columns;

	for (int r = 0; r < set->sides; r++) {
		double *x = row->x[r];

		memset(x, 0, (row->n + 1) * sizeof(*x));
		x[row->n] = key->bin[b].beyond[set->node[r]];
		for (uint32_t c = 0; c < key->columns; c++) {
			uint32_t to = unknown(set, c, r);
			uint32_t leans = unknown(set, c, set->sides);
			const struct td_clock_state *state = &d->state[key->column[c]];

			x[to] = time[c];
			x[leans] = lean[c] * state->varies * state->axis[set->node[r]];
			x[row->n] -= x[to] * fit->at[row->at[to]] +
				     x[leans] * fit->at[row->at[leans]];
		}
	}
}

/* Makes its errors independent, of variance 1; `sure` is the inverse of their variance.
 */
static void whiten_row(const struct td_clock_set *set, struct row *row,
		       td_clock_square sure)
{
	double l[SIDES * SIDES], least[SIDES] = {0}, raised[SIDES];
	size_t n = (size_t)set->sides;

	for (size_t r = 0; r < n; r++) {
		for (size_t s = 0; s < n; s++)
			l[r * n + s] = sure[r][s];
		least[r] = 1e-9 * sure[r][r] + 1e-15;
	}
	td_cholesky(l, n, least, raised);
	for (uint32_t i = 0; i <= row->n; i++) {
		for (size_t r = 0; r < n; r++) {
			row->x[r][i] *= l[r * n + r];
			for (size_t s = r + 1; s < n; s++)
				row->x[r][i] += l[s * n + r] * row->x[s][i];
		}
	}
}

/* Its products with what is missing, weighted by `times`. */
static void pull_row(const struct td_clock_set *set, const struct row *row, double times,
		     struct td_clock_fit *fit)
{
	for (int r = 0; r < set->sides; r++) {
		double by = times * row->x[r][row->n];

		for (uint32_t i = 0; i < row->n; i++)
			fit->pull[row->at[i]] += by * row->x[r][i];
	}
}

/* Its squares, weighted by `times`, to the lower triangle of square[n][n]: all sides at
 * once, for this is where a report's time goes. */
static void square_row(const struct td_clock_set *set, const struct row *row,
		       double times, double *square)
{
	const double *x[SIDES];

	for (int r = 0; r < SIDES; r++)
		x[r] = row->x[r < set->sides ? r : 0];
	for (uint32_t i = 0; i < row->n; i++) {
		double *to = square + (size_t)i * row->n, by[SIDES] = {0};
		int any = 0;

		for (int r = 0; r < set->sides; r++) {
			by[r] = times * x[r][i];
			any |= by[r] != 0;
		}
		for (uint32_t j = 0; j <= i && any; j++)
			to[j] += by[0] * x[0][j] + by[1] * x[1][j] + by[2] * x[2][j] +
				 by[3] * x[3][j];
	}
}

/* Weighted by `sure`; the row is no more what it was. */
static void add_row(const struct td_clock_set *set, struct row *row, td_clock_square sure,
		    struct td_clock_fit *fit)
{
	whiten_row(set, row, sure);
	for (int r = 0; r < set->sides; r++)
		td_clock_fit_add(fit, row->at, row->x[r], row->n, row->x[r][row->n], 1);
}

/* The error that the ends so far have left in the rows of a key, as a filter sees it. */
struct filter {
	td_clock_square variance;
	struct row seen; /* what it has of each unknown */
};

static void add_square(int n, td_clock_square to, td_clock_square what, double times)
{
	for (int r = 0; r < n; r++)
		for (int s = 0; s < n; s++)
			to[r][s] += times * what[r][s];
}

/* Takes off what is seen of the error, and sees more of it. */
static void filter_row(const struct td_clock_set *set, struct filter *filter,
		       struct row *row, td_clock_square sure)
{
	double gain[SIDES][SIDES] = {{0}};
	td_clock_square left;

	memcpy(left, filter->variance, sizeof(left));
	for (int r = 0; r < set->sides; r++)
		for (int s = 0; s < set->sides; s++)
			for (int t = 0; t < set->sides; t++)
				gain[r][s] += filter->variance[r][t] * sure[t][s];
	for (int r = 0; r < set->sides; r++)
		for (uint32_t i = 0; i <= row->n; i++)
			row->x[r][i] -= filter->seen.x[r][i];
	for (int r = 0; r < set->sides; r++)
		for (int s = 0; s < set->sides; s++) {
			for (uint32_t i = 0; i <= row->n; i++)
				filter->seen.x[r][i] += gain[r][s] * row->x[s][i];
			for (int t = 0; t < set->sides; t++)
				left[r][t] -= gain[r][s] * filter->variance[s][t];
		}
	memcpy(filter->variance, left, sizeof(left));
}

/* Rooms for rows of so many unknowns, of the fit's own. */
static void place_row(const struct td_clock_set *set, const struct td_clock_key *key,
		      uint32_t *at, double *room, struct row *row)
{
	row->n = unknown(set, key->columns, 0);
	row->at = at;
	for (uint32_t c = 0; c < key->columns; c++)
		for (int r = 0; r <= set->sides; r++)
			at[unknown(set, c, r)] = unknown(set, key->column[c], r);
	for (int r = 0; r < set->sides; r++)
		row->x[r] = room + (size_t)r * (row->n + 1);
}

/* How it differs from another one; `told`: something tells it. */
static void subtract_row(const struct td_clock_set *set, const struct row *from, int told,
			 struct row *row)
{
	for (int r = 0; r < set->sides; r++)
		for (uint32_t i = 0; i <= row->n; i++)
			row->x[r][i] = told ? row->x[r][i] - from->x[r][i] : 0;
}

/* For a key after the other. */
struct work {
	struct filter filter;
	struct row row, other;
	double *room;
	double *square; /* [row.n][row.n]: the rows', lower triangle */
	uint32_t *at;
};

static int work_init(const struct td_clock_data *d, const struct td_clock_set *set,
		     struct work *work)
{
	size_t n = unknown(set, d->columns, 0) + 1;

	work->room = malloc(3 * SIDES * n * sizeof(*work->room));
	work->square = malloc(n * n * sizeof(*work->square));
	work->at = malloc(n * sizeof(*work->at));
	return work->room && work->square && work->at ? 0 : -ENOMEM;
}

static void work_free(struct work *work)
{
	free(work->room);
	free(work->square);
	free(work->at);
}

static void work_begin(const struct td_clock_data *d, const struct td_clock_set *set,
		       const struct td_clock_key *key, struct work *work)
{
	size_t n = SIDES * ((size_t)unknown(set, d->columns, 0) + 1);

	memset(work->room, 0, 3 * n * sizeof(*work->room));
	place_row(set, key, work->at, work->room, &work->row);
	place_row(set, key, work->at, work->room + n, &work->other);
	place_row(set, key, work->at, work->room + 2 * n, &work->filter.seen);
	memset(work->square, 0,
	       (size_t)work->row.n * work->row.n * sizeof(*work->square));
	memset(work->filter.variance, 0, sizeof(work->filter.variance));
	for (int r = 0; r < SIDES; r++)
		work->filter.variance[r][r] = OFFSET * OFFSET;
}

/* By the bins' windows and what they differ by: the variance of a row. */
static void weigh_row(const struct td_clock_set *set, int which,
		      const struct td_clock_key *key, uint32_t b,
		      const struct filter *filter, td_clock_square sure)
{
	td_clock_square variance;

	average(key, b, which, variance);
	for (int r = 0; r < SIDES; r++)
		for (int s = 0; s < SIDES; s++)
			variance[r][s] = variance[r][s] / key->bin[b].telling +
					 filter->variance[r][s];
	invert(set->sides, variance, sure);
}

/* A key's rows; with `whole` what they differ from its rows, weighted as these are. */
static void add_key(const struct td_clock_data *d, int which,
		    const struct td_clock_key *key, const struct td_clock_key *whole,
		    struct work *work, const struct td_clock_fit *fit,
		    struct td_clock_fit *to)
{
	const struct td_clock_set *set = &d->set[which];
	const struct td_clock_key *weights = whole ? whole : key;
	td_clock_square sure;

	for (uint32_t b = 0; b < key->bins && !key->bin[b].slow; b++) {
		struct td_clock_bin *bin = &weights->bin[b];

		add_square(set->sides, work->filter.variance, bin->ends[which], 0.5);
		if (bin->telling > 0) {
			make_row(d, set, key, b, fit, &work->row);
			if (whole) {
				make_row(d, set, whole, b, fit, &work->other);
				subtract_row(set, &work->other, key->bin[b].told > 0,
					     &work->row);
			}
			weigh_row(set, which, weights, b, &work->filter, sure);
			filter_row(set, &work->filter, &work->row, sure);
			whiten_row(set, &work->row, sure);
			pull_row(set, &work->row, BOTH, to);
			if (to->adding)
				square_row(set, &work->row, BOTH, work->square);
		}
		add_square(set->sides, work->filter.variance, bin->ends[which], 0.5);
	}
	if (to->adding)
		td_clock_fit_add_square(to, work->row.at, work->square, work->row.n);
}

/* Sums over a column's own windows. */
struct own {
	double n, weight, ticks, lean;
	double spread; /* td_clock_spread() of their mean, an instruction */
	double beyond[NODES];
	td_clock_square square[TD_CLOCK_SETS];
};

/* How surely a window says what an instruction counts, but for what the cost is off by in
 * all of them. */
static double sureness(const struct td_clock_data *d, const struct td_clock_window *w)
{
	double varies = d->state[w->column[0]].varies;

	return 1 / (w->reading + VARIES * varies * varies * td_clock_spread(d, w->ticks) +
		    READING);
}

/* Behind scattered edges what is left out costs more than it mends. */
static int tells(const struct td_clock_data *d, const struct td_clock_window *w)
{
	return w->own && (!d->sharp || td_clock_complete(d, w));
}

/* A line through own windows, whose counts where there are no instructions are 0 but for
 * `OFFSET`. */
static int weigh_windows(struct td_clock_data *d)
{
	double *sum = calloc(2 * (size_t)d->columns + 1, sizeof(*sum));

	for (size_t i = 0; i < d->windows && sum; i++) {
		const struct td_clock_window *w = &d->window[i];
		double *to = &sum[2 * (size_t)w->column[0]];

		if (!tells(d, w))
			continue;
		to[0] += sureness(d, w);
		to[1] += sureness(d, w) * w->ticks;
	}
	for (size_t i = 0; i < d->windows && sum; i++) {
		struct td_clock_window *w = &d->window[i];
		const double *of = &sum[2 * (size_t)w->column[0]];
		double middle = of[1] / (of[0] + 1 / (OFFSET * OFFSET));

		w->weight = 0;
		if (tells(d, w))
			w->weight = (float)(sureness(d, w) * (w->ticks - middle) *
					    td_clock_own_weight(d, w));
	}
	free(sum);
	return sum ? 0 : -ENOMEM;
}

static struct own *sum_own(const struct td_clock_data *d, unsigned without)
{
	struct own *own = calloc(d->columns + 1, sizeof(*own));

	for (size_t i = 0; i < d->windows && own; i++) {
		const struct td_clock_window *w = &d->window[i];
		struct own *to = &own[w->column[0]];

		if (!tells(d, w) || w->batch == without)
			continue;
		to->n++;
		to->weight += w->weight;
		to->ticks += w->weight * w->ticks;
		to->lean += w->weight *
			    td_clock_own_lean(d, &d->state[w->column[0]], w->ticks);
		for (int k = 0; k < NODES; k++)
			to->beyond[k] += w->weight * w->beyond[k];
	}
	return own;
}

static void add_squares(const struct td_clock_data *d, struct own *own)
{
	for (size_t i = 0; i < d->windows; i++) {
		const struct td_clock_window *w = &d->window[i];
		struct own *to = &own[w->column[0]];
		double by[NODES], part;

		if (!tells(d, w))
			continue;
		part = w->weight / to->ticks;
		to->spread += part * part * td_clock_spread(d, w->ticks);
		for (int k = 0; k < NODES; k++)
			by[k] = w->beyond[k] - w->ticks * to->beyond[k] / to->ticks;
		for (int s = 0; s < TD_CLOCK_SETS; s++)
			add_product(&d->set[s], by, part * part, to->square[s]);
	}
}

/* What columns usually vary by, as a part of their pace, squared: the median of those of
 * which it is to be seen. */
static double usual(const struct td_clock_data *d, double *sorted)
{
	size_t n = 0;

	for (uint32_t c = 0; c < d->columns; c++)
		if (d->state[c].n > 0)
			sorted[n++] = pow(d->state[c].varies / d->pace[c], 2);
	return td_lower_median(sorted, n);
}

/*
 * The variance of what own windows say, beyond what they differ by: few may all have met
 * their column in one state, and are alike then.  In which direction it varies they do
 * not say either: of each side the same part.
 */
static double unseen(const struct td_clock_data *d, uint32_t c, const struct own *own,
		     double common)
{
	double usually = common * pow(d->pace[c], 2);

	return td_variance_unseen(usually, pow(d->state[c].varies, 2), own->n) *
	       own->spread / SIDES;
}

/* How surely a column's own windows say what it counts. */
static int weigh_own(struct td_clock_data *d, const struct own *own)
{
	double *sorted = malloc((d->columns + 1) * sizeof(*sorted)), common;

	if (!sorted)
		return -ENOMEM;
	common = usual(d, sorted);
	free(sorted);
	for (uint32_t c = 0; c < d->columns; c++) {
		double offset = OFFSET * own[c].weight / fmax(own[c].ticks, 1e-9);
		double more = offset * offset + unseen(d, c, &own[c], common) + 1e-9;

		for (int s = 0; s < TD_CLOCK_SETS && own[c].n >= OWN_FEWEST; s++) {
			td_clock_square variance;

			memcpy(variance, own[c].square[s], sizeof(variance));
			for (int r = 0; r < SIDES; r++)
				variance[r][r] += more;
			invert(d->set[s].sides, variance, d->state[c].own[s]);
		}
	}
	return 0;
}

int td_clock_weigh(struct td_clock_data *d)
{
	struct own *own;
	int err;

	for (size_t k = 0; k < d->keys; k++)
		for (uint32_t b = 0; b < d->key[k].bins; b++) {
			find_scatter(d, &d->key[k], b);
			find_ends(d, &d->key[k], b);
		}
	if (weigh_windows(d) != 0)
		return -ENOMEM;
	own = sum_own(d, TD_NO_BATCH);
	if (!own)
		return -ENOMEM;
	add_squares(d, own);
	err = weigh_own(d, own);
	free(own);
	return err;
}

/* Own windows were weighed for how their column leans already. */
static void add_own(const struct td_clock_data *d, int which, uint32_t c,
		    const struct own *own, struct row *row, struct td_clock_fit *fit)
{
	const struct td_clock_set *set = &d->set[which];
	struct td_clock_state *state = &d->state[c];
	uint32_t leans = unknown(set, 0, set->sides);

	row->n = unknown(set, 1, 0);
	for (uint32_t i = 0; i < row->n; i++)
		row->at[i] = unknown(set, c, (int)i);
	for (int r = 0; r < set->sides; r++) {
		double *x = row->x[r];
		int k = set->node[r];

		memset(x, 0, (row->n + 1) * sizeof(*x));
		x[r] = 1;
		x[leans] = own->lean / own->ticks * state->varies * state->axis[k];
		x[row->n] = own->beyond[k] / own->ticks - fit->at[row->at[r]] -
			    x[leans] * (fit->at[row->at[leans]] - state->speed);
	}
	add_row(set, row, state->own[which], fit);
}

static void add_owns(const struct td_clock_data *d, int which, struct row *row,
		     struct td_clock_fit *fit, const struct own *own)
{
	for (uint32_t c = 0; c < d->columns; c++) {
		if (own[c].n >= OWN_FEWEST && d->state[c].own[which][0][0] > 0)
			add_own(d, which, c, &own[c], row, fit);
	}
}

int td_clock_rows(const struct td_clock_data *d, int which, struct td_clock_fit *fit,
		  unsigned without)
{
	const struct td_clock_set *set = &d->set[which];
	struct own *own = sum_own(d, without);
	struct work work;
	int err = work_init(d, set, &work);

	if (!own)
		err = -ENOMEM;
	for (size_t k = 0; k < d->keys && !err; k++) {
		work_begin(d, set, &d->key[k], &work);
		add_key(d, which, &d->key[k], NULL, &work, fit, fit);
	}
	if (!err && d->keys)
		add_owns(d, which, &work.row, fit, own);
	work_free(&work);
	free(own);
	return err;
}

int td_clock_chance(const struct td_clock_data *d, int which,
		    const struct td_clock_fit *fit, struct td_clock_fit *chance)
{
	const struct td_clock_set *set = &d->set[which];
	struct work work;
	int err = work_init(d, set, &work);

	for (size_t k = 0; k < d->keys && !err; k++) {
		work_begin(d, set, &d->key[k], &work);
		add_key(d, which, &d->key[k], &d->whole.key[k], &work, fit, chance);
	}
	work_free(&work);
	return err;
}
