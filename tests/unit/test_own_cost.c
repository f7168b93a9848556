// SPDX-License-Identifier: MIT
#include <string.h>

#include "decoder/estimate.h"
#include "decoder/own_cost.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/unit.h"

#define COUNTERS 4u
#define WINDOWS 500u

static const char *const counters[] = {"slots", "retiring", "backend_bound",
				       "near_returns", NULL};
static const uint64_t cost[COUNTERS] = {192, 58, 77, 2};

static void count(struct td_file_sum *sum, const uint64_t *value)
{
	for (unsigned c = 0; c < COUNTERS; c++) {
		sum[c].sum += value[c];
		sum[c].squares += (double)value[c] * (double)value[c];
		sum[c].cross += (double)value[c] * (double)value[0];
	}
}

static void add_empties(struct build *build, uint32_t ref, uint64_t windows)
{
	struct td_file_thread *thread = build_record(build, ref);

	thread->empties = windows;
	for (unsigned c = 0; c < COUNTERS; c++)
		thread->empty[c] = windows * cost[c];
}

static struct td_own_cost cost_of(const struct build *build)
{
	struct td_profile profile;
	struct td_own_cost own;
	char why[256];

	ck_assert_int_eq(
		build_parse(build, build_size(build), &profile, why, sizeof(why)), 0);
	td_own_cost_of(&profile, &own);
	td_profile_free(&profile);
	return own;
}

START_TEST(mean_of_all_threads)
{
	struct td_file_thread *thread;
	struct td_own_cost own;
	struct build build;

	build_start(&build, counters);
	add_empties(&build, build_thread(&build, 1, "a"), 30);
	add_empties(&build, build_thread(&build, 2, "b"), 10);
	build_thread(&build, 3, "none");
	own = cost_of(&build);
	ck_assert_uint_eq(own.windows, 40);
	for (unsigned c = 0; c < COUNTERS; c++)
		ck_assert_double_eq_tol(own.mean[c], (double)cost[c], 1e-12);
	/* corrected counters may be below zero */
	thread = build_record(&build, TD_REF(2, 0));
	thread->empty[1] = (uint64_t)(-30 * 2);
	own = cost_of(&build);
	ck_assert_double_eq_tol(own.mean[1], (10 * 58. - 60) / 40, 1e-12);
	build_free(&build);
}
END_TEST

/* The sums of windows with a constant in them become those of the windows. */
START_TEST(removing_is_exact)
{
	struct td_file_sum with[COUNTERS] = {{0}}, without[COUNTERS] = {{0}};
	struct td_own_cost own = {.windows = 40};

	for (unsigned c = 0; c < COUNTERS; c++)
		own.mean[c] = (double)cost[c];
	for (uint64_t i = 0; i < WINDOWS; i++) {
		uint64_t value[COUNTERS] = {1000 + 37 * i % 911, 300 + 11 * i % 97,
					    500 + 53 * i % 401, i % 3};

		count(without, value);
		for (unsigned c = 0; c < COUNTERS; c++)
			value[c] += cost[c];
		count(with, value);
	}
	for (unsigned c = 0; c < COUNTERS; c++) {
		struct td_file_sum left =
			td_own_cost_remove(&own, c, &with[c], WINDOWS, with[0].sum);

		ck_assert_uint_eq(left.sum, without[c].sum);
		ck_assert_double_eq_tol(left.squares, without[c].squares, 1e-3);
		ck_assert_double_eq_tol(left.cross, without[c].cross, 1e-3);
	}
}
END_TEST

START_TEST(nothing_measured_nothing_removed)
{
	const struct td_file_sum sum = {1000, 2000, 3000};
	const struct td_own_cost own = {.mean = {100}};
	struct td_file_sum left = td_own_cost_remove(&own, 0, &sum, 5, 1000);

	ck_assert_mem_eq(&left, &sum, sizeof(sum));
}
END_TEST

/* Two functions' remainders of +2 and -2 add up to none, not to 2. */
START_TEST(remainders_stay_unbiased)
{
	const struct td_own_cost own = {.windows = 1, .mean = {192, 10}};
	const struct td_file_sum more = {102, 1042, 0}, less = {98, 962, 0};
	struct td_file_sum a = td_own_cost_remove(&own, 1, &more, 10, 5000);
	struct td_file_sum b = td_own_cost_remove(&own, 1, &less, 10, 5000);

	ck_assert_int_eq((int64_t)b.sum, -2);
	td_sum_add(&a, &b);
	ck_assert_uint_eq(a.sum, 0);
	ck_assert(b.squares >= 0);
}
END_TEST

/*
 * Pairs of windows that are the same twice tell as much as one of each: with the
 * variance of windows that come together the interval is that of the single ones.
 */
START_TEST(alike_windows_count_once)
{
	const struct td_own_cost single = {.windows = 1, .mean = {50, 10}};
	const struct td_own_cost pairs = {.windows = 1, .mean = {50, 10}, .together = 2};
	struct td_file_sum once[2] = {{0}}, twice[2] = {{0}};
	struct td_estimate a, b;
	uint64_t n = 400;

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t d = 1050 + 10 * (i % 7), x = 310 + 20 * (i % 5);
		const struct td_file_sum window[2] = {
			{d, (double)(d * d), (double)(d * d)},
			{x, (double)(x * x), (double)(x * d)}};

		for (int c = 0; c < 2; c++) {
			td_sum_add(&once[c], &window[c]);
			td_sum_add(&twice[c], &window[c]);
			td_sum_add(&twice[c], &window[c]);
		}
	}
	for (unsigned c = 2; c-- > 0;) {
		once[c] = td_own_cost_remove(&single, c, &once[c], n, once[0].sum);
		twice[c] = td_own_cost_remove(&pairs, c, &twice[c], 2 * n, twice[0].sum);
	}
	ck_assert_int_eq(td_estimate_ratio(&once[1], &once[0], n, &a), 1);
	ck_assert_int_eq(td_estimate_ratio(&twice[1], &twice[0], 2 * n, &b), 1);
	ck_assert_double_eq_tol(a.value, b.value, 1e-9);
	/* but for n / (n - 1) and t of so many */
	ck_assert_double_eq_tol((b.high - b.low) / (a.high - a.low), 1, 0.003);
}
END_TEST

int main(void)
{
	return unit_main("own_cost",
			 (const TTest *const[]){mean_of_all_threads, removing_is_exact,
						nothing_measured_nothing_removed,
						remainders_stay_unbiased,
						alike_windows_count_once, NULL});
}
