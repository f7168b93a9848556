/* SPDX-License-Identifier: MIT */
/*
 * What comparators for qsort() are made of: td_order(x, y) is below, at or above
 * 0 as x is below, at or above y, for numbers and for pointers alike; keys are
 * joined by "?:", the first that differs decides.  And the median of what was sorted.
 *
 * Context: any; pure.
 */
#ifndef TD_DECODER_ORDER_H
#define TD_DECODER_ORDER_H

#include <stdlib.h>

#define td_order(x, y) (((x) > (y)) - ((x) < (y)))

/* The comparator of doubles. */
static inline int td_by_double(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return td_order(*x, *y);
}

/* The median, of an even number the lower one of both; 0 of none.  Sorts them. */
static inline double td_lower_median(double *value, size_t n)
{
	if (!n)
		return 0;
	qsort(value, n, sizeof(*value), td_by_double);
	return value[(n - 1) / 2];
}

#endif
