/* SPDX-License-Identifier: MIT */
/*
 * Tests of differences: tail probabilities, variances that many quantities
 * share, and the correction for testing many of them at once.
 * doc/estimates.md, "Comparison", has the mathematics and where it comes from.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_STUDENT_H
#define TD_DECODER_STUDENT_H

#include <stddef.h>

/*
 * The probability that a Student variable with df > 0 degrees of freedom
 * (INFINITY: a normal one) is at least as far from 0 as t.  0..1; t may be
 * infinite; NaN gives 1.
 */
double td_student_tail(double t, double df);

/* The 95 % quantile, two-sided, of real df > 0; INFINITY: the normal one. */
double td_student_quantile(double df);

/* What variances of one kind have in common. */
struct td_moderation {
	double variance; /* 0: nothing is known */
	double df;       /* how many degrees of freedom that is worth; may be INFINITY */
};

/*
 * From n estimated variances, each with df[i] > 0 degrees of freedom: the scaled
 * inverse chi-square distribution that they come from (Smyth 2004).  Fewer than
 * 3 tell nothing: df is 0.
 */
struct td_moderation td_moderate(const double *variance, const double *df, size_t n);

/*
 * The variance as all together see it: its own and the common one, weighted by
 * their degrees of freedom, which add up in *df.
 */
double td_moderated(const struct td_moderation *common, double variance, double *df);

/*
 * Holm's step-down correction: adjusted[i] >= p[i], and the probability that any
 * true null hypothesis has adjusted[i] <= a is at most a, whatever the
 * dependence.  order[] is room for n indexes.
 */
void td_holm(const double *p, double *adjusted, size_t n, size_t *order);

#endif
