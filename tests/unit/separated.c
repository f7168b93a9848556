// SPDX-License-Identifier: MIT
#include "tests/unit/separated.h"

#include <check.h>
#include <math.h>

static const int measured[TD_NODES] = {0, 1, 2, 3, 4, 0, 5, 1, 6, 2, 7, 3};
static const int minus[TD_NODES] = {-1, -1, -1, -1, -1, 4, -1, 5, -1, 6, -1, 7};

struct sim sim;
struct td_separate result;

double truth(unsigned function, int node)
{
	const double *t = sim.truth[function];

	return t[measured[node]] - (minus[node] < 0 ? 0 : t[minus[node]]);
}

double error_of(unsigned function)
{
	double worst = 0;

	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		ck_assert(result.function[function].node[i].present);
		worst = fmax(worst,
			     fabs(result.function[function].node[i].estimate.value -
				  truth(function, i)));
	}
	return 100 * worst;
}

double visit(unsigned function)
{
	return sim.cycles[function] / sim.visits[function];
}

void separate(const struct sim_setup *setup)
{
	struct td_separate_input input;

	sim_run(&sim, setup);
	input = sim_input(&sim);
	input.returns = setup->no_returns ? 0 : setup->calls ? TD_RETURNS_AND_CALLS : 1;
	input.exact = setup->exact;
	ck_assert_int_eq(td_separate(&input, &result), 0);
}

void done(void)
{
	sim_free(&sim);
	td_separate_free(&result);
}

void limit(double from, double to, double points)
{
	double all = 0;
	int seen = 0;

	for (unsigned f = 0; f < sim.functions; f++)
		all += sim.cycles[f];
	for (unsigned f = 0; f < sim.functions; f++) {
		double error;

		if (sim.cycles[f] < 0.01 * all || visit(f) < from || visit(f) >= to)
			continue;
		error = error_of(f);
		ck_assert_msg(error <= points, "function %u, %.0f cycles: %.2f points", f,
			      visit(f), error);
		seen++;
	}
	ck_assert_int_gt(seen, 0);
}

double half_width(double from, double to)
{
	double sum = 0, n = 0;

	for (unsigned f = 0; f < sim.functions; f++) {
		for (int i = 0; i < TD_NODES_LEVEL1; i++) {
			const struct td_topdown_value *of = &result.function[f].node[i];

			if (!of->present || visit(f) < from || visit(f) >= to)
				continue;
			sum += 100 * (of->estimate.high - of->estimate.low) / 2;
			n++;
		}
	}
	ck_assert_double_gt(n, 0);
	return sum / n;
}

void count_held(struct held *held)
{
	for (unsigned f = 0; f < sim.functions; f++) {
		const struct td_separate_function *of = &result.function[f];

		if (sim.cycles[f] <= 0 || of->evidence == TD_EVIDENCE_CALLERS)
			continue;
		for (int i = 0; i < TD_NODES; i++) {
			const struct td_estimate *e = &of->node[i].estimate;
			double t = truth(f, i);

			if (!of->node[i].present)
				continue;
			ck_assert_double_le(e->low, e->value);
			ck_assert_double_le(e->value, e->high);
			held->all++;
			held->inside += e->low <= t + 1e-9 && t <= e->high + 1e-9;
		}
	}
	done();
}

void limit_held(const struct held *held, double least, double most)
{
	double inside = 100 * held->inside / held->all;

	ck_assert_msg(inside >= least && inside <= most, "%.1f %% of %.0f", inside,
		      held->all);
}
