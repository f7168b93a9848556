// SPDX-License-Identifier: MIT
/* The second half of window_events.h: how long visits are, and the rows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/window_events.h"

#define STILL_FEWEST 5
#define ROUNDS 40
#define VISIT_LEAST 1. /* cycles */
#define KNOWN_ALONE                                                                      \
	0.1            /* of the windows in its bins are the column's: fewer are what    \
			  errors of the others leave */
#define ONCE_LEAST 0.5 /* of a visit */
#define WAIT_VISIT 0.2 /* of the lengths: longer visits are not well known */
#define ROW_WINDOWS 8  /* fewer make no row */
#define PARTIAL_MOST 1.
#define JUMPS_FEW 0.05
#define PARTIAL_UNSURE                                                                   \
	0.02 /* of a visit, of what is known of its part: times a difference */
#define WRONG                                                                            \
	0.35 /* a cycle in another function than supposed, or in edges: of a count */
#define UNSEEN_ERROR 2.7 /* of a first visit's cycles, for td_key_centre() */

/* What the windows of a key count for. */
struct scale {
	double cycle; /* windows that end in any one cycle behind where they opened */
	double still; /* each window in which the program cannot have started: it stands
			 for so many others in which it had not, below 0 */
	double stood; /* all of those others */
};

/* Sums of a bin: windows weighted by how seldom visits like that are met. */
struct sums {
	double windows, weight, squares, length;
	double value[TD_SEPARATE_NODES];
};

static size_t bin_of(const struct td_events *events, const struct td_key *key, uint32_t b)
{
	return (size_t)(&key->bin[b] - events->rows.bin);
}

static double *cells_of(const struct td_events *events, const struct td_key *key,
			uint32_t b)
{
	return events->count + (key->time - events->rows.time) + (size_t)b * key->columns;
}

static struct scale scale_of(const struct td_events *events, size_t key, unsigned without)
{
	const struct td_events_opened *opened = &events->opened[key];
	double started = 0, still = 0, late;
	struct scale scale;

	for (unsigned b = 0; b < TD_BATCHES; b++) {
		started += b == without ? 0 : opened->started[b];
		still += b == without ? 0 : opened->still[b];
	}
	/* of those that may have started, some have not */
	late = fmax(0, events->rows.axis.start - events->shortest);
	scale.cycle = started / (events->longest - events->shortest);
	scale.stood = scale.cycle * late;
	scale.still = still >= STILL_FEWEST ? -scale.stood / still : 0;
	return scale;
}

static double weight_by_length(const struct td_events *events, double length)
{
	int low = 0, high = TD_EVENTS_LENGTHS;

	while (high - low > 1) {
		int middle = (low + high) / 2;

		*(events->length[middle].from <= length ? &low : &high) = middle;
	}
	return events->length[low].weight;
}

/* Where windows end, those less in which the program has not started. */
static void count_key(struct td_events *events, const struct td_key *key,
		      const struct scale *scale, unsigned without)
{
	const struct td_row_window *window = events->rows.window;

	for (uint32_t b = 0; b < key->bins; b++) {
		const struct td_bin *bin = &key->bin[b];
		double *cell = cells_of(events, key, b);
		uint32_t last = events->still[bin_of(events, key, b)];

		memset(cell, 0, key->columns * sizeof(*cell));
		for (uint32_t i = bin->begin; i < last; i++) {
			double weight =
				i < bin->end ? weight_by_length(events, window[i].length)
					     : scale->still;

			if (window[i].batch != without)
				cell[window[i].other] += weight;
		}
		if (b == 0 && scale->still >= 0)
			cell[0] -= scale->stood;
		for (uint32_t c = 0; c < key->columns; c++)
			cell[c] = fmax(0, cell[c]);
	}
}

/* A first guess, by windows that end where they opened: of a visit that is as long
 * each time, half is left.  Columns without a key have visits longer than windows. */
static void guess_visits(struct td_events *events, const struct scale *scale)
{
	for (uint32_t c = 0; c < events->rows.columns; c++)
		events->visit[c] = events->longest - events->shortest;
	for (size_t k = 0; k < events->rows.keys; k++) {
		const struct td_key *key = &events->rows.key[k];
		double own = *cells_of(events, key, 0);

		events->visit[key->function] =
			fmax(VISIT_LEAST, 2 * own / fmax(scale[k].cycle, 1e-9));
	}
}

/* Visits found in a bin, as a part of those that must be there, and the variance of
 * that by chance. */
struct visits {
	double found, chance;
};

