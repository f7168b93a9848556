// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/json.h"
#include "tests/unit/unit.h"
#include "tools/print.h"

static const char *const clock_counters[] = {"cpu_time", "faults", "switches", NULL};
static const char *const topdown_counters[] = {BUILD_TOPDOWN, "cpu_time", NULL};

static char why[256];

START_TEST(the_checker_checks)
{
	ck_assert(is_json("{\"a\": [1, -2.5e-3, \"\\\"\", {}, []], \"b\": true}\n"));
	ck_assert(!is_json("{\"a\": 1,}\n"));
	ck_assert(!is_json("{\"a\" 1}\n"));
	ck_assert(!is_json("[1 2]\n"));
	ck_assert(!is_json("[01]\n"));
	ck_assert(!is_json("[nan]\n"));
	ck_assert(!is_json("[1.]\n"));
	ck_assert(!is_json("[\"\n\"]\n"));
	ck_assert(!is_json("[] []\n"));
	ck_assert(is_json("[\"\\u003c/b\"]\n"));
	ck_assert(!is_json("[\"\\u03\"]\n"));
	ck_assert(!is_json("[\"\\x\"]\n"));
	ck_assert(!is_json("[\n"));
}
END_TEST

static struct td_report *report_of(const struct build *build, int times,
				   const struct td_report_query *query)
{
	static const struct td_report_query all;
	struct td_report *report = td_report_new(query ? query : &all);

	ck_assert_ptr_nonnull(report);
	for (int i = 0; i < times; i++)
		build_add(build, report);
	ck_assert_int_eq(td_report_finish(report), 0);
	return report;
}

static char *printed(const struct td_report *report,
		     void (*print)(FILE *out, const struct td_report *report))
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print(out, report);
	fclose(out);
	return text;
}

static size_t page; /* columns for print_page() */

static void print_page(FILE *out, const struct td_report *report)
{
	struct td_print_style style = {.width = page};

	td_print_text(out, report, &style);
}

static void has(const char *text, const char *words, int expected)
{
	ck_assert_msg((strstr(text, words) != NULL) == expected, "\"%s\" in:\n%s", words,
		      text);
}

/* Two threads run two functions; a gap of two chunks, JIT, unknown and other. */
static void build_clock(struct build *build)
{
	const uint64_t window[] = {10000, 2, 1};
	uint32_t object, jit, a, b;
	struct td_file_place *place;

	build_start(build, clock_counters);
	object = build_object(build, TD_OBJECT_ELF, "/nonexistent/libx.so");
	jit = build_object(build, TD_OBJECT_JIT, "[anon]");
	a = build_thread(build, 10, "main");
	b = build_thread(build, 11, "worker");
	place = build_place(build, a, TD_PLACE_FUNCTION, object, 0x1000);
	place->samples = 60;
	for (int i = 0; i < 20; i++)
		build_window(build, place, window);
	place->rejected[TD_REJECT_LATE] = 3;
	for (uint64_t i = 0; i < 2; i++) {
		place = build_place(build, a, TD_PLACE_GAP, object, 0x2000 + 64 * i);
		place->region = 0x1f00;
		place->samples = 5;
		build_window(build, place, window);
		place = build_place(build, a, TD_PLACE_JIT, jit, 0x7f0000000000 + 64 * i);
		place->region = 0x7f0000000000;
		place->samples = 4;
	}
	build_window(build, place, window); /* one: a rate without a high end */
	build_place(build, a, TD_PLACE_UNKNOWN, 0, 0x1234)->samples = 1;
	build_place(build, a, TD_PLACE_OTHER, 0, 0)->samples = 1;
	place = build_place(build, b, TD_PLACE_FUNCTION, object, 0x1000);
	place->samples = 20;
	build_window(build, place, window);
}

static const struct td_report_function *row(const struct td_report *report,
					    const char *name)
{
	for (size_t i = 0; i < report->functions; i++) {
		if (strcmp(report->function[i].name, name) == 0)
			return &report->function[i];
	}
	ck_abort_msg("no row %s", name);
	return NULL;
}

