// SPDX-License-Identifier: MIT
/* How many cycles an instruction takes, how late interrupts are, and which rows tell. */
#include <math.h>

#include "tests/unit/clocked.h"
#include "tests/unit/unit.h"

#define LONG 5 /* functions of long visits */

static void step_once(const struct td_clock_data *d, struct td_clock_fit *fit)
{
	ck_assert_int_eq(td_clock_fit_room(fit, (size_t)d->columns + 1), 0);
	for (size_t i = 0; i < fit->n; i++)
		fit->matrix[i * fit->n + i] = fit->ridge[i] = 1e-3;
	fit->adding = 1;
	td_clock_pace(d, fit, TD_NO_BATCH);
	td_clock_factor(fit);
	td_clock_step(fit);
}

/* One step of the paces, all of which are `wrong` times what they should be. */
static void step(struct clocked *run, double wrong, struct td_clock_fit *fit)
{
	struct td_clock_data *d = &run->data;

	for (uint32_t c = 0; c < d->columns; c++)
		d->pace[c] *= wrong;
	td_clock_fill(d, TD_NO_BATCH);
	td_clock_choose(d);
	step_once(d, fit);
}

/* Lengths asked for say how many cycles an instruction takes. */
static void steps_to(double wrong, double expected)
{
	struct td_clock_fit fit;
	struct clocked run;
	int seen = 0;

	clocked_start(&run, &clocked_edges);
	clocked_sort(&run);
	step(&run, wrong, &fit);
	for (uint32_t c = 0; c < run.data.columns; c++) {
		uint32_t f = run.columns.function[c];

		/* in short visits more is chance */
		if (!clocked_is_seen(&run, c) ||
		    run.sim.cycles[f] / run.sim.visits[f] < 95)
			continue;
		ck_assert_double_eq_tol(fit.pull[c], expected, 0.08);
		seen++;
	}
	ck_assert_int_gt(seen, 3);
	td_clock_fit_free(&fit);
	clocked_finish(&run);
}

START_TEST(true_paces_stay)
{
	steps_to(1, 0);
}
END_TEST

START_TEST(wrong_paces_go_back)
{
	steps_to(1.1, -0.09);
}
END_TEST

/* Own windows of 100 and 200 instructions, one cycle each in the mean, as lengths that
 * become rarer by `fall` a cycle leave them. */
START_TEST(slow_ones_are_rarer)
{
	const double fall = 0.004, sway = 0.02, scatter = 400, begin = 50;
	struct td_clock_window window[2];
	struct td_clock_data d = {.window = window,
				  .windows = 2,
				  .columns = 1,
				  .state = &(struct td_clock_state){.unsure = sway},
				  .jitter = &(struct td_clock_jitter){0},
				  .pace = &(double){1},
				  .start = begin,
				  .most = 600,
				  .memory = 300,
				  .scatter = scatter};
	struct td_clock_fit fit;

	for (int i = 0; i < TD_CLOCK_CLASSES; i++)
		d.fall[i] = fall;
	for (int i = 0; i < 2; i++) {
		double cycles = 100 * (i + 1);
		double lean = sway * td_clock_own_lean(&d, d.state, cycles);
		double varies = sway * td_clock_spread(&d, cycles);
		double asked = begin + cycles + lean - fall * (scatter + varies);

		window[i] = (struct td_clock_window){
			.ticks = (float)cycles, .asked = (float)asked, .tells = 1};
	}
	step_once(&d, &fit);
	ck_assert_double_gt(fit.matrix[0], 1); /* they are rows */
	ck_assert_double_eq_tol(fit.pull[0], 0, 0.002);
	ck_assert_double_eq_tol(fit.pull[1], 0, 0.2);
	td_clock_fit_free(&fit);
}
END_TEST

/*
 * Own windows of a function that takes 1.5 or 0.5 cycles an instruction, as often.  A
 * short one opens and closes in the same state, nine times of ten the slow one; of a long
 * one, each end is next to so many slow ones by itself.
 */
