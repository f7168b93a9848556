// SPDX-License-Identifier: MIT
#include "decoder/history.h"

#include <string.h>

static void add_bucket(struct td_history *into, size_t to, const struct td_history *from,
		       size_t bucket)
{
	into->samples[to] += from->samples[bucket];
	for (unsigned c = 0; c < TD_COUNTERS_MAX; c++)
		into->total[to][c] += from->total[bucket][c];
}

/* `from` is not the wider one. */
static void add_all(struct td_history *into, const struct td_history *from)
{
	uint64_t ratio = into->width_ns / from->width_ns;

	for (size_t i = 0; i < TD_TIMELINE_BUCKETS; i++)
		add_bucket(into, (size_t)(i / ratio), from, i);
}

void td_history_read(struct td_history *history, const struct td_file_timeline *timeline,
		     unsigned counters, const int *index)
{
	const uint64_t *value = timeline->value;

	memset(history, 0, sizeof(*history));
	history->width_ns = timeline->width_ns;
	for (size_t i = 0; i < TD_TIMELINE_BUCKETS; i++) {
		history->samples[i] = *value++;
		for (unsigned c = 0; c < counters; c++, value++) {
			if (index[c] >= 0)
				history->total[i][index[c]] = *value;
		}
	}
}

void td_history_widen(struct td_history *history, uint64_t width_ns)
{
	struct td_history wide = {.width_ns = width_ns};

	if (history->width_ns >= width_ns)
		return;
	add_all(&wide, history);
	*history = wide;
}

void td_history_add(struct td_history *into, const struct td_history *from)
{
	if (!from->width_ns)
		return;
	if (!into->width_ns) {
		*into = *from;
		return;
	}
	td_history_widen(into, from->width_ns);
	add_all(into, from);
}

size_t td_history_used(const struct td_history *history)
{
	size_t used = TD_TIMELINE_BUCKETS;

	while (used && !history->samples[used - 1])
		used--;
	return used;
}
