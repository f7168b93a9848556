/* SPDX-License-Identifier: MIT */
/*
 * How long visits are, by the windows that stayed and by calls and returns: part of
 * separate.c.  doc/estimates.md, "Evidence".
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_SEPARATE_VISITS_H
#define TD_DECODER_SEPARATE_VISITS_H

#include "decoder/separate_state.h"

struct td_visit {
	double cycles; /* from when a function is entered until it is left; 0: not known,
			  it may be as short as it can be */
	double least;  /* what it is at least, mostly: a standard deviation less */
	double most;   /* what it may be: two standard deviations more */
	double own;    /* cycles that its own windows have at most: to the next event */
};

/* Of each function, visit[functions].  0 or -ENOMEM. */
int td_visits_find(const struct td_separate_state *s, struct td_visit *visit);

/* Cycles of each column, visit[columns], by lengths alone; 0: not known.  0 or -ENOMEM.
 */
int td_visits_of_columns(const struct td_separate_state *s, double *visit);

#endif
