// SPDX-License-Identifier: MIT
#include "decoder/own_cost.h"

#include <math.h>
#include <string.h>

#include "decoder/estimate.h"

void td_own_cost_of(const struct td_profile *profile, struct td_own_cost *cost)
{
	memset(cost, 0, sizeof(*cost));
	cost->together = td_profile_together(profile);
	for (size_t i = 0; i < profile->threads; i++) {
		const struct td_file_thread *thread = profile->thread[i];

		cost->windows += thread->empties;
		for (unsigned c = 0; c < profile->header.counters; c++)
			cost->mean[c] += (double)(int64_t)thread->empty[c];
	}
	for (unsigned c = 0; c < profile->header.counters && cost->windows; c++)
		cost->mean[c] /= (double)cost->windows;
}

/* Expanding the sums of (x - a) * (x - a) and (x - a) * (d - b). */
struct td_file_sum td_own_cost_remove(const struct td_own_cost *cost, unsigned c,
				      const struct td_file_sum *sum, uint64_t n,
				      uint64_t first_sum)
{
	double a = cost->mean[c], b = cost->mean[0], x = (double)(int64_t)sum->sum;
	double windows = (double)n, d = (double)(int64_t)first_sum;
	struct td_file_sum result = *sum;

	if (cost->windows) {
		result.sum = (uint64_t)llround(x - windows * a);
		result.squares = sum->squares - 2 * a * x + windows * a * a;
		result.cross = sum->cross - a * d - b * x + windows * a * b;
		if (result.squares < 0)
			result.squares = 0;
	}
	if (cost->together > 1)
		td_estimate_together(&result, cost->together);
	return result;
}
