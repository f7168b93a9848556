// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/separate.h"
#include "decoder/separate_parts.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

START_TEST(awkward_patterns)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.seed = 3,
					.windows = 30000,
					.shortest = 2,
					.most = 600};

	separate(&setup);
	limit(100, INFINITY, 0.7);
	limit(25, 100, 2);
	for (unsigned f = 0; f < sim.functions; f++) {
		const struct td_separate_function *function = &result.function[f];

		if (visit(f) < 10)
			ck_assert_int_eq(function->evidence, TD_EVIDENCE_CALLERS);
		if (visit(f) >= 40)
			ck_assert_int_ne(function->evidence, TD_EVIDENCE_CALLERS);
		if (visit(f) >= 2000)
			ck_assert_int_eq(function->evidence, TD_EVIDENCE_OWN);
		ck_assert_double_ge(function->identifiability, 0);
		ck_assert_double_le(function->identifiability, 1);
	}
	ck_assert_int_eq(result.cost.axis, TD_AXIS_REQUESTED);
	ck_assert_double_eq(result.cost.width, 6);
	ck_assert_double_eq_tol(result.cost.cycles.value, 63, 1);
	ck_assert_double_eq_tol(result.cost.start, 18, 1);
	ck_assert_double_eq_tol(result.cost.mix[3], 0.4, 0.02);
	done();
}
END_TEST

/* Windows far longer than the functions. */
START_TEST(long_windows)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.seed = 5,
					.windows = 30000,
					.shortest = 2,
					.most = 4000};

	separate(&setup);
	limit(100, INFINITY, 0.7);
	done();
}
END_TEST

/* The plain rule: sums over windows with the same function at both ends. */
static double plain_error(unsigned function)
{
	double sum[TD_SEPARATE_NODES] = {0}, slots = 0, worst = 0, cost = 0, n = 0;
	double own[TD_SEPARATE_NODES] = {0};

	for (size_t i = 0; i < sim.windows; i++) {
		const struct td_separate_window *w = &sim.window[i];

		if (!w->empty)
			continue;
		n++;
		cost += w->slots;
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			own[k] += w->value[k];
	}
	for (size_t i = 0; i < sim.windows; i++) {
		const struct td_separate_window *w = &sim.window[i];

		if (w->empty || w->open != function || w->close != function || w->calls)
			continue;
		slots += w->slots - cost / n;
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			sum[k] += w->value[k] - own[k] / n;
	}
	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		worst = fmax(worst, fabs(sum[k] / slots - truth(function, k)));
	return 100 * worst;
}

START_TEST(never_worse_than_the_plain_rule)
{
	const struct sim_setup setup = {.kind = SIM_LONG,
					.seed = 7,
					.program = 2,
					.windows = 10000,
					.shortest = 2,
					.most = 2000,
					.noise = 0.3};
	double mine = 0, plain = 0;

	separate(&setup);
	for (unsigned f = 0; f < sim.functions; f++) {
		mine += error_of(f);
		plain += plain_error(f);
		ck_assert_double_le(error_of(f), plain_error(f) + 0.6);
	}
	ck_assert_double_le(mine, 1.1 * plain);
	done();
}
END_TEST

/* Without a counter of returns nothing is known to be a function's own. */
START_TEST(no_returns)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.seed = 1,
					.windows = 30000,
					.shortest = 2,
					.most = 600,
					.no_returns = 1};

	separate(&setup);
	limit(100, INFINITY, 3);
	ck_assert_uint_eq(result.own, 0);
	for (unsigned f = 0; f < sim.functions; f++)
		ck_assert_int_ne(result.function[f].evidence, TD_EVIDENCE_OWN);
	done();
}
END_TEST

/*
 * Four counters: a third of the windows counts level 1 but not returns, one all but
 * frontend bound, one all but bad speculation.  What a window does not count is
 * nonsense in it.
 */
