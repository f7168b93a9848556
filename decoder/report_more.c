// SPDX-License-Identifier: MIT
#include "decoder/report_more.h"

#define FEWEST 100 /* windows of a group */

/* The mean of what exact windows take beyond the length that was asked for. */
struct beyond {
	double n, slots;
};

/* The longer ones: short ones may have ended before the program has begun. */
static double mean_requested(const struct td_profile *profile)
{
	double n = 1, sum = 0;

	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (w->state != TD_WINDOW_EXACT)
			continue;
		n++;
		sum += w->requested;
	}
	return sum / n;
}

static void find_beyond(const struct td_profile *profile,
			struct beyond beyond[TD_GROUPS_MAX])
{
	double least = mean_requested(profile), width = profile->header.slots_a_cycle;

	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (w->state != TD_WINDOW_EXACT || w->requested < least)
			continue;
		beyond[w->group].n++;
		beyond[w->group].slots +=
			(double)(int32_t)w->value[0] - width * w->requested;
	}
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++)
		beyond[g].slots /= beyond[g].n > 0 ? beyond[g].n : 1;
}

/*
 * The length that is asked for of an exact window begins with the program, whatever its
 * group: what else its windows take is their cost, and edges.  Empty windows are few, and
 * hold edges as well.
 */
void td_report_more_find(const struct td_profile *profile, float more[TD_GROUPS_MAX])
{
	struct beyond beyond[TD_GROUPS_MAX] = {{0, 0}};
	struct td_own_cost cost[TD_GROUPS_MAX];

	find_beyond(profile, beyond);
	td_groups_own_cost(profile, cost);
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++) {
		more[g] = 0;
		if (beyond[g].n >= FEWEST && beyond[0].n >= FEWEST)
			more[g] = (float)(beyond[g].slots - beyond[0].slots);
		else if (cost[g].windows && cost[0].windows)
			more[g] = (float)(cost[g].mean[0] - cost[0].mean[0]);
	}
}
