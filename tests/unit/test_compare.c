// SPDX-License-Identifier: MIT
/*
 * Comparisons of synthetic runs: how often equal programs are said to differ,
 * how often a change is found, and what is said of it.  The same numbers on
 * every machine.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/compare.h"
#include "decoder/text.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/json.h"
#include "tests/unit/uniform.h"
#include "tests/unit/unit.h"
#include "tools/diff_print.h"

#define FUNCTIONS 12
#define NODES 8
#define PAIRS 200
#define RUNS_MOST 10

static const char *const counters[] = {BUILD_TOPDOWN, NULL};

/* A program, and how it is measured. */
struct program {
	double share[FUNCTIONS]; /* in any unit; 0: it is not there */
	double moved[FUNCTIONS]; /* from retiring to backend bound, 0..1 */
	unsigned samples;        /* of a run */
	unsigned windows;        /* of each function */
	double noise;            /* how much shares differ from run to run, relative */
	unsigned backend;
	unsigned unit;
	unsigned build; /* build-id */
	uint32_t kind;  /* of all places */
	const char *module;
	int paths; /* call paths: see caller_of() */
};

static const struct program usual = {
	.share = {3, 5, 2, 8, 4, 9, 1, 6, 7, 12, 10, 11},
	.samples = 8000,
	.windows = 1000,
	.backend = TD_BACKEND_METRICS,
	.build = 1,
	.kind = TD_PLACE_FUNCTION,
	.module = "/nonexistent/a.out",
};

static const struct td_compare_query query = {
	.threshold = 0.01, .noise = 0.04, .min_windows = 50};

/* Within half of `width` around 0. */
static double around(double width)
{
	return width * (uniform() - 0.5);
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(2 * M_PI * uniform());
}

/*
 * One window as the register gives it: 255ths that add up.  From window to
 * window 10 points (a standard deviation) go to and fro between retiring and
 * backend bound, 3 between the others.
 */
static void add_window(struct build *build, struct td_file_place *place, uint32_t path,
		       double moved)
{
	double a = moved + around(0.34641), b = around(0.1);
	double level1[4] = {0.42 - a, 0.12 + b, 0.14 - b, 0.32 + a};
	static const double child[4] = {0.2, 0.7, 0.6, 0.5};
	uint64_t slots = (uint64_t)(1000 + 8000 * uniform()), count[1 + NODES] = {slots};
	int field[NODES], left = 255;

	for (int i = 0; i < 4; i++) {
		field[i] = i < 3 ? (int)lround(255 * level1[i]) : left;
		left -= field[i];
		field[4 + i] = (int)lround(255 * child[i] * level1[i]);
	}
	for (int i = 0; i < NODES; i++)
		count[1 + i] = slots * (uint64_t)field[i] / 255;
	build_window(build, place, count);
	if (path)
		build_path_window(build, path, count);
}

/* Who calls function i of a program with call paths; FUNCTIONS: nobody. */
static int caller_of(int i)
{
	return i < 4 ? 9 : i < 7 ? 10 : i < 9 ? 11 : FUNCTIONS;
}
#define CALLEES_OF_9 4

/* A path to each place, callers first; `samples` as in the places. */
static void add_paths(struct build *build, uint32_t thread,
		      struct td_file_place *const *place, uint32_t *path)
{
	uint32_t root = build_root(build, thread);

	for (int i = FUNCTIONS - 1; i >= 0; i--) {
		int caller = caller_of(i);

		if (!place[i])
			continue;
		path[i] = build_path(build, thread,
				     caller < FUNCTIONS ? path[caller] : root, place[i]);
		((struct td_file_path *)build_record(build, path[i]))->samples =
			place[i]->samples;
	}
}

/* So many draws, each function by its share. */
static void draw_samples(const struct program *program, unsigned *samples)
{
	double share[FUNCTIONS], sum = 0;

	for (int i = 0; i < FUNCTIONS; i++) {
		share[i] = program->share[i] * exp(program->noise * normal());
		sum += share[i];
	}
	memset(samples, 0, FUNCTIONS * sizeof(*samples));
	for (unsigned n = 0; n < program->samples; n++) {
		double at = sum * uniform();
		int i = 0;

		while (i < FUNCTIONS - 1 && at >= share[i])
			at -= share[i++];
		samples[i]++;
	}
}

