// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"
#include "decoder/parallel.h"

#define NODES TD_SEPARATE_NODES
#define PER_BIN 8 /* windows, at least */
#define BINS_MOST 80u
#define WIDTH 6. /* instructions, at least */
#define KEY_FEWEST 16
#define TELLS 0.7   /* times as often as without places: neighbours that end apart */
#define BLOCK 3.    /* instructions, behind the last window */
#define SOON 8      /* entries */
#define FILLINGS 16 /* pieces of a fill */
#define ALONE 16384 /* of fewer windows it is one: threads would not pay */

struct order {
	uint32_t key, window;
	float ticks;
};

static int by_key(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	return x->window < y->window ? -1 : 1;
}

static void sort_side(const struct td_clock_data *d, int side, struct order *order)
{
	for (size_t i = 0; i < d->windows; i++)
		order[i] = (struct order){d->window[i].key[side], (uint32_t)i,
					  d->window[i].ticks};
	qsort(order, d->windows, sizeof(*order), by_key);
}

/* How often two neighbours in a key end in different columns. */
static double part_apart(const struct td_clock_data *d, int side,
			 const struct order *order, size_t n)
{
	double pairs = 0, apart = 0;

	for (size_t i = 1; i < n; i++) {
		if (order[i].key != order[i - 1].key)
			continue;
		pairs++;
		apart += d->window[order[i].window].trigger[!side] !=
			 d->window[order[i - 1].window].trigger[!side];
	}
	return pairs > 0 ? apart / pairs : 1;
}

/*
 * One key of windows that open in a column, unless places tell where they end: in a loop
 * they don't, and with fewer windows more is chance.
 */
static void join_places(const struct td_clock_data *d, int side, struct order *order,
			size_t n)
{
	double cut = part_apart(d, side, order, n);
	uint32_t key = order[0].key;

	if (order[n - 1].key == key)
		return;
	for (size_t i = 0; i < n; i++)
		order[i].key = key;
	qsort(order, n, sizeof(*order), by_key);
	if (cut >= TELLS * part_apart(d, side, order, n))
		return;
	for (size_t i = 0; i < n; i++)
		order[i].key = d->window[order[i].window].key[side];
	qsort(order, n, sizeof(*order), by_key);
}

static void sort_columns(const struct td_clock_data *d, int side, struct order *order)
{
	for (size_t i = 0, end; i < d->windows; i = end) {
		uint32_t column = d->window[order[i].window].column[side];

		for (end = i + 1; end < d->windows; end++) {
			if (d->window[order[end].window].column[side] != column)
				break;
		}
		join_places(d, side, order + i, end - i);
	}
}

/* Numbers the columns that windows [begin, end) of the key have. */
static void find_columns(struct td_clock_data *d, struct td_clock_key *key, size_t begin,
			 size_t end, uint32_t *index)
{
	uint32_t column = d->window[d->entry[begin].window].column[key->backward];

	key->columns = 1;
	key->itself = 0;
	key->column[0] = column;
	index[column] = 0;
	for (size_t i = begin; i < end; i++) {
		uint32_t other = d->window[d->entry[i].window].trigger[!key->backward];

		if (index[other] == TD_NO_FUNCTION) {
			index[other] = key->columns;
			key->column[key->columns++] = other;
		}
		d->entry[i].other = index[other];
	}
	for (uint32_t c = 0; c < key->columns; c++)
		index[key->column[c]] = TD_NO_FUNCTION;
}

static struct td_clock_window *window_of(const struct td_clock_data *d, size_t entry)
{
	return &d->window[d->entry[entry].window];
}

/*
 * Windows with as many instructions stay together.  Interrupts wait for a block's end, so
 * each number has ends of its own: after one a loop is gone through, after the next it
 * was left.  As many instructions as there are between two numbers say nothing of how
 * often that was; over some blocks the windows do.
 */
static void cut_bins(const struct td_clock_data *d, struct td_clock_key *key,
		     size_t begin, size_t end)
{
	size_t size = (end - begin + BINS_MOST - 1) / BINS_MOST, i = begin;
	double before = 0;

	size = size < PER_BIN ? PER_BIN : size;
	while (i < end) {
		size_t to = i + size < end ? i + size : end;
		double last = fmax(window_of(d, to - 1)->ticks, before + WIDTH);

		while (to < end && window_of(d, to)->ticks <= last)
			to++;
		if (end - to < size)
			to = end;
		memset(&key->bin[key->bins], 0, sizeof(*key->bin));
		key->bin[key->bins].begin = (uint32_t)i;
		key->bin[key->bins++].end = (uint32_t)to;
		before = window_of(d, to - 1)->ticks;
		i = to;
	}
}

