/* SPDX-License-Identifier: MIT */
/*
 * What functions count for each instruction, behind edges: part of separate.c.
 *
 * Edges hide how long a window was in the program, but not how many of the program's
 * instructions it holds, and what they count is known: a window's counts beyond those of
 * an edge of its length are the program's.  Where windows with so many instructions end
 * shows where the program is by then, so what each function counts beyond an edge for an
 * instruction comes from a regression that no edge disturbs, and the cycles that an
 * instruction takes in it from the lengths that were asked for.
 * doc/estimates.md, "Instructions as a clock".
 *
 * Context: any; no globals.  Memory: some 200 bytes a window.
 */
#ifndef TD_DECODER_CLOCK_H
#define TD_DECODER_CLOCK_H

#include "decoder/window_ends.h"
#include "decoder/window_rows.h"

struct td_clock {
	uint32_t columns;
	/* [1 + TD_BATCHES][columns]: fractions, may be beyond 0..1; with all windows,
	 * then without each batch.  NULL: nobody counted instructions, or paces are
	 * asked for and it is not known to the cycle when windows were due */
	double (*value)[TD_SEPARATE_NODES];
	double (*error)[TD_SEPARATE_NODES]; /* [columns]: variance that no batch shows */
	double *prior; /* [columns]: part of its answer that no window tells */
	/* [columns]: cycles by which windows that end there are longer than they were
	 * said to be.  NULL: there is no td_columns.late_doubt */
	double *late;
};

/* `axis` is of windows as they are.  0 or -ENOMEM; free in either case. */
int td_clock_find(struct td_clock *clock, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_ends *ends);
void td_clock_free(struct td_clock *clock);

/* Fractions of column c, with all windows or without a batch (TD_NO_BATCH: with all). */
static inline const double *td_clock_value(const struct td_clock *clock, unsigned without,
					   uint32_t c)
{
	size_t of = without == TD_NO_BATCH ? 0 : 1 + (size_t)without;

	return clock->value[of * clock->columns + c];
}

#endif
