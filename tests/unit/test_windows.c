// SPDX-License-Identifier: MIT
/* The window log: what it keeps, when it is full, when the file is. */
#include "agent/sigsafe/windows.h"

#include <check.h>
#include <string.h>

#include "tests/unit/memory_store.h"
#include "tests/unit/unit.h"

#define A_BLOCK 92u

static struct td_random random_numbers;

static void setup(void)
{
	memory_store_open(2, 32); /* 8 blocks are the log's */
	td_random_seed(&random_numbers, 7, 7);
}

/* Offers window number `n`, which leaves it in `thread`. */
static bool add(uint32_t n)
{
	struct td_file_window *window = td_windows_take(&random_numbers);

	if (!window)
		return false;
	window->thread = n;
	td_windows_publish(window, TD_WINDOW_USED);
	return true;
}

static uint32_t used;
static uint32_t used_of[64];

/* Counts the used records of all blocks, by `thread` / `group`. */
static void count(uint32_t group)
{
	used = 0;
	memset(used_of, 0, sizeof(used_of));
	for (uint32_t b = 1; b < td_store.header->blocks; b++) {
		const struct td_file_window *window =
			td_store_record(TD_REF(b, 0), sizeof(*window));

		if (td_store_block(b)->kind != TD_BLOCK_WINDOWS)
			continue;
		for (uint32_t i = 0; i < A_BLOCK; i++) {
			if (window[i].state != TD_WINDOW_USED)
				continue;
			used++;
			ck_assert_uint_lt(window[i].thread / group, 64);
			used_of[window[i].thread / group]++;
		}
	}
}

START_TEST(keeps_all_that_fit)
{
	ck_assert_uint_eq(td_windows_room(8192), 2048 * A_BLOCK);
	ck_assert_uint_eq(td_windows_room(32), 8 * A_BLOCK);
	ck_assert_uint_eq(td_windows_room(3), 0);
	for (uint32_t n = 0; n < 8 * A_BLOCK; n++)
		ck_assert(add(n));
	ck_assert_uint_eq(td_store.header->windows_seen, 8 * A_BLOCK);
	ck_assert_uint_eq(td_store.header->windows_max, 8 * A_BLOCK);
	count(A_BLOCK);
	ck_assert_uint_eq(used, 8 * A_BLOCK);
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(used_of[i], A_BLOCK);
}
END_TEST

/* Of 20 times as many windows as fit, early and late ones are kept alike: 736 in
 * 20 groups are 36.8 each, with a standard deviation of 5.8. */
START_TEST(samples_evenly)
{
	uint32_t room = 8 * A_BLOCK;

	for (uint32_t n = 0; n < 20 * room; n++)
		add(n);
	ck_assert_uint_eq(td_store.header->windows_seen, 20 * room);
	count(room);
	ck_assert_uint_eq(used, room);
	for (uint32_t i = 0; i < 20; i++) {
		ck_assert_uint_gt(used_of[i], 37 - 24);
		ck_assert_uint_lt(used_of[i], 37 + 24);
	}
}
END_TEST

START_TEST(leaves_a_busy_record_alone)
{
	struct td_file_window *busy = td_windows_take(&random_numbers);
	uint32_t kept = 0;

	busy->thread = 12345;
	for (uint32_t n = 1; n < 40 * 8 * A_BLOCK; n++)
		kept += add(n);
	ck_assert_uint_gt(kept, 8 * A_BLOCK);
	ck_assert_uint_eq(busy->thread, 12345);
	ck_assert_uint_eq(busy->state, TD_WINDOW_BUSY);
	td_windows_publish(busy, TD_WINDOW_USED);
	count(8 * A_BLOCK);
	ck_assert_uint_eq(used, 8 * A_BLOCK);
}
END_TEST

/* No block for the fourth: the first three become the sample. */
START_TEST(ends_where_the_file_does)
{
	struct td_file_header *header = td_store.header;

	for (uint32_t n = 0; n < 3 * A_BLOCK; n++)
		ck_assert(add(n));
	while (td_store_take_block())
		;
	for (uint32_t n = 3 * A_BLOCK; n < 60 * A_BLOCK; n++)
		add(n);
	ck_assert_uint_eq(header->windows_max, 3 * A_BLOCK);
	ck_assert_uint_eq(header->windows_seen, 60 * A_BLOCK);
	count(3 * A_BLOCK);
	ck_assert_uint_eq(used, 3 * A_BLOCK);
	ck_assert_uint_lt(used_of[0], A_BLOCK);
}
END_TEST

/* A profile of its own after a fork: nothing of the old one is left. */
START_TEST(forgets)
{
	for (uint32_t n = 0; n < 2 * A_BLOCK; n++)
		add(n);
	memory_store_close();
	setup();
	ck_assert(add(5));
	count(1);
	ck_assert_uint_eq(used, 1);
	ck_assert_uint_eq(used_of[5], 1);
}
END_TEST

/* Too small a profile for a log at all. */
START_TEST(has_no_room)
{
	td_store.header->windows_max = 0;
	ck_assert(!add(1));
	ck_assert_uint_eq(td_store.header->windows_seen, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {keeps_all_that_fit,
				      samples_evenly,
				      leaves_a_busy_record_alone,
				      ends_where_the_file_does,
				      forgets,
				      has_no_room,
				      NULL};

	return unit_main_between("windows", tests, setup, memory_store_close);
}
