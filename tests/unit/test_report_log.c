// SPDX-License-Identifier: MIT
/* What the report makes of the log of single windows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report.h"
#include "decoder/separate_parts.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/json.h"
#include "tests/unit/log_run.h"
#include "tests/unit/log_windows.h"
#include "tests/unit/printed.h"
#include "tests/unit/sim_windows.h"
#include "tests/unit/unit.h"

#define WINDOWS 4000u

static const char *const counters[] = {BUILD_TOPDOWN, "near_returns", NULL};
static char why[256];

static void log_run(struct build *build, const struct sim *sim)
{
	log_windows(build, sim, LOG_METRICS);
}

static const struct sim_setup setup = {
	.kind = SIM_AWKWARD, .seed = 4, .windows = WINDOWS, .shortest = 2, .most = 600};

/* The same as from the windows themselves, in spite of registers, places and names. */
START_TEST(same_as_the_library)
{
	struct td_separate_input input;
	struct td_separate direct;
	struct run run;

	run_start(&run, &setup, LOG_METRICS);
	input = sim_input(&run.sim);
	ck_assert_int_eq(td_separate(&input, &direct), 0);
	ck_assert_uint_eq(run.report->told, direct.windows);
	ck_assert_uint_eq(run.report->own, direct.own);
	ck_assert_double_eq_tol(run.report->cost.cycles.value, 63, 1.5);
	for (unsigned f = 0; f < run.sim.functions; f++) {
		const struct td_report_function *row = find(run.report, f);

		ck_assert_int_eq(row->evidence, direct.function[f].evidence);
		ck_assert_uint_eq(row->own, direct.function[f].own);
		ck_assert_uint_eq(row->told, direct.function[f].windows);
		/* rounding of slots, and a few columns in another order */
		for (int i = 0; i < TD_NODES && row->identifiability > 0.99; i++)
			ck_assert_double_eq_tol(row->node[i].estimate.value,
						direct.function[f].node[i].estimate.value,
						0.02);
	}
	td_separate_free(&direct);
	run_free(&run);
}
END_TEST

/* Windows of which another thread had half of the slots took twice the time: functions
 * are told apart by what the thread had. */
START_TEST(the_same_of_half_the_slots)
{
	struct td_separate_input input;
	struct td_separate direct;
	struct run run;
	int seen = 0;

	run_start(&run, &setup, LOG_HALVES);
	input = sim_input(&run.sim);
	ck_assert_int_eq(td_separate(&input, &direct), 0);
	for (unsigned f = 0; f < run.sim.functions; f++) {
		const struct td_report_function *row = find(run.report, f);

		for (int i = 0; i < TD_NODES_LEVEL1 && row->identifiability > 0.99; i++)
			ck_assert_double_eq_tol(row->node[i].estimate.value,
						direct.function[f].node[i].estimate.value,
						0.03);
		seen += row->identifiability > 0.99;
	}
	ck_assert_int_gt(seen, 5);
	td_separate_free(&direct);
	run_free(&run);
}
END_TEST

/* With so many cycles of ours in a window, as empty ones say. */
static int lacks_slots(enum log_kind kind, unsigned own)
{
	struct td_profile profile;
	struct td_file_thread *thread;
	struct build build;
	struct sim sim;
	double cycles;
	int lacks;

	sim_run(&sim, &setup);
	log_windows(&build, &sim, kind);
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	thread = (struct td_file_thread *)(uintptr_t)profile.thread[0];
	thread->empties = 1;
	thread->empty[0] = own * (uint64_t)build.header->slots_a_cycle;
	lacks = td_profile_lacks_slots(&profile, &cycles);
	ck_assert_double_eq_tol(cycles, own, 1e-9);
	td_profile_free(&profile);
	build_free(&build);
	sim_free(&sim);
	return lacks;
}

/* Behind edges our own cycles are many, and no window lacks slots for that. */
START_TEST(nobody_shares)
{
	ck_assert_int_eq(lacks_slots(LOG_METRICS, 63), 0);
	ck_assert_int_eq(lacks_slots(LOG_METRICS, 250), 0);
	ck_assert_int_eq(lacks_slots(LOG_HALVES, 63), 1);
}
END_TEST

