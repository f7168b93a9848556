/* SPDX-License-Identifier: MIT */
/*
 * Retire latencies of a precise event (TDAGENT_LATENCY): cycles from the retirement of
 * the instruction before to that of the instruction that the event was counted for.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_LATENCIES_H
#define TD_DECODER_LATENCIES_H

#include "decoder/estimate.h"

struct td_latencies {
	uint64_t records;
	struct td_file_sum sum; /* of cycles; no cross */
};

void td_latencies_add(struct td_latencies *into, const struct td_latencies *from);

/* The event that the profile has latencies of, NULL: none.  Of a checked header. */
const char *td_latencies_event(const struct td_file_header *header);

/*
 * Their mean, in cycles: each record stands for equally many events.  Returns 0 where
 * there are none; one record gives its value with no upper end (INFINITY), more a 95 %
 * interval by Student's t, which begins at 0 at least.
 */
int td_latencies_mean(const struct td_latencies *latencies, struct td_estimate *mean);

#endif