static int add_keys(struct td_clock_data *d, int side, struct order *order,
		    uint32_t *index, uint32_t *numbers, struct td_clock_bin *bins)
{
	size_t base = side ? d->windows : 0, end;

	sort_side(d, side, order);
	sort_columns(d, side, order);
	for (size_t i = 0; i < d->windows; i++)
		d->entry[base + i].window = order[i].window;
	for (size_t i = 0; i < d->windows; i = end) {
		struct td_clock_key *key = &d->key[d->keys];

		for (end = i; end < d->windows && order[end].key == order[i].key;)
			end++;
		if (end - i < KEY_FEWEST)
			continue;
		*key = (struct td_clock_key){
			.backward = side, .column = numbers, .bin = bins};
		find_columns(d, key, base + i, base + end, index);
		cut_bins(d, key, base + i, base + end);
		numbers += key->columns;
		bins += key->bins;
		d->keys++;
	}
	return (int)(bins - d->bins);
}

/* Shares, times and leans of all bins. */
static size_t cells_of(const struct td_clock_data *d)
{
	size_t cells = 0;

	for (size_t k = 0; k < d->keys; k++)
		cells += 3 * (size_t)d->key[k].bins * d->key[k].columns;
	return cells;
}

static int place_cells(struct td_clock_data *d)
{
	double *at = d->cells = calloc(cells_of(d) + 1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (size_t k = 0; k < d->keys; k++) {
		struct td_clock_key *key = &d->key[k];
		size_t n = (size_t)key->bins * key->columns;

		key->share = at;
		key->time = at + n;
		key->lean = at + 2 * n;
		at += 3 * n;
	}
	return 0;
}

int td_clock_sort(struct td_clock_data *d)
{
	size_t ends = 2 * d->windows, most = d->most_keys;
	struct order *order = malloc((d->windows + 1) * sizeof(*order));
	uint32_t *index = malloc((d->columns + 1) * sizeof(*index));
	int err = -ENOMEM, bins;

	d->entry = calloc(ends + 1, sizeof(*d->entry));
	d->key = calloc(most + 1, sizeof(*d->key));
	d->numbers = malloc((ends + 2 * most + 1) * sizeof(*d->numbers));
	d->bins = malloc((ends / PER_BIN + most + 1) * sizeof(*d->bins));
	if (order && index && d->entry && d->key && d->numbers && d->bins) {
		memset(index, 0xff, d->columns * sizeof(*index));
		bins = add_keys(d, 0, order, index, d->numbers, d->bins);
		/* of those that close in a column, which ones count was chosen by where
		 * they opened */
		if (!d->input->chosen)
			add_keys(d, 1, order, index, d->numbers + d->windows + most,
				 d->bins + bins);
		err = place_cells(d);
	}
	free(order);
	free(index);
	return err;
}

/* A key's windows are anywhere, and of many most are in no cache: the one to be asked for
 * now, of which both ends are. */
static const struct td_clock_window *soon(const struct td_clock_data *d, uint32_t entry)
{
	size_t last = 2 * d->windows - 1, at = entry + SOON;

	return window_of(d, (uint32_t)(at < last ? at : last));
}

/* Windows end more often in what takes long. */
static double weight_of(const struct td_clock_data *d, const struct td_clock_key *key,
			uint32_t entry, unsigned without)
{
	return window_of(d, entry)->batch == without
		       ? 0
		       : window_of(d, entry)->rare /
				 d->pace[key->column[d->entry[entry].other]];
}

/* Forward a window stands for the instructions before its last, backward for those
 * behind its first, which are before it. */
static double right_of(const struct td_clock_data *d, const struct td_clock_key *key,
		       uint32_t b)
{
	uint32_t end = key->bin[b].end;

	if (!key->backward)
		return window_of(d, end - 1)->ticks;
	return b + 1 < key->bins ? window_of(d, end)->ticks
				 : window_of(d, end - 1)->ticks + BLOCK;
}

static void find_shares(const struct td_clock_data *d, struct td_clock_key *key,
			uint32_t b, unsigned without)
{
	struct td_clock_bin *bin = &key->bin[b];
	double *share = key->share + (size_t)b * key->columns;

	memset(share, 0, key->columns * sizeof(*share));
	bin->weight = bin->n = bin->ticks = bin->told = bin->telling = 0;
	for (uint32_t i = bin->begin; i < bin->end; i++) {
		double weight = weight_of(d, key, i, without);

		__builtin_prefetch(soon(d, i));
		__builtin_prefetch(soon(d, i) + 1);
		share[d->entry[i].other] += weight;
		bin->weight += weight;
		bin->ticks += weight * window_of(d, i)->ticks;
		bin->n += weight > 0;
		bin->told += window_of(d, i)->silent ? 0 : weight;
		bin->telling += weight > 0 && !window_of(d, i)->silent;
	}
	if (bin->weight <= 0)
		share[key->itself] = 1;
	for (uint32_t c = 0; c < key->columns && bin->weight > 0; c++)
		share[c] /= bin->weight;
	bin->ticks /= bin->weight > 0 ? bin->weight : 1;
}

/* What there is in the middle of the bin before, and from there to its end. */
static void add_before(struct td_clock_key *key, uint32_t b, double end)
{
	size_t at = (size_t)(b - 1) * key->columns;
	double rest = fmax(0, end - key->bin[b - 1].ticks);

	for (uint32_t c = 0; c < key->columns; c++)
		key->time[at + key->columns + c] +=
			key->time[at + c] + key->share[at + c] * rest;
}

static void set_stays(const struct td_clock_data *d, const struct td_clock_key *key,
		      uint32_t b)
{
	size_t at = (size_t)b * key->columns + key->itself;

	for (uint32_t i = key->bin[b].begin; i < key->bin[b].end; i++) {
		struct td_clock_window *w = window_of(d, i);
		double more = w->ticks - key->bin[b].ticks;

		w->stay[key->backward] =
			(float)fmax(0, key->time[at] + key->share[at] * more);
	}
}

/* How many instructions windows of the key have been in each column. */
static void find_times(const struct td_clock_data *d, struct td_clock_key *key,
		       unsigned without)
{
	double left = 0;

	for (uint32_t b = 0; b < key->bins; b++) {
		struct td_clock_bin *bin = &key->bin[b];
		size_t at = (size_t)b * key->columns;
		double *time = key->time + at;

		find_shares(d, key, b, without);
		for (uint32_t c = 0; c < key->columns; c++)
			time[c] = key->share[at + c] * fmax(0, bin->ticks - left);
		if (b)
			add_before(key, b, left);
		set_stays(d, key, b);
		bin->width = right_of(d, key, b) - left;
		left += bin->width;
	}
}

/* One end's lean is so much less where the other one is in the same column. */
static double both_of(const struct td_clock_data *d, const struct td_clock_key *key,
		      uint32_t entry)
{
	const struct td_clock_window *w = window_of(d, entry);
	const struct td_clock_state *state = &d->state[key->column[key->itself]];

	if (d->entry[entry].other != key->itself)
		return 1;
	return td_clock_both(d, state, w->alone ? w->ticks : w->stay[key->backward]);
}

static void find_means(const struct td_clock_data *d, struct td_clock_key *key,
		       uint32_t b, unsigned without)
{
	struct td_clock_bin *bin = &key->bin[b];
	double *lean = key->lean + (size_t)b * key->columns;

	memset(lean, 0, key->columns * sizeof(*lean));
	memset(bin->beyond, 0, sizeof(bin->beyond));
	bin->asked = 0;
	for (uint32_t i = bin->begin; i < bin->end; i++) {
		const struct td_clock_window *w = window_of(d, i);
		double part = weight_of(d, key, i, without) /
			      (bin->weight > 0 ? bin->weight : 1);
		double leans = part / both_of(d, key, i);

		__builtin_prefetch(soon(d, i));
		__builtin_prefetch(soon(d, i) + 1);
		bin->asked += part * w->asked;
		for (int k = 0; k < NODES && !w->silent; k++)
			bin->beyond[k] += part * bin->weight / bin->told * w->beyond[k];
		lean[key->itself] += leans * td_clock_lean(d, w->stay[key->backward]);
		lean[d->entry[i].other] +=
			leans * td_clock_lean(d, w->stay[!key->backward]);
	}
}

/* Every so many of the keys: an end of a window is in one of them. */
struct filling {
	struct td_clock_data *d;
	size_t first, every;
	unsigned without;
};

static int fill_times(void *piece)
{
	const struct filling *of = piece;

	for (size_t k = of->first; k < of->d->keys; k += of->every)
		find_times(of->d, &of->d->key[k], of->without);
	return 0;
}

/* Of windows by both ends, so behind the times of all keys. */
static int fill_means(void *piece)
{
	const struct filling *of = piece;

	for (size_t k = of->first; k < of->d->keys; k += of->every) {
		for (uint32_t b = 0; b < of->d->key[k].bins; b++)
			find_means(of->d, &of->d->key[k], b, of->without);
	}
	return 0;
}

void td_clock_fill(struct td_clock_data *d, unsigned without)
{
	struct filling part[FILLINGS];
	size_t parts = d->windows < ALONE ? 1 : FILLINGS;

	for (size_t i = 0; i < parts; i++)
		part[i] = (struct filling){d, i, parts, without};
	td_parallel_run(fill_times, part, sizeof(part[0]), parts);
	td_parallel_run(fill_means, part, sizeof(part[0]), parts);
}

static void *copy_of(const void *from, size_t n, size_t size)
{
	void *to = malloc((n + 1) * size);

	return to ? memcpy(to, from, n * size) : NULL;
}

int td_clock_keep(struct td_clock_data *d)
{
	const struct td_clock_key *last = &d->key[d->keys - (d->keys > 0)];
	size_t bins = (size_t)(last->bin - d->bins) + last->bins;

	if (!d->keys)
		return 0;
	d->whole.key = copy_of(d->key, d->keys, sizeof(*d->key));
	d->whole.bins = copy_of(d->bins, bins, sizeof(*d->bins));
	d->whole.cells = copy_of(d->cells, cells_of(d), sizeof(*d->cells));
	if (!d->whole.key || !d->whole.bins || !d->whole.cells)
		return -ENOMEM;
	for (size_t k = 0; k < d->keys; k++) {
		struct td_clock_key *key = &d->whole.key[k];

		key->bin = d->whole.bins + (key->bin - d->bins);
		key->share = d->whole.cells + (key->share - d->cells);
		key->time = d->whole.cells + (key->time - d->cells);
		key->lean = d->whole.cells + (key->lean - d->cells);
	}
	return 0;
}
