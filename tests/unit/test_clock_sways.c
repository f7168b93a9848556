// SPDX-License-Identifier: MIT
/* How much paces vary, and for how long, by how long own windows take; and paces that
 * do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"
#include "tests/unit/clocked.h"
#include "tests/unit/unit.h"

#define COLUMNS 9
#define FEW 8   /* the column of three windows */
#define OTHER 3 /* one that may vary otherwise */
#define WINDOWS 8000
#define DWELL 400 /* instructions in a state, mean */
#define START 25.

/* A number in 0..1; `at` goes on. */
static double draw(uint64_t *at)
{
	*at = *at * 6364136223846793005u + 1442695040888963407u;
	return (double)(*at >> 11) / 9007199254740992.;
}

/* Cycles of so many instructions, 1 in the mean, `varies` more or less; states change at
 * random. */
static double cycles_of(unsigned ticks, double varies, uint64_t *at)
{
	double sum = 0, state = draw(at) < 0.5 ? -varies : varies;

	for (unsigned i = 0; i < ticks; i++) {
		if (draw(at) < 1. / DWELL)
			state = -state;
		sum += 1 + state;
	}
	return sum;
}

static double pace_of(uint32_t column)
{
	return 0.5 + 0.25 * column;
}

static void make_some(struct td_clock_data *d, size_t windows, double varies,
		      double other)
{
	static const struct td_separate_input input = {.exact = 1, .paced = 1};
	uint64_t at = 1;

	memset(d, 0, sizeof(*d));
	d->input = &input;
	d->sharp = d->paced = 1;
	d->columns = COLUMNS;
	d->windows = windows;
	d->window = calloc(windows, sizeof(*d->window));
	d->state = calloc(COLUMNS, sizeof(*d->state));
	d->pace = calloc(COLUMNS, sizeof(*d->pace));
	ck_assert(d->window && d->state && d->pace);
	d->start = START;
	for (uint32_t i = 0; i < windows; i++) {
		struct td_clock_window *w = &d->window[i];
		uint32_t column = i < 3 ? FEW : i % FEW;
		unsigned longest = 100 * (1 + column / 2);
		unsigned ticks = 1 + (unsigned)(draw(&at) * longest);

		w->column[0] = w->column[1] = column;
		w->ticks = (float)ticks;
		w->alone = 1;
		w->asked =
			(float)(START +
				pace_of(column) *
					cycles_of(ticks, column == OTHER ? other : varies,
						  &at));
	}
	/* one that passed through other columns says nothing of its own */
	d->window[windows - 1].alone = 0;
	d->window[windows - 1].asked = 1e6;
	for (uint32_t c = 0; c < COLUMNS; c++)
		d->pace[c] = pace_of(c);
}

static void make(struct td_clock_data *d, double varies)
{
	make_some(d, WINDOWS, varies, varies);
}

static void finish(struct td_clock_data *d)
{
	free(d->window);
	free(d->state);
	free(d->pace);
}

START_TEST(paces_that_vary)
{
	struct td_clock_data d;

	make(&d, 0.2);
	ck_assert_int_eq(td_clock_sways_memory(&d), 0);
	ck_assert_double_ge(d.memory, 0.7 * DWELL / 2);
	ck_assert_double_le(d.memory, 1.5 * DWELL / 2);
	ck_assert_int_eq(td_clock_sways(&d), 0);
	for (int c = 0; c < COLUMNS; c++)
		ck_assert_double_eq_tol(td_clock_sway(&d.state[c]), 0.04, 0.006);
	finish(&d);
}
END_TEST

