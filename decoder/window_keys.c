// SPDX-License-Identifier: MIT
#include "decoder/window_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/order.h"

#define FEWEST 200u /* windows of a key that is not all of its column */

struct placed {
	uint32_t column, offset, window;
};

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return td_order(x->column, y->column)
		       ?: td_order(x->offset, y->offset) ?: td_order(x->window, y->window);
}

/*
 * With edges most windows say nothing of the program's first cycles, and what is not
 * known of these is another unknown of each key.  Where windows count in 255ths of slots
 * there are as many as one wants.
 */
int td_keys_are_cut(const struct td_separate_input *input, const struct td_axis *axis)
{
	return input->exact && axis->kind == TD_AXIS_REQUESTED && axis->start_spread <= 0;
}

/* Leaning (window_stays.h) is about windows that open anywhere in a visit. */
static int leans(const struct td_columns *columns, uint32_t column)
{
	return columns->doubt && columns->doubt[column] > 0;
}

/* Places in order, up to where enough windows are: those of one place stay together, and
 * so do the last ones if there are too few of them. */
static size_t end_of_key(const struct placed *placed, size_t n, int cut)
{
	size_t end = 1, last = 1;

	while (last < n && placed[last].column == placed[0].column)
		last++;
	if (!cut)
		return last;
	while (end < last &&
	       (end < FEWEST || placed[end].offset == placed[end - 1].offset))
		end++;
	return last - end < FEWEST ? last : end;
}

static void number(struct td_keys *keys, const struct td_columns *columns, int cut,
		   const struct placed *placed, size_t n, uint32_t *key)
{
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t column = placed[i].column;
		int by_place = cut && !leans(columns, column);

		end = i + end_of_key(placed + i, n - i, by_place);
		keys->column[keys->keys] = column;
		keys->many[keys->keys] = by_place && end - i >= FEWEST;
		for (size_t j = i; j < end; j++)
			key[placed[j].window] = keys->keys;
		keys->keys++;
	}
}

static size_t sort_windows(const struct td_separate_input *input,
			   const struct td_columns *columns, int backward,
			   struct placed *placed)
{
	size_t n = 0;

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (w->empty)
			continue;
		placed[n++] = (struct placed){
			.column = (backward ? columns->close : columns->open)[i],
			.offset = backward ? w->close_offset : w->open_offset,
			.window = (uint32_t)i,
		};
	}
	if (n)
		qsort(placed, n, sizeof(*placed), by_place);
	return n;
}

int td_keys_find(struct td_keys *keys, const struct td_separate_input *input,
		 const struct td_columns *columns, int cut)
{
	size_t windows = input->windows + 1;
	size_t most = 2 * (columns->columns + windows / FEWEST + 1);
	struct placed *placed = malloc(windows * sizeof(*placed));
	size_t n;

	memset(keys, 0, sizeof(*keys));
	keys->open = calloc(windows, sizeof(*keys->open));
	keys->close = calloc(windows, sizeof(*keys->close));
	keys->column = malloc(most * sizeof(*keys->column));
	keys->many = malloc(most * sizeof(*keys->many));
	if (!placed || !keys->open || !keys->close || !keys->column || !keys->many) {
		free(placed);
		return -ENOMEM;
	}
	n = sort_windows(input, columns, 0, placed);
	number(keys, columns, cut, placed, n, keys->open);
	keys->forward = keys->keys;
	n = sort_windows(input, columns, 1, placed);
	number(keys, columns, cut, placed, n, keys->close);
	free(placed);
	return 0;
}

void td_keys_free(struct td_keys *keys)
{
	free(keys->open);
	free(keys->close);
	free(keys->column);
	free(keys->many);
	memset(keys, 0, sizeof(*keys));
}
