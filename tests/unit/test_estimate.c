// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/estimate.h"
#include "tests/unit/uniform.h"
#include "tests/unit/unit.h"

static void add(struct td_file_sum *x, struct td_file_sum *d, uint64_t a, uint64_t b)
{
	x->sum += a;
	x->squares += (double)a * (double)a;
	x->cross += (double)a * (double)b;
	d->sum += b;
	d->squares += (double)b * (double)b;
	d->cross += (double)b * (double)b;
}

/* Windows of random length, each with its own fraction around `truth`. */
static struct td_estimate simulate(double truth, unsigned n)
{
	struct td_file_sum x = {0}, d = {0};
	struct td_estimate estimate;

	for (unsigned i = 0; i < n; i++) {
		double slots = 1000 + 4000 * uniform();
		double part = truth + 0.4 * (uniform() - 0.5);

		add(&x, &d, (uint64_t)(slots * part), (uint64_t)slots);
	}
	ck_assert_int_eq(td_estimate_ratio(&x, &d, n, &estimate), 1);
	return estimate;
}

static double coverage(double truth, unsigned n, unsigned runs)
{
	unsigned inside = 0;

	for (unsigned i = 0; i < runs; i++) {
		struct td_estimate e = simulate(truth, n);

		inside += e.low <= truth && truth <= e.high;
	}
	return (double)inside / runs;
}

START_TEST(intervals_contain_the_truth)
{
	double thirty = coverage(0.4, 30, 10000), five = coverage(0.4, 5, 10000);

	ck_assert_msg(thirty > 0.93 && thirty < 0.97, "n=30: %.3f", thirty);
	ck_assert_msg(five > 0.90 && five < 0.98, "n=5: %.3f", five);
}
END_TEST

START_TEST(one_window_knows_nothing)
{
	struct td_file_sum x = {0}, d = {0};
	struct td_estimate e;

	ck_assert_int_eq(td_estimate_ratio(&x, &d, 0, &e), 0);
	add(&x, &d, 300, 1000);
	ck_assert_int_eq(td_estimate_ratio(&x, &d, 0, &e), 0);
	ck_assert_int_eq(td_estimate_ratio(&x, &d, 1, &e), 1);
	ck_assert_double_eq_tol(e.value, 0.3, 1e-12);
	ck_assert(e.low == 0 && e.high == 1);
}
END_TEST

/* By hand: x/d = 1/4, 2/4, 3/4; R = 1/2, residuals -1, 0, 1; var = 3/2 * 2 / 144. */
START_TEST(ratio_by_hand)
{
	struct td_file_sum x = {0}, d = {0};
	struct td_estimate e;

	for (uint64_t i = 1; i <= 3; i++)
		add(&x, &d, i, 4);
	ck_assert_int_eq(td_estimate_ratio(&x, &d, 3, &e), 1);
	ck_assert_double_eq_tol(e.value, 0.5, 1e-12);
	/* 4.3027 * sqrt(3 / 144) = 0.621 */
	ck_assert(e.low == 0 && e.high == 1);
	for (int i = 0; i < 97; i++)
		add(&x, &d, 2, 4);
	ck_assert_int_eq(td_estimate_ratio(&x, &d, 100, &e), 1);
	/* t(99) = 1.98422; sqrt(100/99 * 2) / 400 */
	ck_assert_double_eq_tol(e.high - e.value, 1.98422 * sqrt(200. / 99) / 400, 1e-6);
	ck_assert_double_eq_tol(e.value - e.low, e.high - e.value, 1e-12);
}
END_TEST

START_TEST(nothing_seen_is_not_nothing)
{
	struct td_file_sum x = {0}, d = {0};
	struct td_estimate e;

	for (int i = 0; i < 10; i++)
		add(&x, &d, 0, 1000);
	ck_assert_int_eq(td_estimate_ratio(&x, &d, 10, &e), 1);
	ck_assert(e.value == 0 && e.low == 0);
	ck_assert_double_eq_tol(pow(1 - e.high, 10), 0.05, 1e-9);
	ck_assert_int_eq(td_estimate_ratio(&d, &d, 10, &e), 1);
	ck_assert(e.value == 1 && e.high == 1);
	ck_assert_double_eq_tol(pow(e.low, 10), 0.05, 1e-9);
}
END_TEST