/* Tells its functions apart as the regression does by these windows of parts. */
static void told_as(const struct td_report *report, const struct td_separate_input *input)
{
	struct td_separate direct;

	ck_assert_int_eq(td_separate_parts(input, &direct), 0);
	ck_assert_uint_eq(report->told, direct.windows);
	ck_assert_uint_eq(report->own, direct.own);
	for (unsigned f = 0; f < direct.functions; f++) {
		const struct td_report_function *row = find(report, f);
		const struct td_separate_function *told = &direct.function[f];

		ck_assert_int_eq(row->evidence, told->evidence);
		/* whole events, and a few columns in another order */
		for (int i = 0; i < TD_NODES_LEVEL1 && row->identifiability > 0.99; i++)
			ck_assert_double_eq_tol(row->node[i].estimate.value,
						told->node[i].estimate.value, 0.02);
	}
	td_separate_free(&direct);
}

/* Windows that count some of level 1's events each, in whole numbers. */
static struct td_separate_input parts_of(const struct sim *sim)
{
	struct td_separate_input input = sim_input(sim);

	input.nodes = TD_NODES_LEVEL1;
	input.exact = 1;
	input.width = 6;
	return input;
}

/* Each group's events become the nodes of level 1 that they are enough for. */
START_TEST(groups_with_returns)
{
	static const uint8_t counts[] = {TD_COUNTS_LEVEL1, 0x5, 0x3};
	struct td_separate_input input;
	struct run run;

	run_start(&run, &setup, LOG_JUDGED);
	for (size_t i = 0; i < run.sim.windows; i++) {
		run.sim.window[i].counts = counts[i % 3];
		run.sim.window[i].unsure = i % 3 == 0;
		run.sim.window[i].calls *= i % 3 != 0;
	}
	input = parts_of(&run.sim);
	told_as(run.report, &input);
	run_free(&run);
}
END_TEST

static const struct sim_setup called = {.kind = SIM_AWKWARD,
					.seed = 4,
					.windows = WINDOWS,
					.shortest = 2,
					.most = 600,
					.calls = 1};

/* Bad speculation is in two groups: of what they add up to the first knows nothing in
 * parts, and who counts returns alone does not know who left. */
START_TEST(groups_with_returns_and_calls)
{
	static const uint8_t counts[] = {0xd, 0x3, 0x24, 0};
	struct td_separate_input input;
	struct run run;

	run_start(&run, &called, LOG_PAIRED);
	for (size_t i = 0; i < run.sim.windows; i++) {
		struct td_separate_window *w = &run.sim.window[i];
		unsigned group = LOG_PAIRED_GROUP(i);
		float recovery = 4 * (float)(lround(w->value[1]) / 8);

		w->counts = counts[group];
		w->unsure = group == 0 || group == 3;
		w->calls = (uint8_t)(group == 0 ? 0 : w->calls / (group == 3 ? 2 : 1));
		if (group == 1)
			w->value[1] -= recovery;
		w->value[5] = recovery;
	}
	input = parts_of(&run.sim);
	input.returns = TD_RETURNS_AND_CALLS;
	told_as(run.report, &input);
	run_free(&run);
}
END_TEST

/* How many own windows LOG_PAIRED has where one of the two groups has no calls. */
static size_t own_without_calls(const struct sim *sim, unsigned group)
{
	struct td_report *report = td_report_new(&(struct td_report_query){0});
	struct build build;
	size_t own;

	log_windows(&build, sim, LOG_PAIRED);
	for (unsigned i = 0; i < build.header->events; i++) {
		struct td_file_event *event = &build.header->event[i];

		if (event->group == group && !strcmp(event->name, "near_calls"))
			strcpy(event->name, "none");
	}
	build_add(&build, report);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert(report->separated);
	own = report->own;
	td_report_free(report);
	build_free(&build);
	return own;
}

/* All are judged by what both groups know, whichever is the one that knows less. */
START_TEST(groups_of_which_one_has_calls)
{
	struct sim sim;

	sim_run(&sim, &called);
	ck_assert_uint_eq(own_without_calls(&sim, 1), own_without_calls(&sim, 2));
	sim_free(&sim);
}
END_TEST

