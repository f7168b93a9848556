// SPDX-License-Identifier: MIT
/* What instructions tell behind edges, piece by piece. */
#include <math.h>
#include <string.h>

#include "tests/unit/clocked.h"
#include "tests/unit/unit.h"

#define NODES TD_SEPARATE_NODES

/* The simulation's edges, as parts of their cycles. */
static const double edge_mix[NODES] = {0, .05, .55, .40, 0, .03, .45, .30};

/* Edges are known by what windows that hold next to nothing of the program differ by. */
START_TEST(the_mix_of_edges)
{
	struct clocked run;

	clocked_start(&run, &clocked_edges);
	ck_assert_int_eq(clocked_take(&run), 1);
	for (int k = 0; k < NODES; k++)
		ck_assert_double_eq_tol(run.data.mix[k], edge_mix[k], 0.01);
	for (size_t i = 0; i < run.data.windows; i++)
		ck_assert_double_gt(run.data.window[i].ticks, 0);
	clocked_finish(&run);
}
END_TEST

/* What own windows count beyond edges, of each of level 1: as many cycles as
 * their instructions take, and none of the edges'; but for what reading them rounds, of
 * which the variance is known. */
START_TEST(own_windows_without_edges)
{
	double square = 0, reading = 0, n = 0;
	struct clocked run;

	clocked_start(&run, &clocked_edges);
	ck_assert_int_eq(clocked_take(&run), 1);
	for (size_t i = 0; i < run.data.windows; i++) {
		const struct td_clock_window *w = &run.data.window[i];
		uint32_t f = run.columns.function[w->column[0]];

		/* phases are two in one */
		if (!w->own || f == TD_NO_FUNCTION || f == 9)
			continue;
		for (int k = 0; k < TD_NODES_LEVEL1; k++) {
			double beyond = w->ticks * run.sim.pace[f] *
					(run.sim.truth[f][k] - edge_mix[k]);

			square += pow(w->beyond[k] - beyond, 2);
			reading += w->reading;
			n++;
		}
	}
	ck_assert_double_gt(n, 4000);
	/* reading has half a cycle, the edges 20 */
	ck_assert_double_lt(sqrt(square / n), 1.5);
	ck_assert_double_gt(reading, square / 2);
	ck_assert_double_lt(reading, square * 2);
	clocked_finish(&run);
}
END_TEST

/* A window's instructions are somewhere. */
START_TEST(times_add_up)
{
	struct clocked run;

	clocked_start(&run, &clocked_edges);
	clocked_sort(&run);
	td_clock_fill(&run.data, TD_NO_BATCH);
	for (size_t k = 0; k < run.data.keys; k++) {
		const struct td_clock_key *key = &run.data.key[k];

		for (uint32_t b = 0; b < key->bins; b++) {
			double time = 0, share = 0;

			for (uint32_t c = 0; c < key->columns; c++) {
				time += key->time[(size_t)b * key->columns + c];
				share += key->share[(size_t)b * key->columns + c];
			}
			ck_assert_double_eq_tol(share, 1, 1e-9);
			ck_assert_double_eq_tol(time, key->bin[b].ticks,
						1e-6 * (1 + time));
		}
	}
	clocked_finish(&run);
}
END_TEST

#define STEP 3     /* instructions of a block */
#define BLOCKS 33u /* of a visit */

/* Instructions in a loop that is left behind block n, which is shorter. */
static unsigned before_leaving(unsigned n)
{
	return STEP * (n + 1) - 1 - n % 2;
}

/*
 * Visits of a loop that is left behind any of its blocks: a window that ends at each
 * block.  Who is still in the loop has whole blocks behind it, who has left it less.
 */
static void take_steps(struct td_clock_data *d, struct td_clock_window *window)
{
	for (unsigned i = 0; i < BLOCKS * BLOCKS; i++) {
		unsigned n = i % BLOCKS, at = i / BLOCKS;
		unsigned less = at < n ? 0 : STEP * (n + 1) - before_leaving(n);

		window[i].ticks = (float)(STEP * (at + 1) - less);
		window[i].trigger[1] = at > n;
		/* a shorter block is met more rarely */
		window[i].rare = at == n ? 1 - (float)less / STEP : 1;
	}
	d->window = window;
	d->windows = BLOCKS * BLOCKS;
	d->most_keys = 1;
}

/* So many of the first instructions were behind the loop, in the mean. */
static double behind_loop(double ticks)
{
	double sum = 0;

	for (unsigned n = 0; n < BLOCKS; n++)
		sum += fmax(0, ticks - before_leaving(n)) / BLOCKS;
	return sum;
}

