// SPDX-License-Identifier: MIT
/* Functions told apart by groups that count no node: where two hardware threads share a
 * core, and on small cores beside such large ones. */
#include <string.h>

#include "decoder/report.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/log_run.h"
#include "tests/unit/log_windows.h"
#include "tests/unit/sim_windows.h"
#include "tests/unit/unit.h"

static const struct sim_setup setup = {
	.kind = SIM_AWKWARD, .seed = 4, .windows = 4000, .shortest = 2, .most = 600};

/* That part of the slots is the thread's, in functions of any length. */
static void assert_frontend(const struct run *run, double part)
{
	uint32_t seen = 0;

	for (unsigned f = 0; f < run->sim.functions; f++) {
		const struct td_report_function *row = find(run->report, f);
		const struct td_estimate *e = &row->node[TD_NODE_FRONTEND_BOUND].estimate;
		double truth = run->sim.truth[f][TD_NODE_FRONTEND_BOUND] / part;

		if (run->sim.cycles[f] < 100 * run->sim.visits[f] || truth > 0.9 ||
		    row->evidence == TD_EVIDENCE_CALLERS)
			continue;
		ck_assert(row->node[TD_NODE_FRONTEND_BOUND].present);
		ck_assert_double_eq_tol(e->value, truth, 0.03);
		seen++;
	}
	ck_assert_uint_gt(seen, 5);
}

/* Three quarters of the slots are the thread's: of these its nodes are parts, though no
 * group counts one.  The few empty windows that have a core alone do not say that all of
 * our own code had. */
START_TEST(tells_apart_on_a_shared_core)
{
	struct run run;

	run_start(&run, &setup, LOG_SHARED);
	ck_assert_uint_eq(run.report->notes,
			  2); /* the other: nobody can read the program */
	ck_assert_ptr_nonnull(
		strstr(run.report->note[1], "in 50.1 % of the cycles (50.1 to 50.1)"));
	assert_frontend(&run, 0.75);
	run_free(&run);
}
END_TEST

/* Windows so short that much of them hangs on whether the other thread runs. */
START_TEST(says_when_windows_are_short)
{
	struct sim_setup edges = setup;
	struct run run;

	edges.edge = 100;
	edges.edge_spread = 0.9;
	edges.sharp = 1;
	for (int longer = 0; longer < 2; longer++) {
		edges.most = longer ? 3000 : 300;
		run_start(&run, &edges, LOG_SHARED);
		ck_assert_int_eq(
			build_has_note(run.report, "longer windows (TDAGENT_SHORT)"),
			!longer);
		run_free(&run);
	}
}
END_TEST

/* Small cores beside large ones that are shared: no group counts a node or how much of
 * the core there is, and returns are events of the groups or counters of all. */
static void assert_told_apart(const char *without, const char *neither)
{
	struct run run;
	struct td_file_header *header;

	sim_run(&run.sim, &setup);
	log_windows(&run.build, &run.sim, LOG_SHARED);
	header = run.build.header;
	for (uint64_t i = 0; i < header->events; i++)
		if (strstr(without, header->event[i].name))
			strcpy(header->event[i].name, "other");
	for (uint64_t i = 0; i < header->counters; i++)
		if (strstr(neither, header->counter[i].name))
			strcpy(header->counter[i].name, "other");
	run.report = td_report_new(&(struct td_report_query){0});
	build_add(&run.build, run.report);
	ck_assert_int_eq(td_report_finish(run.report), 0);
	assert_frontend(&run, 1);
	run_free(&run);
}

START_TEST(tells_apart_by_events_alone)
{
	assert_told_apart("one_thread", "");
	assert_told_apart("one_thread, near_returns", "");
}
END_TEST

/* Arm's: by their lengths alone.  What is only told together with its callers is left
 * out. */
START_TEST(tells_apart_without_returns)
{
	assert_told_apart("one_thread, near_returns", "near_returns, near_calls");
}
END_TEST

struct held {
	unsigned held, all;
	double wide; /* sum of the half widths */
};

/* Of the functions' intervals of a node. */
static void count_held(const struct run *run, double part, int node, struct held *to)
{
	double cycles = 0;

	for (unsigned f = 0; f < run->sim.functions; f++)
		cycles += run->sim.cycles[f];
	for (unsigned f = 0; f < run->sim.functions; f++) {
		double truth = run->sim.truth[f][node] / part;
		const struct td_estimate *e;

		if (run->sim.cycles[f] < 50 * run->sim.visits[f] ||
		    run->sim.cycles[f] < 0.02 * cycles)
			continue;
		e = &find(run->report, f)->node[node].estimate;
		to->held += e->low <= truth && truth <= e->high;
		to->all++;
		to->wide += (e->high - e->low) / 2;
	}
}

/* How windows of a function vary is an error of rates as it is of nodes that are counted:
 * 80 % held when it was not. */
START_TEST(knows_what_varies)
{
	struct held frontend = {0}, retiring = {0}, bad = {0};

	for (uint64_t seed = 1; seed <= 6; seed++) {
		const struct sim_setup slower = {.kind = SIM_TREE,
						 .seed = seed,
						 .program = seed,
						 .functions = 24,
						 .windows = 7000,
						 .shortest = 2,
						 .most = 600,
						 .slower = 0.3,
						 .dwell = 400};
		struct run run;

		run_start(&run, &slower, LOG_SHARED);
		count_held(&run, 0.75, TD_NODE_FRONTEND_BOUND, &frontend);
		count_held(&run, 0.75, TD_NODE_RETIRING, &retiring);
		/* half of it is recovery, of which a quarter is not the thread's */
		count_held(&run, 0.75 * 8 / 7, TD_NODE_BAD_SPECULATION, &bad);
		run_free(&run);
	}
	ck_assert_uint_gt(frontend.all, 50);
	ck_assert_uint_ge(100 * frontend.held, 87 * frontend.all); /* of simulations 91 */
	ck_assert_uint_ge(100 * retiring.held, 87 * retiring.all);
	/* 4.1 points where nobody knows that what is issued retires in the same windows
	 */
	ck_assert_uint_ge(100 * bad.held, 95 * bad.all);
	ck_assert_double_lt(bad.wide / bad.all, 0.036);
}
END_TEST

int main(void)
{
	return unit_main("report_shared",
			 (const TTest *const[]){
				 tells_apart_on_a_shared_core,
				 says_when_windows_are_short, tells_apart_by_events_alone,
				 tells_apart_without_returns, knows_what_varies, NULL});
}
