/* SPDX-License-Identifier: MIT */
/*
 * Positive definite systems of linear equations, dense.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_CHOLESKY_H
#define TD_DECODER_CHOLESKY_H

#include <stddef.h>

/*
 * a[n][n], row by row: the lower triangle becomes L with L * L' = a; what is above the
 * diagonal stays.  A pivot below least[i] > 0 (what is new in unknown i against those
 * before it) is raised to it; raised[i] says by how much, so that L * L' = a + raised.
 */
void td_cholesky(double *a, size_t n, const double *least, double *raised);

/* Solves in place for `sides` right-hand sides: x[n][sides]. */
void td_cholesky_solve(const double *l, size_t n, double *x, size_t sides);

/* diagonal[n] of the inverse of L * L'.  Time as for td_cholesky(). 0 or -ENOMEM. */
int td_cholesky_inverse_diagonal(const double *l, size_t n, double *diagonal);

#endif
