// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "decoder/window_stays.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define RUNS 3
#define LONGEST (TD_STAYS - 1)

static struct td_axis axis;
static struct td_columns columns;

/* Of functions that are one column each, in the order of their windows. */
static struct td_stay *find(const struct sim_setup *setup)
{
	struct td_separate_input input;
	struct td_stay *stay;

	sim_run(&sim, setup);
	input = (struct td_separate_input){
		.window = sim.window,
		.windows = sim.windows,
		.functions = sim.functions,
		.nodes = TD_SEPARATE_NODES,
		.returns = 1,
	};
	ck_assert_int_eq(td_axis_find(&input, &axis), 0);
	ck_assert_int_eq(td_columns_find(&columns, &input, &axis), 0);
	stay = td_stays_find(&input, &axis, &columns);
	ck_assert_ptr_nonnull(stay);
	return stay;
}

static void forget(struct td_stay *stay)
{
	free(stay);
	td_columns_free(&columns);
	sim_free(&sim);
}

/*
 * Visits of D cycles, give or take a tenth: of windows of u cycles 1 - u / D are still in
 * them, on average for D / 2; and what takes x times as long is left x times as late.
 */
START_TEST(visits_of_one_length)
{
	const struct sim_setup setup = {.kind = SIM_CYCLE,
					.seed = 1,
					.windows = 60000,
					.shortest = 2,
					.most = 600};
	struct td_stay *stay = find(&setup);
	int seen = 0;

	for (uint32_t c = 0; c < columns.columns; c++) {
		double cycles = visit(columns.function[c]);
		int half = (int)(5 * log(cycles / 2) + 0.5);

		if (cycles > 500)
			continue;
		seen++;
		ck_assert_double_eq_tol(stay[c].left[half], 1 - exp(half / 5.) / cycles,
					0.12);
		ck_assert_double_lt(stay[c].left[LONGEST], 0.01);
		ck_assert_double_eq_tol(stay[c].first[LONGEST], cycles / 2, cycles / 8);
		ck_assert_double_eq_tol(stay[c].lean[LONGEST], cycles / 2, cycles / 8);
		for (int i = 1; i < TD_STAYS; i++)
			ck_assert_double_le(stay[c].left[i], stay[c].left[i - 1]);
	}
	ck_assert_int_eq(seen, 4);
	forget(stay);
}
END_TEST

static double most_by_place(const struct td_stay *stay, unsigned function)
{
	double most = 0;

	for (uint32_t c = 0; c < columns.columns; c++) {
		if (columns.function[c] == function)
			most = fmax(most, stay[c].by_place);
	}
	return most;
}

/* Two halves, with windows too few to cut it there; and two mixes that change with
 * time, wherever it is. */
START_TEST(place_and_time)
{
	const struct sim_setup halves = {.kind = SIM_AWKWARD,
					 .seed = 1,
					 .windows = 300,
					 .shortest = 2,
					 .most = 600};
	struct sim_setup states = halves;
	struct td_stay *stay = find(&halves);

	ck_assert_double_gt(most_by_place(stay, 9), 0.05);
	forget(stay);
	states.slower = 0.2;
	states.dwell = 4000;
	states.windows = 2000;
	stay = find(&states);
	ck_assert_double_lt(most_by_place(stay, 9), 0.02);
	forget(stay);
}
END_TEST

/* Errors of the functions with a percent of the time, mean of some runs: of 25 cycles a
 * visit or more, and of 100. */
static void errors_of(struct sim_setup setup, double error[2])
{
	double sum[2] = {0}, n[2] = {0};

	for (setup.seed = 1; setup.seed <= RUNS; setup.seed++) {
		double all = 0;

		separate(&setup);
		for (unsigned f = 0; f < sim.functions; f++)
			all += sim.cycles[f];
		for (unsigned f = 0; f < sim.functions; f++) {
			int class = visit(f) >= 100;

			if (visit(f) < 25 || visit(f) >= 1000 ||
			    sim.cycles[f] < 0.01 * all)
				continue;
			sum[class] += error_of(f);
			n[class]++;
		}
		done();
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_double_gt(n[i], 0);
		error[i] = sum[i] / n[i];
	}
}

/*
 * Each function behaves in two ways, and is slower in one of them.  With own windows
 * that are taken for its mean, or that say nothing of the others, errors are 1.5
 * and 0.6 points.
 */
START_TEST(slower_when_it_behaves_differently)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.windows = 100000,
					.shortest = 2,
					.most = 600,
					.slower = 0.2,
					.dwell = 400};
	double error[2];

	errors_of(setup, error);
	ck_assert_double_lt(error[0], 1.25);
	ck_assert_double_lt(error[1], 0.5);
}
END_TEST

/* The same, for so long that a window sees one of them: 0.8 points. */
START_TEST(slower_for_long)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.windows = 100000,
					.shortest = 2,
					.most = 600,
					.slower = 0.2,
					.dwell = 4000};
	double error[2];

	errors_of(setup, error);
	ck_assert_double_lt(error[1], 0.6);
}
END_TEST

int main(void)
{
	return unit_main("window_stays",
			 (const TTest *const[]){visits_of_one_length, place_and_time,
						slower_when_it_behaves_differently,
						slower_for_long, NULL});
}