static void as_four_counters(void)
{
	static const unsigned counts[] = {TD_COUNTS_LEVEL1, 0x3, 0x5};
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < sim.windows; i++) {
		struct td_separate_window *w = &sim.window[i];

		state = state * 6364136223846793005u + 1442695040888963407u;
		w->counts = (uint8_t)counts[(state >> 33) % 3];
		w->unsure = w->counts == TD_COUNTS_LEVEL1;
		if (w->unsure)
			w->calls = 0;
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			if (!(w->counts >> k & 1))
				w->value[k] = -7777;
	}
}

static void separate_parts(const struct sim_setup *setup)
{
	struct td_separate_input input;

	sim_run(&sim, setup);
	as_four_counters();
	input = sim_input(&sim);
	input.width = 6;
	ck_assert_int_eq(td_separate_parts(&input, &result), 0);
}

START_TEST(parts_of_level_1)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.seed = 3,
					.windows = 30000,
					.shortest = 2,
					.most = 600};
	uint64_t windows = 0;

	separate_parts(&setup);
	limit(100, INFINITY, 1.2);
	limit(25, 100, 3);
	for (unsigned f = 0; f < sim.functions; f++) {
		const struct td_separate_function *function = &result.function[f];
		double sum = 0;

		if (visit(f) < 10)
			ck_assert_int_eq(function->evidence, TD_EVIDENCE_CALLERS);
		if (visit(f) >= 2000)
			ck_assert_int_eq(function->evidence, TD_EVIDENCE_OWN);
		for (int k = 0; k < TD_NODES_LEVEL1; k++)
			sum += function->node[k].estimate.value;
		ck_assert_double_eq_tol(sum, 1, 1e-9);
	}
	for (size_t i = 0; i < sim.windows; i++)
		windows += !sim.window[i].empty;
	ck_assert_uint_eq(result.windows, windows);
	ck_assert_uint_gt(result.own, windows / 10);
	ck_assert_double_eq_tol(result.cost.cycles.value, 63, 1);
	ck_assert_double_eq_tol(result.cost.mix[3], 0.4, 0.02);
	done();
}
END_TEST

static uint64_t random_state;

static double part(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (double)(random_state >> 40) / (1 << 24);
}

/* Of each function's windows this part is silent: `odd` of those that open in every
 * other one, `even` of the rest.  What they say they counted is nonsense. */
static void silence(double even, double odd)
{
	random_state = 88172645463325252u;
	for (size_t i = 0; i < sim.windows; i++) {
		struct td_separate_window *w = &sim.window[i];

		w->silent = !w->empty && part() < (w->open % 2 ? odd : even);
		for (int k = 0; k < TD_SEPARATE_NODES && w->silent; k++)
			w->value[k] = -7777;
	}
}

static void leave_silent_out(void)
{
	size_t n = 0;

	for (size_t i = 0; i < sim.windows; i++)
		if (!sim.window[i].silent)
			sim.window[n++] = sim.window[i];
	sim.windows = n;
}

/* Squares of the errors of functions of 25 cycles a visit or more, mean. */
static double errors(int chosen)
{
	struct td_separate_input input = {
		.window = sim.window,
		.windows = sim.windows,
		.functions = sim.functions,
		.nodes = TD_SEPARATE_NODES,
		.returns = 1,
		.chosen = chosen,
		.width = 6,
	};
	double sum = 0, n = 0;

	ck_assert_int_eq(td_separate(&input, &result), 0);
	for (unsigned f = 0; f < sim.functions; f++) {
		if (visit(f) < 25)
			continue;
		sum += error_of(f) * error_of(f);
		n++;
	}
	td_separate_free(&result);
	return sum / n;
}

static const struct sim_setup many_silent = {
	.kind = SIM_AWKWARD, .seed = 3, .windows = 30000, .shortest = 2, .most = 600};

/* Windows that count something else say where time is: more than their lack would. */
START_TEST(silent_windows)
{
	double with, without;

	sim_run(&sim, &many_silent);
	silence(0.8, 0.8);
	with = errors(0);
	leave_silent_out();
	without = errors(0);
	ck_assert_msg(with < 0.5, "%.2f square points", with);
	ck_assert_msg(with < 0.6 * without, "%.2f square points, %.2f without", with,
		      without);
	sim_free(&sim);
}
END_TEST