static void fill_build(struct build *build, const struct program *program)
{
	unsigned samples[FUNCTIONS];
	struct td_file_place *place[FUNCTIONS] = {NULL};
	uint32_t object, thread, path[FUNCTIONS] = {0};
	struct td_file_object *record;

	build->header->backend = program->backend;
	build->header->period_unit = program->unit;
	build->header->simulated = program->backend == TD_BACKEND_SIMULATED;
	object = build_object(
		build, program->kind == TD_PLACE_JIT ? TD_OBJECT_JIT : TD_OBJECT_ELF,
		program->module);
	record = build_record(build, object);
	record->build_id_size = 4;
	record->build_id[0] = (uint8_t)program->build;
	thread = build_thread(build, 1, "main");
	draw_samples(program, samples);
	for (int i = 0; i < FUNCTIONS; i++) {
		if (program->share[i] <= 0)
			continue;
		place[i] = build_place(build, thread, program->kind, object,
				       0x1000 * (uint64_t)(i + 1) +
					       0x100000 * (program->build - 1));
		place[i]->samples = samples[i];
	}
	if (program->paths)
		add_paths(build, thread, place, path);
	for (int i = 0; i < FUNCTIONS; i++)
		for (unsigned w = 0; place[i] && w < program->windows; w++)
			add_window(build, place[i], path[i], program->moved[i]);
}

static uint64_t clock_ns = 1700000000000000000u;

/* Adds one run of the program to the report. */
static void add_run(struct td_report *report, const struct program *program,
		    uint64_t start)
{
	struct build build;

	build_start(&build, counters);
	build.header->start_realtime_ns = start;
	fill_build(&build, program);
	build_add(&build, report);
	build_free(&build);
}

static struct td_report *new_report(void)
{
	return td_report_new(&(struct td_report_query){0});
}

/* Several runs of A and of B: taking turns, or all of A first. */
static struct td_compare *compare_runs(const struct program *a, const struct program *b,
				       const struct td_compare_query *asked, size_t runs,
				       int turns)
{
	const struct program *program[2] = {a, b};
	struct td_report *run[2][RUNS_MOST], *all[2];
	struct td_compare_side side[2];
	struct td_compare *compare;
	char *why;

	for (int i = 0; i < 2; i++) {
		all[i] = new_report();
		for (size_t k = 0; k < runs; k++) {
			uint64_t start = clock_ns + (turns ? 2 * k + (size_t)i
							   : k + (size_t)i * runs);
			uint64_t seed = state;

			run[i][k] = new_report();
			add_run(run[i][k], program[i], start);
			ck_assert_int_eq(td_report_finish(run[i][k]), 0);
			/* the same run once more, added up with the others */
			state = seed;
			add_run(all[i], program[i], start);
		}
		ck_assert_int_eq(td_report_finish(all[i]), 0);
		side[i] = (struct td_compare_side){
			all[i], (const struct td_report *const *)run[i], runs};
	}
	ck_assert_int_eq(td_compare_new(side, asked, &compare, &why), 0);
	for (int i = 0; i < 2; i++) {
		td_report_free(all[i]);
		for (size_t k = 0; k < runs; k++)
			td_report_free(run[i][k]);
	}
	return compare;
}

static struct td_compare *compare(const struct program *a, const struct program *b)
{
	return compare_runs(a, b, &query, 1, 0);
}

/* The row of function i; NULL: it has none. */
static const struct td_compare_row *row_of(const struct td_compare *c, int i)
{
	char name[32];

	snprintf(name, sizeof(name), "a.out+0x%x000", i + 1);
	for (size_t k = 0; k < c->rows; k++) {
		if (strcmp(c->row[k].name, name) == 0)
			return &c->row[k];
	}
	return NULL;
}

static size_t found(const struct td_compare *c)
{
	return c->rows - c->found[TD_VERDICT_NONE] + c->inclusive -
	       c->found_inclusive[TD_VERDICT_NONE] +
	       (c->total.verdict != TD_VERDICT_NONE);
}

/* Is any test below 5 % by itself? */
static int any_uncorrected(const struct td_compare *c)
{
	for (size_t i = 0; i < c->rows; i++) {
		for (int n = 0; n < TD_NODES; n++) {
			if (c->row[i].node[n].p <= 0.05)
				return 1;
		}
	}
	return 0;
}