START_TEST(sums_out_of_range)
{
	struct td_file_sum x = {10, 1e308, 1e308}, d = {1, 1e308, 1e308};
	struct td_estimate e;

	ck_assert_int_eq(td_estimate_ratio(&x, &d, 3, &e), 1);
	ck_assert(e.low >= 0 && e.low <= e.value && e.value <= e.high && e.high <= 1);
	x.sum = INT64_MAX;
	ck_assert_int_eq(td_estimate_ratio(&x, &d, 3, &e), 1);
	ck_assert(e.low == 0 && e.value == 1 && e.high == 1);
	d.sum = (uint64_t)-1;
	ck_assert_int_eq(td_estimate_ratio(&x, &d, 3, &e), 0);
}
END_TEST

/* Corrections took more than there was: nothing, not 1.8e19 of it. */
START_TEST(sums_below_zero)
{
	struct td_file_sum x = {(uint64_t)-40, 1000, -4000}, d = {4000, 4e6, 4e6};
	struct td_estimate e;

	ck_assert_int_eq(td_estimate_ratio(&x, &d, 4, &e), 1);
	ck_assert(e.low == 0 && e.value == 0);
	ck_assert_double_eq_tol(pow(1 - e.high, 4), 0.05, 1e-9);
	e = td_estimate_rate(&x, &d, 4, 1);
	ck_assert(e.low == 0 && e.value == 0);
	ck_assert_double_eq_tol(e.high, 3. / 4000, 1e-12);
}
END_TEST

START_TEST(widening_ends_at_the_ends)
{
	struct td_estimate e = {0.5, 0.4, 0.6};

	td_estimate_widen(&e, 0.25);
	ck_assert_double_eq_tol(e.low, 0.15, 1e-12);
	ck_assert_double_eq_tol(e.high, 0.85, 1e-12);
	td_estimate_widen(&e, 0.25);
	ck_assert(e.low == 0 && e.value == 0.5 && e.high == 1);
}
END_TEST

START_TEST(student)
{
	static const struct {
		uint64_t df;
		double t;
	} table[] = {{1, 12.7062}, {2, 4.3027},  {5, 2.5706},   {6, 2.4469},
		     {10, 2.2281}, {29, 2.0452}, {100, 1.9840}, {1000000, 1.9600}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		ck_assert_double_eq_tol(td_student_t95(table[i].df) / table[i].t, 1,
					1e-3);
}
END_TEST

START_TEST(differences_add_their_widths)
{
	struct td_estimate a = {0.5, 0.4, 0.7}, b = {0.2, 0.15, 0.3};
	struct td_estimate d = td_estimate_difference(a, b);

	ck_assert_double_eq_tol(d.value, 0.3, 1e-12);
	ck_assert_double_eq_tol(d.low, 0.1, 1e-12);
	ck_assert_double_eq_tol(d.high, 0.55, 1e-12);
	d = td_estimate_difference(b, a);
	ck_assert(d.value == 0 && d.low == 0 && d.high > 0);
}
END_TEST

/* Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662 */
START_TEST(wilson)
{
	struct td_estimate s = td_estimate_share(81, 263);

	ck_assert_double_eq_tol(s.low, 0.2553, 1e-4);
	ck_assert_double_eq_tol(s.high, 0.3662, 1e-4);
	s = td_estimate_share(0, 20);
	ck_assert(s.low == 0 && s.value == 0);
	ck_assert_double_eq_tol(s.high, 0.1611, 1e-4);
	s = td_estimate_share(20, 20);
	ck_assert(s.high == 1 && s.value == 1 && s.low < 0.85);
}
END_TEST

START_TEST(rates)
{
	struct td_file_sum x = {0}, d = {0};
	struct td_estimate e;

	for (int i = 0; i < 50; i++)
		add(&x, &d, 0, 10000);
	e = td_estimate_rate(&x, &d, 50, 1e9);
	ck_assert(e.value == 0 && e.low == 0);
	ck_assert_double_eq_tol(e.high, 3 / 500e-6, 1e-6);
	add(&x, &d, 5, 10000);
	e = td_estimate_rate(&x, &d, 51, 1e9);
	ck_assert_double_eq_tol(e.value, 5 / 510e-6, 1e-6);
	ck_assert(e.low == 0 && e.high > e.value);
	e = td_estimate_rate(&x, &d, 1, 1e9);
	ck_assert(isinf(e.high));
}
END_TEST

int main(void)
{
	return unit_main("estimate",
			 (const TTest *const[]){
				 intervals_contain_the_truth, one_window_knows_nothing,
				 ratio_by_hand, nothing_seen_is_not_nothing,
				 sums_out_of_range, sums_below_zero,
				 widening_ends_at_the_ends, student,
				 differences_add_their_widths, wilson, rates, NULL});
}
