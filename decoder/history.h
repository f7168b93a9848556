/* SPDX-License-Identifier: MIT */
/*
 * Timelines in memory: read from a profile, added up over threads.  Bucket i
 * covers [i, i + 1) * width_ns after the start of the process.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_HISTORY_H
#define TD_DECODER_HISTORY_H

#include <stddef.h>

#include "decoder/format.h"

struct td_history {
	uint64_t width_ns; /* 0: nothing is known */
	uint64_t samples[TD_TIMELINE_BUCKETS];
	uint64_t total[TD_TIMELINE_BUCKETS][TD_COUNTERS_MAX];
};

/*
 * From a checked timeline (profile.h) with `counters` totals a bucket; the
 * file's counter c becomes index[c], -1 leaves it out.
 */
void td_history_read(struct td_history *history, const struct td_file_timeline *timeline,
		     unsigned counters, const int *index);

/* Joins buckets until they are `width_ns` wide: width_ns times a power of two. */
void td_history_widen(struct td_history *history, uint64_t width_ns);

/* Adds `from` at the width of the wider of both. */
void td_history_add(struct td_history *into, const struct td_history *from);

/* Buckets up to the last one with a sample. */
size_t td_history_used(const struct td_history *history);

#endif
