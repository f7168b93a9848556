// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdint.h>

#include "decoder/student.h"
#include "tests/unit/uniform.h"
#include "tests/unit/unit.h"

static void is_near(double found, double expected, double relative)
{
	ck_assert_msg(fabs(found - expected) <= relative * fabs(expected),
		      "%.12g is not %.12g", found, expected);
}

/* Known in closed form: 1 degree of freedom is Cauchy's, 2 and 4 are algebraic. */
START_TEST(tails)
{
	static const double t[] = {0.01, 0.5, 1, 3, 10, 100, 1e4};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		double x = t[i], two = x / sqrt(2 + x * x);

		is_near(td_student_tail(x, 1), 2 / M_PI * atan2(1, x), 1e-10);
		is_near(td_student_tail(-x, 1), td_student_tail(x, 1), 1e-15);
		if (x < 100)
			is_near(td_student_tail(x, 2), 1 - two, 1e-9);
	}
	/* tables: t of the two-sided tails */
	is_near(td_student_tail(2.228138852, 10), 0.05, 1e-8);
	is_near(td_student_tail(4.586893859, 10), 0.001, 1e-8);
	is_near(td_student_tail(1.983971519, 100), 0.05, 1e-8);
	is_near(td_student_tail(1.959963985, INFINITY), 0.05, 1e-8);
	is_near(td_student_tail(6, INFINITY), 1.973175290075e-9, 1e-9);
	/* large degrees of freedom go over into the normal ones */
	is_near(td_student_tail(4, 9.9e6), td_student_tail(4, 1.1e7), 1e-5);
	ck_assert(td_student_tail(0, 7) == 1);
	ck_assert(td_student_tail(INFINITY, 7) == 0);
	ck_assert(td_student_tail(INFINITY, INFINITY) == 0);
	ck_assert(td_student_tail(NAN, 7) == 1);
	ck_assert(td_student_tail(3, 0) == 1);
}
END_TEST

START_TEST(quantiles)
{
	is_near(td_student_tail(td_student_quantile(1), 1), 0.05, 1e-4);
	is_near(td_student_tail(td_student_quantile(30), 30), 0.05, 1e-4);
	is_near(td_student_quantile(INFINITY), 1.959963985, 1e-6);
	/* between two whole ones: the wider */
	ck_assert(td_student_quantile(4.9) == td_student_quantile(4));
	ck_assert(td_student_quantile(0.3) == td_student_quantile(1));
}
END_TEST

/* The mean of `df` squared normal variables, df even. */
static double chi_square(unsigned df)
{
	double sum = 0;

	for (unsigned i = 0; i < df; i += 2)
		sum -= 2 * log(1 - uniform());
	return sum / df;
}

#define MANY 4000

/* Variances of 0.7, and such around them as a prior of 6 degrees of freedom has. */
START_TEST(moderation_finds_what_is_common)
{
	static double variance[MANY], df[MANY];
	struct td_moderation common;
	double own = 4;

	for (size_t i = 0; i < MANY; i++) {
		df[i] = 4;
		variance[i] = 0.7 * chi_square(4);
	}
	common = td_moderate(variance, df, MANY);
	is_near(common.variance, 0.7, 0.05);
	ck_assert(common.df > 100);
	ck_assert(fabs(td_moderated(&common, 5, &own) - 0.7) < 0.25);
	for (size_t i = 0; i < MANY; i++)
		variance[i] = 0.7 / chi_square(6) * chi_square(4);
	common = td_moderate(variance, df, MANY);
	is_near(common.variance, 0.7, 0.1);
	is_near(common.df, 6, 0.2);
	own = 4;
	is_near(td_moderated(&common, 7, &own),
		(common.df * common.variance + 4 * 7) / (common.df + 4), 1e-12);
	is_near(own, common.df + 4, 1e-12);
}
END_TEST

START_TEST(few_variances_have_nothing_in_common)
{
	static const double variance[] = {1, 2}, df[] = {3, 3};
	struct td_moderation common = td_moderate(variance, df, 2);
	double own = 3;

	ck_assert(common.df == 0);
	ck_assert(td_moderated(&common, 5, &own) == 5);
	ck_assert(own == 3);
}
END_TEST

START_TEST(holm)
{
	static const double p[] = {0.01, 0.04, 0.03, 0.005, 0.5};
	static const double expected[] = {0.04, 0.09, 0.09, 0.025, 0.5};
	double adjusted[5];
	size_t order[5];

	td_holm(p, adjusted, 5, order);
	for (size_t i = 0; i < 5; i++)
		is_near(adjusted[i], expected[i], 1e-12);
	ck_assert_uint_eq(order[0], 3);
	td_holm((const double[]){0.7, 0.6}, adjusted, 2, order);
	ck_assert(adjusted[0] == 1 && adjusted[1] == 1);
	td_holm(p, adjusted, 0, order);
}
END_TEST

int main(void)
{
	return unit_main(
		"student",
		(const TTest *const[]){tails, quantiles, moderation_finds_what_is_common,
				       few_variances_have_nothing_in_common, holm, NULL});
}