/* Empty windows that are all alike know events to a whole one only. */
START_TEST(own_cost_of_groups)
{
	struct td_own_cost cost[TD_GROUPS_MAX];
	struct td_profile profile;
	struct build build;
	double sum = 0, squares = 0, n = 0;
	struct sim sim;

	sim_run(&sim, &setup);
	log_windows(&build, &sim, LOG_JUDGED);
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	for (size_t i = 0; i < profile.windows; i++) {
		struct td_file_window *w =
			(struct td_file_window *)profile.window[i].window;

		if (w->state != TD_WINDOW_EMPTY || w->group != 1)
			continue;
		w->value[1] = (uint32_t)(100 + i % 7);
		sum += w->value[1];
		squares += pow(w->value[1], 2);
		n++;
	}
	td_groups_own_cost(&profile, cost);
	ck_assert_uint_eq(cost[1].windows, (uint64_t)n);
	ck_assert_double_eq_tol(cost[1].mean[1], sum / n, 1e-9);
	ck_assert_double_eq_tol(cost[1].unsure[1],
				sqrt((squares / n - pow(sum / n, 2)) / n), 1e-6);
	ck_assert_double_eq(cost[1].mean[6], LOG_BASE_RETURNS);
	ck_assert_double_eq_tol(cost[1].unsure[6], 0.29, 0.01);
	td_profile_free(&profile);
	build_free(&build);
	sim_free(&sim);
}
END_TEST

static void drop_empty_windows(struct sim *sim)
{
	size_t n = 0;

	for (size_t i = 0; i < sim->windows; i++)
		if (!sim->window[i].empty)
			sim->window[n++] = sim->window[i];
	sim->windows = n;
}

/* All windows tell of all that they may hold, and none is one function's own. */
START_TEST(groups_without_returns)
{
	static const uint8_t counts[] = {0x5, 0x3};
	struct td_report *report = td_report_new(&(struct td_report_query){0});
	struct td_separate_input input;
	struct build build;
	struct sim sim;

	sim_run(&sim, &setup);
	drop_empty_windows(&sim);
	log_windows(&build, &sim, LOG_PARTS);
	build_add(&build, report);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert(report->separated);
	for (size_t i = 0; i < sim.windows; i++) {
		sim.window[i].counts = counts[i % 2];
		sim.window[i].calls = 0;
	}
	input = parts_of(&sim);
	input.returns = 0;
	input.by_kernel = 1;
	told_as(report, &input);
	ck_assert_uint_eq(report->told, sim.windows);
	ck_assert_uint_eq(report->own, 0);
	td_report_free(report);
	build_free(&build);
	sim_free(&sim);
}
END_TEST

/* The plan's number of the event. */
static uint32_t number_of(const struct td_report *report, const char *name,
			  unsigned group)
{
	for (uint32_t i = 0; i < report->plan.events; i++)
		if (report->plan.event[i].group == group &&
		    !strcmp(report->plan.event[i].name, name))
			return i;
	ck_abort_msg("no %s in group %u", name, group);
	return 0;
}

/* Rates of one group's event are right in all functions that have one; the mean half
 * width of their intervals. */
static double assert_rates(enum log_kind kind)
{
	uint32_t seen = 0, number;
	struct run run;
	double half = 0;

	run_start(&run, &setup, kind);
	number = number_of(run.report, "not_delivered", 1);
	ck_assert_int_eq(
		find(run.report, 0)->groups->rate[number_of(run.report, "inst", 0)].known,
		0);
	for (unsigned f = 0; f < run.sim.functions; f++) {
		const struct td_report_function *row = find(run.report, f);
		double truth = 6 * run.sim.truth[f][TD_NODE_FRONTEND_BOUND];
		const struct td_groups_rate *rate;

		if (run.sim.cycles[f] < 100 * run.sim.visits[f] ||
		    row->evidence == TD_EVIDENCE_CALLERS)
			continue;
		rate = &row->groups->rate[number];
		ck_assert(rate->known);
		ck_assert_double_eq_tol(rate->value, truth, 0.12);
		ck_assert_double_le(fabs(rate->value - truth), 2 * rate->half);
		half += rate->half;
		seen++;
	}
	ck_assert_uint_gt(seen, 5);
	run_free(&run);
	return half / seen;
}