/* The promise: equal programs differ in at most 5 % of comparisons. */
START_TEST(equal_programs_do_not_differ)
{
	struct td_compare_query strict = query;
	unsigned wrong = 0, uncorrected = 0;

	strict.threshold = 0;
	strict.noise = 0;
	for (int i = 0; i < PAIRS; i++) {
		struct td_compare *c = compare_runs(&usual, &usual, &strict, 1, 0);

		ck_assert_uint_eq(c->rows, FUNCTIONS);
		ck_assert_uint_eq(c->tests, FUNCTIONS * (1 + TD_NODES));
		wrong += found(c) != 0;
		uncorrected += any_uncorrected(c);
		td_compare_free(c);
	}
	ck_assert_msg(wrong <= PAIRS / 20, "%u of %u", wrong, PAIRS);
	/* and that is no matter of course */
	ck_assert_uint_gt(uncorrected, PAIRS / 5);
}
END_TEST

/* With call paths there are as many tests more as functions that call others. */
START_TEST(equal_totals_do_not_differ)
{
	struct td_compare_query strict = query;
	struct program nested = usual;
	unsigned wrong = 0;

	nested.paths = 1;
	strict.threshold = 0;
	strict.noise = 0;
	for (int i = 0; i < PAIRS; i++) {
		struct td_compare *c = compare_runs(&nested, &nested, &strict, 1, 0);

		ck_assert_uint_eq(c->rows, FUNCTIONS);
		ck_assert_uint_eq(c->inclusive, FUNCTIONS);
		ck_assert_uint_eq(c->tests, (FUNCTIONS + 3) * (1 + TD_NODES));
		ck_assert_ptr_null(row_of(c, 0)->total);
		wrong += found(c) != 0;
		td_compare_free(c);
	}
	ck_assert_msg(wrong <= PAIRS / 20, "%u of %u", wrong, PAIRS);
}
END_TEST

/* So are 3 points of 1000 windows with them, in the function and in its caller. */
START_TEST(three_points_are_found_in_totals)
{
	struct program before = usual, after;
	unsigned hits[2] = {0, 0}, wrong = 0;

	before.paths = 1;
	after = before;
	for (int i = 0; i < CALLEES_OF_9; i++)
		after.moved[i] = 0.03;
	for (int i = 0; i < PAIRS; i++) {
		struct td_compare *c = compare(&before, &after);
		const struct td_compare_row *row = row_of(c, 2), *caller = row_of(c, 9);

		hits[0] += row->node[TD_NODE_BACKEND_BOUND].verdict == TD_VERDICT_WORSE;
		hits[1] += caller->total->node[TD_NODE_BACKEND_BOUND].verdict ==
			   TD_VERDICT_WORSE;
		wrong += caller->verdict || row_of(c, 10)->total->verdict ||
			 row_of(c, 11)->total->verdict;
		td_compare_free(c);
	}
	ck_assert_msg(hits[0] >= PAIRS * 95 / 100, "%u of %u", hits[0], PAIRS);
	ck_assert_msg(hits[1] >= PAIRS * 95 / 100, "%u of %u", hits[1], PAIRS);
	ck_assert_msg(wrong <= PAIRS / 20, "%u of %u", wrong, PAIRS);
}
END_TEST

/* Functions of too few windows each: only their caller's total tells. */
START_TEST(totals_know_more)
{
	struct program before = usual, after;
	struct td_compare *c;
	const struct td_compare_row *caller;

	before.paths = 1;
	before.windows = query.min_windows - 1;
	after = before;
	for (int i = 0; i < CALLEES_OF_9; i++)
		after.moved[i] = 0.15;
	c = compare(&before, &after);
	caller = row_of(c, 9);
	ck_assert_uint_eq(c->found[TD_VERDICT_NONE], FUNCTIONS);
	ck_assert_int_eq(caller->total->verdict, TD_VERDICT_WORSE);
	ck_assert_ptr_eq(caller, &c->row[0]);
	ck_assert_double_eq_tol(caller->total->share.before, 30. / 78, 0.03);
	ck_assert_uint_eq(caller->total->samples[0],
			  caller->samples[0] + row_of(c, 0)->samples[0] +
				  row_of(c, 1)->samples[0] + row_of(c, 2)->samples[0] +
				  row_of(c, 3)->samples[0]);
	ck_assert(caller->total->share.low < 0 && caller->total->share.high > 0);
	td_compare_free(c);

	after.paths = 0; /* nothing to compare with */
	c = compare(&before, &after);
	ck_assert_uint_eq(c->inclusive, 0);
	ck_assert_ptr_null(row_of(c, 9)->total);
	td_compare_free(c);
}
END_TEST