START_TEST(rows)
{
	const struct td_report_function *f;
	struct td_report *report;
	struct build build;

	build_clock(&build);
	report = report_of(&build, 1, NULL);
	ck_assert_uint_eq(report->samples, 100);
	ck_assert_uint_eq(report->functions, 5);
	f = row(report, "libx.so+0x1000");
	ck_assert_ptr_eq(f, &report->function[0]);
	ck_assert_uint_eq(f->samples, 80);
	ck_assert_uint_eq(f->windows, 21);
	ck_assert_uint_eq(f->rejected[TD_REJECT_LATE], 3);
	ck_assert_double_eq_tol(f->share.value, 0.8, 1e-12);
	/* 80 samples of 1 ms + 10 us */
	ck_assert_double_eq_tol(f->cpu_ns, 80 * 1010000., 1);
	ck_assert_double_eq_tol(f->faults.estimate.value, 2 / 10e-6, 1e-3);
	f = row(report, "[libx.so gap 0x1f00]");
	ck_assert_uint_eq(f->samples, 10);
	ck_assert_uint_eq(f->counted[1], 2);
	ck_assert_uint_eq(f->sum[1].sum, 4);
	ck_assert_double_eq_tol(f->sum[1].squares, 8, 1e-12);
	ck_assert_double_eq_tol(f->sum[1].cross, 40000, 1e-9);
	ck_assert_uint_eq(row(report, "[jit anon 0x7f0000000000]")->samples, 8);
	ck_assert_int_eq(row(report, "[unknown code]")->faults.present, 0);
	ck_assert_uint_eq(row(report, "[other: the profile was full]")->samples, 1);
	ck_assert_int_eq(td_report_has_topdown(report), 0);
	ck_assert_uint_eq(report->notes, 1);
	has(report->note[0], "/nonexistent/libx.so cannot be read", 1);
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(merging_is_addition)
{
	struct td_report *one, *three;
	struct build build;

	build_clock(&build);
	one = report_of(&build, 1, NULL);
	three = report_of(&build, 3, NULL);
	ck_assert_uint_eq(three->processes, 3);
	ck_assert_uint_eq(three->samples, 3 * one->samples);
	ck_assert_uint_eq(three->functions, one->functions);
	for (size_t i = 0; i < one->functions; i++) {
		const struct td_report_function *a = &one->function[i];
		const struct td_report_function *b = &three->function[i];

		ck_assert_str_eq(a->name, b->name);
		ck_assert_uint_eq(3 * a->samples, b->samples);
		ck_assert_uint_eq(3 * a->windows, b->windows);
		ck_assert_uint_eq(3 * a->rejected[TD_REJECT_LATE],
				  b->rejected[TD_REJECT_LATE]);
		ck_assert_double_eq_tol(3 * a->cpu_ns, b->cpu_ns, 1e-3);
		for (unsigned c = 0; c < 3; c++) {
			ck_assert_uint_eq(3 * a->sum[c].sum, b->sum[c].sum);
			ck_assert_double_eq_tol(3 * a->sum[c].squares, b->sum[c].squares,
						1e-3);
			ck_assert_double_eq_tol(3 * a->sum[c].cross, b->sum[c].cross,
						1e-3);
		}
	}
	td_report_free(one);
	td_report_free(three);
	build_free(&build);
}
END_TEST

/* What all processes, threads and parts of threads have. */
static void check_sums(const struct td_report *report, uint64_t samples)
{
	uint64_t processes = 0, profiles = 0, threads = 0, parts = 0;

	for (size_t i = 0; i < report->processes; i++) {
		processes += report->process[i].samples;
		profiles += report->process[i].profiles;
	}
	for (size_t i = 0; i < report->threads; i++) {
		threads += report->thread[i].record.samples;
		ck_assert_uint_lt(report->thread[i].process, report->processes);
	}
	for (size_t i = 0; i < report->functions; i++) {
		for (uint32_t at = report->function[i].part; at;
		     at = report->part[at - 1].next) {
			parts += report->part[at - 1].samples;
			ck_assert_uint_lt(report->part[at - 1].thread, report->threads);
		}
	}
	ck_assert_uint_eq(report->samples, samples);
	ck_assert_uint_eq(processes, samples);
	ck_assert_uint_eq(profiles, report->profiles);
	ck_assert_uint_eq(threads, samples);
	ck_assert_uint_eq(parts, samples);
}

/* Of two threads of a function, 3 and 4 samples. */
static void build_pair(struct build *build)
{
	static const char *const names[] = {"main", "worker"};
	uint32_t object;

	build_start(build, clock_counters);
	object = build_object(build, TD_OBJECT_ELF, "/nonexistent/libx.so");
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t thread = build_thread(build, 10 + i, names[i]);

		((struct td_file_thread *)build_record(build, thread))->samples = 3 + i;
		build_place(build, thread, TD_PLACE_FUNCTION, object, 0x1000)->samples =
			3 + i;
	}
}

