// SPDX-License-Identifier: MIT
/* What the report makes of windows of SLOTS and PERF_METRICS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/json.h"
#include "tests/unit/unit.h"
#include "tools/print.h"
#include "tools/print_table.h"

#define COUNTERS 10
#define WINDOWS 400

static const char *const counters[] = {BUILD_TOPDOWN, "near_returns", NULL};
static const uint64_t own[COUNTERS] = {200, 60, 20, 40, 80, 6, 16, 24, 50, 2};
static const uint64_t memory[COUNTERS] = {6000, 1200, 600, 600, 3600,
					  300,  540,  360, 2700};
static const uint64_t light[COUNTERS] = {6000, 4800, 300, 300, 600, 120, 270, 180, 300};

static char why[256];
static struct build build;
static uint32_t object, thread;

/* A function with windows of this content, own cost on top. */
static struct td_file_place *add_function(uint64_t address, uint64_t samples,
					  const uint64_t *content)
{
	struct td_file_place *place =
		build_place(&build, thread, TD_PLACE_FUNCTION, object, address);
	uint64_t window[COUNTERS];

	place->samples = samples;
	for (int c = 0; c < COUNTERS && content; c++)
		window[c] = content[c] + own[c];
	for (int i = 0; i < WINDOWS && content; i++)
		build_window(&build, place, window);
	return place;
}

static struct td_file_thread *record(void)
{
	return build_record(&build, thread);
}

/* 3/4 of a run in one function, 1/4 in another, and totals that say the same. */
static void start(void)
{
	build_start(&build, counters);
	build.header->backend = TD_BACKEND_METRICS;
	build.header->trigger = TD_TRIGGER_CYCLES_SIGTRAP;
	build.header->period_unit = TD_UNIT_CYCLES;
	build.header->level = 2;
	object = build_object(&build, TD_OBJECT_ELF, "/nonexistent/a.out");
	thread = build_thread(&build, 1, "main");
	add_function(0x1000, 3000, memory);
	add_function(0x2000, 1000, light);
	record()->empties = 50;
	record()->samples = 4000;
	for (int c = 0; c < COUNTERS; c++) {
		record()->empty[c] = 50 * own[c];
		record()->total[c] = 1000 * (3 * memory[c] + light[c]);
	}
}

static struct td_report *finish(void)
{
	struct td_report *report = td_report_new(&(struct td_report_query){0});

	build_add(&build, report);
	ck_assert_int_eq(td_report_finish(report), 0);
	return report;
}

/* open_memstream()'s, which writes to them when the stream is closed */
static char *printed;
static size_t printed_size;

static char *text_of(const struct td_report *report, int timeline)
{
	const struct td_print_style style = {.timeline = timeline, .level = 2};
	FILE *out = open_memstream(&printed, &printed_size);

	td_print_text(out, report, &style);
	fclose(out);
	return printed;
}

static char *json_of(const struct td_report *report)
{
	FILE *out = open_memstream(&printed, &printed_size);

	td_print_json(out, report);
	fclose(out);
	ck_assert_msg(is_json(printed), "%s", printed);
	return printed;
}

static char *csv_of(const struct td_report *report)
{
	FILE *out = open_memstream(&printed, &printed_size);

	td_print_csv(out, report);
	fclose(out);
	return printed;
}

/* Frees the text. */
static void holds_words(char *text, const char *const *words)
{
	for (; *words; words++)
		ck_assert_msg(strstr(text, *words) != NULL, "\"%s\" in:\n%s", *words,
			      text);
	free(text);
}
#define HAS(text, ...) holds_words(text, (const char *const[]){__VA_ARGS__, NULL})

static void has_not(char *text, const char *words)
{
	ck_assert_msg(strstr(text, words) == NULL, "\"%s\" in:\n%s", words, text);
	free(text);
}