/* 3 points in one function with 1000 windows. */
START_TEST(three_points_are_found)
{
	struct program changed = usual;
	unsigned hits = 0, wrong = 0;

	changed.moved[4] = 0.03;
	for (int i = 0; i < PAIRS; i++) {
		struct td_compare *c = compare(&usual, &changed);
		const struct td_compare_row *row = row_of(c, 4);

		hits += row->node[TD_NODE_RETIRING].verdict == TD_VERDICT_WORSE &&
			row->node[TD_NODE_BACKEND_BOUND].verdict == TD_VERDICT_WORSE;
		wrong += found(c) > (row->verdict != TD_VERDICT_NONE);
		if (row->verdict)
			ck_assert_ptr_eq(row, &c->row[0]);
		td_compare_free(c);
	}
	ck_assert_msg(hits >= PAIRS * 95 / 100, "%u of %u", hits, PAIRS);
	ck_assert_msg(wrong <= PAIRS / 20, "%u of %u", wrong, PAIRS);
}
END_TEST

/* Shares that differ by 10 % from run to run: assumed, and seen in the two. */
START_TEST(noisy_shares_do_not_differ)
{
	struct td_compare_query quiet = query;
	struct program noisy = usual;
	unsigned wrong[2] = {0, 0}, measured = 0;

	noisy.noise = 0.1;
	noisy.windows = 60;
	noisy.samples = 50000;
	quiet.noise = 0;
	for (int i = 0; i < PAIRS; i++) {
		struct td_compare *c = compare(&noisy, &noisy);

		wrong[0] += found(c) != 0;
		td_compare_free(c);
		c = compare_runs(&noisy, &noisy, &quiet, 1, 0);
		wrong[1] += found(c) != 0;
		measured += c->noise_measured;
		td_compare_free(c);
	}
	ck_assert_msg(wrong[0] <= PAIRS / 20, "%u of %u", wrong[0], PAIRS);
	ck_assert_uint_gt(measured, PAIRS * 95 / 100);
	ck_assert_msg(wrong[1] <= PAIRS / 20, "%u of %u", wrong[1], PAIRS);
}
END_TEST

/* Several runs tell by themselves how much runs differ. */
START_TEST(several_runs_tell_their_noise)
{
	struct program noisy = usual, slower = usual;
	unsigned wrong = 0, hits = 0;

	noisy.noise = slower.noise = 0.1;
	noisy.windows = slower.windows = 60;
	slower.share[9] *= 2;
	slower.samples += 1230; /* what the others have stays what it was */
	for (int i = 0; i < PAIRS / 4; i++) {
		struct td_compare *c = compare_runs(&noisy, &noisy, &query, 5, 1);

		ck_assert(c->alternating && c->noise == 0);
		wrong += found(c) != 0;
		td_compare_free(c);
		c = compare_runs(&noisy, &slower, &query, 5, 1);
		hits += row_of(c, 9)->verdict == TD_VERDICT_WORSE;
		td_compare_free(c);
	}
	ck_assert_msg(wrong <= PAIRS / 4 / 20 + 1, "%u of %u", wrong, PAIRS / 4);
	ck_assert_msg(hits >= PAIRS / 4 * 95 / 100, "%u of %u", hits, PAIRS / 4);
}
END_TEST

START_TEST(runs_must_take_turns)
{
	struct td_compare *c = compare_runs(&usual, &usual, &query, 3, 0);

	ck_assert(!c->alternating && c->noise == query.noise && !c->noise_measured);
	td_compare_free(c);
	c = compare_runs(&usual, &usual, &query, 1, 1);
	ck_assert(!c->alternating);
	td_compare_free(c);
}
END_TEST

/* One function takes three times as long: the shares of all others fall. */
START_TEST(a_share_alone_is_no_merit)
{
	struct program slower = usual;
	struct td_compare *c;

	slower.share[9] *= 3;
	slower.samples = usual.samples * (78 + 24) / 78;
	c = compare(&usual, &slower);
	ck_assert_int_eq(row_of(c, 9)->share.verdict, TD_VERDICT_WORSE);
	ck_assert_int_eq(row_of(c, 9)->verdict, TD_VERDICT_WORSE);
	ck_assert_ptr_eq(row_of(c, 9), &c->row[0]);
	ck_assert(row_of(c, 9)->cost.low > 0 && !row_of(c, 9)->cost.tested);
	for (int i = 0; i < FUNCTIONS; i++)
		ck_assert(i == 9 || row_of(c, i)->verdict <= TD_VERDICT_CHANGED);
	td_compare_free(c);
}
END_TEST

