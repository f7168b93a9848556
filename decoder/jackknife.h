/* SPDX-License-Identifier: MIT */
/*
 * The delete-a-group jackknife over TD_BATCHES batches: how sure a value is, by how it
 * changes without each of them (P. S. Kott, The delete-a-group jackknife, Journal of
 * Official Statistics 17, 2001).
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_JACKKNIFE_H
#define TD_DECODER_JACKKNIFE_H

#include "decoder/separate.h"

/* Of two values whose changes have the means a and b, from the sum of the products. */
static inline double td_jackknife_covariance(double products, double a, double b)
{
	return (TD_BATCHES - 1.) / TD_BATCHES * (products - TD_BATCHES * a * b);
}

/* Of a value, not below 0. */
double td_jackknife_variance(const double change[TD_BATCHES]);

/* Degrees of freedom of that, by how unequally batches matter (3 rather than 1 for the
 * fourth power of normal changes): 1 to TD_BATCHES - 1. */
double td_jackknife_freedom(double squares, double fourths);

/* Half of a 95 % interval. */
double td_jackknife_half(const double change[TD_BATCHES]);

#endif
