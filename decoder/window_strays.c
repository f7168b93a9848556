// SPDX-License-Identifier: MIT
#include "decoder/window_strays.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define FAR 100. /* cycles */
#define DEVIATIONS 20.
#define OF_NORMAL 1.4826 /* standard deviations for a median deviation of 1 */

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), by_value);
	return value[n / 2];
}

static int has_length(const struct td_separate_window *w)
{
	return w->empty || w->requested > 0;
}

static double beyond(const struct td_separate_window *w, double width)
{
	return w->slots / width - (w->empty ? 0 : w->requested);
}

/* Above that is a stray; `value` has room for all windows. */
static double find_limit(const struct td_separate_window *window, size_t windows,
			 int empty, double width, double *value)
{
	double middle;
	size_t n = 0;

	for (size_t i = 0; i < windows; i++) {
		if (has_length(&window[i]) && !window[i].empty == !empty)
			value[n++] = beyond(&window[i], width);
	}
	if (!n)
		return INFINITY;
	middle = median(value, n);
	for (size_t i = 0; i < n; i++)
		value[i] = fabs(value[i] - middle);
	return middle + DEVIATIONS * OF_NORMAL * median(value, n) + FAR;
}

long td_window_strays(struct td_separate_window *window, size_t windows, double width)
{
	double *value = malloc((windows + 1) * sizeof(*value));
	double limit[2];
	size_t kept = 0;

	if (!value)
		return -ENOMEM;
	for (int empty = 0; empty < 2; empty++)
		limit[empty] = width > 0
				       ? find_limit(window, windows, empty, width, value)
				       : INFINITY;
	free(value);
	for (size_t i = 0; i < windows; i++) {
		if (!has_length(&window[i]) || !(width > 0) ||
		    beyond(&window[i], width) <= limit[!!window[i].empty])
			window[kept++] = window[i];
	}
	return (long)kept;
}
