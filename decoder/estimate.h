/* SPDX-License-Identifier: MIT */
/*
 * Values with their 95 % intervals.  doc/estimates.md has the mathematics and
 * where it comes from.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_ESTIMATE_H
#define TD_DECODER_ESTIMATE_H

#include <stdint.h>

#include "decoder/format.h"

/* low <= value <= high; of a fraction from 0 to 1. */
struct td_estimate {
	double value;
	double low;
	double high;
};

/* Adds the sums of further windows. */
void td_sum_add(struct td_file_sum *into, const struct td_file_sum *from);

/*
 * For windows of which so many come together and may be alike: the variance of what
 * td_estimate_ratio() makes of the sum is so many times as large, as if only one of
 * them told something.
 */
void td_estimate_together(struct td_file_sum *sum, uint32_t windows);

/* The sum as a number: corrected counters' may be below zero (two's complement). */
double td_sum_value(const struct td_file_sum *sum);

/* Logarithm of how likely n are of which k are something, if k / n of all are: without
 * the ways to choose them. */
double td_log_likelihood(double k, double n);

/* Adds `by` at both ends, as far as 0 and 1. */
void td_estimate_widen(struct td_estimate *estimate, double by);

/*
 * The ratio of two counters' sums over n windows: x.sum / d.sum, where d is the
 * windows' first counter (its own sums: d.squares and d.cross are of d * d) and
 * x.cross is of x * d.  Returns 1 and fills *estimate, or 0 when there is
 * nothing to divide by (n 0, d.sum not above 0).  A sum below zero is a ratio of
 * 0.  One window gives its value with the
 * interval 0..1.
 */
int td_estimate_ratio(const struct td_file_sum *x, const struct td_file_sum *d,
		      uint64_t n, struct td_estimate *estimate);

/*
 * a - b of two such ratios over the same windows, for example light = retiring
 * - heavy.  The sums do not hold the covariance of a and b, so the half-widths
 * are added: never too narrow, up to twice as wide as necessary.
 */
struct td_estimate td_estimate_difference(struct td_estimate a, struct td_estimate b);

/*
 * The same ratio times `scale`, not bounded by 1: events for each unit of d.
 * d.sum > 0 and n > 0; one window gives an infinite high end.
 */
struct td_estimate td_estimate_rate(const struct td_file_sum *x,
				    const struct td_file_sum *d, uint64_t n,
				    double scale);

/* A share of samples: hits of n, n > 0 (Wilson's score interval). */
struct td_estimate td_estimate_share(uint64_t hits, uint64_t n);

/* The two-sided 95 % quantile of Student's t, df >= 1 degrees of freedom. */
double td_student_t95(uint64_t df);

#endif