/* So many profiles with one of `kinds` labels in turn; first `expected` are said. */
static struct td_report *report_of_many(size_t profiles, size_t kinds, size_t expected)
{
	struct td_report_query query = {.parts = 1};
	struct td_report *report = td_report_new(&query);
	struct build build;

	build_pair(&build);
	ck_assert_ptr_nonnull(report);
	ck_assert_int_eq(td_report_expect(report, expected), 0);
	for (size_t i = 0; i < profiles; i++) {
		snprintf(build.header->labels, sizeof(build.header->labels), "kind=%zu",
			 i % kinds);
		build_add(&build, report);
	}
	ck_assert_int_eq(td_report_finish(report), 0);
	check_sums(report, 7 * profiles);
	build_free(&build);
	return report;
}

START_TEST(many_profiles_are_few_processes)
{
	static const struct {
		size_t profiles, kinds, expected, processes;
		int mixed;
	} many[] = {
		{10, 3, 0, 10, 0},  {64, 3, 0, 64, 0},     {65, 3, 0, 3, 0},
		{65, 3, 65, 3, 0},  {3, 3, 65, 3, 0},      {4, 3, 65, 3, 0},
		{70, 70, 0, 70, 0}, {128, 128, 0, 128, 0}, {200, 200, 0, 128, 1},
	};

	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		struct td_report *report =
			report_of_many(many[i].profiles, many[i].kinds, many[i].expected);
		const struct td_report_process *last;

		ck_assert_uint_eq(report->profiles, many[i].profiles);
		ck_assert_uint_eq(report->processes, many[i].processes);
		ck_assert_uint_eq(report->threads, 2 * many[i].processes);
		last = &report->process[report->processes - 1];
		ck_assert_int_eq(last->mixed, many[i].mixed);
		if (many[i].processes == 3) {
			ck_assert_str_eq(last->header.labels, "kind=2");
			ck_assert_uint_eq(report->process[0].samples,
					  7 * ((many[i].profiles + 2) / 3));
		}
		td_report_free(report);
	}
}
END_TEST

START_TEST(queries)
{
	struct td_report_query query = {.thread = "worker"};
	struct td_report *report;
	struct build build;

	build_clock(&build);
	report = report_of(&build, 1, &query);
	ck_assert_uint_eq(report->samples, 20);
	ck_assert_uint_eq(report->threads, 1);
	td_report_free(report);
	query.thread = "10";
	query.top = 2;
	report = report_of(&build, 1, &query);
	ck_assert_uint_eq(report->samples, 80);
	ck_assert_uint_eq(report->functions, 2);
	ck_assert_uint_eq(report->functions_all, 5);
	td_report_free(report);
	query = (struct td_report_query){.module = "libx*", .min_share = 0.5};
	report = report_of(&build, 1, &query);
	ck_assert_uint_eq(report->functions, 1);
	ck_assert_double_eq_tol(report->function[0].share.value, 0.8, 1e-12);
	td_report_free(report);
	query = (struct td_report_query){.module = "[anon]"}; /* a name, not letters */
	report = report_of(&build, 1, &query);
	ck_assert_uint_eq(report->functions, 1);
	ck_assert_uint_eq(report->function[0].samples, 8);
	td_report_free(report);
	query = (struct td_report_query){.sort = TD_SORT_NAME};
	report = report_of(&build, 1, &query);
	for (size_t i = 1; i < report->functions; i++)
		ck_assert_int_lt(
			strcmp(report->function[i - 1].name, report->function[i].name),
			0);
	td_report_free(report);
	build_free(&build);
}
END_TEST

