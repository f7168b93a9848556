/* SPDX-License-Identifier: MIT */
/*
 * Directions in the space of all nodes.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_DIRECTIONS_H
#define TD_DECODER_DIRECTIONS_H

#include "decoder/separate.h"

double td_direction_product(const double *a, const double *b);

/* `to` is a with length 1; returns the length that it had, 0: then `to` is 0. */
double td_direction_of(const double *a, double *to);

/*
 * The direction in which a sum of squares is largest, and that sum.  `products`: sums of
 * products of each pair of nodes, symmetrical; all 0: the direction is 0.
 */
double td_direction_most(const double (*products)[TD_SEPARATE_NODES], double *most);

#endif
