// SPDX-License-Identifier: MIT
/* Functions of two mixes, of which each window counts a part. */
#include "decoder/separate_parts.h"

#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define RUNS 6
#define RUNS_OF_TWO 2
#define PACED 0.9 /* of half widths without paces */

/* A group counts retiring, the other one bad speculation and frontend bound, by turns
 * that know nothing of the program. */
static void by_turns(void)
{
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < sim.windows; i++) {
		struct td_separate_window *w = &sim.window[i];

		state = state * 6364136223846793005u + 1442695040888963407u;
		w->counts = state >> 63 ? 0x1 : 0x6;
	}
}

static struct td_separate_input turns(const struct sim_setup *setup)
{
	struct td_separate_input input;

	sim_run(&sim, setup);
	by_turns();
	input = sim_input(&sim);
	input.width = 6;
	input.exact = 1;
	input.returns = TD_RETURNS_AND_CALLS;
	input.common = sim.clock;
	return input;
}

/* Awkward patterns, slow and fast in turn. */
static struct sim_setup varying(unsigned run)
{
	return (struct sim_setup){.kind = SIM_AWKWARD,
				  .seed = 2 + run,
				  .program = run,
				  .windows = 15000,
				  .shortest = 2,
				  .most = 600,
				  .slower = 0.2,
				  .dwell = 400,
				  .calls = 1,
				  .clock = 1};
}

static void separate_turns(const struct sim_setup *setup)
{
	struct td_separate_input input = turns(setup);

	ck_assert_int_eq(td_separate_parts(&input, &result), 0);
}

/* How a function varies is the node's, not a mean over nodes that no window of the part
 * has: by that one 89 % hold. */
START_TEST(intervals_of_what_varies)
{
	struct held held = {0};

	for (unsigned run = 0; run < RUNS; run++) {
		const struct sim_setup setup = varying(run);

		separate_turns(&setup);
		count_held(&held);
	}
	limit_held(&held, 93, 99);
}
END_TEST

/* Whether instructions of all windows change what is said of any function. */
static int common_tells(struct td_separate_input *input)
{
	const float *common = input->common;
	struct td_separate without;
	int tells = 0;

	ck_assert_int_eq(td_separate_parts(input, &result), 0);
	input->common = NULL;
	ck_assert_int_eq(td_separate_parts(input, &without), 0);
	input->common = common;
	for (size_t f = 0; f < result.functions; f++)
		tells += result.function[f].node[TD_NODE_RETIRING].estimate.value !=
			 without.function[f].node[TD_NODE_RETIRING].estimate.value;
	td_separate_free(&without);
	td_separate_free(&result);
	return tells > 0;
}

/* Also where windows were chosen to count. */
START_TEST(states_by_all_windows)
{
	const struct sim_setup setup = varying(0);
	struct td_separate_input input = turns(&setup);

	ck_assert(common_tells(&input));
	input.chosen = 1;
	ck_assert(common_tells(&input));
	sim_free(&sim);
}
END_TEST

/* Of retiring, of functions of 100 to 1,000 cycles a visit. */
static double half_widths(struct td_separate_input *input)
{
	double sum = 0;

	ck_assert_int_eq(td_separate_parts(input, &result), 0);
	for (unsigned f = 0; f < result.functions; f++) {
		const struct td_estimate *of =
			&result.function[f].node[TD_NODE_RETIRING].estimate;

		if (visit(f) >= 100 && visit(f) < 1000)
			sum += (of->high - of->low) / 2;
	}
	td_separate_free(&result);
	return sum;
}

/* Cycles an instruction, by windows with as many instructions, know functions better;
 * that the intervals hold is above. */
START_TEST(paces_by_all_windows)
{
	double with = 0, without = 0;

	for (unsigned run = 0; run < RUNS_OF_TWO; run++) {
		const struct sim_setup setup = varying(run);
		struct td_separate_input input = turns(&setup);

		with += half_widths(&input);
		input.clock = NULL;
		without += half_widths(&input);
		sim_free(&sim);
	}
	ck_assert_double_gt(with, 0);
	ck_assert_double_le(with, PACED * without);
}
END_TEST

int main(void)
{
	return unit_main("separate_parts",
			 (const TTest *const[]){intervals_of_what_varies,
						states_by_all_windows,
						paces_by_all_windows, NULL});
}
