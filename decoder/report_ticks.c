// SPDX-License-Identifier: MIT
#include "decoder/report_ticks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "decoder/groups_level1.h"
#include "decoder/order.h"

#define EMPTIES_FEWEST 5 /* windows, to know what is ours */
#define ALIKE 0.98       /* part of them that hold as many */

static void find_own(double *count, size_t n, struct td_report_tick *tick)
{
	double alike = 0;

	if (n)
		qsort(count, n, sizeof(*count), td_by_double);
	tick->own = n ? count[n / 2] : 0;
	for (size_t i = 0; i < n; i++)
		alike += count[i] == tick->own;
	if (n < EMPTIES_FEWEST || alike < ALIKE * (double)n)
		tick->counter = -1;
}

/* Where its windows count them; -1: nowhere. */
static int counter_of(const struct td_profile *profile, const struct td_groups_plan *plan,
		      uint32_t group)
{
	if (profile->header.backend == TD_BACKEND_EVENTS)
		return td_groups_value(plan, group, "inst");
	return profile->header.backend == TD_BACKEND_METRICS && !group
		       ? td_profile_counter(profile, "instructions")
		       : -1;
}

/* `count` has room for all of the profile's windows. */
static void find_group(const struct td_profile *profile, uint32_t group, double *count,
		       struct td_report_tick *tick)
{
	double value[TD_COUNTERS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < profile->windows && tick->counter >= 0; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (w->state == TD_WINDOW_EMPTY && w->reject == TD_REJECT_MAX &&
		    w->group == group && td_profile_window_unrounded(profile, w, value))
			count[n++] = value[tick->counter];
	}
	find_own(count, n, tick);
}

int td_report_ticks_find(const struct td_profile *profile, struct td_report_ticks *ticks)
{
	double *count = malloc((profile->windows + 1) * sizeof(*count));
	struct td_groups_plan plan;

	if (!count)
		return -ENOMEM;
	td_groups_read(&plan, &profile->header);
	ticks->known = 0;
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++) {
		struct td_report_tick *tick = &ticks->group[g];

		tick->counter = counter_of(profile, &plan, g);
		find_group(profile, g, count, tick);
		ticks->known |= tick->counter >= 0;
	}
	free(count);
	return 0;
}

float td_report_ticks_of(const struct td_report_ticks *ticks, uint32_t group,
			 const double *value)
{
	const struct td_report_tick *tick = &ticks->group[group];

	return tick->counter < 0 ? NAN : (float)fmax(0, value[tick->counter] - tick->own);
}