/* Edges make more of counts than sums: all of that is without the silent ones. */
START_TEST(silent_windows_with_edges)
{
	struct sim_setup setup = many_silent;
	double with, without;

	setup.most = 2000;
	setup.edge = 50;
	setup.edge_spread = 0.5;
	sim_run(&sim, &setup);
	silence(0.5, 0.5);
	with = errors(0);
	leave_silent_out();
	without = errors(0);
	ck_assert_msg(with < 1.2 * without, "%.2f square points, %.2f without", with,
		      without);
	sim_free(&sim);
}
END_TEST

/* Where it depends on the function whether a window is silent, those that close in one
 * place and count opened in other ones than all that close there.  Not every program has
 * a function for which that is much: this one has. */
START_TEST(silent_by_choice)
{
	struct sim_setup setup = many_silent;
	double chosen, random;

	setup.seed = 2;
	sim_run(&sim, &setup);
	silence(0, 0.95);
	chosen = errors(1);
	random = errors(0);
	ck_assert_msg(chosen < 1, "%.2f square points", chosen);
	ck_assert_msg(chosen < random / 2, "%.2f square points, %.2f if taken for random",
		      chosen, random);
	sim_free(&sim);
}
END_TEST

/*
 * Four counters again: two events and who called and returned in each window, so that bad
 * speculation is one half in some windows and the other in others; a sixteenth counts
 * level 1 without calls and returns.
 */
static void as_pairs(void)
{
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < sim.windows; i++) {
		struct td_separate_window *w = &sim.window[i];
		float recovery = w->value[1] / 2;
		unsigned draw;

		state = state * 6364136223846793005u + 1442695040888963407u;
		draw = (unsigned)(state >> 33) % 32;
		w->counts = draw < 2 ? 0xd : draw < 17 ? 0x3 : 0x24;
		w->unsure = draw < 2;
		if (w->unsure)
			w->calls = 0;
		w->value[1] = w->counts == 0x3 ? w->value[1] - recovery : -7777;
		w->value[5] = w->counts == 0x24 ? recovery : -7777;
	}
}

START_TEST(a_node_in_two_parts)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.seed = 3,
					.windows = 30000,
					.shortest = 2,
					.most = 600,
					.calls = 1};
	struct td_separate_input input;
	double rest = 0;

	sim_run(&sim, &setup);
	as_pairs();
	input = sim_input(&sim);
	input.width = 6;
	input.exact = 1;
	input.returns = TD_RETURNS_AND_CALLS;
	ck_assert_int_eq(td_separate_parts(&input, &result), 0);
	limit(100, INFINITY, 1.5);
	limit(25, 100, 1.2);
	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		rest += result.cost.mix[k];
	ck_assert_double_eq_tol(rest, 1, 1e-9);
	done();
}
END_TEST

/* Nobody counts anything else than level 1, or two nodes that nobody counts. */
START_TEST(no_parts)
{
	const struct sim_setup setup = {
		.kind = SIM_LONG, .seed = 1, .windows = 200, .shortest = 2, .most = 600};
	struct td_separate_input input = {.returns = 1, .width = 6};

	sim_run(&sim, &setup);
	input.window = sim.window;
	input.windows = sim.windows;
	input.functions = sim.functions;
	for (size_t i = 0; i < sim.windows; i++)
		sim.window[i].counts = TD_COUNTS_LEVEL1;
	ck_assert_int_eq(td_separate_parts(&input, &result), -EINVAL);
	for (size_t i = 0; i < sim.windows; i++)
		sim.window[i].counts = 1;
	ck_assert_int_eq(td_separate_parts(&input, &result), -EINVAL);
	sim_free(&sim);
}
END_TEST

