// SPDX-License-Identifier: MIT
#include "decoder/student.h"

#include <math.h>
#include <stdlib.h>

#include "decoder/estimate.h"
#include "decoder/gauss.h"

#define NORMAL_FROM 1e7 /* degrees of freedom */
#define FRACTION_STEPS 2000
#define TINY 1e-300

/* Keeps a continued fraction's steps from dividing by 0. */
static double nonzero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/*
 * The continued fraction of the incomplete beta function, evaluated from the
 * front (Lentz).  Its even and odd coefficients are those of DLMF 8.17.22.
 */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < FRACTION_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
		       step;

		d = 1 / nonzero(1 + even * d);
		c = nonzero(1 + even / c);
		h *= c * d;
		d = 1 / nonzero(1 + odd * d);
		c = nonzero(1 + odd / c);
		step = c * d;
		h *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return h;
}

/* The regularized incomplete beta function, 0 <= x <= 1. */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	/* the side on which the fraction converges fast */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double td_student_tail(double t, double df)
{
	if (isnan(t) || isnan(df) || df <= 0)
		return 1;
	if (df > NORMAL_FROM)
		return 2 * td_gauss_below(-fabs(t));
	return beta(df / 2, 0.5, df / (df + t * t));
}

double td_student_quantile(double df)
{
	if (df > NORMAL_FROM)
		df = NORMAL_FROM;
	/* rounded down: never too narrow */
	return td_student_t95(df < 1 ? 1 : (uint64_t)df);
}

/* The derivative of log gamma; x > 0.  DLMF 5.5.2 and 5.11.2. */
static double digamma(double x)
{
	double sum = 0, y;

	for (; x < 8; x++)
		sum -= 1 / x;
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x - y * (1. / 12 - y * (1. / 120 - y / 252));
}

/* Its derivative. */
static double trigamma(double x)
{
	double sum = 0, y;

	for (; x < 8; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * (1. / 6 - y * (1. / 30 - y / 42));
}

/* The x with trigamma(x) = value > 0: it falls for all x. */
static double trigamma_inverse(double value)
{
	double low = 1e-4, high = 1e6;

	for (int i = 0; i < 100; i++) {
		double middle = sqrt(low * high);

		if (trigamma(middle) > value)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct td_moderation td_moderate(const double *variance, const double *df, size_t n)
{
	struct td_moderation common = {0};
	double mean = 0, square = 0, known = 0, spread;

	if (n < 3)
		return common;
	for (size_t i = 0; i < n; i++) {
		double e = log(fmax(variance[i], TINY)) - digamma(df[i] / 2) +
			   log(df[i] / 2);
		double before = mean;

		mean += (e - before) / (double)(i + 1);
		square += (e - before) * (e - mean);
		known += trigamma(df[i] / 2);
	}
	/* what the logarithms differ by more than their own uncertainty */
	spread = square / (double)(n - 1) - known / (double)n;
	if (spread <= 0)
		return (struct td_moderation){exp(mean), INFINITY};
	common.df = 2 * trigamma_inverse(spread);
	common.variance = exp(mean + digamma(common.df / 2) - log(common.df / 2));
	return common;
}

double td_moderated(const struct td_moderation *common, double variance, double *df)
{
	double own = *df;

	if (common->df <= 0)
		return variance;
	*df += common->df;
	if (isinf(common->df))
		return common->variance;
	return (common->df * common->variance + own * variance) / *df;
}

static int by_p(const void *a, const void *b, void *context)
{
	const double *p = context;
	double x = p[*(const size_t *)a], y = p[*(const size_t *)b];

	return (x > y) - (x < y);
}

void td_holm(const double *p, double *adjusted, size_t n, size_t *order)
{
	double least = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_p, (void *)p);
	for (size_t i = 0; i < n; i++) {
		/* monotone: no hypothesis falls after a stronger one has stood */
		least = fmax(least, fmin(1, (double)(n - i) * p[order[i]]));
		adjusted[order[i]] = least;
	}
}
