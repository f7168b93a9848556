// SPDX-License-Identifier: MIT
#include "decoder/report_ticks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define EMPTIES_FEWEST 20 /* windows, to know what is ours */
#define ALIKE 0.98        /* part of them that hold as many */

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void find_own(double *count, size_t n, struct td_report_ticks *ticks)
{
	double alike = 0;

	if (n)
		qsort(count, n, sizeof(*count), by_value);
	ticks->own = n ? count[n / 2] : 0;
	for (size_t i = 0; i < n; i++)
		alike += count[i] == ticks->own;
	if (n < EMPTIES_FEWEST || alike < ALIKE * (double)n)
		ticks->counter = -1;
}

int td_report_ticks_find(const struct td_profile *profile, struct td_report_ticks *ticks)
{
	double value[TD_COUNTERS_MAX], *count;
	size_t n = 0;

	ticks->counter = profile->header.backend == TD_BACKEND_METRICS
				 ? td_profile_counter(profile, "instructions")
				 : -1;
	if (ticks->counter < 0)
		return 0;
	count = malloc((profile->windows + 1) * sizeof(*count));
	if (!count)
		return -ENOMEM;
	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (w->state == TD_WINDOW_EMPTY && w->reject == TD_REJECT_MAX &&
		    td_profile_window_unrounded(profile, w, value))
			count[n++] = value[ticks->counter];
	}
	find_own(count, n, ticks);
	free(count);
	return 0;
}

float td_report_ticks_of(const struct td_report_ticks *ticks, const double *value)
{
	return ticks->counter < 0 ? NAN
				  : (float)fmax(0, value[ticks->counter] - ticks->own);
}