START_TEST(ends_in_steps)
{
	static struct td_clock_window window[BLOCKS * BLOCKS];
	struct td_separate_input input = {.chosen = 1};
	double pace[2] = {1, 1};
	struct td_clock_state state[2] = {{0}};
	struct td_clock_data d = {
		.input = &input, .columns = 2, .memory = 1, .pace = pace, .state = state};

	take_steps(&d, window);
	ck_assert_int_eq(td_clock_sort(&d), 0);
	td_clock_fill(&d, TD_NO_BATCH);
	ck_assert_uint_eq(d.keys, 1);
	ck_assert_uint_ge(d.key->bins, 10);
	for (uint32_t b = 0; b < d.key->bins; b++) {
		double behind = behind_loop(d.key->bin[b].ticks);

		ck_assert_double_eq_tol(d.key->time[2 * b + 1], behind,
					0.5 + 0.04 * behind);
	}
	d.pace = NULL;
	d.state = NULL;
	d.window = NULL;
	td_clock_data_free(&d);
}
END_TEST

/* How sure it is where a window ends: the mean of its column's share.  In a chain of
 * short visits; by_column: places are not looked at. */
static double sureness_of_ends(int by_column)
{
	struct sim_setup setup = clocked_edges;
	double sum = 0, n = 0;
	struct clocked run;

	setup.kind = SIM_CHAIN;
	setup.block = 5;
	clocked_start(&run, &setup);
	ck_assert_int_eq(clocked_take(&run), 1);
	for (size_t i = 0; i < run.data.windows && by_column; i++)
		memcpy(run.data.window[i].key, run.data.window[i].column,
		       sizeof(run.data.window[i].key));
	clocked_sort_taken(&run);
	td_clock_fill(&run.data, TD_NO_BATCH);
	for (size_t k = 0; k < run.data.keys; k++) {
		const struct td_clock_key *key = &run.data.key[k];

		for (uint32_t i = 0; i < key->bins * key->columns; i++) {
			double windows = key->bin[i / key->columns].n;

			sum += windows * key->share[i] * key->share[i];
			n += windows * key->share[i];
		}
	}
	clocked_finish(&run);
	return sum / n;
}

/* Where a window opens says when it leaves a visit. */
START_TEST(places_tell_ends)
{
	double by_column = sureness_of_ends(1), by_place = sureness_of_ends(0);

	ck_assert_double_gt(by_place, by_column + 0.1);
}
END_TEST

static uint32_t places_of(const struct clocked *run, uint32_t column)
{
	uint32_t first = UINT32_MAX, last = 0;

	for (size_t i = 0; i < run->data.windows; i++) {
		const struct td_clock_window *w = &run->data.window[i];

		if (w->column[0] != column)
			continue;
		first = w->key[0] < first ? w->key[0] : first;
		last = w->key[0] > last ? w->key[0] : last;
	}
	return last - first + 1;
}

/* But not in a loop. */
START_TEST(no_places_in_loops)
{
	unsigned keys = 0;
	struct clocked run;

	clocked_start(&run, &clocked_edges);
	clocked_sort(&run);
	ck_assert_uint_gt(places_of(&run, 0), 5);
	for (size_t k = 0; k < run.data.keys; k++)
		keys += !run.data.key[k].backward && run.data.key[k].column[0] == 0;
	ck_assert_uint_eq(keys, 1);
	clocked_finish(&run);
}
END_TEST

/* Instructions of function 0 in the bin whose windows hold about so many. */
static double time_at(const struct clocked *run, double ticks)
{
	double nearest = INFINITY, time = 0;

	for (size_t k = 0; k < run->data.keys; k++) {
		const struct td_clock_key *key = &run->data.key[k];

		if (key->backward || run->columns.function[key->column[0]] != 0)
			continue;
		for (uint32_t b = 0; b < key->bins; b++) {
			double off = fabs(key->bin[b].ticks - ticks);

			if (off >= nearest)
				continue;
			nearest = off;
			time = key->time[(size_t)b * key->columns];
		}
	}
	return time;
}

/*
 * A pair takes turns: whoever has opened in the first one, and has seen as many
 * instructions as both have, has been once through it.  It takes twice the time for one
 * that the second takes, and more than its part of the windows end in it.
 */
