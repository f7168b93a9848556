// SPDX-License-Identifier: MIT
/* How sure batches make a value. */
#include <math.h>

#include "decoder/jackknife.h"
#include "decoder/student.h"
#include "tests/unit/unit.h"

static double change[TD_BATCHES];

static void setup(void)
{
	for (int b = 0; b < TD_BATCHES; b++)
		change[b] = 0;
}

/* A mean of batches, without one of them: the variance of a mean. */
START_TEST(of_a_mean)
{
	double sum = 0, squares = 0, mean;

	for (int b = 0; b < TD_BATCHES; b++) {
		double value = sin(b * b);

		sum += value;
		squares += value * value;
		change[b] = value;
	}
	mean = sum / TD_BATCHES;
	for (int b = 0; b < TD_BATCHES; b++)
		change[b] = (mean - change[b]) / (TD_BATCHES - 1);
	ck_assert_double_eq_tol(td_jackknife_variance(change),
				(squares / TD_BATCHES - mean * mean) / (TD_BATCHES - 1),
				1e-12);
}
END_TEST

/* What moves alike without each batch is a bias, and no chance. */
START_TEST(of_a_bias)
{
	for (int b = 0; b < TD_BATCHES; b++)
		change[b] = 0.25;
	ck_assert_double_eq_tol(td_jackknife_variance(change), 0, 1e-12);
}
END_TEST

/* Of all that counts one batch knows, little is known of how much that may be. */
START_TEST(of_one_batch)
{
	double many, one;

	for (int b = 0; b < TD_BATCHES; b++)
		change[b] = b % 2 ? 0.01 : -0.01;
	many = td_jackknife_half(change);
	ck_assert_double_eq_tol(
		many, 0.01 * sqrt(TD_BATCHES - 1) * td_student_t95(TD_BATCHES - 1), 1e-9);
	setup();
	change[3] = 0.01 * sqrt(TD_BATCHES);
	one = td_jackknife_half(change);
	ck_assert_double_gt(one, 2 * many);
	ck_assert_double_eq(td_jackknife_freedom(1, 1), 2);
	ck_assert_double_eq(td_jackknife_freedom(0, 0), 1);
	ck_assert_double_eq(td_jackknife_freedom(TD_BATCHES, TD_BATCHES), TD_BATCHES - 1);
}
END_TEST

int main(void)
{
	return unit_main_between(
		"jackknife",
		(const TTest *const[]){of_a_mean, of_a_bias, of_one_batch, NULL}, setup,
		NULL);
}