/* What was asked for is not known (another trigger): the measured length is taken. */
START_TEST(measured_lengths)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.seed = 2,
					.windows = 30000,
					.shortest = 30,
					.most = 600,
					.unknown_requested = 1};

	separate(&setup);
	ck_assert_int_eq(result.cost.axis, TD_AXIS_MEASURED);
	ck_assert_double_eq(result.cost.width, 1);
	limit(100, INFINITY, 1);
	done();
}
END_TEST

/* Over small runs of different programs: how often the interval holds the truth. */
START_TEST(intervals)
{
	struct held held = {0};

	for (unsigned run = 0; run < 60; run++) {
		const struct sim_setup setup = {.kind = run % 3 ? SIM_TREE : SIM_AWKWARD,
						.seed = 100 + run,
						.program = run % 7,
						.functions = 20,
						.windows = 4000,
						.shortest = 2,
						.most = run % 2 ? 600 : 2000,
						.noise = run % 5 ? 0 : 0.3};

		separate(&setup);
		count_held(&held);
	}
	limit_held(&held, 93, 97);
}
END_TEST

/* The same with edges, where chance is as large as what there is to be seen. */
START_TEST(intervals_behind_edges)
{
	struct held held = {0};

	for (unsigned run = 0; run < 20; run++) {
		const struct sim_setup setup = {.kind = SIM_AWKWARD,
						.seed = 100 + run,
						.program = run % 7,
						.functions = 20,
						.windows = 5000,
						.shortest = 2,
						.most = 2000,
						.edge = 50,
						.edge_spread = 0.5,
						.noise = run % 2 ? 0 : 1};

		separate(&setup);
		count_held(&held);
	}
	limit_held(&held, 93, 98);
}
END_TEST

#define RARE 200 /* windows with an end in it */

/* Three functions of long visits, 0 to 2; every tenth window has an end in a fourth one,
 * of visits of so many cycles.  Lengths, from the shortest to the most, and places are
 * spread evenly. */
static void rare(double visit, double shortest, double most,
		 struct td_separate_window *window, size_t windows)
{
	memset(window, 0, windows * sizeof(*window));
	for (size_t i = 0; i < windows; i++) {
		struct td_separate_window *w = &window[i];
		double n = (double)(i % 10 ? i : i / 10);
		double length = shortest + (most - shortest) * fmod(n * 0.754878, 1);
		double place = visit * fmod(n * 0.569840, 1);
		uint32_t other = (uint32_t)(i / 10 % 3);
		int own = length <= place, opens = i % 20 == 0;
		/* a window of its own opens in it and is none of those that end */
		int ends = i % 20 == 10 && !own;
		double inside = opens || ends ? fmin(length, place) : 0;

		w->open = opens ? 3 : other;
		w->close = ends || (opens && own) ? 3 : other;
		w->calls = w->open != w->close;
		w->requested = (float)(18 + length);
		w->slots = (float)(6 * (63 + length));
		w->value[other] = (float)(6 * (length - inside));
		w->value[3] = (float)(6 * (63 + inside));
	}
}

/* That a function of few windows may be long is no reason for an answer, if then some
 * of them should have been its own. */
START_TEST(rare_and_short)
{
	static struct td_separate_window window[10 * RARE];
	const struct td_separate_input input = {.window = window,
						.windows = 10 * RARE,
						.functions = 4,
						.nodes = 8,
						.returns = 1};

	rare(8, 0, 600, window, input.windows);
	ck_assert_int_eq(td_separate(&input, &result), 0);
	ck_assert_int_eq(result.function[3].evidence, TD_EVIDENCE_CALLERS);
	td_separate_free(&result);
	rare(100, 0, 600, window, input.windows);
	ck_assert_int_eq(td_separate(&input, &result), 0);
	ck_assert_int_eq(result.function[3].evidence, TD_EVIDENCE_SEPARATED);
	ck_assert_double_eq_tol(result.function[3].visit, 100, 40);
	td_separate_free(&result);
}
END_TEST