START_TEST(functions_come_and_go)
{
	struct program before = usual, after = usual;
	struct td_compare *c;

	before.share[5] = 0;
	after.share[9] = 0;
	c = compare(&before, &after);
	ck_assert_uint_eq(c->rows, FUNCTIONS);
	ck_assert_int_eq(row_of(c, 5)->verdict, TD_VERDICT_APPEARED);
	ck_assert_int_eq(row_of(c, 9)->verdict, TD_VERDICT_VANISHED);
	ck_assert(!row_of(c, 9)->node[0].present);
	ck_assert_uint_eq(c->found[TD_VERDICT_APPEARED], 1);
	td_compare_free(c);
}
END_TEST

/* A change below the threshold is none, however certain. */
START_TEST(small_changes_are_none)
{
	struct td_compare_query asked = query;
	struct program changed = usual;
	struct td_compare *c;

	changed.moved[4] = 0.06;
	asked.threshold = 0.15;
	c = compare_runs(&usual, &changed, &asked, 1, 0);
	ck_assert(row_of(c, 4)->node[TD_NODE_RETIRING].adjusted < 0.001);
	ck_assert_int_eq(row_of(c, 4)->verdict, TD_VERDICT_NONE);
	td_compare_free(c);
	changed.windows = 20;
	c = compare(&usual, &changed);
	ck_assert(row_of(c, 4)->node[TD_NODE_RETIRING].present);
	ck_assert(!row_of(c, 4)->node[TD_NODE_RETIRING].tested);
	td_compare_free(c);
}
END_TEST

/* Another build: its addresses are other ones, and so is all code without names. */
START_TEST(builds_are_matched_by_name)
{
	struct program other = usual;
	const char *const renamed[] = {"a.out=b.out", NULL};
	struct td_compare_query asked = query;
	struct td_compare *c;

	other.build = 2;
	c = compare(&usual, &other);
	ck_assert_uint_eq(c->rows, 1);
	ck_assert_str_eq(c->row[0].name, "[code without names]");
	ck_assert_uint_eq(c->row[0].windows[1], FUNCTIONS * usual.windows);
	ck_assert_uint_eq(found(c), 0);
	td_compare_free(c);

	other.build = 1;
	other.module = "/else/b.out";
	c = compare(&usual, &other);
	ck_assert_uint_eq(c->rows, 2 * FUNCTIONS);
	td_compare_free(c);
	other.module = "/else/b.out";
	asked.renamed = renamed;
	other.build = 2;
	c = compare_runs(&usual, &other, &asked, 1, 0);
	ck_assert_uint_eq(c->rows, 1);
	ck_assert_str_eq(c->row[0].module, "b.out");
	td_compare_free(c);

	other.kind = TD_PLACE_JIT;
	other.module = "[anon]";
	c = compare(&other, &other);
	ck_assert_uint_eq(c->rows, 1);
	ck_assert_str_eq(c->row[0].name, "[jit code]");
	td_compare_free(c);
}
END_TEST

/* What many functions have together depends on how many samples happen to be of which. */
START_TEST(code_without_names_is_a_mixture)
{
	struct program mixture = usual, other;
	const struct td_change *change;
	struct td_compare *c;
	double chance;

	for (int i = 0; i < FUNCTIONS; i += 2)
		mixture.moved[i] = 0.4;
	other = mixture;
	other.build = 2;
	c = compare(&mixture, &other);
	ck_assert_uint_eq(c->rows, 1);
	change = &c->row[0].node[TD_NODE_RETIRING];
	/* half of the windows are 0.4 from the others, on both sides */
	chance = 1.96 * 0.2 * sqrt(2 / (double)c->row[0].samples[0]);
	ck_assert_double_ge((change->high - change->low) / 2, 0.95 * chance);
	ck_assert_double_le((change->high - change->low) / 2, 1.5 * chance);
	td_compare_free(c);
}
END_TEST

