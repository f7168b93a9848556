// SPDX-License-Identifier: MIT
/* What instructions of all windows say of a function that is in one of two states. */
#include "decoder/separate_states.h"

#include <math.h>

#include "decoder/jackknife.h"
#include "tests/unit/unit.h"

#define TRUE_COMMON 0.25 /* as often in one state as in the other */
#define TRUE_COUNT 0.20

static struct td_separate_trace part, common;

static void add(double cycles, double count_rate, double common_rate)
{
	struct td_separate_own *own = &part.own;
	double count = cycles * count_rate, both = cycles * common_rate;

	own->n++;
	own->cycles += cycles;
	own->count += count;
	own->common += both;
	own->with_cycles[0] += cycles * cycles;
	own->with_cycles[1] += cycles * count;
	own->with_cycles[2] += cycles * both;
	own->count_count += count * count;
	own->count_common += count * both;
	own->common_common += both * both;
}

/* Own windows, three of four of them in the second state; and rows that are farther from
 * the truth than they say when `off` is more than 0.02. */
static void set_up(unsigned windows, double off)
{
	part = (struct td_separate_trace){
		.value = TRUE_COUNT + off, .variance = 0.02 * 0.02, .df = 31};
	common = (struct td_separate_trace){
		.value = TRUE_COMMON, .variance = 0.001 * 0.001, .df = 31};
	for (unsigned i = 0; i < windows; i++)
		add(20 + 7 * (i % 9), i % 4 ? 0.1 : 0.3, i % 4 ? 0.2 : 0.3);
	part.own.read = 0.01;
}

static double half(void)
{
	return 2 * sqrt(part.variance);
}

/* Neither what rows say nor the mean of own windows, but the line's point, by standard
 * deviations. */
START_TEST(finds_the_mean)
{
	set_up(60, 0.02);
	td_states_join(&common, &part);
	ck_assert_double_eq_tol(part.value, TRUE_COUNT, 0.003);
	ck_assert_double_gt(part.value, TRUE_COUNT + 0.001);
	ck_assert_double_lt(half(), 0.02);
	ck_assert_double_gt(half(), 2 * 2 * 0.001);
}
END_TEST

/* What is not known of instructions is not known of the part, by the line's slope. */
START_TEST(is_no_surer_than_instructions)
{
	set_up(60, 0);
	common.variance = 0.02 * 0.02;
	td_states_join(&common, &part);
	ck_assert_double_gt(half(), 0.03);
	ck_assert_double_eq_tol(part.value, TRUE_COUNT, 0.002);
}
END_TEST

/* Batches move the part by 0.02, and instructions, where they say the same, by half of
 * that. */
static void set_batches(int same)
{
	set_up(60, 0);
	for (int i = 0; i < TD_BATCHES; i++) {
		common.change[i] = (i % 2 ? 1 : -1) * 0.01 / sqrt(TD_BATCHES);
		part.change[i] = same ? 2 * common.change[i] : 0;
	}
	common.variance = 0.01 * 0.01;
}

/* The same windows make both wrong in the same way: then two are as sure as one. */
START_TEST(knows_what_goes_together)
{
	set_batches(1);
	td_states_join(&common, &part);
	ck_assert_double_gt(half(), 0.035);
	set_batches(0);
	td_states_join(&common, &part);
	ck_assert_double_lt(half(), 0.032);
}
END_TEST

/* What batches move of both they move of what is made of them: of the line by its slope.
 */
START_TEST(moves_as_both_do)
{
	set_batches(1);
	td_states_join(&common, &part);
	ck_assert_double_eq_tol(sqrt(td_jackknife_variance(part.change)), 0.02, 0.001);
	set_batches(0);
	td_states_join(&common, &part);
	ck_assert_double_eq_tol(sqrt(td_jackknife_variance(part.change)), 0.01, 0.001);
}
END_TEST

/* The two are apart: one of them is wrong by more than it says. */
START_TEST(counts_what_they_are_apart)
{
	double agreed;

	set_up(60, 0);
	part.variance = common.variance * 4;
	td_states_join(&common, &part);
	agreed = half();
	set_up(60, 0.1);
	part.variance = common.variance * 4;
	td_states_join(&common, &part);
	ck_assert_double_gt(half(), 10 * agreed);
}
END_TEST

/* Few may all have met one state; that is so of none as well. */
START_TEST(leaves_few_windows)
{
	set_up(4, 0.02);
	td_states_join(&common, &part);
	ck_assert_double_eq(part.value, TRUE_COUNT + 0.02);
	set_up(0, 0.02);
	for (int i = 0; i < 9; i++)
		add(20 + i, 0.1, 0.2);
	td_states_join(&common, &part);
	ck_assert_double_eq(part.value, TRUE_COUNT + 0.02);
	add(40, 0.1, 0.2);
	td_states_join(&common, &part);
	ck_assert_double_eq_tol(part.value, 0.1, 0.02);
}
END_TEST

int main(void)
{
	return unit_main("separate_states",
			 (const TTest *const[]){
				 finds_the_mean, is_no_surer_than_instructions,
				 knows_what_goes_together, moves_as_both_do,
				 counts_what_they_are_apart, leaves_few_windows, NULL});
}