/* One of 340 windows that are 8 cycles and more is its own, so visits seem to be 12
 * cycles, and by that number alone may be 36; of visits of 25 it would have ten. */
START_TEST(few_of_its_own)
{
	static struct td_separate_window window[17 * RARE];
	const struct td_separate_input input = {.window = window,
						.windows = 17 * RARE,
						.functions = 4,
						.nodes = 8,
						.returns = 1};
	int own = 0;

	rare(12, 8, 100, window, input.windows);
	for (size_t i = 0; i < input.windows; i++)
		own += window[i].open == 3 && window[i].close == 3;
	ck_assert_int_eq(own, 1);
	ck_assert_int_eq(td_separate(&input, &result), 0);
	ck_assert_double_eq_tol(result.function[3].visit, 12, 2);
	ck_assert_int_eq(result.function[3].evidence, TD_EVIDENCE_CALLERS);
	td_separate_free(&result);
	rare(40, 8, 100, window, input.windows);
	ck_assert_int_eq(td_separate(&input, &result), 0);
	ck_assert_int_eq(result.function[3].evidence, TD_EVIDENCE_SEPARATED);
	td_separate_free(&result);
}
END_TEST

#define SHORT_ONES 9u
#define ALL_ONES 13u
#define OWN_CYCLES 350. /* of ours in each window */

/* Of function `f`. */
static double retiring(unsigned f)
{
	return 0.1 + 0.8 * (f * 5 % ALL_ONES) / ALL_ONES;
}

/*
 * A window of whole cycles that one function has for itself.  Of long ones the counter
 * of cycles has lost half a cycle, which their slots have.
 */
static struct td_separate_window own_window(unsigned f, double most)
{
	double cycles = 1 + floor(part() * most),
	       of = cycles + (f < SHORT_ONES ? 0 : 0.5);
	double value = 4 * (0.2 * OWN_CYCLES + retiring(f) * of);

	return (struct td_separate_window){
		.open = f,
		.close = f,
		.requested = (float)(cycles + 50),
		.slots = (float)(4 * (OWN_CYCLES + cycles)),
		.value = {(float)value, 0, 0, (float)(4 * (OWN_CYCLES + cycles) - value)},
	};
}

/*
 * Counts that nothing rounds: the long functions' windows, of which there are most, say
 * to a hundredth of a cycle what measuring costs, and are wrong by ten times that.  The
 * short ones, which have some 10 cycles in a window, must not believe them.
 */
START_TEST(lost_fractions)
{
	static struct td_separate_window window[20000];
	struct td_separate_input input = {
		.window = window,
		.functions = ALL_ONES,
		.nodes = TD_NODES_LEVEL1,
		.returns = 1,
		.exact = 1,
		.width = 4,
	};

	random_state = 7;
	for (unsigned i = 0; i < 18000; i++) {
		unsigned f = i % 18 < 2 ? i / 18 % SHORT_ONES
					: SHORT_ONES + i % (ALL_ONES - SHORT_ONES);

		window[input.windows++] = own_window(f, f < SHORT_ONES ? 20 : 500);
		if (i % 60)
			continue;
		window[input.windows] = own_window(f, 0);
		window[input.windows].slots = 4 * OWN_CYCLES;
		window[input.windows].value[0] = 4 * 0.2 * OWN_CYCLES;
		window[input.windows].value[3] = 4 * 0.8 * OWN_CYCLES;
		window[input.windows].requested = 0;
		window[input.windows++].empty = 1;
	}
	ck_assert_int_eq(td_separate(&input, &result), 0);
	for (unsigned f = 0; f < SHORT_ONES; f++)
		ck_assert_double_eq_tol(result.function[f].node[0].estimate.value,
					retiring(f), 0.007);
	td_separate_free(&result);
}
END_TEST