static struct visits visits_of(const struct td_events *events, const struct td_key *key,
			       const double *cell, double cycle)
{
	struct visits visits = {0, 0};

	for (uint32_t c = 0; c < key->columns; c++) {
		double each = 1 / (events->visit[key->column[c]] * cycle);

		visits.found += cell[c] * each;
		visits.chance += cell[c] * each * each;
	}
	return visits;
}

static double visits_in(const struct td_events *events, const struct td_key *key,
			const double *cell)
{
	double visits = 0;

	for (uint32_t c = 0; c < key->columns; c++)
		visits += cell[c] / events->visit[key->column[c]];
	return visits;
}

/* Of a column, over all bins of all keys. */
struct visited {
	double all; /* windows that end there */
	double met; /* how many they were if the bins' windows said how many visits there
		       are */
	double alone; /* each times the part of its bin's windows that do */
};

static void compare_bin(const struct td_events *events, const struct td_key *key,
			uint32_t b, double cycle, struct visited *visited)
{
	const double *cell = cells_of(events, key, b);
	double visits = visits_in(events, key, cell), windows = 0;

	for (uint32_t c = 0; c < key->columns; c++)
		windows += cell[c];
	for (uint32_t c = 0; c < key->columns && visits > 0; c++) {
		struct visited *to = &visited[key->column[c]];

		to->met += cell[c] * cycle / visits;
		to->all += cell[c];
		to->alone += cell[c] * cell[c] / windows;
	}
}

/*
 * The k-th visit, counted in events from where the windows opened, is one of some
 * column's, each time: the windows that end in it, each divided by the cycles that such
 * visits take, are as many as windows end in any one cycle.  That for all keys and
 * all k; solved as expectation and maximisation do, from one guess to the next.
 */
static int find_visits(struct td_events *events, const struct scale *scale)
{
	size_t columns = events->rows.columns;
	struct visited *visited = malloc((columns + 1) * sizeof(*visited));

	for (int round = 0; round < ROUNDS && visited; round++) {
		memset(visited, 0, columns * sizeof(*visited));
		for (size_t k = 0; k < events->rows.keys; k++) {
			const struct td_key *key = &events->rows.key[k];

			for (uint32_t b = 1; b < key->bins; b++)
				compare_bin(events, key, b, scale[k].cycle, visited);
		}
		for (size_t c = 0; c < columns; c++) {
			const struct visited *v = &visited[c];

			events->known[c] = v->met > 0 && !events->jumps[c] &&
					   v->alone > KNOWN_ALONE * v->all;
			if (v->met > 0)
				events->visit[c] = fmax(
					VISIT_LEAST, events->visit[c] * v->all / v->met);
		}
	}
	free(visited);
	return visited ? 0 : -ENOMEM;
}

/*
 * By how much visits differ from one bin to another, squared, as a part of the mean:
 * where a function was called from or what it does then may make some short, others long.
 * What chance explains is none.
 */
static void find_spread(const struct td_events *events, const struct scale *scale,
			double *spread, double *weight)
{
	memset(weight, 0, events->rows.columns * sizeof(*weight));
	memset(spread, 0, events->rows.columns * sizeof(*spread));
	for (size_t k = 0; k < events->rows.keys; k++) {
		const struct td_key *key = &events->rows.key[k];

		for (uint32_t b = 1; b < key->bins; b++) {
			const double *cell = cells_of(events, key, b);
			struct visits v = visits_of(events, key, cell, scale[k].cycle);
			double excess = (v.found - 1) * (v.found - 1) - v.chance;

			for (uint32_t c = 0; c < key->columns; c++) {
				uint32_t column = key->column[c];
				double by = cell[c] / events->visit[column];

				spread[column] += by * excess;
				weight[column] += by;
			}
		}
	}
	for (uint32_t c = 0; c < events->rows.columns; c++)
		spread[c] = weight[c] > 0 ? fmax(0, spread[c] / weight[c]) : 0;
}

/*
 * The part of a visit that is over at a random moment of it, of all visits' moments:
 * a half if visits are alike, more if not.  By windows that end in the visit in which
 * they opened; what chance explains of the difference is none.
 */
static void find_partial(const struct td_events *events, const struct scale *scale,
			 const double *spread, double *partial)
{
	for (uint32_t c = 0; c < events->rows.columns; c++)
		partial[c] = 0.5;
	for (size_t k = 0; k < events->rows.keys; k++) {
		const struct td_key *key = &events->rows.key[k];
		double own = *cells_of(events, key, 0);
		double all = scale[k].cycle * events->visit[key->function];
		double more = own / all - (1 + spread[key->function]) / 2;
		double chance = (own + scale[k].stood) / all / all;

		if (more > 0 && more * more > chance)
			partial[key->function] =
				fmin(PARTIAL_MOST, 0.5 + more - chance / more);
	}
}

