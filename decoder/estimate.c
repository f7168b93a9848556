// SPDX-License-Identifier: MIT
#include "decoder/estimate.h"

#include <math.h>

#define Z95 1.959963984540054

/* For fewer than 6 the expansion below is off by more than 0.1 %. */
static const double few[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706};

void td_sum_add(struct td_file_sum *into, const struct td_file_sum *from)
{
	into->sum += from->sum;
	into->squares += from->squares;
	into->cross += from->cross;
}

double td_student_t95(uint64_t df)
{
	const double z = Z95, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
	double n = (double)df;

	if (df < 1)
		return INFINITY;
	if (df <= sizeof(few) / sizeof(few[0]))
		return few[df - 1];
	/* Abramowitz and Stegun 26.7.5 */
	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

static double clamp(double value)
{
	return value < 0 ? 0 : value > 1 ? 1 : value;
}

void td_estimate_together(struct td_file_sum *sum, uint32_t windows)
{
	sum->squares *= windows;
	sum->cross *= windows;
}

double td_sum_value(const struct td_file_sum *sum)
{
	return (double)(int64_t)sum->sum;
}

double td_log_likelihood(double k, double n)
{
	return (k > 0 ? k * log(k / n) : 0) + (k < n ? (n - k) * log((n - k) / n) : 0);
}

void td_estimate_widen(struct td_estimate *estimate, double by)
{
	estimate->low = clamp(estimate->low - by);
	estimate->high = clamp(estimate->high + by);
}

static struct td_estimate around(double value, double half)
{
	return (struct td_estimate){clamp(value), clamp(value - half),
				    clamp(value + half)};
}

/*
 * The variance of n equal windows is 0, but n windows without a single event do
 * not prove that there are none: the truth may be as large as what stays
 * invisible in 5 % of such runs, p with (1 - p)^n = 0.05.
 */
static double unseen(uint64_t n)
{
	return 1 - pow(0.05, 1 / (double)n);
}

/* Half the 95 % interval of x / d over n > 1 windows; infinite where unknown. */
static double half_width(const struct td_file_sum *x, const struct td_file_sum *d,
			 double n)
{
	double total = td_sum_value(d), ratio = td_sum_value(x) / total;
	/*
	 * The sum of (x - ratio * d)^2.  Rounding may leave it below zero; sums
	 * near the end of what a double holds make it NaN, and nothing is known.
	 */
	double residual = x->squares - 2 * ratio * x->cross + ratio * ratio * d->squares;

	if (isnan(residual))
		return INFINITY;
	if (residual < 0)
		residual = 0;
	return td_student_t95((uint64_t)n - 1) * sqrt(n / (n - 1) * residual) / total;
}

int td_estimate_ratio(const struct td_file_sum *x, const struct td_file_sum *d,
		      uint64_t n, struct td_estimate *estimate)
{
	double ratio;

	if (n == 0 || td_sum_value(d) <= 0)
		return 0;
	ratio = td_sum_value(x) / td_sum_value(d);
	if (n == 1) {
		*estimate = (struct td_estimate){clamp(ratio), 0, 1};
		return 1;
	}
	*estimate = around(ratio, half_width(x, d, (double)n));
	if (ratio <= 0)
		estimate->high = fmax(estimate->high, unseen(n));
	else if (ratio >= 1)
		estimate->low = fmin(estimate->low, 1 - unseen(n));
	return 1;
}

struct td_estimate td_estimate_rate(const struct td_file_sum *x,
				    const struct td_file_sum *d, uint64_t n, double scale)
{
	double ratio = fmax(0, td_sum_value(x) / td_sum_value(d));
	double half = n > 1 ? half_width(x, d, (double)n) : INFINITY;

	/* no event: the 95 % bound of a Poisson count of zero is 3 */
	if (ratio <= 0 && n > 1)
		half = 3 / td_sum_value(d);
	return (struct td_estimate){
		ratio * scale,
		fmax(0, ratio - half) * scale,
		(ratio + half) * scale,
	};
}

struct td_estimate td_estimate_difference(struct td_estimate a, struct td_estimate b)
{
	double value = clamp(a.value - b.value);

	/* each side by itself: the two intervals need not be symmetric */
	return (struct td_estimate){
		value,
		clamp(value - (a.value - a.low) - (b.high - b.value)),
		clamp(value + (a.high - a.value) + (b.value - b.low)),
	};
}

struct td_estimate td_estimate_share(uint64_t hits, uint64_t n)
{
	const double z2 = Z95 * Z95;
	double count = (double)n, p = (double)hits / count;
	double middle = (p + z2 / (2 * count)) / (1 + z2 / count);
	double half = Z95 / (1 + z2 / count) *
		      sqrt(p * (1 - p) / count + z2 / (4 * count * count));
	struct td_estimate share = around(middle, half);

	share.value = clamp(p);
	/* exact at the ends, where rounding would put the bound beside the value */
	if (hits == 0)
		share.low = 0;
	if (hits >= n)
		share.high = 1;
	return share;
}
