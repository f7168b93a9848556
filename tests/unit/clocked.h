/* SPDX-License-Identifier: MIT */
/*
 * What td_separate() has found of a simulated program before it asks the clock.
 *
 * Context: tests only.
 */
#ifndef TD_TESTS_CLOCKED_H
#define TD_TESTS_CLOCKED_H

#include "decoder/clock_internal.h"
#include "tests/unit/sim_windows.h"

/* Windows of up to 600 cycles behind edges of 50. */
extern const struct sim_setup clocked_edges;

struct clocked {
	struct sim sim;
	struct td_separate_input input;
	struct td_axis axis;
	struct td_columns columns;
	struct td_ends ends;
	struct td_clock_data data;
};

void clocked_start(struct clocked *run, const struct sim_setup *setup);

/* td_clock_take(). */
int clocked_take(struct clocked *run);

/* Sorts what was taken; each column's pace is as it is in truth. */
void clocked_sort_taken(struct clocked *run);

/* Both. */
void clocked_sort(struct clocked *run);

void clocked_finish(struct clocked *run);

/* 1: a column of a function that is seen well. */
int clocked_is_seen(const struct clocked *run, uint32_t column);

#endif