START_TEST(both_ends_in_one_state)
{
	const double half = 0.5, memory = 300;
	static const double ticks[] = {2, 6000};
	double asked[] = {ticks[0] * 1.4, ticks[1] + 2 * half * half * memory};
	struct td_clock_window window;
	struct td_clock_data d = {.window = &window,
				  .windows = 1,
				  .columns = 1,
				  .state = &(struct td_clock_state){.speed = half},
				  .jitter = &(struct td_clock_jitter){0},
				  .pace = &(double){1},
				  .most = 1e4,
				  .memory = memory,
				  .scatter = 1e-6};

	for (int i = 0; i < 2; i++) {
		struct td_clock_fit fit;

		window = (struct td_clock_window){
			.ticks = (float)ticks[i], .asked = (float)asked[i], .tells = 1};
		step_once(&d, &fit);
		ck_assert_double_gt(fit.matrix[0], 1e-3); /* it is a row */
		ck_assert_double_eq_tol(fit.pull[0], 0, 0.002);
		td_clock_fit_free(&fit);
	}
}
END_TEST

/* Keys in whose last bins that may lack no window the slowest, three standard deviations
 * behind the mean, would have been asked for more than there is. */
static unsigned cut_off(const struct td_clock_data *d)
{
	unsigned n = 0;

	for (size_t k = 0; k < d->keys; k++) {
		const struct td_clock_key *key = &d->key[k];
		double mean = 0, square = 0, all = 0;
		uint32_t bins = key->bins;

		while (bins && key->bin[bins - 1].slow)
			bins--;
		for (uint32_t i = bins < 7 ? 0 : key->bin[bins - 7].begin;
		     bins && i < key->bin[bins - 1].end; i++) {
			const struct td_clock_window *w = &d->window[d->entry[i].window];

			mean += w->asked;
			square += w->asked * w->asked;
			all++;
		}
		mean /= all;
		n += all > 50 && mean + 3 * sqrt(square / all - mean * mean) > d->most;
	}
	return n;
}

/* Windows that come by functions of unlike paces scatter more than others as long: six,
 * were they taken for the same. */
START_TEST(none_is_cut_off)
{
	struct sim_setup setup = clocked_edges;
	struct clocked run;

	setup.sharp = 1;
	setup.shortest = 25;
	setup.slower = 0.2;
	setup.dwell = 400;
	clocked_start(&run, &setup);
	clocked_sort(&run);
	td_clock_fill(&run.data, TD_NO_BATCH);
	for (int round = 0; round < 3; round++)
		td_clock_choose(&run.data);
	ck_assert_uint_le(cut_off(&run.data), 2); /* of 63 */
	clocked_finish(&run);
}
END_TEST

/* How far off the clock finds what is late in functions of long visits, beside the first
 * of them: the mean is in the start.  `doubt` of each. */
static void find_late(double doubt, double *late)
{
	static const unsigned seen[] = {0, 1, 7, 8, 13};
	struct sim_setup setup = clocked_edges;
	double doubts[64];
	struct td_clock clock;
	struct clocked run;

	setup.sharp = 1;
	setup.shortest = 25;
	setup.most = 200;
	setup.block = 14;
	clocked_start(&run, &setup);
	ck_assert_uint_lt(run.columns.columns, 64);
	for (uint32_t c = 0; c < run.columns.columns; c++)
		doubts[c] = doubt;
	run.columns.late_doubt = doubts;
	run.input.exact = 1;
	ck_assert_int_eq(
		td_clock_find(&clock, &run.input, &run.axis, &run.columns, &run.ends), 0);
	ck_assert(clock.late);
	for (uint32_t c = 0; c < run.columns.columns; c++)
		for (int i = 0; i < LONG; i++)
			if (run.columns.function[c] == seen[i])
				late[i] = clock.late[c] - (seen[i] % 7 + 1.);
	for (int i = LONG - 1; i >= 0; i--)
		late[i] -= late[0];
	td_clock_free(&clock);
	clocked_finish(&run);
}

/*
 * A window ends half a block late in the mean, and blocks are of 2 to 14 cycles.  Behind
 * edges that is where lines through own windows begin, and what windows scatter by.  What
 * is known already stays.
 */
START_TEST(late_ends)
{
	double late[LONG], same[LONG];

	find_late(4, late);
	find_late(0, same);
	for (int i = 0; i < LONG; i++)
		ck_assert_double_eq_tol(late[i], 0, i + 1 < LONG ? 0.3 : 1);
	ck_assert_double_eq_tol(same[LONG - 1], -6, 0.2);
}
END_TEST

int main(void)
{
	return unit_main("clock_pace",
			 (const TTest *const[]){true_paces_stay, wrong_paces_go_back,
						slow_ones_are_rarer,
						both_ends_in_one_state, none_is_cut_off,
						late_ends, NULL});
}