START_TEST(once_through_the_pair)
{
	double round[2];
	struct clocked run;

	clocked_start(&run, &clocked_edges);
	clocked_sort(&run);
	td_clock_fill(&run.data, TD_NO_BATCH);
	for (int f = 0; f < 2; f++)
		round[f] = run.sim.cycles[f] / run.sim.visits[f] / run.sim.pace[f];
	ck_assert_double_gt(run.sim.pace[0], 1.5 * run.sim.pace[1]);
	ck_assert_double_eq_tol(time_at(&run, round[0] + round[1]), round[0], 11);
	clocked_finish(&run);
}
END_TEST

/* How much all rows together weigh if a pace becomes so many times as much. */
static double weight_after(struct td_clock_data *d, double times)
{
	struct td_clock_fit fit;
	double weight;

	ck_assert_int_eq(td_clock_fit_room(&fit, (size_t)d->columns + 1), 0);
	fit.adding = 1;
	d->pace[0] *= times;
	td_clock_pace(d, &fit, TD_NO_BATCH);
	weight = fit.matrix[fit.n * fit.n - 1]; /* the start is in each row */
	td_clock_fit_free(&fit);
	return weight;
}

/* If they came and went with paces, no step would be the last. */
START_TEST(rows_stay)
{
	double first;
	struct clocked run;

	clocked_start(&run, &clocked_edges);
	clocked_sort(&run);
	td_clock_fill(&run.data, TD_NO_BATCH);
	td_clock_choose(&run.data);
	first = weight_after(&run.data, 1);
	ck_assert_double_eq(weight_after(&run.data, 1.2), first);
	clocked_finish(&run);
}
END_TEST

/* How slow functions are in one of two states, against the mean; the largest of those
 * seen well, and the mean. */
static double speed_of(double slower)
{
	struct sim_setup setup = clocked_edges;
	double sum = 0, n = 0;
	struct clocked run;

	setup.slower = slower;
	setup.dwell = slower > 0 ? 400 : 0;
	clocked_start(&run, &setup);
	clocked_sort(&run);
	td_clock_fill(&run.data, TD_NO_BATCH);
	ck_assert_int_eq(td_clock_states(&run.data, 1), 0);
	for (uint32_t c = 0; c < run.data.columns; c++) {
		if (!clocked_is_seen(&run, c) || run.data.state[c].n <= 200)
			continue;
		sum += fabs(run.data.state[c].speed);
		n++;
	}
	ck_assert_double_ge(n, 3);
	clocked_finish(&run);
	return sum / n;
}

START_TEST(slower_states)
{
	ck_assert_double_eq_tol(speed_of(0.2), 0.17, 0.05);
}
END_TEST

START_TEST(no_states)
{
	ck_assert_double_lt(speed_of(0), 0.03);
}
END_TEST

/* A set's slopes that are true, or all of them so many times as much: one step of the
 * rows from there. */
static void slope_step(struct clocked *run, double times, struct td_clock_fit *fit)
{
	const struct td_clock_set *set = &td_clock_sets[0][0];
	struct td_clock_data *d = &run->data;
	size_t sides = (size_t)set->sides + 1;

	td_clock_fill(d, TD_NO_BATCH);
	td_clock_choose(d);
	ck_assert_int_eq(td_clock_states(d, 1), 0);
	ck_assert_int_eq(td_clock_fit_room(fit, d->columns * sides), 0);
	for (uint32_t c = 0; c < d->columns; c++) {
		uint32_t f = run->columns.function[c];

		for (int k = 0; k < NODES && f != TD_NO_FUNCTION; k++)
			d->slope[c][k] =
				times * d->pace[c] * (run->sim.truth[f][k] - edge_mix[k]);
		for (size_t r = 0; r < sides; r++) {
			size_t at = c * sides + r;

			fit->at[at] = r + 1 < sides ? d->slope[c][set->node[r]] : 0;
			fit->ridge[at] = r + 1 < sides ? 1 : 1e6;
			fit->matrix[at * fit->n + at] = fit->ridge[at];
		}
	}
	fit->adding = 1;
	ck_assert_int_eq(td_clock_weigh(d), 0);
	ck_assert_int_eq(td_clock_rows(d, 0, fit, TD_NO_BATCH), 0);
	td_clock_factor(fit);
	td_clock_step(fit);
}