/*
 * A trigger comes anywhere between two places, its interrupt at the second one: on
 * average half of the cycles between them later.  How many these are is seen in visits of
 * known length, by how often windows end at each place.
 */
static double find_wait(const struct td_events *events)
{
	const struct td_ends *ends = events->ends;
	double wait = 0, all = 0;

	for (uint32_t c = 0; c < events->rows.columns; c++) {
		double weight = events->visit[c] * ends->once[c];

		if (!events->known[c] || ends->once[c] < ONCE_LEAST ||
		    events->visit[c] > WAIT_VISIT * (events->longest - events->shortest))
			continue;
		wait += weight * events->visit[c] * ends->squares[c] / ends->once[c] / 2;
		all += weight;
	}
	return all > 0 ? wait / all : 0;
}

static double weight_of(const struct td_events *events, const struct td_key *key,
			const struct scale *scale, const struct td_bin *bin, uint32_t i)
{
	const struct td_row_window *w = &events->rows.window[i];
	double weight = i < bin->end ? weight_by_length(events, w->length) : scale->still;

	return weight / events->visit[key->column[w->other]];
}

static struct sums add_up(const struct td_events *events, const struct td_key *key,
			  uint32_t b, const struct scale *scale, unsigned without)
{
	const struct td_bin *bin = &key->bin[b];
	uint32_t last = events->still[bin_of(events, key, b)];
	struct sums sums = {0};

	for (uint32_t i = bin->begin; i < last; i++) {
		const struct td_row_window *w = &events->rows.window[i];
		double weight = weight_of(events, key, scale, bin, i);

		if (w->batch == without)
			continue;
		sums.windows += i < bin->end;
		sums.weight += weight;
		sums.squares += weight * weight;
		sums.length += weight * w->length;
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			sums.value[k] += weight * w->value[k];
	}
	return sums;
}

/* Variance of the bin's mean counts beyond what their lengths explain, which are known:
 * how much of a length is edges does not matter here. */
static double scatter_of(const struct td_events *events, const struct td_key *key,
			 uint32_t b, const struct scale *scale, unsigned without,
			 const struct sums *sums)
{
	const struct td_bin *bin = &key->bin[b];
	uint32_t last = events->still[bin_of(events, key, b)];
	const double *mix = events->rows.axis.mix;
	double sum = 0;

	for (uint32_t i = bin->begin; i < last; i++) {
		const struct td_row_window *w = &events->rows.window[i];
		double weight = weight_of(events, key, scale, bin, i);
		double length = w->length - sums->length / sums->weight;

		for (int k = 0; k < TD_NODES_LEVEL1 && w->batch != without; k++) {
			double more = w->value[k] - sums->value[k] / sums->weight -
				      mix[k] * length;

			sum += weight * weight * more * more / TD_NODES_LEVEL1;
		}
	}
	return sum / (sums->weight * sums->weight);
}

/* Windows that end where nobody knows how long the visit has lasted. */
static int is_vague(const struct td_events *events, const struct td_key *key,
		    const double *cell)
{
	double all = 0, vague = 0;

	for (uint32_t c = 0; c < key->columns; c++) {
		all += cell[c];
		vague += events->jumps[key->column[c]] ? cell[c] : 0;
	}
	return vague > JUMPS_FEW * all;
}

/* Cycles up to a key's bin, and across it. */
struct times {
	double *before, *whole;   /* [columns of the key] */
	double *spread, *partial; /* [columns], of visits */
};

/*
 * Edges are the same in all bins.  Where the windows' lengths and the times leave another
 * mean of them, the times are wrong: visits that are met in this way are not like
 * others.  The square of that, without what chance explains.
 */
static double excess_of(const struct td_events *events, const struct sums *sums,
			double edges)
{
	double chance = events->rows.axis.start_spread / sums->weight;

	return fmax(0, edges * edges - chance * chance * sums->squares);
}

/* The bin's row; its time[] is filled but for the number of windows. */
static void fill_row(struct td_events *events, const struct td_key *key, uint32_t b,
		     const struct scale *scale, unsigned without)
{
	struct td_bin *bin = &key->bin[b];
	struct td_row *row = &bin->row[TD_ROW_ALL];
	double *time = key->time + (size_t)b * key->columns, cycles = 0, unsure, mean;
	struct sums sums = add_up(events, key, b, scale, without);
	int vague = b == 0 || is_vague(events, key, cells_of(events, key, b));

	memset(row, 0, sizeof(*row));
	bin->ends = 0;
	vague = vague || sums.windows < ROW_WINDOWS || sums.weight <= 0;
	for (uint32_t i = bin->begin; i < bin->end; i++)
		events->rows.window[i].counted = !vague;
	if (vague)
		return;
	for (uint32_t c = 0; c < key->columns; c++) {
		cycles += time[c];
		time[c] *= sums.windows;
	}
	mean = sums.windows / sums.weight;
	row->n = row->shared[0] = bin->ends = sums.windows;
	row->cycles = sums.windows * cycles;
	row->shared[1] =
		mean * sums.length - row->n * events->rows.axis.start - row->cycles;
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		row->value[k] = mean * sums.value[k];
	unsure = pow(PARTIAL_UNSURE * (bin->right - bin->left), 2) +
		 pow(WRONG, 2) * excess_of(events, &sums, row->shared[1] / row->n);
	row->variance =
		row->n * (scatter_of(events, key, b, scale, without, &sums) + unsure);
}

