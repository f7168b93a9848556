/* SPDX-License-Identifier: MIT */
/*
 * Profiles whose log holds the windows of a simulated program (sim_windows.h), as the
 * agent would have written them.
 *
 * Context: tests only.
 */
#ifndef TD_TESTS_LOG_WINDOWS_H
#define TD_TESTS_LOG_WINDOWS_H

#include <stdint.h>

#include "tests/unit/build_profile.h"
#include "tests/unit/sim_windows.h"

/* Our own in each window. */
#define LOG_BASE_RETURNS 3u
#define LOG_BASE_CALLS 1u
#define LOG_BASE_TICKS 85u

/* LOG_PAIRED: which group counts in window i; empty ones in turn as well. */
#define LOG_PAIRED_GROUP(i) (((i) + (i) / 64) % 4)

/* What is logged. */
enum log_kind {
	LOG_METRICS,
	LOG_JUDGED, /* groups, in turn: two of three with returns */
	LOG_ALL,    /* the same with returns in each of them, as counters like others */
	LOG_PARTS,  /* groups of the vernier's: nobody counts returns */
	LOG_SHARED, /* level 1 by formulas, for another thread has a part of the slots */
	LOG_PAIRED, /* groups, in turn: level 1 whole, two with two of its events, returns
		       and calls, and one of another event with returns */
	LOG_HALVES, /* LOG_METRICS, where another thread has half of each other window's
		       slots */
	LOG_CLOCK,  /* LOG_METRICS, and instructions */
	LOG_TICKING, /* LOG_PAIRED, and instructions but in the last group; of ours in
			each group one more than in the one before */
	LOG_UNSURE,  /* the same, but our own are more in each third window */
};

/* Where it stands in the only object. */
uint64_t log_address(unsigned function);

/* All of them, in one thread's profile: build_free() it. */
void log_windows(struct build *build, const struct sim *sim, enum log_kind kind);

#endif
