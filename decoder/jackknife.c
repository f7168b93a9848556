// SPDX-License-Identifier: MIT
#include "decoder/jackknife.h"

#include <math.h>

struct sums {
	double mean, squares, fourths;
};

static struct sums add_up(const double change[TD_BATCHES])
{
	struct sums sums = {0, 0, 0};

	for (int b = 0; b < TD_BATCHES; b++) {
		double square = change[b] * change[b];

		sums.mean += change[b] / TD_BATCHES;
		sums.squares += square;
		sums.fourths += square * square;
	}
	return sums;
}

static double variance(const struct sums *sums)
{
	return fmax(0, td_jackknife_covariance(sums->squares, sums->mean, sums->mean));
}

double td_jackknife_variance(const double change[TD_BATCHES])
{
	struct sums sums = add_up(change);

	return variance(&sums);
}

double td_jackknife_freedom(double squares, double fourths)
{
	double df = fourths > 0 ? 3 * squares * squares / fourths - 1 : 1;

	return fmax(1, fmin(TD_BATCHES - 1, df));
}

double td_jackknife_half(const double change[TD_BATCHES])
{
	struct sums sums = add_up(change);
	double df = td_jackknife_freedom(sums.squares, sums.fourths);

	return td_student_t95((unsigned)df) * sqrt(variance(&sums));
}