/* Where all functions count the same it does not matter where a bin's windows end. */
START_TEST(ends_of_the_same)
{
	struct td_clock_data *d;
	struct clocked run;
	double most = 0;

	clocked_start(&run, &clocked_edges);
	clocked_sort(&run);
	d = &run.data;
	td_clock_fill(d, TD_NO_BATCH);
	ck_assert_int_eq(td_clock_states(d, 1), 0);
	for (int differ = 0; differ < 2; differ++) {
		for (uint32_t c = 0; c < d->columns; c++)
			for (int k = 0; k < NODES; k++)
				d->slope[c][k] = k + (differ ? c % 2 : 0);
		ck_assert_int_eq(td_clock_weigh(d), 0);
		for (uint32_t b = 0; b < d->key[0].bins; b++)
			for (int s = 0; s < TD_CLOCK_SETS; s++)
				most = fmax(most, fabs(d->key[0].bin[b].ends[s][1][1]));
		if (!differ)
			ck_assert_double_lt(most, 1e-9);
	}
	ck_assert_double_gt(most, 1e-3);
	clocked_finish(&run);
}
END_TEST

/* The worst slope of columns seen well after that, cycles an instruction: by rows of
 * windows that hold several functions, or by those of own windows. */
static double slopes_off(double times, int own)
{
	struct td_clock_fit fit;
	struct clocked run;
	double worst = 0;
	int seen = 0, sides = td_clock_sets[0][0].sides;

	clocked_start(&run, &clocked_edges);
	clocked_sort(&run);
	for (size_t i = 0; i < run.data.windows && !own; i++)
		run.data.window[i].own = 0;
	run.data.keys = own ? 1 : run.data.keys;
	slope_step(&run, times, &fit);
	for (uint32_t c = 0; c < run.data.columns; c++) {
		uint32_t f = run.columns.function[c];
		size_t first = c * (size_t)(sides + 1);

		if (!clocked_is_seen(&run, c) || f == 9 ||
		    run.sim.cycles[f] / run.sim.visits[f] < 95)
			continue;
		for (size_t i = first; i < first + (size_t)sides; i++)
			worst = fmax(worst,
				     fabs(fit.at[i] + fit.pull[i] - fit.at[i] / times));
		seen++;
	}
	ck_assert_int_gt(seen, 3);
	td_clock_fit_free(&fit);
	clocked_finish(&run);
	return worst;
}

/* Slopes are 0.7 at most: a fifth too small, some are 0.13 off. */
START_TEST(true_slopes_stay)
{
	ck_assert_double_lt(slopes_off(1, 0), 0.01);
	ck_assert_double_lt(slopes_off(1, 1), 0.01);
}
END_TEST

START_TEST(wrong_slopes_go_back)
{
	ck_assert_double_lt(slopes_off(0.8, 0), 0.012);
	ck_assert_double_lt(slopes_off(0.8, 1), 0.012);
}
END_TEST

/* The worst fraction of level 1 of columns whose visits take `from` cycles or more, in
 * points. */
static double worst_of(const struct clocked *run, const struct td_clock *clock,
		       double from)
{
	double worst = 0;

	for (uint32_t c = 0; c < clock->columns; c++) {
		uint32_t f = run->columns.function[c];
		const double *value = td_clock_value(clock, TD_NO_BATCH, c);

		if (!clocked_is_seen(run, c) || f == 9 ||
		    run->sim.cycles[f] / run->sim.visits[f] < from)
			continue;
		for (int k = 0; k < TD_NODES_LEVEL1; k++)
			worst = fmax(worst, 100 * fabs(value[k] - run->sim.truth[f][k]));
	}
	return worst;
}

/* And each batch is another answer. */
START_TEST(fractions)
{
	struct td_clock clock;
	struct clocked run;

	clocked_start(&run, &clocked_edges);
	ck_assert_int_eq(clocked_take(&run), 1);
	ck_assert_int_eq(
		td_clock_find(&clock, &run.input, &run.axis, &run.columns, &run.ends), 0);
	ck_assert_ptr_nonnull(clock.value);
	ck_assert_double_lt(worst_of(&run, &clock, 1000), 0.5);
	ck_assert_double_lt(worst_of(&run, &clock, 95), 2);
	ck_assert_double_lt(worst_of(&run, &clock, 25), 8);
	for (unsigned b = 0; b < TD_BATCHES; b++)
		ck_assert_double_ne(td_clock_value(&clock, b, 0)[0],
				    td_clock_value(&clock, TD_NO_BATCH, 0)[0]);
	td_clock_free(&clock);
	clocked_finish(&run);
}
END_TEST

