// SPDX-License-Identifier: MIT
/* How long functions' visits are, and who is told apart for it. */
#include <stdio.h>
#include <stdlib.h>

#include "decoder/separate.h"
#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

/* What has so many cycles a visit, or more, is told apart, what has less than `none` only
 * with its callers: how many are not. */
static unsigned told_wrongly(double none, double some)
{
	unsigned wrong = 0;

	for (unsigned f = 0; f < sim.functions; f++) {
		const struct td_separate_function *function = &result.function[f];
		int callers = function->evidence == TD_EVIDENCE_CALLERS;

		if (callers ? visit(f) < some : visit(f) >= none)
			continue;
		printf("function %u, of %.1f cycles, seems to be of %.1f\n", f, visit(f),
		       function->visit);
		wrong++;
	}
	return wrong;
}

static void told_apart(double none, double some)
{
	ck_assert_uint_eq(told_wrongly(none, some), 0);
}

/* In four of 60 runs visits of 31 cycles seem to be 14 by the 20 windows that stay in
 * them, or of 8 or 3 more than 9. */
START_TEST(visits)
{
	struct sim_setup setup = {
		.kind = SIM_AWKWARD, .windows = 30000, .shortest = 2, .most = 600};
	unsigned wrong = 0;

	for (setup.seed = 1; setup.seed <= 8; setup.seed++) {
		separate(&setup);
		wrong += told_wrongly(10, 25);
		done();
	}
	ck_assert_uint_le(wrong, 1);
}
END_TEST

#define RECURSES 2

/* A call of itself ends no visit, if it is counted: of 18 and 14 cycles between events it
 * makes 288 from entry to exit, and comes again at once one time of three. */
START_TEST(calls_itself)
{
	const struct sim_setup setup = {.kind = SIM_DEEP,
					.seed = 4,
					.windows = 30000,
					.shortest = 2,
					.most = 600,
					.calls = 1};
	const struct td_separate_function *function;

	separate(&setup);
	function = &result.function[RECURSES];
	ck_assert_int_eq(function->evidence, TD_EVIDENCE_SEPARATED);
	ck_assert_double_ge(function->visit, 288);
	ck_assert_double_le(function->visit, 500);
	ck_assert_double_le(error_of(RECURSES), 0.7);
	done();
}
END_TEST

/* The same by lengths alone: too rare for counts, 15 and 15 cycles. */
START_TEST(calls_itself_seldom)
{
	const struct sim_setup setup = {.kind = SIM_AWKWARD,
					.seed = 4,
					.windows = 30000,
					.shortest = 2,
					.most = 600,
					.calls = 1};

	separate(&setup);
	ck_assert_int_eq(result.function[RECURSES].evidence, TD_EVIDENCE_SEPARATED);
	ck_assert_double_ge(result.function[RECURSES].visit, 25);
	ck_assert_double_le(error_of(RECURSES), 2);
	done();
}
END_TEST

/* Each time it is any of five: counts do not say which of them takes how long, and all
 * have an answer. */
START_TEST(any_of_five)
{
	for (unsigned seed = 5; seed <= 8; seed++) {
		const struct sim_setup setup = {.kind = SIM_TABLE,
						.seed = seed,
						.windows = 20000,
						.shortest = 2,
						.most = 600,
						.calls = 1};

		separate(&setup);
		for (unsigned f = 0; f < sim.functions; f++)
			ck_assert_int_eq(result.function[f].evidence,
					 TD_EVIDENCE_SEPARATED);
		limit(25, INFINITY, 2);
		done();
	}
}
END_TEST

/* In windows that came back nobody sees that they were away: two of 1 and 8 cycles a
 * visit in a loop seemed to be 145 and 67. */
START_TEST(comes_back_unseen)
{
	for (unsigned seed = 1; seed <= 8; seed++) {
		const struct sim_setup setup = {.kind = SIM_CHAIN,
						.seed = seed,
						.windows = 20000,
						.shortest = 2,
						.most = 600,
						.block = 5,
						.no_returns = 1};

		separate(&setup);
		told_apart(10, 25);
		done();
	}
}
END_TEST

/* Windows below 18 cycles have nothing of the program.  They end where they opened, but
 * that is no stay: by them visits of 8 cycles might be 25. */
START_TEST(stays_before_it_begins)
{
	for (unsigned seed = 1; seed <= 4; seed++) {
		const struct sim_setup setup = {.kind = SIM_CHAIN,
						.seed = seed,
						.windows = 20000,
						.shortest = 2,
						.most = 200,
						.edge = 50,
						.edge_spread = 0.5,
						.block = 5,
						.sharp = 1,
						.calls = 1,
						.clock = 1};

		separate(&setup);
		told_apart(10, 25);
		done();
	}
}
END_TEST

/* Interrupts come 40 cycles late, and shorter visits than three times that have no answer
 * of their own.  One function is left by a single window of hundreds, one by none: that
 * says little of how long they are, but they are long. */
START_TEST(hardly_left)
{
	enum { WINDOWS = 1024, LATE = 40, OWN = 60 };
	struct td_separate_window *window = calloc(WINDOWS, sizeof(*window));
	struct td_separate_input input = {.window = window,
					  .windows = WINDOWS,
					  .functions = 3,
					  .nodes = TD_NODES_LEVEL1,
					  .returns = 1};

	for (size_t i = 0; i < WINDOWS; i++) {
		struct td_separate_window *w = &window[i];
		double cycles = OWN;

		w->open = w->close = i % 2;
		w->empty = i % 32 == 0;
		if (!w->empty) {
			w->requested = (float)(20 + 37 * i % 580);
			cycles += w->requested + LATE;
		}
		w->slots = (float)(6 * cycles);
		w->value[0] = (float)(6 * (cycles / 4 + (double)(w->open * OWN)));
		w->value[3] = w->slots - w->value[0];
	}
	window[501].close = 2;
	window[501].calls = 1;
	ck_assert_int_eq(td_separate(&input, &result), 0);
	ck_assert_double_eq_tol(result.cost.start, -LATE, 2);
	for (unsigned f = 0; f < 2; f++)
		ck_assert_msg(result.function[f].evidence != TD_EVIDENCE_CALLERS,
			      "%u: %.0f cycles a visit", f, result.function[f].visit);
	td_separate_free(&result);
	free(window);
}
END_TEST

int main(void)
{
	return unit_main("separate_visits",
			 (const TTest *const[]){visits, calls_itself, calls_itself_seldom,
						any_of_five, comes_back_unseen,
						stays_before_it_begins, hardly_left,
						NULL});
}
