// SPDX-License-Identifier: MIT
/* How long states last, by how own windows of other lengths differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"
#include "tests/unit/unit.h"

#define COLUMNS 4
#define WINDOWS 8000
#define DWELL 400 /* instructions in a state, mean */

/* A number in 0..1; `at` goes on. */
static double draw(uint64_t *at)
{
	*at = *at * 6364136223846793005u + 1442695040888963407u;
	return (double)(*at >> 11) / 9007199254740992.;
}

/* What a window of so many instructions counts of node 0 less of node 3, each 0.1 more or
 * less; states change at random, or never. */
static double more_of(unsigned ticks, int change, uint64_t *at)
{
	double sum = 0, state = draw(at) < 0.5 ? -0.1 : 0.1;

	for (unsigned i = 0; i < ticks; i++) {
		if (change && draw(at) < 1. / DWELL)
			state = -state;
		sum += state;
	}
	return sum;
}

static void make(struct td_clock_data *d, int change)
{
	static const struct td_separate_input input;
	uint64_t at = 1;

	memset(d, 0, sizeof(*d));
	d->input = &input;
	d->columns = COLUMNS;
	d->windows = WINDOWS;
	d->window = calloc(WINDOWS, sizeof(*d->window));
	d->state = calloc(COLUMNS, sizeof(*d->state));
	d->jitter = calloc(COLUMNS, sizeof(*d->jitter));
	ck_assert(d->window && d->state && d->jitter);
	d->pace = calloc(COLUMNS, sizeof(*d->pace));
	ck_assert(d->pace != NULL);
	d->memory = TD_CLOCK_MEMORY;
	d->least = -HUGE_VAL;
	d->most = HUGE_VAL;
	for (uint32_t i = 0; i < WINDOWS; i++) {
		struct td_clock_window *w = &d->window[i];
		unsigned longest = 100 * (1 + i % COLUMNS);
		unsigned ticks = 1 + (unsigned)(draw(&at) * longest);
		double more = more_of(ticks, change, &at);

		d->pace[i % COLUMNS] = 1;
		w->column[0] = w->column[1] = i % COLUMNS;
		w->ticks = (float)ticks;
		w->reading = 0.1f;
		w->own = w->alone = 1;
		w->rare = 1;
		w->beyond[0] = (float)(0.3 * ticks + more);
		w->beyond[3] = (float)(-0.3 * ticks - more);
	}
}

static void finish(struct td_clock_data *d)
{
	free(d->window);
	free(d->state);
	free(d->jitter);
	free(d->pace);
}

/* Two states forget each other as often as either changes. */
START_TEST(states_that_change)
{
	struct td_clock_data d;

	make(&d, 1);
	ck_assert_int_eq(td_clock_states(&d, 0), 0);
	ck_assert_double_ge(d.memory, 0.7 * DWELL / 2);
	ck_assert_double_le(d.memory, 1.5 * DWELL / 2);
	finish(&d);
}
END_TEST

/* One short window of 8,000 has an interrupt in it. */
START_TEST(states_beside_an_interrupt)
{
	struct td_clock_data d;
	size_t at = 0;

	make(&d, 1);
	while (d.window[at].ticks != 6)
		at++;
	d.window[at].beyond[0] += 68;
	d.window[at].beyond[3] -= 68;
	ck_assert_int_eq(td_clock_states(&d, 0), 0);
	ck_assert_double_ge(d.memory, 0.7 * DWELL / 2);
	ck_assert_double_le(d.memory, 1.5 * DWELL / 2);
	finish(&d);
}
END_TEST

START_TEST(states_for_ever)
{
	struct td_clock_data d;

	make(&d, 0);
	ck_assert_int_eq(td_clock_states(&d, 0), 0);
	ck_assert_double_ge(d.memory, 20 * DWELL);
	finish(&d);
}
END_TEST

/* As much as differs in an instruction, however long windows are. */
START_TEST(what_differs)
{
	struct td_clock_data d;

	make(&d, 1);
	ck_assert_int_eq(td_clock_states(&d, 0), 0);
	for (int c = 0; c < COLUMNS; c++)
		ck_assert_double_eq_tol(d.state[c].varies, 0.1 * M_SQRT2, 0.01);
	finish(&d);
}
END_TEST

/* Where lengths are known, states that take longer by a twentieth show it. */
START_TEST(lengths_of_states)
{
	struct td_clock_data d;

	make(&d, 1);
	d.sharp = 1;
	for (size_t i = 0; i < d.windows; i++) {
		struct td_clock_window *w = &d.window[i];
		float more = w->beyond[0] - 0.3f * w->ticks;

		w->beyond[TD_CLOCK_CYCLES] = w->ticks - more / 2;
	}
	ck_assert_int_eq(td_clock_states(&d, 0), 0);
	for (int c = 0; c < COLUMNS; c++) {
		double sign = d.state[c].axis[0] > 0 ? -1 : 1;

		ck_assert_double_eq_tol(d.state[c].speed, sign * 0.05, 0.003);
	}
	finish(&d);
}
END_TEST

/* From an end on, and between two. */
START_TEST(how_much_is_left)
{
	struct td_clock_data d = {.memory = 200};

	ck_assert_double_eq_tol(td_clock_lean(&d, 1), 1, 0.01);
	ck_assert_double_eq_tol(td_clock_lean(&d, 1e6), 200, 1e-6);
	ck_assert_double_eq_tol(td_clock_spread(&d, 1), 1, 0.01);
	ck_assert_double_eq_tol(td_clock_spread(&d, 1e6), 400 * (1e6 - 200), 1);
	d.memory = TD_CLOCK_MEMORY;
	ck_assert_double_eq_tol(td_clock_spread(&d, 100) / 1e4, 1, 0.01);
}
END_TEST

int main(void)
{
	return unit_main(
		"clock_memory",
		(const TTest *const[]){states_that_change, states_beside_an_interrupt,
				       states_for_ever, what_differs, lengths_of_states,
				       how_much_is_left, NULL});
}