/* What no batch shows, of a fraction of columns seen well, in points. */
static double error_of(double slower)
{
	struct sim_setup setup = clocked_edges;
	double sum = 0, n = 0;
	struct td_clock clock;
	struct clocked run;

	setup.slower = slower;
	setup.dwell = slower > 0 ? 400 : 0;
	clocked_start(&run, &setup);
	ck_assert_int_eq(clocked_take(&run), 1);
	ck_assert_int_eq(
		td_clock_find(&clock, &run.input, &run.axis, &run.columns, &run.ends), 0);
	for (uint32_t c = 0; c < clock.columns; c++) {
		uint32_t f = run.columns.function[c];

		if (!clocked_is_seen(&run, c) ||
		    run.sim.cycles[f] / run.sim.visits[f] < 95)
			continue;
		ck_assert_double_gt(clock.prior[c], 0);
		ck_assert_double_lt(clock.prior[c], 0.01);
		for (int k = 0; k < TD_NODES_LEVEL1; k++, n++)
			sum += 100 * sqrt(clock.error[c][k]);
	}
	td_clock_free(&clock);
	clocked_finish(&run);
	ck_assert_double_gt(n, 0);
	return sum / n;
}

/* Rounding, and states, of which windows say little. */
START_TEST(errors)
{
	double still = error_of(0), noisy = error_of(0.2);

	ck_assert_double_gt(still, 0.1);
	ck_assert_double_lt(still, 0.4);
	ck_assert_double_gt(noisy, 1.5 * still);
	ck_assert_double_lt(noisy, 1);
}
END_TEST

static int is_told(struct clocked *run)
{
	struct td_clock clock;
	int told;

	ck_assert_int_eq(
		td_clock_find(&clock, &run->input, &run->axis, &run->columns, &run->ends),
		0);
	told = clock.value != NULL;
	td_clock_free(&clock);
	return told;
}

/* Where nobody counts instructions, or too few windows; paces, where it is not known to
 * the cycle when windows were due. */
START_TEST(nothing_to_tell)
{
	struct sim_setup setup = clocked_edges;
	struct clocked run;

	setup.windows = 6000;
	clocked_start(&run, &setup);
	ck_assert(is_told(&run));
	run.input.exact = 1;
	ck_assert(is_told(&run));
	run.input.paced = run.input.traced = 1;
	ck_assert(!is_told(&run));
	run.input.clock = NULL;
	ck_assert(!is_told(&run));
	clocked_finish(&run);
	setup.windows = 400;
	clocked_start(&run, &setup);
	ck_assert(!is_told(&run));
	clocked_finish(&run);
	setup.windows = 6000;
	setup.edge = 0;
	clocked_start(&run, &setup);
	ck_assert(is_told(&run));
	run.input.paced = run.input.traced = 1;
	ck_assert(!is_told(&run));
	run.input.paced = 0;
	run.input.exact = 1;
	ck_assert(is_told(&run));
	clocked_finish(&run);
}
END_TEST

/* No edge comes between a sharp start and the program; but on a shared core our own code
 * does, which takes one time or another: not when nothing says that starts vary. */
START_TEST(shared_cores)
{
	struct sim_setup setup = clocked_edges;
	struct clocked run;

	setup.windows = 6000;
	for (int sharp = 0; sharp < 2; sharp++) {
		setup.sharp = sharp;
		setup.edge = sharp ? clocked_edges.edge : 0;
		clocked_start(&run, &setup);
		run.input.exact = run.input.paced = run.input.traced = 1;
		run.input.left = 2;
		ck_assert(is_told(&run));
		run.input.shared = 1;
		ck_assert_int_eq(is_told(&run), !sharp);
		run.input.paced = 0;
		ck_assert(is_told(&run));
		clocked_finish(&run);
	}
}
END_TEST

/* Without edges what an own window takes is known, and stands among what it counts. */
START_TEST(sharp_lengths)
{
	struct sim_setup setup = clocked_edges;
	struct clocked run;
	double ticks = 0, cycles = 0;

	setup.edge = 0;
	clocked_start(&run, &setup);
	clocked_sort(&run);
	ck_assert(run.data.sharp);
	ck_assert_int_eq(run.data.set[0].sides, 4);
	for (size_t i = 0; i < run.data.windows; i++) {
		const struct td_clock_window *w = &run.data.window[i];

		if (!w->own)
			continue;
		ticks += w->ticks * run.data.pace[w->column[0]];
		cycles += w->beyond[TD_CLOCK_CYCLES];
	}
	ck_assert_double_eq_tol(cycles / ticks, 1, 0.01);
	clocked_finish(&run);
	clocked_start(&run, &clocked_edges);
	clocked_sort(&run);
	ck_assert(!run.data.sharp);
	clocked_finish(&run);
}
END_TEST

