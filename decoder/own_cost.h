/* SPDX-License-Identifier: MIT */
/*
 * What measuring itself adds to a window: the instructions of the agent between
 * the reset and the reading.  The agent opens one window in so many that holds
 * nothing else (an empty window); their mean is taken out of all others.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_OWN_COST_H
#define TD_DECODER_OWN_COST_H

#include "decoder/profile.h"

struct td_own_cost {
	uint64_t windows; /* empty windows measured; 0: nothing is taken out */
	double mean[TD_COUNTERS_MAX]; /* of each counter, a window */
	/* standard deviation of mean[], as td_groups_own_cost() tells; else 0 */
	double unsure[TD_COUNTERS_MAX];
	uint32_t together; /* windows that may be alike (profile.h); 0 as 1 */
};

/* From all threads of the profile. */
void td_own_cost_of(const struct td_profile *profile, struct td_own_cost *cost);

/*
 * The sums of n windows for counter c without the cost: each window's x becomes
 * x - mean[c], its first counter d becomes d - mean[0].  What is left of a rare
 * counter may be below zero (two's complement): sums of sums stay unbiased.  Windows
 * that come together count as one for the variance (td_estimate_together()).
 */
struct td_file_sum td_own_cost_remove(const struct td_own_cost *cost, unsigned c,
				      const struct td_file_sum *sum, uint64_t n,
				      uint64_t first_sum);

#endif
