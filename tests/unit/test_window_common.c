// SPDX-License-Identifier: MIT
/* Counts that all windows have even out chance in what some have. */
#include <math.h>
#include <stdlib.h>

#include "decoder/separate.h"
#include "decoder/window_common.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define GROUPS 5 /* one window of so many counts slots */

/* Instructions, which go with retiring; NULL where nobody counts them. */
static float *instructions(void)
{
	float *insns = malloc(sim.windows * sizeof(*insns));
	double own = 0, n = 0;

	ck_assert_ptr_nonnull(insns);
	for (size_t i = 0; i < sim.windows; i++) {
		insns[i] = sim.window[i].value[TD_NODE_RETIRING];
		own += sim.window[i].empty ? insns[i] : 0;
		n += sim.window[i].empty;
	}
	for (size_t i = 0; i < sim.windows; i++)
		insns[i] -= (float)(own / n);
	return insns;
}

struct outcome {
	double squares; /* of errors */
	unsigned told, held;
};

static void add(struct outcome *outcome)
{
	for (unsigned f = 0; f < sim.functions; f++) {
		for (int i = 0; i < TD_NODES_LEVEL1; i++) {
			const struct td_topdown_value *v = &result.function[f].node[i];
			double error = v->estimate.value - truth(f, i);

			if (visit(f) < 1000)
				continue;
			ck_assert(v->present);
			outcome->squares += error * error;
			outcome->told++;
			outcome->held += v->estimate.low <= truth(f, i) &&
					 v->estimate.high >= truth(f, i);
		}
	}
}

enum common { NONE, COUNTED, UNKNOWN };

/* Few windows count anything: by turns, or more of those that open in some functions. */
static int is_silent(size_t window, int chosen)
{
	size_t every = !chosen                       ? GROUPS
		       : sim.window[window].open % 2 ? GROUPS - 2
						     : GROUPS + 2;

	return window % every != 0;
}

/* Runs of functions with two mixes. */
static struct outcome run(enum common common, int chosen, uint64_t seeds)
{
	struct outcome outcome = {0};

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		const struct sim_setup setup = {.kind = SIM_LONG,
						.seed = seed,
						.windows = 10000,
						.shortest = 2,
						.most = 1000,
						.noise = 1};
		struct td_separate_input input;
		float *insns;

		sim_run(&sim, &setup);
		insns = instructions();
		for (size_t i = 0; i < sim.windows; i++) {
			sim.window[i].silent = is_silent(i, chosen);
			insns[i] = common == UNKNOWN ? NAN : insns[i];
		}
		input = sim_input(&sim);
		input.nodes = TD_NODES_LEVEL1;
		input.common = common == NONE ? NULL : insns;
		input.exact = 1;
		input.chosen = chosen;
		ck_assert_int_eq(td_separate(&input, &result), 0);
		add(&outcome);
		done();
		free(insns);
	}
	return outcome;
}

/* Less error, and intervals that know what is left. */
static void tell_two_mixes(int chosen)
{
	struct outcome without = run(NONE, chosen, 8), with = run(COUNTED, chosen, 8);

	ck_assert_double_lt(with.squares, 0.8 * without.squares);
	ck_assert_uint_eq(with.told, without.told);
	ck_assert_uint_ge(100 * with.held, 93 * with.told);
}

START_TEST(two_mixes)
{
	tell_two_mixes(0);
}
END_TEST

START_TEST(two_mixes_chosen)
{
	tell_two_mixes(1);
}
END_TEST

/* Nobody knows them: as without. */
START_TEST(without)
{
	struct outcome none = run(NONE, 0, 1);

	ck_assert_double_ne(run(COUNTED, 0, 1).squares, none.squares);
	ck_assert_double_eq(run(UNKNOWN, 0, 1).squares, none.squares);
}
END_TEST

/* What is put right by them as a whole is not put right twice. */
START_TEST(rates_beside_instructions)
{
	const struct td_axis axis = {.kind = TD_AXIS_REQUESTED};
	const struct td_separate_trace known = {0};
	const struct td_columns columns = {0};
	const float nobody = 0;
	struct td_separate_input input = {.common = &nobody};
	struct td_common common = {.window = NULL};

	ck_assert_int_eq(td_common_find(&common, &input, &columns, &axis), 0);
	ck_assert_ptr_nonnull(common.window);
	td_common_free(&common);
	input.known = &known;
	ck_assert_int_eq(td_common_find(&common, &input, &columns, &axis), 0);
	ck_assert_ptr_null(common.window);
}
END_TEST

#define OWN 256u

/* Instructions that are on one line over the length: an event that half of the windows
 * count goes with none of what is left of it, the last digit of a float. */
START_TEST(instructions_that_do_not_vary)
{
	const struct td_axis axis = {.kind = TD_AXIS_REQUESTED, .width = 6};
	static struct td_separate_window window[OWN];
	static uint32_t column[OWN];
	static float insns[OWN];
	float alone = 1e6f;
	const struct td_columns columns = {
		.open = column, .close = column, .columns = 1, .alone = &alone};
	struct td_separate_input input = {
		.window = window, .windows = OWN, .common = insns, .returns = 1};
	struct td_common common = {.window = NULL};

	for (unsigned i = 0; i < OWN; i++) {
		insns[i] = (float)(100 + 3 * i) + (i % 16 ? 0 : 0.001f);
		window[i] = (struct td_separate_window){.requested = (float)(100 + 3 * i),
							.slots = (float)(600 + 18 * i),
							.silent = i % 2};
		window[i].value[0] = i % 16 ? 0 : 300;
	}
	ck_assert_int_eq(td_common_find(&common, &input, &columns, &axis), 0);
	for (unsigned i = 0; i < OWN; i++)
		ck_assert_double_eq(common.window[i].value[0], window[i].value[0]);
	ck_assert_double_eq(common.taken[0], 0);
	ck_assert_double_eq(common.doubt[0], 0);
	td_common_free(&common);
}
END_TEST

int main(void)
{
	return unit_main("window_common",
			 (const TTest *const[]){two_mixes, two_mixes_chosen, without,
						rates_beside_instructions,
						instructions_that_do_not_vary, NULL});
}