static char *refusal(const struct program *a, const struct program *b)
{
	const struct program *program[2] = {a, b};
	struct td_report *report[2];
	struct td_compare_side side[2];
	struct td_compare *c;
	char *why;

	for (int i = 0; i < 2; i++) {
		report[i] = new_report();
		add_run(report[i], program[i], clock_ns);
		ck_assert_int_eq(td_report_finish(report[i]), 0);
		side[i] = (struct td_compare_side){
			report[i], (const struct td_report *const *)&report[i], 1};
	}
	ck_assert_int_eq(td_compare_new(side, &query, &c, &why), -EINVAL);
	ck_assert_ptr_null(c);
	for (int i = 0; i < 2; i++)
		td_report_free(report[i]);
	return why;
}

START_TEST(what_makes_no_sense_is_refused)
{
	struct program simulated = usual, cycles = usual, idle = usual;
	char *why;

	simulated.backend = TD_BACKEND_SIMULATED;
	cycles.unit = TD_UNIT_CYCLES;
	idle.samples = 0;
	why = refusal(&usual, &simulated);
	ck_assert_ptr_nonnull(strstr(why, "B is SIMULATED, A is real"));
	free(why);
	why = refusal(&usual, &cycles);
	ck_assert_ptr_nonnull(strstr(why, "A was sampled by CPU time, B by user-mode"));
	free(why);
	why = refusal(&idle, &usual);
	ck_assert_ptr_nonnull(strstr(why, "A has no samples"));
	free(why);
}
END_TEST

static int has_note(const struct td_compare *c, const char *words)
{
	for (size_t i = 0; i < c->notes; i++) {
		if (strstr(c->note[i], words))
			return 1;
	}
	return 0;
}

START_TEST(differences_of_method_are_said)
{
	struct program events = usual;
	struct td_compare *c;

	events.backend = TD_BACKEND_EVENTS;
	c = compare(&usual, &events);
	ck_assert(has_note(c, "A was measured by the metrics backend, B by events"));
	ck_assert(has_note(c, "one run on each side"));
	td_compare_free(c);
}
END_TEST

/* All three, with names that need quoting. */
START_TEST(it_is_printed)
{
	struct program odd = usual, changed;
	const struct td_print_style style = {.width = 90};
	struct td_report *report = new_report();
	struct td_compare_side side[2];
	struct td_compare *c;
	char *text;
	size_t size;
	FILE *out;

	odd.module = "/x/a\"b,c\\d";
	changed = odd;
	changed.moved[4] = 0.1;
	c = compare(&odd, &changed);
	add_run(report, &odd, clock_ns);
	ck_assert_int_eq(td_report_finish(report), 0);
	side[0] = side[1] = (struct td_compare_side){
		report, (const struct td_report *const *)&report, 1};

	out = open_memstream(&text, &size);
	td_diff_print_json(out, c, 0);
	fclose(out);
	ck_assert_msg(is_json(text), "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "\"found\": {\"changed\": 0, \"better\": 0, "
					   "\"worse\": 1,"));
	free(text);
	out = open_memstream(&text, &size);
	td_diff_print_csv(out, c, 1);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, ",\"a\"\"b,c\\d+0x5000\",\"a\"\"b,c\\d\","));
	ck_assert_ptr_nonnull(strstr(text, ",retiring,"));
	free(text);
	out = open_memstream(&text, &size);
	td_diff_print_text(out, c, side, 1, &style);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "1 of 12 functions differs: 1 worse,"));
	ck_assert_ptr_nonnull(strstr(text, "        Retiring   4"));
	ck_assert_ptr_nonnull(strstr(text, "1 of 12 functions shown."));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		ck_assert_msg(td_text_width(line) <= 90, "%s", line);
	free(text);
	td_compare_free(c);
	td_report_free(report);
}
END_TEST

int main(void)
{
	return unit_main("compare",
			 (const TTest *const[]){
				 equal_programs_do_not_differ, equal_totals_do_not_differ,
				 three_points_are_found_in_totals, totals_know_more,
				 three_points_are_found, noisy_shares_do_not_differ,
				 several_runs_tell_their_noise, runs_must_take_turns,
				 a_share_alone_is_no_merit, functions_come_and_go,
				 small_changes_are_none, builds_are_matched_by_name,
				 code_without_names_is_a_mixture,
				 what_makes_no_sense_is_refused,
				 differences_of_method_are_said, it_is_printed, NULL});
}
