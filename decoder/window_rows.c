// SPDX-License-Identifier: MIT
#include "decoder/window_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/window_batches.h"

#define PER_BIN 8 /* windows, at least */
#define BINS_MOST 400
#define UNSEEN_FEW 40 /* cycles that are easily guessed */
#define DIFFER 0.03   /* as long as nothing is known */

struct order {
	float length, due;
	uint32_t window;
};

static int by_length(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->due != y->due)
		return x->due < y->due ? -1 : 1;
	return (x->window > y->window) - (x->window < y->window);
}

static size_t sort_windows(const struct td_separate_input *input,
			   const struct td_axis *axis, struct order *order)
{
	double lowest = td_axis_lowest(axis);
	size_t n = 0;

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		double length = td_axis_length(axis, w);

		if (!w->empty && length >= lowest)
			order[n++] = (struct order){
				(float)length, (float)td_axis_due(axis, w), (uint32_t)i};
	}
	if (n)
		qsort(order, n, sizeof(*order), by_length);
	return n;
}

static void take_window(const struct td_separate_input *input, const struct td_axis *axis,
			const struct td_columns *columns, const struct order *order,
			struct td_row_window *to)
{
	const struct td_separate_window *from = &input->window[order->window];

	to->length = order->length;
	to->due = order->due;
	to->late = order->length - order->due;
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		to->value[k] = (float)(from->value[k] / axis->width -
				       axis->mix[k] * td_axis_beyond(axis, from));
	to->batch = (uint8_t)td_batch(input, order->window);
	to->own = (uint8_t)td_columns_own(columns, input, axis, order->window);
	to->counted = !from->silent && td_axis_counts(axis, from);
}