/* Events of one group alone, a cycle, of functions that few windows have for
 * themselves; the other groups' windows tell where time is. */
START_TEST(rates_of_short_functions)
{
	ck_assert_double_lt(assert_rates(LOG_JUDGED), 0.05);
}
END_TEST

/* Own windows are known in each group. */
START_TEST(rates_where_all_groups_count_returns)
{
	ck_assert_double_lt(assert_rates(LOG_ALL), 0.05);
}
END_TEST

/* A common event's rate, as the first function has it; with or without a rare one in
 * its group. */
static struct td_groups_rate rate_beside(int rare)
{
	struct td_groups_rate rate;
	struct run run;

	sim_run(&run.sim, &setup);
	log_windows(&run.build, &run.sim, LOG_JUDGED);
	if (rare)
		run.build.header->event[run.build.header->events++] =
			(struct td_file_event){"clears", 1, 3, 0, 0, 0};
	run.report = td_report_new(&(struct td_report_query){0});
	build_add(&run.build, run.report);
	ck_assert_int_eq(td_report_finish(run.report), 0);
	if (rare)
		ck_assert(find(run.report, 0)
				  ->groups->rate[number_of(run.report, "clears", 1)]
				  .known);
	rate = find(run.report, 0)
		       ->groups->rate[number_of(run.report, "not_delivered", 1)];
	run_free(&run);
	return rate;
}

/* The rounding of few events decides nothing of many. */
START_TEST(rates_beside_rare_events)
{
	struct td_groups_rate alone = rate_beside(0), beside = rate_beside(1);

	ck_assert(alone.known && beside.known);
	ck_assert_double_eq(beside.value, alone.value);
	ck_assert_double_eq(beside.half, alone.half);
}
END_TEST

static void assert_totals(const struct sim *sim, const struct td_topdown_value *node)
{
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		double slots = 0, cycles = 0;

		for (unsigned f = 0; f < sim->functions; f++) {
			slots += sim->cycles[f] * sim->truth[f][i];
			cycles += sim->cycles[f];
		}
		ck_assert(node[i].present);
		ck_assert_double_eq_tol(node[i].estimate.value, slots / cycles, 0.02);
		ck_assert_double_le(node[i].estimate.low, slots / cycles);
		ck_assert_double_ge(node[i].estimate.high, slots / cycles);
	}
}

/* All windows of a group are a sample of the run, if they were taken in turn. */
START_TEST(totals_by_groups)
{
	struct build build;
	struct sim sim;

	sim_run(&sim, &setup);
	log_windows(&build, &sim, LOG_JUDGED);
	for (uint32_t drilled = 0; drilled < 2; drilled++) {
		struct td_report *report = td_report_new(&(struct td_report_query){0});

		build.header->drilled = drilled;
		build_add(&build, report);
		ck_assert_int_eq(td_report_finish(report), 0);
		if (drilled) {
			ck_assert(!report->node[0].present);
			ck_assert(!report->thread[0].node[0].present);
		} else {
			assert_totals(&sim, report->node);
			assert_totals(&sim, report->process[0].node);
			assert_totals(&sim, report->thread[0].node);
		}
		td_report_free(report);
	}
	build_free(&build);
	sim_free(&sim);
}
END_TEST

/* Of all functions' intervals; one alone differs by chance. */
static double width_of(const struct td_report *report)
{
	double sum = 0;

	for (size_t i = 0; i < report->functions; i++) {
		const struct td_estimate *e = &report->function[i].node[0].estimate;

		sum += e->high - e->low;
	}
	return sum;
}

/* Two profiles are one with twice the windows. */
START_TEST(profiles_add_up)
{
	struct td_report *report = td_report_new(&(struct td_report_query){0});
	struct sim_setup second = setup;
	uint64_t windows = 0;
	double wide[2];

	for (int i = 0; i < 2; i++) {
		struct td_report *one = td_report_new(&(struct td_report_query){0});
		struct build build;
		struct sim sim;

		second.seed += (uint64_t)i;
		sim_run(&sim, &second);
		log_run(&build, &sim);
		build_add(&build, report);
		build_add(&build, one);
		ck_assert_int_eq(td_report_finish(one), 0);
		windows += one->told;
		wide[i] = width_of(one);
		td_report_free(one);
		build_free(&build);
		sim_free(&sim);
	}
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert_uint_eq(report->told, windows);
	ck_assert_double_lt(width_of(report), fmin(wide[0], wide[1]));
	td_report_free(report);
}
END_TEST

