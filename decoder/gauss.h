/* SPDX-License-Identifier: MIT */
/*
 * The standard normal distribution: its density at x, and how much of it is below x.
 *
 * Context: any.
 */
#ifndef TD_DECODER_GAUSS_H
#define TD_DECODER_GAUSS_H

#include <math.h>

static inline double td_gauss_density(double x)
{
	return exp(-x * x / 2) / sqrt(2 * M_PI);
}

static inline double td_gauss_below(double x)
{
	return erfc(-x / M_SQRT2) / 2;
}

#endif