/*
 * There is one k-th visit.  The windows that end in it say so but for chance, or
 * visits are longer or shorter there than elsewhere: as much of the difference as they
 * are known to differ.
 */
static void find_whole(const struct td_events *events, const struct td_key *key,
		       uint32_t b, double cycle, const double *spread, double *whole)
{
	const double *cell = cells_of(events, key, b);
	struct visits v = visits_of(events, key, cell, cycle);
	double varies = 0, factor;

	for (uint32_t c = 0; c < key->columns && v.found > 0; c++) {
		uint32_t column = key->column[c];

		varies += spread[column] * cell[c] /
			  (events->visit[column] * cycle * v.found);
	}
	factor = 1 + (v.found - 1) * varies / fmax(varies + v.chance, 1e-9);
	if (b == 0 || v.found <= 0)
		factor = v.found;
	for (uint32_t c = 0; c < key->columns; c++)
		whole[c] = v.found > 0 ? cell[c] / cycle / v.found * factor : 0;
}

/* Up to the key's bin, and what is behind it: the last visit is cut off. */
static void fill_times(const struct td_events *events, const struct td_key *key,
		       uint32_t b, const struct times *times)
{
	double *time = key->time + (size_t)b * key->columns;
	double wait = -events->more * events->wait;

	for (uint32_t c = 0; c < key->columns; c++) {
		uint32_t column = key->column[c];
		double whole = times->whole[c], visits = whole / events->visit[column];

		time[c] = times->before[c] + whole * times->partial[column];
		if (b)
			time[c] += visits * wait;
		times->before[c] += whole;
	}
	if (b == 0)
		times->before[0] -= wait;
}

static void fill_key(struct td_events *events, struct td_key *key,
		     const struct scale *scale, unsigned without,
		     const struct times *times)
{
	double at = 0;

	memset(times->before, 0, key->columns * sizeof(*times->before));
	key->unseen = UNSEEN_ERROR * sqrt(*cells_of(events, key, 0) + scale->stood) /
		      fmax(scale->cycle, 1e-9);
	for (uint32_t b = 0; b < key->bins; b++) {
		struct td_bin *bin = &key->bin[b];

		find_whole(events, key, b, fmax(scale->cycle, 1e-9), times->spread,
			   times->whole);
		bin->left = (float)at;
		for (uint32_t c = 0; c < key->columns; c++)
			at += times->whole[c];
		bin->right = (float)at;
		fill_times(events, key, b, times);
		fill_row(events, key, b, scale, without);
	}
}

static int fill(struct td_events *events, const struct scale *scale, unsigned without)
{
	size_t columns = events->rows.columns;
	double *memory = malloc((4 * columns + 1) * sizeof(*memory));
	struct times times = {memory, memory + columns, memory + 2 * columns,
			      memory + 3 * columns};
	int err = memory ? find_visits(events, scale) : -ENOMEM;

	if (!err) {
		find_spread(events, scale, times.spread, times.whole);
		find_partial(events, scale, times.spread, times.partial);
		events->wait = find_wait(events);
	}
	for (size_t k = 0; k < events->rows.keys && !err; k++)
		fill_key(events, &events->rows.key[k], &scale[k], without, &times);
	free(memory);
	return err;
}

int td_events_fill(struct td_events *events, unsigned without)
{
	size_t keys = events->rows.keys;
	struct scale *scale;
	int err;

	if (!keys || (events->visits_only && without != TD_NO_BATCH))
		return 0;
	scale = malloc(keys * sizeof(*scale));
	if (!scale)
		return -ENOMEM;
	for (size_t k = 0; k < keys; k++) {
		scale[k] = scale_of(events, k, without);
		count_key(events, &events->rows.key[k], &scale[k], without);
	}
	guess_visits(events, scale);
	err = events->visits_only ? find_visits(events, scale)
				  : fill(events, scale, without);
	free(scale);
	return err;
}