START_TEST(level_1_only)
{
	const struct sim_setup setup = {
		.kind = SIM_LONG, .seed = 1, .windows = 3000, .shortest = 2, .most = 600};
	struct td_separate_input input;

	sim_run(&sim, &setup);
	for (size_t i = 0; i < sim.windows; i++)
		memset(sim.window[i].value + 4, 0, 4 * sizeof(float));
	input = sim_input(&sim);
	input.nodes = TD_NODES_LEVEL1;
	ck_assert_int_eq(td_separate(&input, &result), 0);
	limit(1000, INFINITY, 0.7);
	for (unsigned f = 0; f < sim.functions; f++)
		ck_assert(!result.function[f].node[TD_NODE_HEAVY_OPERATIONS].present);
	done();
}
END_TEST

/* Nothing, one window, windows without contents: no answer, no crash. */
START_TEST(little)
{
	struct td_separate_window window[200];
	struct td_separate_input input = {
		.window = window,
		.functions = 3,
		.nodes = TD_SEPARATE_NODES,
		.returns = 1,
	};

	memset(window, 0, sizeof(window));
	for (size_t n = 0; n <= 200; n += n < 3 ? 1 : 197) {
		input.windows = n;
		ck_assert_int_eq(td_separate(&input, &result), 0);
		ck_assert_uint_eq(result.windows, n);
		for (int i = 0; i < TD_NODES; i++)
			ck_assert_double_ge(result.function[0].node[i].estimate.low, 0);
		td_separate_free(&result);
	}
	for (size_t i = 0; i < 200; i++) {
		window[i].open = (uint32_t)i % 3;
		window[i].close = (uint32_t)(i * 7) % 3;
		window[i].requested = 100;
		window[i].slots = 600;
		window[i].value[0] = 600;
		window[i].empty = i % 50 == 0;
	}
	ck_assert_int_eq(td_separate(&input, &result), 0);
	for (unsigned f = 0; f < 3; f++) {
		const struct td_estimate *e = &result.function[f].node[0].estimate;

		ck_assert(e->low >= 0 && e->low <= e->value && e->value <= e->high &&
			  e->high <= 1);
	}
	td_separate_free(&result);
	input.functions = 0;
	input.windows = 0;
	ck_assert_int_eq(td_separate(&input, &result), 0);
	td_separate_free(&result);
}
END_TEST

/* More functions than get a column of their own: no value for the rarest. */
START_TEST(many_functions)
{
	enum { FUNCTIONS = 3000, WINDOWS = 30000 };
	struct td_separate_window *window = calloc(WINDOWS, sizeof(*window));
	struct td_separate_input input = {
		.window = window,
		.windows = WINDOWS,
		.functions = FUNCTIONS,
		.nodes = TD_SEPARATE_NODES,
		.returns = 1,
	};
	unsigned present = 0;

	for (unsigned i = 0; i < WINDOWS; i++) {
		unsigned function = i % 7 * (i % 6007) % FUNCTIONS;

		window[i].open = function;
		window[i].close = i % 3 ? function : (function + 1) % FUNCTIONS;
		window[i].calls = i % 3 == 0;
		window[i].requested = (float)(i % 601 + 2);
		window[i].slots = 6 * (window[i].requested + 40);
		window[i].value[function % 4] = window[i].slots;
	}
	ck_assert_int_eq(td_separate(&input, &result), 0);
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		present += result.function[f].node[0].present;
		if (result.function[f].windows && !result.function[f].node[0].present)
			ck_assert_int_eq(result.function[f].evidence,
					 TD_EVIDENCE_CALLERS);
	}
	ck_assert_uint_eq(present, 1999);
	td_separate_free(&result);
	free(window);
}
END_TEST

int main(void)
{
	return unit_main("separate",
			 (const TTest *const[]){awkward_patterns,
						long_windows,
						never_worse_than_the_plain_rule,
						no_returns,
						parts_of_level_1,
						a_node_in_two_parts,
						no_parts,
						silent_windows,
						silent_windows_with_edges,
						silent_by_choice,
						measured_lengths,
						intervals,
						intervals_behind_edges,
						rare_and_short,
						few_of_its_own,
						lost_fractions,
						level_1_only,
						little,
						many_functions,
						NULL});
}
