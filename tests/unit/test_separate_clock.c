// SPDX-License-Identifier: MIT
/* Functions told apart behind edges where instructions are counted. */
#include <math.h>
#include <string.h>

#include "decoder/separate.h"
#include "decoder/separate_state.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

static const struct sim_setup noisy = {.kind = SIM_AWKWARD,
				       .seed = 1,
				       .windows = 60000,
				       .shortest = 2,
				       .most = 600,
				       .edge = 50,
				       .edge_spread = 0.5,
				       .slower = 0.2,
				       .dwell = 400,
				       .clock = 1};

/* By lengths alone the worst of 25 to 100 cycles is 3.9 points off. */
START_TEST(edges_and_noise)
{
	struct held held = {0};

	separate(&noisy);
	ck_assert(result.cost.clocked);
	limit(1000, INFINITY, 0.5);
	limit(100, 1000, 1.3);
	limit(25, 100, 3.5);
	count_held(&held);
	limit_held(&held, 93, 100);
}
END_TEST

/* Without edges instructions say what states lengths do not: by lengths alone the worst
 * are 1.4 and 1.7 points off. */
START_TEST(noise_without_edges)
{
	struct held held = {0};
	struct sim_setup setup = noisy;

	setup.edge = 0;
	setup.seed = 2;
	separate(&setup);
	ck_assert(result.cost.clocked);
	limit(1000, INFINITY, 0.5);
	limit(100, 1000, 1.0);
	limit(25, 100, 1.2);
	count_held(&held);
	limit_held(&held, 93, 100);
}
END_TEST

/* Behind edges, but none between where the length asked for begins and the program. */
static void sharp_starts(uint64_t seed)
{
	struct held held = {0};
	struct sim_setup setup = noisy;

	setup.sharp = 1;
	setup.shortest = 25;
	setup.seed = seed;
	separate(&setup);
	ck_assert(result.cost.clocked);
	limit(1000, INFINITY, 0.5);
	limit(100, 1000, 1.0);
	limit(25, 100, 3.0);
	count_held(&held);
	limit_held(&held, 93, 100);
}

START_TEST(edges_before_the_length)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		sharp_starts(seed);
}
END_TEST

/* Few windows of long lengths say badly what edges are made of, of a node even less than
 * nothing.  That is in no answer: all nodes of edges are one. */
START_TEST(few_windows)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct sim_setup setup = noisy;

		setup.sharp = 1;
		setup.windows = 4000;
		setup.shortest = 25;
		setup.most = 2000;
		setup.seed = seed;
		separate(&setup);
		ck_assert(result.cost.clocked);
		limit(1000, INFINITY, 1.5);
		done();
	}
}
END_TEST

/* So many functions that none has windows enough for a row, but own ones: nothing to go
 * by, and no harm. */
START_TEST(many_functions)
{
	enum { FUNCTIONS = 60 };
	struct sim_setup setup = noisy;
	struct td_separate_input input;

	setup.windows = 600;
	sim_run(&sim, &setup);
	for (size_t i = 0; i < sim.windows; i++) {
		sim.window[i].open = sim.window[i].close = (uint32_t)(i % FUNCTIONS);
		sim.window[i].calls = 0;
	}
	input = sim_input(&sim);
	input.functions = FUNCTIONS;
	ck_assert_int_eq(td_separate(&input, &result), 0);
	for (unsigned f = 0; f < FUNCTIONS; f++)
		for (int k = 0; k < TD_NODES; k++)
			ck_assert(!result.function[f].node[k].present ||
				  isfinite(result.function[f].node[k].estimate.value));
	done();
}
END_TEST

static struct td_reading blended_visits(double free, double variance, double bias,
					double visit)
{
	struct td_told told = {.known = 1, .value = {0.4, 0.2, 0.2, 0.2}};
	struct td_reading reading[TD_NODES];

	for (int i = 0; i < TD_NODES; i++) {
		told.variance[i] = 1e-4;
		told.bias[i] = bias;
		reading[i] = (struct td_reading){free, free, variance, 31};
	}
	td_separate_blend(&told, visit, TD_NODES, reading);
	return reading[0];
}

static struct td_reading blended(double free, double variance, double bias)
{
	return blended_visits(free, variance, bias, INFINITY);
}

/* Of errors that go together by three tenths. */
static double mixed(double part, double told, double read, double apart)
{
	double both = told * told + read * read, together = 0.6 * told * read;

	return pow(part * told, 2) + pow((1 - part) * read, 2) +
	       part * (1 - part) * (together + fmax(0, apart * apart - both + together));
}

/* Two answers are little better than one; what they are apart beyond their errors is an
 * error; the surer one counts for more.  A bias is an error as well. */
START_TEST(two_answers)
{
	struct td_reading alike = blended(0.4, 1e-4, 0), apart = blended(0.6, 1e-4, 0),
			  near = blended(0.41, 1e-4, 0), unsure = blended(0.6, 1e-2, 0),
			  biased = blended(0.7, 1e-4, 0.01);

	ck_assert_double_eq_tol(alike.free, 0.4, 1e-9);
	ck_assert_double_eq_tol(alike.variance, 0.65e-4, 1e-9);
	ck_assert_double_eq_tol(near.variance, 0.65e-4, 1e-9);
	ck_assert_double_eq_tol(apart.free, 0.5, 1e-6);
	ck_assert_double_eq_tol(apart.variance, mixed(0.5, 0.01, 0.01, 0.2), 1e-6);
	ck_assert_double_lt(unsure.free, 0.41);
	ck_assert_double_eq_tol(biased.free, 0.6, 1e-6);
	ck_assert_double_eq_tol(biased.variance,
				mixed(1. / 3, hypot(0.01, 0.01), 0.01, 0.3), 1e-6);
}
END_TEST

