// SPDX-License-Identifier: MIT
/* Which windows are left out together (window_batches.h). */
#include "decoder/window_batches.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define MANY 3200

/* Windows of function i % 4 but for the last: those are of one each. */
START_TEST(deals)
{
	struct td_separate_window *window = calloc(2 * MANY, sizeof(*window));
	struct td_separate_input input = {
		.window = window, .windows = 2 * MANY, .functions = MANY + 4};
	unsigned count[4][TD_BATCHES] = {{0}}, alone[TD_BATCHES] = {0}, last[4] = {0};
	uint8_t *batch;

	ck_assert_ptr_nonnull(window);
	for (unsigned i = 0; i < MANY; i++) {
		window[i].open = i % 4;
		window[MANY + i].open = 4 + i;
	}
	batch = td_batches_deal(&input);
	ck_assert_ptr_nonnull(batch);
	for (unsigned i = 0; i < MANY; i++) {
		ck_assert_uint_ge(batch[i], last[i % 4]);
		last[i % 4] = batch[i];
		count[i % 4][batch[i]]++;
		alone[batch[MANY + i]]++;
	}
	for (unsigned b = 0; b < TD_BATCHES; b++) {
		for (unsigned f = 0; f < 4; f++)
			ck_assert_uint_eq(count[f][b], MANY / 4 / TD_BATCHES);
		ck_assert_uint_ge(alone[b], MANY / TD_BATCHES - 2);
		ck_assert_uint_le(alone[b], MANY / TD_BATCHES + 2);
	}
	free(batch);
	free(window);
}
END_TEST

/* Windows of one sample are never in two batches, as long as anybody knows which they
 * are: then they follow each other. */
START_TEST(bursts)
{
	struct td_separate_window window[TD_BATCHES * 6] = {{0}};
	struct td_separate_input input = {.window = window,
					  .windows = TD_BATCHES * 6,
					  .functions = 3,
					  .together = 3};
	uint8_t *batch;

	for (unsigned i = 0; i < TD_BATCHES * 6; i++)
		window[i].open = i / (TD_BATCHES * 2);
	batch = td_batches_deal(&input);
	ck_assert_ptr_nonnull(batch);
	for (unsigned i = 0; i < TD_BATCHES * 6; i++)
		ck_assert_uint_eq(batch[i], i / 6);
	free(batch);
	input.shuffled = 1;
	batch = td_batches_deal(&input);
	ck_assert_ptr_nonnull(batch);
	for (unsigned i = 0; i < TD_BATCHES * 6; i++)
		ck_assert_uint_eq(batch[i], i % (TD_BATCHES * 2) / 2);
	free(batch);
}
END_TEST

/* Half widths of retiring, of windows of which so many may be alike; `half` has room for
 * all functions. */
static void half_widths(unsigned together, double *half)
{
	struct td_separate_input input = sim_input(&sim);

	input.returns = 1;
	input.together = together;
	input.shuffled = together > 1;
	ck_assert_int_eq(td_separate(&input, &result), 0);
	for (unsigned f = 0; f < sim.functions; f++) {
		const struct td_estimate *e = &result.function[f].node[0].estimate;

		half[f] = (e->high - e->low) / 2;
	}
	td_separate_free(&result);
}

static int by_function(const void *a, const void *b)
{
	const struct td_separate_window *const *x = a, *const *y = b;

	if ((*x)->open != (*y)->open)
		return (*x)->open < (*y)->open ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* The windows of each function one after the other. */
static void run_in_phases(void)
{
	const struct td_separate_window **order = malloc(sim.windows * sizeof(*order));
	struct td_separate_window *sorted = malloc(sim.windows * sizeof(*sorted));

	ck_assert(order && sorted);
	for (size_t i = 0; i < sim.windows; i++)
		order[i] = &sim.window[i];
	qsort(order, sim.windows, sizeof(*order), by_function);
	for (size_t i = 0; i < sim.windows; i++)
		sorted[i] = *order[i];
	memcpy(sim.window, sorted, sim.windows * sizeof(*sorted));
	free(sorted);
	free(order);
}

/* A function that runs only once, and for a while, is known as well as one that runs now
 * and then. */
START_TEST(phases)
{
	const struct sim_setup setup = {.kind = SIM_TREE,
					.seed = 1,
					.functions = 60,
					.windows = 8000,
					.shortest = 2,
					.most = 600,
					.noise = 1};
	double before[60], after[60], sum = 0, n = 0;

	sim_run(&sim, &setup);
	half_widths(0, before);
	run_in_phases();
	half_widths(0, after);
	for (unsigned f = 0; f < sim.functions; f++) {
		if (before[f] <= 0 || visit(f) < 100)
			continue;
		ck_assert_msg(after[f] > before[f] / 3, "function %u: %.2f, not %.2f", f,
			      100 * after[f], 100 * before[f]);
		sum += log(after[f] / before[f]);
		n++;
	}
	ck_assert_double_gt(n, 20);
	ck_assert_msg(fabs(sum / n) < 0.1, "times %.2f", exp(sum / n));
	sim_free(&sim);
}
END_TEST

/* Where nobody knows which windows are alike, four times as many tell as much. */
START_TEST(shuffled)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.seed = 1,
					.windows = 8000,
					.shortest = 2,
					.most = 600};
	double alone[64], alike[64], sum = 0, n = 0;

	sim_run(&sim, &setup);
	ck_assert_uint_le(sim.functions, 64);
	half_widths(1, alone);
	half_widths(4, alike);
	for (unsigned f = 0; f < sim.functions; f++) {
		if (alone[f] <= 0 || visit(f) < 100)
			continue;
		ck_assert_double_le(alike[f], 2.01 * alone[f]);
		sum += alike[f] / alone[f];
		n++;
	}
	ck_assert_double_ge(n, 5);
	ck_assert_double_ge(sum / n, 1.2);
	sim_free(&sim);
}
END_TEST

int main(void)
{
	return unit_main("window_batches",
			 (const TTest *const[]){deals, bursts, phases, shuffled, NULL});
}