/* One short window of 1,200 has an interrupt in it. */
START_TEST(beside_an_interrupt)
{
	struct td_clock_data d;
	size_t at = 0;

	make_some(&d, 1200, 0.2, 0.2);
	while (d.window[at].ticks != 6)
		at++;
	d.window[at].asked += 68;
	ck_assert_int_eq(td_clock_sways_memory(&d), 0);
	ck_assert_double_ge(d.memory, 0.6 * DWELL / 2);
	ck_assert_double_le(d.memory, 1.7 * DWELL / 2);
	d.memory = DWELL / 2.;
	ck_assert_int_eq(td_clock_sways(&d), 0);
	for (int c = 0; c < COLUMNS; c++)
		ck_assert_double_eq_tol(td_clock_sway(&d.state[c]), 0.04, 0.006);
	finish(&d);
}
END_TEST

/* A hundred and fifty windows of each say a sway to some 10 % by themselves, and better
 * all together; one column is of another size, and keeps it. */
START_TEST(of_a_size_in_common)
{
	struct td_clock_data d;

	make_some(&d, 1200, 0.2, 0.45);
	d.memory = DWELL / 2.;
	ck_assert_int_eq(td_clock_sways(&d), 0);
	for (int c = 0; c < COLUMNS; c++)
		if (c != OTHER)
			ck_assert_double_eq_tol(td_clock_sway(&d.state[c]), 0.04, 0.003);
	ck_assert_double_eq_tol(td_clock_sway(&d.state[OTHER]), 0.2, 0.04);
	finish(&d);
}
END_TEST

/* Whatever paces were before. */
START_TEST(paces_to_begin_with)
{
	struct td_clock_data d;

	make(&d, 0.2);
	for (uint32_t c = 0; c < FEW; c++)
		d.pace[c] = 7;
	ck_assert_int_eq(td_clock_sways_memory(&d), 0);
	for (uint32_t c = 0; c < FEW; c++)
		ck_assert_double_eq_tol(d.pace[c], pace_of(c), 0.03 * pace_of(c));
	finish(&d);
}
END_TEST

START_TEST(paces_that_do_not)
{
	struct td_clock_data d;

	make(&d, 0);
	ck_assert_int_eq(td_clock_sways_memory(&d), 0);
	ck_assert_int_eq(td_clock_sways(&d), 0);
	for (int c = 0; c < COLUMNS; c++)
		ck_assert_double_le(td_clock_sway(&d.state[c]), 1e-9);
	finish(&d);
}
END_TEST

/* How much too fast functions of long visits are said to be, in the mean. */
static double too_fast(uint64_t seed)
{
	struct sim_setup setup = {.kind = SIM_AWKWARD,
				  .seed = seed,
				  .windows = 60000,
				  .shortest = 28,
				  .most = 200,
				  .slower = 0.2,
				  .dwell = 400,
				  .clock = 1};
	double sum = 0, n = 0;
	struct td_clock clock;
	struct clocked run;

	clocked_start(&run, &setup);
	run.input.exact = run.input.paced = 1;
	run.input.traced = 1;
	run.input.left = 4;
	ck_assert_int_eq(
		td_clock_find(&clock, &run.input, &run.axis, &run.columns, &run.ends), 0);
	ck_assert(clock.value);
	for (uint32_t c = 0; c < run.columns.columns; c++) {
		uint32_t f = run.columns.function[c];

		if (f == TD_NO_FUNCTION || run.sim.cycles[f] / run.sim.visits[f] < 200)
			continue;
		sum += clock.value[c][0] * run.axis.width * run.sim.pace[f] - 1;
		n++;
	}
	td_clock_free(&clock);
	clocked_finish(&run);
	return sum / n;
}

/* Lengths begin ten cycles behind the program's first: windows of few instructions are
 * those that were slow. */
START_TEST(short_ones_are_slow)
{
	double sum = 0;

	for (uint64_t seed = 1; seed <= 4; seed++)
		sum += too_fast(seed) / 4;
	ck_assert_double_eq_tol(sum, 0, 0.008); /* 0.012, were they all taken */
}
END_TEST

int main(void)
{
	return unit_main("clock_sways",
			 (const TTest *const[]){paces_that_vary, beside_an_interrupt,
						of_a_size_in_common, paces_to_begin_with,
						paces_that_do_not, short_ones_are_slow,
						NULL});
}
