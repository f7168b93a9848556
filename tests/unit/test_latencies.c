// SPDX-License-Identifier: MIT
/* Retire latencies in the report: means, merging, and what does not go together. */
#include "decoder/latencies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/json.h"
#include "tests/unit/unit.h"
#include "tools/print.h"

static const char *const counters[] = {"cpu_time", "faults", "switches", NULL};
static char why[256];

START_TEST(means)
{
	struct td_latencies latencies = {0};
	struct td_estimate mean;

	ck_assert(!td_latencies_mean(&latencies, &mean));
	latencies = (struct td_latencies){1, {40, 1600, 0}};
	ck_assert(td_latencies_mean(&latencies, &mean));
	ck_assert_double_eq(mean.value, 40);
	ck_assert_double_eq(mean.low, 0);
	ck_assert(isinf(mean.high));
	/* 2, 4, 6, 8: the variance is 20 / 3, the quantile of 3 degrees 3.1824 */
	latencies = (struct td_latencies){4, {20, 120, 0}};
	ck_assert(td_latencies_mean(&latencies, &mean));
	ck_assert_double_eq_tol(mean.value, 5, 1e-12);
	ck_assert_double_eq_tol(mean.high - 5, 3.182446 * sqrt(20. / 3 / 4), 1e-4);
	ck_assert_double_eq_tol(5 - mean.low, mean.high - 5, 1e-9);
	/* no less than 0: 0, 0, 0, 100 */
	latencies = (struct td_latencies){4, {100, 10000, 0}};
	ck_assert(td_latencies_mean(&latencies, &mean));
	ck_assert_double_eq(mean.low, 0);
}
END_TEST

/* A function of 10 samples with windows, and `records` of `latency` of the event; its
 * thread. */
static uint32_t build_run(struct build *build, const char *event, unsigned records,
			  uint64_t latency)
{
	static const uint64_t window[] = {10000, 2, 1};
	struct td_file_place *place;
	uint32_t object, thread;

	build_start(build, counters);
	object = build_object(build, TD_OBJECT_ELF, "/nonexistent/libx.so");
	thread = build_thread(build, 10, "main");
	place = build_place(build, thread, TD_PLACE_FUNCTION, object, 0x1000);
	place->samples = 10;
	for (int i = 0; i < 5; i++)
		build_window(build, place, window);
	place = build_place(build, thread, TD_PLACE_FUNCTION, object, 0x1000);
	place->group = TD_GROUP_LATENCY;
	for (unsigned i = 0; i < records; i++) {
		uint64_t x = latency ? latency - 1 + 2 * (i % 2) : 0;

		place->windows++;
		place->sum[0].sum += x;
		place->sum[0].squares += (double)(x * x);
	}
	build->header->events = 1;
	build->header->event[0].group = TD_GROUP_LATENCY;
	snprintf(build->header->event[0].name, sizeof(build->header->event[0].name), "%s",
		 event);
	build->header->latencies_lost = 3;
	return thread;
}

static void add(struct td_report *report, const char *event, unsigned records,
		uint64_t latency)
{
	struct td_profile profile;
	struct build build;

	build_run(&build, event, records, latency);
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.damage.records, 0);
	ck_assert_int_eq(td_report_add(report, &profile, "test.tdp", TD_FATE_EXITED), 0);
	td_profile_free(&profile);
	build_free(&build);
}

static struct td_report *new_report(void)
{
	static const struct td_report_query all;
	struct td_report *report = td_report_new(&all);

	ck_assert_ptr_nonnull(report);
	return report;
}

static char *printed(const struct td_report *report, int json)
{
	static const struct td_print_style style;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (json)
		td_print_json(out, report);
	else
		td_print_text(out, report, &style);
	fclose(out);
	return text;
}

static void has(const struct td_report *report, int json, const char *words)
{
	char *text = printed(report, json);

	ck_assert_msg(strstr(text, words) != NULL, "no \"%s\" in:\n%s", words, text);
	ck_assert(!json || is_json(text));
	free(text);
}

START_TEST(profiles_are_added_up)
{
	struct td_report *report = new_report();
	const struct td_report_function *f;

	add(report, "mem-loads", 100, 20);
	add(report, "mem-loads", 300, 20);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert_uint_eq(report->functions, 1);
	f = &report->function[0];
	ck_assert_uint_eq(f->latencies.records, 400);
	ck_assert_uint_eq(f->latencies.sum.sum, 8000);
	ck_assert_uint_eq(report->latencies.records, 400);
	ck_assert_uint_eq(report->latencies_lost, 6);
	/* the rest is as without them */
	ck_assert_uint_eq(f->samples, 20);
	ck_assert_uint_eq(f->windows, 10);
	ck_assert_uint_eq(f->sum[0].sum, 100000);
	ck_assert_double_eq_tol(f->cpu_ns, 20 * 1010000., 1);
	/* 20 +- 1.97 * 1.0013 / 20 */
	has(report, 0, "Retire latency 20±0.098 cycles");
	has(report, 0,
	    "Retire latency: before mem-loads, 400 records; 6 more had no room.");
	has(report, 1, "\"event\": \"mem-loads\"");
	has(report, 1, "\"mean\": 20,");
	td_report_free(report);
}
END_TEST

/* Short, so that no sample fell into it, but with the event often. */
START_TEST(without_a_sample)
{
	struct td_report *report = new_report();
	struct td_profile profile;
	struct td_file_place *place;
	struct build build;
	uint32_t thread;

	thread = build_run(&build, "mem-loads", 100, 20);
	place = build_place(&build, thread, TD_PLACE_UNKNOWN, 0, 0x5000);
	place->group = TD_GROUP_LATENCY;
	place->windows = 2;
	place->sum[0] = (struct td_file_sum){14, 100, 0};
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_int_eq(td_report_add(report, &profile, "test.tdp", TD_FATE_EXITED), 0);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert_uint_eq(report->functions, 2);
	ck_assert_uint_eq(report->function[1].samples, 0);
	has(report, 0, "Retire latency 7±");
	td_profile_free(&profile);
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(another_event_is_left_out)
{
	struct td_report *report = new_report();

	add(report, "mem-loads", 100, 20);
	add(report, "branches", 100, 80);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert_uint_eq(report->latencies.records, 100);
	ck_assert_uint_eq(report->function[0].samples, 20);
	has(report, 0, "has retire latencies of branches: they are left out");
	td_report_free(report);
}
END_TEST

/* What the kernel writes where the processor does not tell. */
START_TEST(zeros_are_no_latencies)
{
	struct td_report *report = new_report();
	char *text;

	add(report, "mem-loads", 100, 0);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert(!td_report_has_latencies(report));
	has(report, 0, "each of 100 records of mem-loads has 0");
	text = printed(report, 1);
	ck_assert_ptr_null(strstr(text, "\"mean\""));
	free(text);
	td_report_free(report);
}
END_TEST

int main(void)
{
	return unit_main("latencies", (const TTest *const[]){
					      means, profiles_are_added_up,
					      without_a_sample, another_event_is_left_out,
					      zeros_are_no_latencies, NULL});
}
