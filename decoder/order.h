/* SPDX-License-Identifier: MIT */
/*
 * What comparators for qsort() are made of: td_order(x, y) is below, at or above
 * 0 as x is below, at or above y, for numbers and for pointers alike; keys are
 * joined by "?:", the first that differs decides.
 *
 * Context: any; pure.
 */
#ifndef TD_DECODER_ORDER_H
#define TD_DECODER_ORDER_H

#define td_order(x, y) (((x) > (y)) - ((x) < (y)))

/* The comparator of doubles. */
static inline int td_by_double(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return td_order(*x, *y);
}

#endif
