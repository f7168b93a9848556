// SPDX-License-Identifier: MIT
#include "decoder/window_keys.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define WINDOWS 1000u
#define PLACES 7u
#define SIZE 16u /* bytes of a place */
#define FEWEST 200u
#define LINKS 3 /* of 27, 40 and 30 cycles */
#define RUNS 4

enum { MANY, FEW, COLUMNS };

static struct td_separate_window window[WINDOWS + 1];
static uint32_t open[WINDOWS + 1], close[WINDOWS + 1];
static struct td_columns columns = {.columns = COLUMNS, .open = open, .close = close};
static struct td_keys keys;

/* One of ten windows opens in FEW, one is empty; all close at one place of MANY. */
static struct td_separate_input start(void)
{
	for (uint32_t i = 0; i <= WINDOWS; i++) {
		open[i] = i % 10 ? MANY : FEW;
		close[i] = MANY;
		window[i] = (struct td_separate_window){
			.open_offset = i * 7919 % PLACES * SIZE,
			.close_offset = SIZE,
			.empty = i == WINDOWS,
		};
	}
	return (struct td_separate_input){
		.window = window, .windows = WINDOWS + 1, .exact = 1};
}

static void find(const struct td_separate_input *input, double edges)
{
	const struct td_axis axis = {.kind = TD_AXIS_REQUESTED, .start_spread = edges};

	ck_assert_int_eq(
		td_keys_find(&keys, input, &columns, td_keys_are_cut(input, &axis)), 0);
}

static unsigned windows_of(uint32_t key)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < WINDOWS; i++)
		n += keys.open[i] == key;
	return n;
}

/* Neighbours by place are a key, all windows of a place in the same one. */
START_TEST(by_place)
{
	const struct td_separate_input input = start();
	uint32_t key[PLACES];

	find(&input, 0);
	ck_assert_uint_eq(keys.forward, 4);
	ck_assert_uint_eq(keys.keys, 5);
	for (uint32_t k = 0; k < keys.forward; k++) {
		ck_assert_uint_eq(keys.column[k], k < 3 ? MANY : FEW);
		ck_assert_uint_ge(windows_of(k), k < 3 ? FEWEST : 1);
		ck_assert_int_eq(keys.many[k], k < 3);
	}
	for (uint32_t i = 0; i < WINDOWS; i++) {
		uint32_t place = window[i].open_offset / SIZE;

		ck_assert_uint_eq(keys.close[i], 4);
		ck_assert_uint_eq(keys.column[keys.open[i]], open[i]);
		if (open[i] == MANY && i < 10)
			key[place] = keys.open[i];
		if (open[i] == MANY)
			ck_assert_uint_eq(keys.open[i], key[place]);
	}
	for (uint32_t p = 1; p < PLACES; p++)
		ck_assert_uint_ge(key[p], key[p - 1]);
	td_keys_free(&keys);
}
END_TEST

static void ck_assert_whole(const struct td_separate_input *input, double edges)
{
	find(input, edges);
	ck_assert_int_eq(keys.many[MANY], 0);
	ck_assert_uint_eq(keys.forward, COLUMNS);
	ck_assert_uint_eq(keys.keys, COLUMNS + 1);
	td_keys_free(&keys);
}

/* Behind edges, and where there are fields of 255ths. */
START_TEST(by_column)
{
	struct td_separate_input input = start();

	ck_assert_whole(&input, 20);
	input.exact = 0;
	ck_assert_whole(&input, 0);
}
END_TEST

/* Leaning takes a column's windows for those of any moment of a visit. */
START_TEST(by_column_where_it_varies)
{
	static const double doubt[COLUMNS] = {0.01, 0};
	const struct td_separate_input input = start();

	columns.doubt = doubt;
	find(&input, 0);
	columns.doubt = NULL;
	ck_assert_int_eq(keys.many[MANY], 0);
	ck_assert_uint_eq(keys.forward, COLUMNS);
	td_keys_free(&keys);
}
END_TEST

/* As where groups of events take turns. */
static void silence_half(void)
{
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < sim.windows; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sim.window[i].silent = state >> 63;
	}
}

/* A chain of short visits: where one opens is where it is 27 to 40 cycles later.  By
 * columns alone functions are 0.9 points off, by places 0.66. */
START_TEST(places_tell_times)
{
	double sum = 0;

	for (unsigned seed = 1; seed <= RUNS; seed++) {
		const struct sim_setup setup = {.kind = SIM_CHAIN,
						.seed = seed,
						.windows = 30000,
						.shortest = 2,
						.most = 600,
						.block = 5,
						.calls = 1};
		struct td_separate_input input;

		sim_run(&sim, &setup);
		silence_half();
		input = sim_input(&sim);
		input.nodes = TD_NODES_LEVEL1;
		input.returns = TD_RETURNS_AND_CALLS;
		input.exact = 1;
		ck_assert_int_eq(td_separate(&input, &result), 0);
		for (unsigned f = 0; f < LINKS; f++)
			sum += error_of(f) / RUNS / LINKS;
		done();
	}
	ck_assert_double_lt(sum, 0.8);
}
END_TEST

int main(void)
{
	return unit_main("window_keys", (const TTest *const[]){by_place, by_column,
							       by_column_where_it_varies,
							       places_tell_times, NULL});
}
