// SPDX-License-Identifier: MIT
#include "decoder/window_again.h"

#include <string.h>

#define AGAIN_FEWEST 20 /* windows with one event */

/* The key's bin of windows that hold one event; its number of bins if there is none. */
static uint32_t one_event(const struct td_events *events, const struct td_key *key)
{
	uint32_t b = 0;

	while (b < key->bins && events->events[&key->bin[b] - events->rows.bin] != 1)
		b++;
	return b;
}

static double again_of(const struct td_events *events, const struct td_columns *columns,
		       const struct td_key *key)
{
	uint32_t b = one_event(events, key), function = columns->function[key->function];
	const double *cell = events->count + (key->time - events->rows.time) +
			     (size_t)b * key->columns;
	double windows = 0, same = 0, all = 0;

	if (b == key->bins || function == TD_NO_FUNCTION)
		return 0;
	for (uint32_t c = 0; c < key->columns; c++) {
		uint32_t column = key->column[c];
		double visits = cell[c] / events->visit[column];

		windows += cell[c];
		all += visits;
		same += columns->function[column] == function ? visits : 0;
	}
	/* one visit that ends it may not have been seen */
	return windows >= AGAIN_FEWEST ? same / all * (1 - 1 / (windows + 1)) : 0;
}

void td_again_find(const struct td_events *events, const struct td_columns *columns,
		   double *again)
{
	memset(again, 0, columns->columns * sizeof(*again));
	for (size_t k = 0; k < events->rows.keys; k++) {
		uint32_t column = events->rows.key[k].function;

		if (events->known[column])
			again[column] = again_of(events, columns, &events->rows.key[k]);
	}
}