#define HAS(text, part)                                                                  \
	ck_assert_msg(strstr(text, part) != NULL, "no %s in\n%s", part, text)

static struct td_report *reported(const struct td_report_query *query,
				  struct build *build, struct sim *sim)
{
	struct td_report *report = td_report_new(query);

	sim_run(sim, &setup);
	log_run(build, sim);
	build_add(build, report);
	ck_assert_int_eq(td_report_finish(report), 0);
	return report;
}

/* However narrow its interval: it is not of what the function does by itself. */
START_TEST(vague_with_callers_only)
{
	struct td_report_query query = {0};
	struct td_report *report;
	uint32_t narrow = 0;
	struct build build;
	struct sim sim;

	report = reported(&query, &build, &sim);
	for (size_t i = 0; i < report->functions; i++) {
		const struct td_report_function *f = &report->function[i];
		const struct td_estimate *e = &f->node[TD_NODE_RETIRING].estimate;

		if (!f->node[TD_NODE_RETIRING].present)
			continue;
		if (f->evidence == TD_EVIDENCE_CALLERS) {
			narrow += e->high - e->low < 0.2;
			ck_assert(td_report_is_vague(report, f, TD_NODE_RETIRING));
		} else {
			ck_assert_int_eq(td_report_is_vague(report, f, TD_NODE_RETIRING),
					 e->high - e->low > 0.2);
		}
	}
	ck_assert_uint_gt(narrow, 0);
	td_report_free(report);
	build_free(&build);
	sim_free(&sim);
}
END_TEST

START_TEST(in_print)
{
	struct td_report_query query = {.min_windows = 600};
	struct td_report *report;
	struct build build;
	struct sim sim;
	char *text;

	report = reported(&query, &build, &sim);
	text = printed(report, PRINTED_PAGE);
	HAS(text, "told apart by 4000 windows");
	HAS(text, "own cost   6");
	HAS(text, "cycles a window, taken out");
	HAS(text, "Basis");
	HAS(text, "separ.");
	HAS(text, "callers");
	HAS(text, "? too uncertain to act on");
	ck_assert_int_eq(td_report_is_vague(report, find(report, 7), 0), 0);
	ck_assert_int_eq(td_report_is_vague(report, find(report, 3), 0), 1);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		ck_assert_uint_le(strcspn(line, "\n"), 100 + 12); /* "±" has two bytes */
	free(text);
	text = printed(report, PRINTED_JSON);
	HAS(text, "\"separation\"");
	HAS(text, "\"cost_cycles\"");
	HAS(text, "\"evidence\": \"callers\"");
	HAS(text, "\"evidence\": \"separated\"");
	HAS(text, "\"identifiability\"");
	HAS(text, "\"own_share\"");
	free(text);
	td_report_free(report);
	build_free(&build);
	sim_free(&sim);
}
END_TEST

/* Windows of 5 and 10 cycles that are all alike, by the kernel: to half a step of a
 * field, where whole slots are 1.5 points off. */