static void build_topdown(struct build *build)
{
	const uint64_t memory[] = {1000, 200, 100, 100, 600, 50, 90, 60, 450, 5000};
	const uint64_t retiring[] = {1000, 900, 30, 30, 40, 20, 9, 6, 4, 5000};
	uint32_t object, thread;
	struct td_file_place *place;

	build_start(build, topdown_counters);
	build->header->simulated = 1;
	build->header->backend = TD_BACKEND_SIMULATED;
	build->header->level = 2;
	object = build_object(build, TD_OBJECT_ELF, "/nonexistent/a.out");
	thread = build_thread(build, 1, "main");
	place = build_place(build, thread, TD_PLACE_FUNCTION, object, 0x1000);
	place->samples = 30;
	for (int i = 0; i < 30; i++)
		build_window(build, place, memory);
	place = build_place(build, thread, TD_PLACE_FUNCTION, object, 0x2000);
	place->samples = 70;
	for (int i = 0; i < 60; i++)
		build_window(build, place, retiring);
	/* sampled, but without one valid window */
	build_place(build, thread, TD_PLACE_FUNCTION, object, 0x3000)->samples = 5;
}

START_TEST(topdown)
{
	struct td_report_query query = {.sort = TD_SORT_NODE + TD_NODE_MEMORY_BOUND};
	const struct td_report_function *f;
	struct td_report *report;
	struct build build;
	char *text;

	build_topdown(&build);
	report = report_of(&build, 1, &query);
	f = &report->function[0];
	ck_assert_str_eq(f->name, "a.out+0x1000");
	ck_assert_double_eq_tol(f->node[TD_NODE_MEMORY_BOUND].estimate.value, 0.45, 1e-9);
	ck_assert_int_eq(f->node[TD_NODE_CORE_BOUND].flagged, 1);
	ck_assert_int_eq(report->function[2].node[TD_NODE_RETIRING].present, 0);
	/* no complete totals: from the windows */
	ck_assert_int_eq(report->total_complete, 0);
	ck_assert_double_eq_tol(report->node[TD_NODE_RETIRING].estimate.value,
				(30 * 200 + 60 * 900) / 90e3, 1e-9);
	for (page = 0; page <= 200; page += 40) {
		text = printed(report, print_page);
		has(text, "SIMULATED", 1);
		has(text, "SIMULATED % of slots", page == 0 || page > 40);
		has(text, "No top-down", 0);
		free(text);
	}
	text = printed(report, td_print_json);
	ck_assert_msg(is_json(text), "%s", text);
	has(text, "\"simulated\": true", 1);
	has(text, "\"core_bound\"", 1);
	has(text, "nan", 0);
	free(text);
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(complete_totals)
{
	struct td_report *report;
	struct td_file_thread *thread;
	struct build build;

	build_topdown(&build);
	thread = build_record(&build, TD_REF(3, 0));
	thread->total[0] = 10000;
	thread->total[4] = 7000;
	report = report_of(&build, 2, NULL);
	ck_assert_int_eq(report->total_complete, 1);
	ck_assert_double_eq_tol(report->node[TD_NODE_BACKEND_BOUND].estimate.value, 0.7,
				1e-9);
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(clock_is_never_topdown)
{
	struct td_report *report;
	struct build build;
	char *text;

	build_clock(&build);
	report = report_of(&build, 1, NULL);
	for (page = 0; page <= 200; page += 40) {
		text = printed(report, print_page);
		has(text, "SIMULATED", 0);
		has(text, "Retiring", 0);
		has(text, "No top-down columns: the clock backend", 1);
		has(text, "there is no PMU", 1);
		has(text, "points; --long", 0);
		has(text, "+0x...: no symbol", 1);
		/* the module stands beside it, if it does */
		has(text, "libx.so+0x1000", page == 40);
		has(text, "No room for: ", page == 40);
		has(text, "tdagent probe", 1);
		free(text);
	}
	page = 0;
	report->samples = 30;
	report->process[0].header.long_period = 20000000;
	text = printed(report, print_page);
	has(text,
	    "30 samples only: a share of one half is ±17 points; --long=1ms takes 20 "
	    "times as many",
	    1);
	free(text);
	report->samples = 100;
	text = printed(report, td_print_json);
	ck_assert_msg(is_json(text), "%s", text);
	has(text, "\"topdown\"", 0);
	has(text, "\"simulated\": false", 1);
	free(text);
	text = printed(report, td_print_csv);
	has(text, "retiring", 0);
	free(text);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* Profiles with different divisors keep their samples and lose their windows. */
START_TEST(unlike_counters)
{
	struct td_report *report;
	struct build build, other;
	static const struct td_report_query all;

	build_topdown(&build);
	build_clock(&other);
	report = td_report_new(&all);
	build_add(&build, report);
	build_add(&other, report);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert_uint_eq(report->samples, 205);
	ck_assert_uint_eq(report->counters, 10);
	ck_assert_uint_eq(row(report, "libx.so+0x1000")->windows, 21);
	ck_assert_uint_eq(row(report, "libx.so+0x1000")->counted[0], 0);
	ck_assert_int_eq(row(report, "libx.so+0x1000")->node[0].present, 0);
	td_report_free(report);
	build_free(&build);
	build_free(&other);
}
END_TEST

START_TEST(pages_keep_their_width)
{
	char *text, *line, *rest;
	struct td_report *report;
	struct build build;

	build_topdown(&build);
	memset(build.header->command, 'x', sizeof(build.header->command));
	report = report_of(&build, 1, NULL);
	for (page = 40; page <= 160; page++) {
		text = rest = printed(report, print_page);
		while ((line = strsep(&rest, "\n")) != NULL) {
			size_t columns = 0;

			for (char *at = line; *at; at++)
				columns += (*at & 0xc0) != 0x80;
			ck_assert_msg(columns <= page, "%zu columns of %zu: %s", columns,
				      page, line);
		}
		free(text);
	}
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* Texts of a profile that would drive a terminal or break JSON. */
START_TEST(hostile_texts)
{
	struct td_report *report;
	struct build build;
	uint32_t object;
	char *text;

	build_start(&build, clock_counters);
	strcpy(build.header->reason, "\033[2J\"\\");
	strcpy(build.header->note[0], "\n{\"\x9b\xff");
	build.header->notes = 1;
	strcpy(build.header->counter[1].name, "a\"\n\\b");
	strcpy(build.header->command, "\033]0;x\007");
	object = build_object(&build, TD_OBJECT_ELF, "/nonexistent/\033[31m\"\\,\xc3");
	build_place(&build, build_thread(&build, 1, "\033c\"\xff"), TD_PLACE_FUNCTION,
		    object, 1)
		->samples = 1;
	report = report_of(&build, 1, NULL);
	text = printed(report, td_print_json);
	ck_assert_msg(is_json(text), "%s", text);
	ck_assert_ptr_null(strchr(text, '\033'));
	free(text);
	text = printed(report, print_page);
	ck_assert_ptr_null(strchr(text, '\033'));
	ck_assert_ptr_null(strchr(text, '\x9b'));
	free(text);
	text = printed(report, td_print_csv);
	ck_assert_ptr_null(strchr(text, '\033'));
	free(text);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* A whole report for each flipped byte: no crash, and always JSON. */
START_TEST(every_byte_flipped)
{
	struct build build;

	page = 80;
	build_topdown(&build);
	for (size_t i = 0; i < 5 * TD_BLOCK_SIZE; i++) {
		struct td_profile profile;
		struct td_report *report;
		char *text;

		/* unused space; the profile's own test flips it too */
		if (i % 64 && !build.bytes[i] && !build.bytes[i - 1])
			continue;
		build.bytes[i] ^= 0xff;
		if (build_parse(&build, 5 * TD_BLOCK_SIZE, &profile, why, sizeof(why)) ==
		    0) {
			report = td_report_new(&(struct td_report_query){0});
			ck_assert_int_eq(
				td_report_add(report, &profile, "x", TD_FATE_KILLED), 0);
			td_profile_free(&profile);
			ck_assert_int_eq(td_report_finish(report), 0);
			text = printed(report, td_print_json);
			ck_assert_msg(is_json(text), "byte %zu: %s", i, text);
			free(text);
			free(printed(report, print_page));
			td_report_free(report);
		}
		build.bytes[i] ^= 0xff;
	}
	build_free(&build);
}
END_TEST

START_TEST(nothing_sampled)
{
	struct td_report *report;
	struct build build;
	char *text;

	build_start(&build, clock_counters);
	build_thread(&build, 1, "main");
	report = report_of(&build, 1, NULL);
	text = printed(report, print_page);
	has(text, "No samples", 1);
	free(text);
	text = printed(report, td_print_json);
	ck_assert(is_json(text));
	free(text);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* The last cause of each kind, and causes that this version has no name for. */
START_TEST(every_cause_is_shown)
{
	struct td_file_thread *thread;
	struct td_report *report;
	struct build build;
	char *text;

	build_clock(&build);
	thread = build_record(&build, TD_REF(3, 0));
	ck_assert_uint_eq(thread->tid, 10);
	thread->lost[TD_LOST_BLOCKED] = 71;
	thread->lost[TD_LOST_STACK] = 72;
	thread->rejected[TD_REJECT_CUT] = 73;
	thread->rejected[TD_REJECT_MAX - 2] = 74;
	thread->rejected[TD_REJECT_MAX - 1] = 1;
	report = report_of(&build, 1, NULL);
	text = printed(report, td_print_json);
	ck_assert(is_json(text));
	has(text, "\"blocked\": 71", 1);
	has(text, "\"stack\": 72", 1);
	has(text, "\"cut\": 73", 1);
	has(text, "\"unknown\": 75", 1);
	free(text);
	page = 0;
	text = printed(report, print_page);
	has(text, "143 samples: 71 the signal was blocked, 72 near the end of a stack",
	    1);
	has(text, "73 thread or process ended", 1);
	free(text);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* Samples of 1 ms + 10 us: what is beyond them is not chance from ten periods and a
 * tenth of all on. */
START_TEST(says_what_no_sample_stands_for)
{
	static const struct {
		uint64_t samples, lost, cpu_ms;
		const char *says;
	} run[] = {
		{100, 71, 187, NULL},
		{100, 71, 195, "0.022 s of CPU time: in the kernel"},
		{100, 71, 172, NULL},
		{100, 0, 195, "0.094 s of CPU time: in the kernel"},
		{100, 0, 0, NULL},
		{5, 0, 15, NULL},
	};

	for (size_t i = 0; i < sizeof(run) / sizeof(run[0]); i++) {
		struct td_file_thread *thread;
		struct td_report *report;
		struct build build;
		uint32_t object;
		char *text;

		build_start(&build, clock_counters);
		object = build_object(&build, TD_OBJECT_ELF, "/nonexistent/libx.so");
		thread = build_record(&build, build_thread(&build, 10, "main"));
		thread->lost[TD_LOST_BLOCKED] = run[i].lost;
		thread->cpu_ns = run[i].cpu_ms * 1000000;
		build_place(&build, TD_REF(3, 0), TD_PLACE_FUNCTION, object, 0x1000)
			->samples = run[i].samples;
		report = report_of(&build, 1, NULL);
		page = 0;
		text = printed(report, print_page);
		has(text, run[i].says ? run[i].says : "unsampled", run[i].says != NULL);
		free(text);
		td_report_free(report);
		build_free(&build);
	}
}
END_TEST

/* Where many are shown as one, it is the one that started first, however its name sorts.
 */
START_TEST(of_many_the_first_is_shown)
{
	static const struct td_report_query all;
	const uint32_t many = TD_REPORT_PROCESSES_APART + 8;
	struct td_report *report = td_report_new(&all);
	struct build build;

	build_start(&build, clock_counters);
	for (uint32_t started = many; started > 0; started--) {
		build.header->pid = started;
		build.header->start_realtime_ns = started;
		build_add(&build, report);
		if (started == many / 2)
			td_report_expect(report, many); /* what is there becomes one */
	}
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert_uint_eq(report->processes, 1);
	ck_assert_uint_eq(report->process[0].profiles, many);
	ck_assert_uint_eq(td_print_first(report)->header.pid, 1);
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(sort_keys)
{
	ck_assert_int_eq(td_report_sort("samples"), TD_SORT_SAMPLES);
	ck_assert_int_eq(td_report_sort("memory_bound"),
			 TD_SORT_NODE + TD_NODE_MEMORY_BOUND);
	ck_assert_int_eq(td_report_sort("size"), -1);
}
END_TEST

int main(void)
{
	return unit_main("report",
			 (const TTest *const[]){
				 the_checker_checks, rows, merging_is_addition,
				 many_profiles_are_few_processes, queries, topdown,
				 complete_totals, clock_is_never_topdown, unlike_counters,
				 pages_keep_their_width, hostile_texts,
				 every_byte_flipped, nothing_sampled,
				 every_cause_is_shown, says_what_no_sample_stands_for,
				 of_many_the_first_is_shown, sort_keys, NULL});
}
