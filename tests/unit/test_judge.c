// SPDX-License-Identifier: MIT
/* The judge of windows: each cause, and which of several is named. */
#include "agent/sigsafe/judge.h"

#include <check.h>

#include "tests/unit/unit.h"

static const struct td_identity here = {
	.kind = TD_PLACE_FUNCTION, .address = 0x100, .region = 0x100, .object = 1};
static const struct td_identity there = {
	.kind = TD_PLACE_FUNCTION, .address = 0x200, .region = 0x200, .object = 1};
static const struct td_identity nowhere = {.kind = TD_PLACE_UNKNOWN};

static const struct td_strobe_plan plan = {
	.short_period = 1000, .late = 5000, .leavings = 2};

static struct td_judged good(void)
{
	return (struct td_judged){
		.readable = true,
		.length = 500,
		.least = 10,
		.opened_in = &here,
		.closed_in = &here,
	};
}

START_TEST(a_window_with_nothing_against_it_counts)
{
	struct td_judged window = good();
	struct td_identity elsewhere = here; /* known anew: not the same memory */

	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_MAX);
	window.closed_in = &elsewhere;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_MAX);
	window.length = 7000; /* twice the mean, and late is behind it */
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_MAX);
	window.length = 10;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_MAX);
}
END_TEST

/* From the last cause to the first: each one is named before those that were there. */
START_TEST(the_cause_that_explains_the_others_is_named)
{
	struct td_judged window = good();

	window.left = true;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_NESTED);
	window.closed_in = &there;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_FUNCTION);
	window.opened_in = &nowhere;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_UNKNOWN);
	window.length = 7001;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_LATE);
	window.delayed = true;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_BLOCKED);
	window.least = 7002;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_EARLY);
	window.switched = true;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_SWITCHED);
	window.readable = false; /* the signal came before there was anything to read */
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_BLOCKED);
	window.delayed = false;
	ck_assert_int_eq(td_judge(&plan, &window), TD_REJECT_COUNTERS);
}
END_TEST

START_TEST(either_end_may_be_unknown)
{
	ck_assert_int_eq(td_judge_ends(&here, &nowhere), TD_REJECT_UNKNOWN);
	ck_assert_int_eq(td_judge_ends(&nowhere, &nowhere), TD_REJECT_UNKNOWN);
	ck_assert_int_eq(td_judge_ends(&there, &here), TD_REJECT_FUNCTION);
}
END_TEST

/* Returns and calls, each less our own; none where they are not counted. */
START_TEST(who_leaves_is_seen_by_more_than_our_own)
{
	static const struct td_strobe_plan uncounted;
	static const uint64_t own[TD_LEAVINGS] = {2, 1};
	uint64_t values[4] = {9, 9, 2, 1};

	ck_assert(!td_judge_left(&plan, values, own));
	values[2] = 3;
	ck_assert(td_judge_left(&plan, values, own));
	ck_assert(!td_judge_left(&uncounted, values, own));
	values[2] = 2;
	values[3] = 2;
	ck_assert(td_judge_left(&plan, values, own));
}
END_TEST

int main(void)
{
	return unit_main("judge", (const TTest *const[]){
					  a_window_with_nothing_against_it_counts,
					  the_cause_that_explains_the_others_is_named,
					  either_end_may_be_unknown,
					  who_leaves_is_seen_by_more_than_our_own, NULL});
}