/* Sorts the windows into both directions' keys; first[] has one more than there are. */
static void place_windows(struct td_rows *rows, const struct td_separate_input *input,
			  const struct td_columns *columns, const struct td_ends *ends,
			  const struct td_keys *keys, const struct order *order,
			  uint32_t *first)
{
	size_t n = rows->windows;
	int known = rows->axis.blocks;
	const uint32_t *opened = known ? ends->open : columns->open;
	const uint32_t *closed = known ? ends->close : columns->close;

	for (size_t i = 0; i < n; i++) {
		first[keys->open[order[i].window] + 1]++;
		first[keys->close[order[i].window] + 1]++;
	}
	for (size_t i = 0; i < keys->keys; i++)
		first[i + 1] += first[i];
	for (size_t i = 0; i < n; i++) {
		uint32_t open = keys->open[order[i].window];
		uint32_t close = keys->close[order[i].window];
		struct td_row_window *to = &rows->window[first[open]++];

		take_window(input, &rows->axis, columns, &order[i], to);
		to->other = closed[order[i].window];
		rows->window[first[close]] = *to;
		rows->window[first[close]++].other = opened[order[i].window];
	}
	for (size_t i = keys->keys; i; i--)
		first[i] = first[i - 1];
	first[0] = 0;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The key's columns; index[] is scratch, all UINT32_MAX before and after. */
static void find_columns(struct td_rows *rows, struct td_key *key, uint32_t begin,
			 uint32_t end, uint32_t *index)
{
	struct td_row_window *window = rows->window;
	uint32_t n = 0;

	key->column[n++] = key->function;
	index[key->function] = 0;
	for (uint32_t i = begin; i < end; i++) {
		if (index[window[i].other] == UINT32_MAX) {
			index[window[i].other] = 0;
			key->column[n++] = window[i].other;
		}
	}
	qsort(key->column, n, sizeof(*key->column), by_number);
	for (uint32_t c = 0; c < n; c++)
		index[key->column[c]] = c;
	for (uint32_t i = begin; i < end; i++)
		window[i].other = index[window[i].other];
	key->itself = index[key->function];
	for (uint32_t c = 0; c < n; c++)
		index[key->column[c]] = UINT32_MAX;
	key->columns = n;
}

static uint32_t bins_of(uint32_t windows)
{
	uint32_t bins = windows / PER_BIN;

	return bins < 1 ? 1 : bins > BINS_MOST ? BINS_MOST : bins;
}

static void cut_bins(struct td_rows *rows, struct td_key *key, uint32_t begin,
		     uint32_t end)
{
	const struct td_row_window *window = rows->window;
	double still = td_axis_still(&rows->axis);
	uint32_t n;

	key->still = begin;
	while (begin + 1 < end && window[begin].due < still)
		begin++;
	n = end - begin;

	key->bins = bins_of(n);
	for (uint32_t b = 0; b < key->bins; b++) {
		struct td_bin *bin = &key->bin[b];

		memset(bin, 0, sizeof(*bin));
		bin->begin = begin + (uint32_t)((uint64_t)n * b / key->bins);
		bin->end = begin + (uint32_t)((uint64_t)n * (b + 1) / key->bins);
		bin->left = b ? key->bin[b - 1].right : window[begin].due;
		bin->right =
			bin->end == end
				? window[end - 1].due
				: (window[bin->end - 1].due + window[bin->end].due) / 2;
		for (int c = 0; c < TD_ROW_CLASSES; c++)
			bin->row[c].variance = 1;
	}
}

static double own_part(const struct td_rows *rows, const struct td_key *key, double from,
		       double to)
{
	double n = 1, own = 0.5;

	for (uint32_t b = 0; b < key->bins; b++) {
		if (key->bin[b].right < from || key->bin[b].left > to)
			continue;
		for (uint32_t i = key->bin[b].begin; i < key->bin[b].end; i++) {
			const struct td_row_window *w = &rows->window[i];

			if (w->counted && w->length >= from && w->length <= to) {
				n++;
				own += w->own;
			}
		}
	}
	return own / n;
}

/* By comparing what is some spreads of the start shorter with what is longer. */
static void find_hazard(struct td_rows *rows, struct td_key *key)
{
	double reach = 2 * rows->axis.start_spread;

	for (uint32_t b = 0; b < key->bins && reach > 0; b++) {
		struct td_bin *bin = &key->bin[b];
		double middle = (bin->left + bin->right) / 2;
		double far = fmax(reach, bin->right - bin->left);
		double before = own_part(rows, key, middle - far, middle);
		double after = own_part(rows, key, middle, middle + far);

		bin->hazard = (float)fmax(0, log(before / after) / far);
	}
}

/* Cycles of the program in the key's shortest window, as far as they may be in
 * another function: there windows do not end in it any more. */
static double unseen(const struct td_rows *rows, const struct td_key *key)
{
	const struct td_bin *bin = &key->bin[0];
	double away = 1, cycles;

	for (uint32_t i = bin->begin; i < bin->end; i++)
		away += rows->window[i].other != key->itself;
	cycles = bin->left - td_axis_lost(&rows->axis, bin->left);
	return cycles * fmin(1, cycles / UNSEEN_FEW) * away / (bin->end - bin->begin + 1);
}

static size_t cells_of(const struct td_key *key)
{
	return (size_t)key->bins * key->columns;
}

size_t td_rows_cells(const struct td_rows *rows)
{
	size_t cells = 0;

	for (size_t k = 0; k < rows->keys; k++)
		cells += cells_of(&rows->key[k]);
	return cells;
}

int td_rows_place_times(struct td_rows *rows)
{
	size_t cells = 0;

	rows->time = calloc(td_rows_cells(rows) + 1, sizeof(*rows->time));
	rows->lean = calloc(td_rows_cells(rows) + 1, sizeof(*rows->lean));
	if (!rows->time || !rows->lean)
		return -ENOMEM;
	for (size_t k = 0; k < rows->keys; k++) {
		rows->key[k].time = rows->time + cells;
		rows->key[k].lean = rows->lean + cells;
		cells += cells_of(&rows->key[k]);
	}
	return 0;
}

static int build_keys(struct td_rows *rows, const struct td_keys *keys,
		      const uint32_t *first, int chosen)
{
	uint32_t *index = malloc((rows->columns + 1) * sizeof(*index));
	uint32_t *column = rows->column;
	struct td_bin *bin = rows->bin;

	if (!index)
		return -ENOMEM;
	memset(index, 0xff, rows->columns * sizeof(*index));
	for (size_t k = 0; k < keys->keys; k++) {
		struct td_key *key = &rows->key[rows->keys];

		/* backwards, what silent windows opened in is not what the others did */
		if (first[k] == first[k + 1] || (chosen && k >= keys->forward))
			continue;
		rows->keys++;
		key->function = keys->column[k];
		key->backward = k >= keys->forward;
		key->twice = keys->many[k] && !chosen;
		key->column = column;
		key->bin = bin;
		find_columns(rows, key, first[k], first[k + 1], index);
		cut_bins(rows, key, first[k], first[k + 1]);
		find_hazard(rows, key);
		key->differ = DIFFER;
		key->unseen = unseen(rows, key);
		column += key->columns;
		bin += key->bins;
	}
	free(index);
	return td_rows_place_times(rows);
}

static int get_memory(struct td_rows *rows, size_t keys)
{
	size_t windows = 2 * rows->windows;

	rows->window = malloc((windows + 1) * sizeof(*rows->window));
	rows->key = calloc(keys + 1, sizeof(*rows->key));
	rows->column = malloc((windows + keys + 1) * sizeof(*rows->column));
	rows->bin = malloc((windows / PER_BIN + keys + 1) * sizeof(*rows->bin));
	return rows->window && rows->key && rows->column && rows->bin ? 0 : -ENOMEM;
}

int td_rows_build(struct td_rows *rows, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_ends *ends)
{
	struct order *order = malloc((input->windows + 1) * sizeof(*order));
	struct td_keys keys;
	uint32_t *first = NULL;
	int err = td_keys_find(&keys, input, columns, td_keys_are_cut(input, axis));

	memset(rows, 0, sizeof(*rows));
	rows->axis = *axis;
	rows->nodes = input->nodes;
	rows->columns = columns->columns;
	if (!err)
		first = calloc(keys.keys + 1, sizeof(*first));
	if (!order || !first)
		err = -ENOMEM;
	if (!err) {
		rows->windows = sort_windows(input, axis, order);
		err = get_memory(rows, keys.keys);
	}
	if (!err) {
		place_windows(rows, input, columns, ends, &keys, order, first);
		err = build_keys(rows, &keys, first, input->chosen);
	}
	td_keys_free(&keys);
	free(order);
	free(first);
	return err;
}

void td_rows_free(struct td_rows *rows)
{
	free(rows->window);
	free(rows->key);
	free(rows->column);
	free(rows->bin);
	free(rows->time);
	free(rows->lean);
	memset(rows, 0, sizeof(*rows));
}