/* Where a visit ends, rows are some 0.7 cycles off, which much of a short one is.  That
 * is no reason to go by lengths. */
START_TEST(short_visits)
{
	struct td_reading brief = blended_visits(0.6, 1e-4, 0, 20);

	ck_assert_double_eq_tol(brief.free, 0.5, 1e-6);
	ck_assert_double_eq_tol(
		brief.variance,
		mixed(0.5, hypot(0.01, 0.07 * TD_FRACTION_SPREAD), 0.01, 0.2), 1e-6);
	ck_assert_double_gt(brief.variance, blended(0.6, 1e-4, 0).variance);
}
END_TEST

enum { WINDOWS = 2 * TD_BATCHES };

/* Of one function, whose answer is `off[b]` off without batch b, and of which `part` is
 * the prior's. */
static struct td_told told_by(const double *off, double part)
{
	static struct td_separate_window window[WINDOWS];
	static uint32_t column[WINDOWS], function[1];
	static uint8_t batch[WINDOWS];
	td_sides value[1 + TD_BATCHES] = {{0.4, 0.2, 0.2, 0.2}}, error[1] = {{0}};
	double ends[1] = {2 * WINDOWS}, prior[1] = {part};
	const struct td_separate_input input = {
		.window = window, .windows = WINDOWS, .batch = batch, .functions = 1};
	const struct td_separate_state state = {
		.input = &input,
		.columns = {.columns = 1, .function = function, .ends = ends},
		.ends = {.open = column, .close = column},
		.clock = {.columns = 1, .value = value, .error = error, .prior = prior},
	};
	struct td_told told = {0};

	for (unsigned b = 0; b < TD_BATCHES; b++) {
		batch[2 * b] = batch[2 * b + 1] = (uint8_t)b;
		value[1 + b][0] = value[0][0] + off[b];
		value[1 + b][1] = value[0][1] - off[b];
		value[1 + b][2] = value[1 + b][3] = value[0][2];
	}
	ck_assert_int_eq(td_separate_tell(&state, &told), 0);
	return told;
}

/*
 * The jackknife: (B - 1) / B times the squares; and where all batches are off to the same
 * side, its bias is (B - 1) times their mean.
 */
START_TEST(batches)
{
	const double by = 1e-3, each = (TD_BATCHES - 1) * by * by;
	const double bias = (TD_BATCHES - 1) * by;
	double chance[TD_BATCHES], same[TD_BATCHES];
	struct td_told told;

	for (int b = 0; b < TD_BATCHES; b++) {
		chance[b] = b % 2 ? by : -by;
		same[b] = by;
	}
	told = told_by(chance, 0);
	ck_assert_int_eq(told.known, 1);
	ck_assert_double_eq_tol(told.value[0], 0.4, 1e-12);
	ck_assert_double_eq_tol(told.variance[0], each, 1e-9 * each);
	ck_assert_double_eq_tol(told.variance[2], 0, 1e-15);
	ck_assert_double_eq_tol(told.bias[0], 0, 1e-12);
	told = told_by(same, 0);
	ck_assert_double_eq_tol(told.value[0], 0.4, 1e-12);
	ck_assert_double_eq_tol(told.variance[1], each, 1e-9 * each);
	ck_assert_double_eq_tol(told.bias[1], -bias, 1e-9 * bias);
}
END_TEST

/* What the prior has said may be off by as much as fractions differ; where it has said
 * much there is no answer. */
START_TEST(priors)
{
	const double none[TD_BATCHES] = {0}, by = 0.1 * TD_FRACTION_SPREAD;
	struct td_told told = told_by(none, 0.1);

	ck_assert_int_eq(told.known, 1);
	ck_assert_double_eq_tol(told.variance[0], by * by, 1e-9);
	ck_assert_int_eq(told_by(none, 0.5).known, 0);
}
END_TEST

/* Fractions are bounded: level 1 adds up to 1, and no child is more than its parent. */
START_TEST(bounds)
{
	struct td_told told = {.known = 1,
			       .value = {-0.1, 0.3, 0.4, 0.4, 0.2, 0.4, 0.1, -0.2}};
	struct td_reading reading[TD_NODES];

	for (int i = 0; i < TD_NODES; i++)
		reading[i] = (struct td_reading){0.5, 0.5, 1, 31};
	td_separate_blend(&told, INFINITY, TD_NODES, reading);
	ck_assert_double_eq_tol(reading[TD_NODE_RETIRING].free, -0.1, 1e-6);
	ck_assert_double_eq_tol(reading[TD_NODE_RETIRING].bounded, 0, 1e-6);
	ck_assert_double_eq_tol(reading[TD_NODE_BACKEND_BOUND].bounded, 0.4 / 1.1, 1e-6);
	ck_assert_double_eq_tol(reading[TD_NODE_HEAVY_OPERATIONS].bounded, 0, 1e-6);
	ck_assert_double_eq_tol(reading[TD_NODE_BRANCH_MISPREDICTS].bounded, 0.3 / 1.1,
				1e-6);
	ck_assert_double_eq_tol(reading[TD_NODE_FETCH_LATENCY].bounded, 0.1, 1e-6);
	ck_assert_double_eq_tol(reading[TD_NODE_MEMORY_BOUND].bounded, 0, 1e-6);
}
END_TEST

int main(void)
{
	return unit_main("separate_clock",
			 (const TTest *const[]){edges_and_noise, noise_without_edges,
						edges_before_the_length, few_windows,
						many_functions, two_answers, short_visits,
						batches, priors, bounds, NULL});
}
