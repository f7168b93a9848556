/* SPDX-License-Identifier: MIT */
/*
 * How late interrupts are in each function, where edges hide it: part of separate.c.
 *
 * An interrupt waits for the end of what is running, and that is the program's time.  Of
 * what a window took beyond what was asked for nobody knows in one window what was the
 * pipeline's and what the program's; but the pipeline's knows nothing of the function.
 * So what windows that end in a function take beyond others, in the mean, is the
 * function's: as much longer were they asked to be.  What waits for instructions waits
 * longer where they are slow, if they are counted.  Where starts are sharp the clock
 * knows it better (td_clock.late).  doc/estimates.md, "Lengths".
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_LATE_H
#define TD_DECODER_WINDOW_LATE_H

#include "decoder/window_columns.h"

struct td_late {
	struct td_separate_input input;    /* as given, but for window */
	struct td_separate_window *window; /* NULL: nothing to be changed */
	double *by;    /* [columns]: cycles that windows are longer by which end there */
	double *doubt; /* [columns]: variance of what that is off by */
};

/* 0 or -ENOMEM; free in either case. */
int td_late_find(struct td_late *late, const struct td_separate_input *input,
		 const struct td_axis *axis, const struct td_columns *columns);

/* Makes windows that end in a column so many cycles longer: by[columns]. */
void td_late_move(struct td_separate_window *window, size_t windows,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const double *by);

void td_late_free(struct td_late *late);

#endif