START_TEST(parts_of_slots)
{
	static const uint32_t field[] = {38, 8, 158, 51};
	struct td_report *report = td_report_new(&(struct td_report_query){0});
	const struct td_report_function *row;
	struct td_file_place *place;
	struct build build;

	build_start(&build, counters);
	build.header->backend = TD_BACKEND_METRICS;
	build.header->windows = TD_WINDOWS_VERNIER;
	build.header->level = 2;
	build.header->period_unit = TD_UNIT_CYCLES;
	build.header->slots_a_cycle = 6;
	build.header->windows_max = 190000;
	place = build_place(&build, build_thread(&build, 42, "main"), TD_PLACE_FUNCTION,
			    build_object(&build, TD_OBJECT_ELF, "/nowhere/program"),
			    log_address(0));
	for (uint32_t i = 0; i < WINDOWS; i++) {
		struct td_file_window *to = build_logged(&build, place);

		to->thread = 42;
		to->requested = 5 + 5 * (i % 2);
		to->value[0] = 6 * to->requested;
		for (int k = 0; k < 4; k++)
			to->value[1] |= field[k] << (8 * k);
		place->samples++;
	}
	build_add(&build, report);
	ck_assert_int_eq(td_report_finish(report), 0);
	row = find(report, 0);
	ck_assert_int_eq(row->evidence, TD_EVIDENCE_OWN);
	for (int k = 0; k < 4; k++)
		ck_assert_double_eq_tol(row->node[k].estimate.value, field[k] / 255.,
					0.5 / 255);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* No log, or one of other counters: the plain rule, as ever. */
START_TEST(without)
{
	struct td_report *report = td_report_new(&(struct td_report_query){0});
	struct build build;
	struct sim sim;

	sim_run(&sim, &setup);
	log_run(&build, &sim);
	build.header->backend = TD_BACKEND_SIMULATED;
	build_add(&build, report);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert(!report->separated);
	ck_assert_int_eq(find(report, 0)->evidence, TD_EVIDENCE_NONE);
	td_report_free(report);
	build_free(&build);
	sim_free(&sim);
}
END_TEST

/* Another thread's windows are not asked for. */
START_TEST(of_a_thread)
{
	struct td_report_query query = {.thread = "7"};
	struct td_report *report;
	struct build build;
	struct sim sim;

	report = reported(&query, &build, &sim);
	ck_assert(!report->separated);
	td_report_free(report);
	build_free(&build);
	sim_free(&sim);
}
END_TEST

/* Behind edges instructions tell, and the report says so. */
START_TEST(by_instructions)
{
	struct sim_setup behind = setup;
	struct run run;

	behind.edge = 50;
	behind.edge_spread = 0.5;
	behind.clock = 1;
	run_start(&run, &behind, LOG_CLOCK);
	ck_assert(run.report->cost.clocked);
	printed_has(run.report, PRINTED_TEXT, "and by their instructions");
	printed_has(run.report, PRINTED_JSON, "\"by_instructions\": true");
	run_free(&run);
	run_start(&run, &behind, LOG_UNSURE);
	ck_assert(!run.report->cost.clocked);
	printed_has(run.report, PRINTED_JSON, "\"by_instructions\": false");
	run_free(&run);
}
END_TEST

/* Retiring of the windows' own cost, where the first one of all is empty, and all its
 * slots, or those of its first node, are `node`. */
static double cost_after(int node)
{
	struct run run;
	double mix;

	sim_run(&run.sim, &setup);
	run.sim.window[0].empty = 1;
	run.sim.window[0].open = run.sim.window[0].close = 0;
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		run.sim.window[0].value[k] = k == node ? run.sim.window[0].slots : 0;
	log_run(&run.build, &run.sim);
	run.report = td_report_new(&(struct td_report_query){0});
	build_add(&run.build, run.report);
	ck_assert_int_eq(td_report_finish(run.report), 0);
	mix = run.report->cost.mix[TD_NODE_RETIRING];
	run_free(&run);
	return mix;
}

/* The first of all was before the program, in cold code: nothing depends on it. */
START_TEST(cold_first_window)
{
	ck_assert_double_eq(cost_after(TD_NODE_RETIRING),
			    cost_after(TD_NODE_BACKEND_BOUND));
}
END_TEST

int main(void)
{
	return unit_main("report_log",
			 (const TTest *const[]){same_as_the_library,
						the_same_of_half_the_slots,
						nobody_shares,
						groups_with_returns,
						groups_with_returns_and_calls,
						groups_of_which_one_has_calls,
						groups_without_returns,
						own_cost_of_groups,
						rates_of_short_functions,
						rates_where_all_groups_count_returns,
						rates_beside_rare_events,
						totals_by_groups,
						profiles_add_up,
						in_print,
						vague_with_callers_only,
						by_instructions,
						cold_first_window,
						parts_of_slots,
						without,
						of_a_thread,
						NULL});
}
