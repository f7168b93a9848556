/* SPDX-License-Identifier: MIT */
/* A thread's timeline (format.h): bounded, updated in place. */
#ifndef TD_SIGSAFE_TIMELINE_H
#define TD_SIGSAFE_TIMELINE_H

#include "agent/sigsafe/store.h"

/*
 * The bucket of the moment `now_ns` (CLOCK_MONOTONIC): samples, then the totals of
 * header.counters.  NULL without room for a timeline.  Good until the next call.
 * Context: signal, on the thread.
 */
uint64_t *td_timeline_bucket_slowly(struct td_places *places, uint64_t now_ns);

static inline uint64_t *td_timeline_bucket(struct td_places *places, uint64_t now_ns)
{
	/* time does not go back: the bucket of the sample before, if not a later one */
	if (places->bucket && now_ns < places->bucket_end_ns)
		return places->bucket;
	return td_timeline_bucket_slowly(places, now_ns);
}

/* Adds `from` to `into` and empties it.  Context: normal, neither thread runs. */
void td_timeline_fold(struct td_places *into, const struct td_file_thread *from);

#endif