START_TEST(own_cost_is_out)
{
	struct td_report *report;
	const struct td_estimate *e;

	start();
	report = finish();
	e = &report->function[0].node[TD_NODE_MEMORY_BOUND].estimate;
	ck_assert_double_eq_tol(e->value, 0.45, 1e-9);
	ck_assert_uint_eq(report->function[0].sum[0].sum, 6000 * WINDOWS);
	/* no variance is left but the rounding's, of the window with our cost */
	ck_assert_double_eq_tol(e->high - e->value, 0.5 / 255 * 6200 / 6000, 1e-6);
	HAS(json_of(report), "\"own_cost\": {\n   \"windows\": 50,\n   \"slots\": 200,\n",
	    "   \"retiring\": 0.3,\n", "\"memory_bound\": 0.25\n  }");
	HAS(text_of(report, 0),
	    "own cost   200 slots a window, taken out; by 50 empty windows, in % of "
	    "them: Retiring 30, BadSpec 10, Frontend 20, Backend 40");
	td_report_free(report);

	record()->empties = 0;
	report = finish();
	ck_assert_uint_eq(report->function[0].sum[0].sum, 6200 * WINDOWS);
	HAS(text_of(report, 0), "own cost   not known");
	has_not(json_of(report), "own_cost");
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(threads_and_processes_have_totals)
{
	struct td_report *report;
	char *text;

	start();
	build_thread(&build, 2, "idle");
	report = finish();
	ck_assert_uint_eq(report->thread[0].total[0], 24000000);
	ck_assert_double_eq_tol(
		report->thread[0].node[TD_NODE_BACKEND_BOUND].estimate.value,
		(3 * 0.6 + 0.1) / 4, 1e-9);
	ck_assert_double_eq_tol(
		report->process[0].node[TD_NODE_BACKEND_BOUND].estimate.value,
		(3 * 0.6 + 0.1) / 4, 1e-9);
	ck_assert_int_eq(report->thread[1].node[TD_NODE_RETIRING].present, 0);
	text = json_of(report);
	ck_assert_ptr_nonnull(
		strstr(strstr(text, "\"threads\": ["), "\"slots\": 24000000"));
	/* what the idle one does not have is absent */
	has_not(text, "\"slots\": 0");
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(bottlenecks_are_marked)
{
	struct td_report *report;
	char *text;

	start();
	report = finish();
	text = csv_of(report);
	ck_assert_ptr_nonnull(strstr(text, ",core_bound_high,bottleneck\n"));
	ck_assert_ptr_nonnull(strstr(text, ",memory_bound\n"));
	HAS(text, ",light_operations\n");
	HAS(text_of(report, 0), "60.0±0.3* ", "Memory 45.0±0.2<", "Core 15.0±0.5*",
	    "Light 78.0±0.5<", "80.0±0.3* ", "\n* above the threshold",
	    "bottleneck: Memory");
	text = json_of(report);
	ck_assert_ptr_nonnull(strstr(text, "\"bottleneck\": \"memory_bound\""));
	HAS(text, "\"bottleneck\": \"light_operations\"");
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* Corrections took more than there was, in a function and in the totals. */
START_TEST(nothing_is_as_large_as_a_negative_number)
{
	uint64_t odd[COUNTERS];
	struct td_report *report;
	const struct td_estimate *e;
	struct td_file_place *place;

	start();
	memcpy(odd, memory, sizeof(odd));
	place = add_function(0x3000, 500, odd);
	place->sum[2].sum = (uint64_t)-7;
	place->sum[2].cross = -7 * 6200.;
	record()->total[2] = (uint64_t)-5000;
	report = finish();
	for (size_t i = 0; i < report->functions; i++) {
		e = &report->function[i].node[TD_NODE_BAD_SPECULATION].estimate;
		ck_assert(e->low <= e->value && e->value <= e->high);
		if (report->function[i].address == 0x3000)
			ck_assert(e->value == 0);
	}
	ck_assert(report->node[TD_NODE_BAD_SPECULATION].estimate.value == 0);
	ck_assert(report->thread[0].node[TD_NODE_BAD_SPECULATION].estimate.value == 0);
	HAS(json_of(report), "\"sum\": -8007,");
	HAS(csv_of(report), ",-8007,");
	has_not(json_of(report), "18446744");
	has_not(json_of(report), "e+1");
	has_not(csv_of(report), "18446744");
	has_not(text_of(report, 1), "18446744");
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* What small cores wait for is not known to be memory, and nobody is told so. */
START_TEST(small_cores_wait_for_resources)
{
	static const char caches[] = "loads and stores wait for caches";
	struct td_report *report;

	start();
	build.header->backend = TD_BACKEND_EVENTS;
	build.header->groups = 1;
	strcpy(build.header->family, "gracemont");
	report = finish();
	HAS(text_of(report, 0), "Memory is Resource_Bound on these cores",
	    "resource bound: a scheduler");
	has_not(text_of(report, 0), caches);
	ck_assert_ptr_nonnull(report->map.over);
	ck_assert_int_eq(report->map.over[TD_NODE_BACKEND_BOUND], 10);
	td_report_free(report);

	strcpy(build.header->family, "skylake");
	report = finish();
	HAS(text_of(report, 0), "memory bound: loads", caches);
	ck_assert_double_eq_tol(
		td_topdown_threshold(report->map.over, TD_NODE_BACKEND_BOUND), 0.2, 1e-9);
	has_not(text_of(report, 0), "Resource_Bound");
	td_report_free(report);

	build_free(&build);
}
END_TEST

/* No ratio without the number of its windows, on a page of any width. */
START_TEST(windows_are_always_shown)
{
	struct td_report *report;

	start();
	report = finish();
	for (size_t width = 50; width <= 120; width++) {
		const struct td_print_style style = {.width = width};
		FILE *out = open_memstream(&printed, &printed_size);

		td_print_table(out, report, &style);
		fclose(out);
		/* with all that were opened where there is room for it */
		if (!strstr(printed, " 400 "))
			HAS(printed, "400/400");
		else
			free(printed);
	}
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(the_check_holds)
{
	struct td_report *report;

	start();
	report = finish();
	ck_assert(report->check.present && report->check.holds);
	ck_assert_double_eq_tol(report->check.functions, report->check.total, 1e-9);
	ck_assert(report->check.unmeasured == 0);
	/* a step of rounding on both sides, and 4000 samples' shares */
	ck_assert(report->check.explained > 2 * 0.75 / 255 &&
		  report->check.explained < 0.03);
	HAS(text_of(report, 0),
	    "check      functions and the whole run agree within 0.0");
	HAS(json_of(report), "\"check\": {\n   \"holds\": true,\n");
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(the_check_fails)
{
	struct td_report *report;

	start();
	/* 10 points from backend to frontend */
	record()->total[3] += 2400000;
	record()->total[4] -= 2400000;
	report = finish();
	ck_assert(report->check.present && !report->check.holds);
	ck_assert_double_eq_tol(report->check.total - report->check.functions,
				report->check.node == TD_NODE_FRONTEND_BOUND ? 0.1 : -0.1,
				1e-9);
	HAS(text_of(report, 0), "FUNCTIONS AND THE WHOLE RUN DISAGREE",
	    "10.0 points apart");
	HAS(json_of(report), "\"holds\": false", "\"difference\": 0.1");
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* The same difference, but a fifth of the samples has no windows. */
START_TEST(the_unmeasured_may_explain_it)
{
	struct td_report *report;

	start();
	add_function(0x3000, 1000, NULL);
	record()->total[3] += 2400000;
	record()->total[4] -= 2400000;
	report = finish();
	ck_assert(report->check.present && report->check.holds);
	ck_assert_double_eq_tol(report->check.unmeasured, 0.2, 1e-9);
	HAS(text_of(report, 0), "20.0 % of the samples are in functions without");
	td_report_free(report);
	/* without totals or windows there is nothing to compare */
	memset(record()->total, 0, sizeof(record()->total));
	report = finish();
	ck_assert(!report->check.present);
	has_not(text_of(report, 0), "check ");
	has_not(json_of(report), "\"check\"");
	td_report_free(report);
	build_free(&build);
}
END_TEST

static void put(struct td_file_timeline *timeline, size_t bucket, uint64_t samples,
		const uint64_t *content)
{
	uint64_t *value = &timeline->value[bucket * (1 + COUNTERS)];

	value[0] = samples;
	for (int c = 0; c < COUNTERS && content; c++)
		value[1 + c] = samples * content[c];
}

START_TEST(timelines_add_up)
{
	struct td_file_timeline *timeline;
	struct td_report *report;
	uint32_t other;

	start();
	other = build_thread(&build, 2, "late");
	timeline = build_timeline(&build, thread);
	put(timeline, 0, 10, memory);
	put(timeline, 3, 4, light);
	put(timeline, 7, 2, NULL); /* sampled, the counters unreadable */
	timeline = build_timeline(&build, other);
	timeline->width_ns *= 2;
	put(timeline, 1, 4, memory);
	report = finish();
	HAS(json_of(report),
	    "\"timeline\": {\n    \"bucket_s\": 0.02,\n    \"start\": "
	    "\"2023-11-14T22:13:20Z\",\n    \"buckets\": [\n     {\"samples\": 10, "
	    "\"slots\": 60000, \"topdown\": {\"retiring\": 0.2, ",
	    "\"core_bound\": 0.15}},\n     {\"samples\": 8, \"slots\": 48000, "
	    "\"topdown\": {\"retiring\": 0.5, ",
	    "     {\"samples\": 0},\n     {\"samples\": 2}\n    ]\n",
	    "\"bucket_s\": 0.01,\n");
	HAS(text_of(report, 1), "\nTimeline of pid 1234, 0.02 s a line, % of slots\n",
	    "\n     0.00       10     20.0      10.0      10.0      60.0*\n",
	    "\n     0.02        8     50.0 ", "\n     0.04\n", "\n     0.06        2\n");
	has_not(text_of(report, 0), "Timeline");
	td_report_free(report);
	build_free(&build);
}
END_TEST

static size_t lines_of(const char *text)
{
	size_t lines = 0;

	while ((text = strchr(text, '\n')) != NULL) {
		text++;
		lines++;
	}
	return lines;
}

START_TEST(long_timelines_are_joined)
{
	struct td_file_timeline *timeline;
	struct td_report *report;
	char *text;

	start();
	timeline = build_timeline(&build, thread);
	for (size_t i = 0; i < TD_TIMELINE_BUCKETS; i++)
		put(timeline, i, 1, light);
	report = finish();
	text = text_of(report, 1);
	ck_assert_uint_eq(lines_of(strstr(text, "     0.00")) -
				  lines_of(strstr(text, "\nHow it was measured")),
			  24);
	HAS(text, "0.02 s a line", "\n     0.46        2     80.0*");
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(busy_timelines_are_said)
{
	struct td_file_timeline *timeline;
	struct td_report *report;

	start();
	timeline = build_timeline(&build, thread);
	put(timeline, 0, 10, memory);
	timeline->busy = 1;
	report = finish();
	HAS(text_of(report, 1), "because they were being written: 1\n", "No timeline");
	has_not(json_of(report), "\"timeline\"");
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* Whatever the thread record and the timeline hold: no crash, always JSON. */
START_TEST(every_byte_flipped)
{
	struct td_profile profile;
	struct td_report *report;
	size_t size, first[2];

	start();
	put(build_timeline(&build, thread), 5, 10, memory);
	size = build_size(&build);
	first[0] = TD_REF_BLOCK(thread) * (size_t)TD_BLOCK_SIZE;
	first[1] = record()->timeline * (size_t)TD_BLOCK_SIZE;
	for (size_t i = 0; i < 2 * 1024; i++) {
		size_t at = first[i / 1024] + i % 1024;

		build.bytes[at] ^= 0xff;
		if (build_parse(&build, size, &profile, why, sizeof(why)) == 0) {
			report = td_report_new(&(struct td_report_query){0});
			ck_assert_int_eq(
				td_report_add(report, &profile, "x", TD_FATE_KILLED), 0);
			td_profile_free(&profile);
			ck_assert_int_eq(td_report_finish(report), 0);
			free(json_of(report));
			free(text_of(report, 1));
			td_report_free(report);
		}
		build.bytes[at] ^= 0xff;
	}
	build_free(&build);
}
END_TEST

int main(void)
{
	return unit_main(
		"report_topdown",
		(const TTest *const[]){
			own_cost_is_out, threads_and_processes_have_totals,
			bottlenecks_are_marked, nothing_is_as_large_as_a_negative_number,
			small_cores_wait_for_resources, windows_are_always_shown,
			the_check_holds, the_check_fails, the_unmeasured_may_explain_it,
			timelines_add_up, long_timelines_are_joined,
			busy_timelines_are_said, every_byte_flipped, NULL});
}
