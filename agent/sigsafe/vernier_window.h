/* SPDX-License-Identifier: MIT */
/*
 * What the vernier makes of a record: totals, samples, windows.
 * Context of all: any, by the holder of the thread's claim.
 */
#ifndef TD_SIGSAFE_VERNIER_WINDOW_H
#define TD_SIGSAFE_VERNIER_WINDOW_H

#include "agent/sigsafe/vernier.h"

/* What read() of the leader gives, and what a sample's record ends with. */
struct td_vernier_group {
	uint64_t events;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[TD_COUNTERS_MAX];
};

/* False if it has not so many values: it is not of our group. */
bool td_vernier_window_reading(struct td_vernier_reading *reading,
			       const struct td_vernier_group *group, uint32_t values,
			       uint64_t time);

/* One record of the ring. */
void td_vernier_window_record(struct td_thread *thread,
			      const struct td_ring_record *record);

/* Counts what was counted since the latest reading. */
void td_vernier_window_total(struct td_thread *thread,
			     const struct td_vernier_reading *now);

/* The latest record has no partner and gets none. */
void td_vernier_window_cut(struct td_thread *thread);

/* Another group counts from now on: what is not in the timeline yet. */
void td_vernier_window_leave(struct td_thread *thread);

/* A sample at `ip`, now, without a window. */
void td_vernier_window_sample(struct td_thread *thread, uint64_t ip);

#endif