/* Windows of other groups say where the program is when, and nothing of what it counts.
 */
START_TEST(silent_windows)
{
	struct clocked run, all;

	clocked_start(&all, &clocked_edges);
	clocked_sort(&all);
	td_clock_fill(&all.data, TD_NO_BATCH);
	clocked_start(&run, &clocked_edges);
	for (size_t i = 0; i < run.sim.windows; i++) {
		struct td_separate_window *w = &run.sim.window[i];

		w->silent = i % 3 != 0;
		for (int k = 0; k < NODES && w->silent; k++)
			w->value[k] = 1e6f;
	}
	clocked_sort(&run);
	td_clock_fill(&run.data, TD_NO_BATCH);
	ck_assert_uint_eq(run.data.keys, all.data.keys);
	ck_assert_uint_eq(run.data.windows, all.data.windows);
	for (size_t k = 0; k < run.data.keys; k++) {
		const struct td_clock_key *key = &run.data.key[k];

		ck_assert_uint_eq(key->bins, all.data.key[k].bins);
		for (uint32_t b = 0; b < key->bins; b++) {
			ck_assert_double_eq(key->bin[b].n, all.data.key[k].bin[b].n);
			ck_assert_double_lt(fabs(key->bin[b].beyond[0]), 1000);
		}
	}
	for (int k = 0; k < NODES; k++)
		ck_assert_double_eq_tol(run.data.mix[k], edge_mix[k], 0.02);
	clocked_finish(&run);
	clocked_finish(&all);
}
END_TEST

/* Where fewer are asked for, fewer are there to be slow. */
START_TEST(rare_lengths)
{
	struct sim_setup setup = clocked_edges;
	struct clocked run;

	setup.windows = 60000;
	clocked_start(&run, &setup);
	/* as the smaller one of two numbers, and none below 100 */
	for (size_t i = 0; i < run.sim.windows; i++) {
		const struct td_separate_window *w = &run.sim.window[i];
		double part = w->requested < 100 ? 0 : 1 - w->requested / 600;

		if (!w->empty && (double)(i * 7919 % 1000) >= 1000 * part)
			run.sim.window[i].requested = 0;
	}
	run.input.exact = 1;
	ck_assert_int_eq(clocked_take(&run), 1);
	ck_assert_double_ge(run.data.least, 75);
	ck_assert_double_le(run.data.least, 125);
	/* and a window counts for those that are not: twice as rare */
	ck_assert_double_eq_tol(td_clock_rarity(&run.data, 400),
				2 * td_clock_rarity(&run.data, 200), 0.5);
	for (size_t i = 0; i < run.data.windows; i++)
		ck_assert_double_eq_tol(
			run.data.window[i].rare,
			td_clock_rarity(&run.data, run.data.window[i].asked), 1e-4);
	clocked_finish(&run);
}
END_TEST

/* Some windows, before it is known how long the program takes to begin, are shorter than
 * all others: lengths that all functions have begin behind these. */
START_TEST(first_lengths)
{
	struct sim_setup setup = clocked_edges;
	struct clocked run;

	setup.edge = 0;
	setup.shortest = 40;
	setup.windows = 20000;
	clocked_start(&run, &setup);
	for (size_t i = 0; i < run.sim.windows && i < 40; i++)
		if (!run.sim.window[i].empty)
			run.sim.window[i].requested = (float)(30 + i % 10);
	run.input.exact = run.input.paced = 1;
	ck_assert_int_eq(clocked_take(&run), 1);
	ck_assert(run.data.sharp);
	ck_assert_double_eq_tol(run.data.least, 40, 1);
	clocked_finish(&run);
}
END_TEST

int main(void)
{
	return unit_main("clock", (const TTest *const[]){the_mix_of_edges,
							 silent_windows,
							 sharp_lengths,
							 rare_lengths,
							 first_lengths,
							 own_windows_without_edges,
							 times_add_up,
							 ends_in_steps,
							 places_tell_ends,
							 no_places_in_loops,
							 once_through_the_pair,
							 rows_stay,
							 slower_states,
							 no_states,
							 ends_of_the_same,
							 true_slopes_stay,
							 wrong_slopes_go_back,
							 fractions,
							 errors,
							 nothing_to_tell,
							 shared_cores,
							 NULL});
}
