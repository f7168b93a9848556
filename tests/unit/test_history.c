// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "decoder/history.h"
#include "tests/unit/unit.h"

#define WIDTH TD_TIMELINE_WIDTH_NS

/* Bucket i: i + 1 samples, 1000 slots for each. */
static struct td_history rising(uint64_t width_ns, size_t buckets)
{
	struct td_history history = {.width_ns = width_ns};

	for (size_t i = 0; i < buckets; i++) {
		history.samples[i] = i + 1;
		history.total[i][0] = 1000 * (i + 1);
		history.total[i][TD_COUNTERS_MAX - 1] = 7;
	}
	return history;
}

START_TEST(counters_are_mapped)
{
	const int index[] = {0, -1, 5};
	struct td_file_timeline *timeline =
		calloc(1, sizeof(*timeline) + 48 * 4 * sizeof(timeline->value[0]));
	struct td_history history;

	ck_assert_ptr_nonnull(timeline);
	timeline->width_ns = 2 * WIDTH;
	for (uint64_t i = 0; i < 48 * 4; i++)
		timeline->value[i] = i;
	td_history_read(&history, timeline, 3, index);
	ck_assert_uint_eq(history.width_ns, 2 * WIDTH);
	for (uint64_t i = 0; i < 48; i++) {
		ck_assert_uint_eq(history.samples[i], 4 * i);
		ck_assert_uint_eq(history.total[i][0], 4 * i + 1);
		ck_assert_uint_eq(history.total[i][5], 4 * i + 3);
		ck_assert_uint_eq(history.total[i][1], 0);
	}
	free(timeline);
}
END_TEST

START_TEST(widening_joins_neighbours)
{
	struct td_history history = rising(WIDTH, 48);

	td_history_widen(&history, 4 * WIDTH);
	ck_assert_uint_eq(history.width_ns, 4 * WIDTH);
	ck_assert_uint_eq(td_history_used(&history), 12);
	ck_assert_uint_eq(history.samples[0], 1 + 2 + 3 + 4);
	ck_assert_uint_eq(history.samples[11], 45 + 46 + 47 + 48);
	ck_assert_uint_eq(history.total[11][0], 1000 * (45 + 46 + 47 + 48));
	ck_assert_uint_eq(history.total[3][TD_COUNTERS_MAX - 1], 28);
	td_history_widen(&history, WIDTH); /* never back */
	ck_assert_uint_eq(history.width_ns, 4 * WIDTH);
	td_history_widen(&history, (uint64_t)WIDTH << 40);
	ck_assert_uint_eq(history.samples[0], 48 * 49 / 2);
	ck_assert_uint_eq(td_history_used(&history), 1);
}
END_TEST

/* In whichever order: the result has the wider one's width. */
START_TEST(adding_up)
{
	const struct td_history fine = rising(WIDTH, 8), coarse = rising(2 * WIDTH, 3);

	for (int order = 0; order < 2; order++) {
		struct td_history sum = {0};

		td_history_add(&sum, order ? &fine : &coarse);
		td_history_add(&sum, &(struct td_history){0});
		td_history_add(&sum, order ? &coarse : &fine);
		ck_assert_uint_eq(sum.width_ns, 2 * WIDTH);
		ck_assert_uint_eq(td_history_used(&sum), 4);
		ck_assert_uint_eq(sum.samples[0], 1 + 2 + 1);
		ck_assert_uint_eq(sum.samples[2], 5 + 6 + 3);
		ck_assert_uint_eq(sum.samples[3], 7 + 8);
		ck_assert_uint_eq(sum.total[2][0], 14000);
	}
}
END_TEST

int main(void)
{
	return unit_main("history", (const TTest *const[]){counters_are_mapped,
							   widening_joins_neighbours,
							   adding_up, NULL});
}
