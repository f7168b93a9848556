// SPDX-License-Identifier: MIT
/* How rates move without a batch of windows, and by what is known beside them. */
#include <math.h>

#include "decoder/jackknife.h"
#include "decoder/separate.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

static const struct sim_setup setup = {
	.kind = SIM_AWKWARD, .seed = 3, .windows = 5000, .shortest = 2, .most = 600};

static double moves_by(const struct td_separate_moves *moves, unsigned rate)
{
	double change[TD_BATCHES];

	for (int b = 0; b < TD_BATCHES; b++)
		change[b] = moves->change[rate][b];
	return td_jackknife_variance(change);
}

/* What batches show of the first of some rates, variances of all functions added up. */
static double batches_show(unsigned together)
{
	struct td_separate_input input;
	double sum = 0;

	sim_run(&sim, &setup);
	input = sim_input(&sim);
	input.rates = input.shuffled = 1;
	input.together = together;
	ck_assert_int_eq(td_separate(&input, &result), 0);
	for (size_t f = 0; f < result.functions; f++)
		sum += result.moves[f] ? moves_by(result.moves[f], 0) : 0;
	done();
	return sum;
}

/* Of windows that were measured four at a time a quarter is chance of its own. */
START_TEST(moves_of_windows_together)
{
	double one = batches_show(1);

	ck_assert_double_gt(one, 0);
	ck_assert_double_eq_tol(batches_show(4) / one, 4, 1e-3);
}
END_TEST

/* What batches show of a rate, what goes with instructions, which are known as well as
 * this, and what is left are its interval. */
START_TEST(moves_are_all)
{
	static struct td_separate_trace known[64];
	struct td_separate_input input;
	double beside = 0;

	sim_run(&sim, &setup);
	input = sim_input(&sim);
	ck_assert_uint_le(input.functions, 64);
	for (size_t f = 0; f < input.functions; f++)
		known[f] = (struct td_separate_trace){.value = 0.3, .variance = 1e-4};
	input.rates = 1;
	input.known = known;
	input.known_by = 1;
	ck_assert_int_eq(td_separate(&input, &result), 0);
	for (size_t f = 0; f < result.functions; f++) {
		const struct td_separate_moves *moves = result.moves[f];

		for (unsigned k = 0; k < TD_SEPARATE_NODES && moves; k++) {
			const struct td_topdown_value *value =
				&result.function[f].node[td_separate_node_of(k)];
			double square = pow(moves->beside[k], 2);

			beside += square;
			square += moves_by(moves, k) + moves->unseen[k];
			ck_assert_double_eq_tol(
				td_student_t95(value->df) * sqrt(square),
				(value->estimate.high - value->estimate.low) / 2, 1e-6);
		}
	}
	ck_assert_double_gt(beside, 0);
	done();
}
END_TEST

#define FUNCTIONS_MOST 16

/* Of functions of long visits, odd ones of which have a cost with more frontend bound:
 * each function's value of a node and half of its interval. */
struct sure {
	size_t functions;
	double value[FUNCTIONS_MOST][TD_NODES_LEVEL1],
		half[FUNCTIONS_MOST][TD_NODES_LEVEL1];
};

static struct sure with_costs(int rates, float more)
{
	const struct sim_setup long_ones = {.kind = SIM_LONG,
					    .seed = 5,
					    .windows = 20000,
					    .shortest = 300,
					    .most = 2000};
	struct td_separate_input input;
	struct sure sure = {0};

	sim_run(&sim, &long_ones);
	for (size_t i = 0, empty = 0; i < sim.windows; i++) {
		struct td_separate_window *w = &sim.window[i];

		if (!w->empty && w->open % 2)
			w->value[TD_NODE_FRONTEND_BOUND] += more;
		/* as long as each other they would say what the cost is */
		if (w->empty && empty++ % 3 == 0)
			w->slots += 6;
	}
	input = sim_input(&sim);
	input.rates = rates;
	input.exact = 1;
	ck_assert_int_eq(td_separate(&input, &result), 0);
	sure.functions = result.functions;
	ck_assert_uint_le(sure.functions, FUNCTIONS_MOST);
	for (size_t f = 0; f < sure.functions; f++)
		for (int k = 0; k < TD_NODES_LEVEL1; k++) {
			struct td_estimate e = result.function[f].node[k].estimate;

			sure.value[f][k] = e.value;
			sure.half[f][k] = (e.high - e.low) / 2;
		}
	done();
	return sure;
}

/* By how much more than before a value is unsure. */
static double grown(const struct sure *sure, const struct sure *before, size_t f,
		    int node)
{
	return sqrt(fmax(0, pow(sure->half[f][node], 2) - pow(before->half[f][node], 2)));
}

/* A rate is as unsure as the cost is in its node; a fraction as well by what others make
 * of the slots that are left to the program. */
START_TEST(costs_by_nodes)
{
	for (int rates = 0; rates < 2; rates++) {
		struct sure before = with_costs(rates, 0), sure = with_costs(rates, 60);

		for (size_t f = 0; f < sure.functions; f++) {
			double part = sure.value[f][TD_NODE_FRONTEND_BOUND];
			double cost = grown(&sure, &before, f, TD_NODE_FRONTEND_BOUND) /
				      (rates ? 1 : 1 - part);

			ck_assert_double_gt(cost, 0.004);
			for (int k = 0; k < TD_NODES_LEVEL1; k++) {
				double by = rates ? 0 : sure.value[f][k] * cost;

				if (k != TD_NODE_FRONTEND_BOUND)
					ck_assert_double_eq_tol(
						grown(&sure, &before, f, k), by,
						0.1 * by + 7e-4);
			}
		}
	}
}
END_TEST

/* Where our own code takes more or less time by whether the core is shared, rates are
 * known worse by the square of what part of a window that is. */
START_TEST(windows_on_a_shared_core)
{
	const struct sim_setup sharp = {.kind = SIM_LONG,
					.seed = 3,
					.windows = 5000,
					.shortest = 2,
					.most = 1000,
					.edge = 50,
					.edge_spread = 0.9,
					.sharp = 1};
	double alone[FUNCTIONS_MOST][TD_NODES_LEVEL1];
	unsigned seen = 0;

	for (int shared = 0; shared < 2; shared++) {
		struct td_separate_input input;

		sim_run(&sim, &sharp);
		input = sim_input(&sim);
		input.rates = input.exact = 1;
		input.shared = shared;
		ck_assert_int_eq(td_separate(&input, &result), 0);
		ck_assert_uint_le(result.functions, FUNCTIONS_MOST);
		ck_assert(shared ? result.cost.swayed > 0.05 : result.cost.swayed == 0);
		for (size_t f = 0; f < result.functions; f++)
			for (int k = 0; k < TD_NODES_LEVEL1; k++) {
				struct td_estimate e =
					result.function[f].node[k].estimate;
				double half = (e.high - e.low) / 2;
				double by = 1.96 * 0.6 * pow(result.cost.swayed, 2);

				if (shared && e.value > 0.2) {
					ck_assert_double_eq_tol(
						sqrt(half * half -
						     alone[f][k] * alone[f][k]),
						by * e.value, 0.2 * by * e.value);
					seen++;
				}
				alone[f][k] = half;
			}
		done();
	}
	ck_assert_uint_gt(seen, 10);
}
END_TEST

int main(void)
{
	return unit_main("separate_moves",
			 (const TTest *const[]){moves_of_windows_together, moves_are_all,
						costs_by_nodes, windows_on_a_shared_core,
						NULL});
}
