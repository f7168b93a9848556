// SPDX-License-Identifier: MIT
/* Retire latencies in the report: means, merging, and what does not go together. */
#include "decoder/latencies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/compare.h"
#include "decoder/report.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/json.h"
#include "tests/unit/printed.h"
#include "tests/unit/unit.h"
#include "tools/diff_print.h"

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
	printed_has(report, PRINTED_TEXT, "Retire latency 20±0.098 cycles");
	printed_has(report, PRINTED_TEXT,
		    "Retire latency: before mem-loads, 400 records; 6 more had no room.");
	printed_has(report, PRINTED_JSON, "\"event\": \"mem-loads\"");
	printed_has(report, PRINTED_JSON, "\"mean\": 20,");
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
	printed_has(report, PRINTED_TEXT, "Retire latency 7±");
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
	printed_has(report, PRINTED_TEXT,
		    "has retire latencies of branches: they are left out");
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
	printed_has(report, PRINTED_TEXT, "each of 100 records of mem-loads has 0");
	text = printed(report, PRINTED_JSON);
	ck_assert_ptr_null(strstr(text, "\"mean\""));
	free(text);
	td_report_free(report);
}
END_TEST

/* An event that is asked for and has no record is not passed over in silence. */
START_TEST(no_record_at_all)
{
	struct td_report *report = new_report();
	struct td_profile profile;
	struct build build;

	add(report, "l2-misses", 0, 0); /* three had no room */
	ck_assert_int_eq(td_report_finish(report), 0);
	printed_has(report, PRINTED_TEXT,
		    "no retire latencies: none of 3 records of l2-misses had room");
	td_report_free(report);
	report = new_report();
	build_run(&build, "l2-misses", 0, 0);
	build.header->latencies_lost = 0;
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_int_eq(td_report_add(report, &profile, "test.tdp", TD_FATE_EXITED), 0);
	ck_assert_int_eq(td_report_finish(report), 0);
	printed_has(report, PRINTED_TEXT,
		    "no retire latencies: no thread had as many of l2-misses as its "
		    "period; TDAGENT_LATENCY=EVENT@PERIOD takes a smaller one (1000000 "
		    "unless given, 1000 at least)");
	td_profile_free(&profile);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* A column of each number; none where there are no latencies. */
START_TEST(csv_has_them)
{
	struct td_report *report = new_report();
	char *text;

	add(report, "mem-loads", 100, 20);
	ck_assert_int_eq(td_report_finish(report), 0);
	printed_has(report, PRINTED_CSV,
		    ",retire_latency_records,retire_latency_value,retire_latency_low,"
		    "retire_latency_high\n");
	printed_has(report, PRINTED_CSV, ",100,20,19.8");
	td_report_free(report);
	report = new_report();
	add(report, "mem-loads", 100, 0);
	ck_assert_int_eq(td_report_finish(report), 0);
	text = printed(report, PRINTED_CSV);
	ck_assert_ptr_null(strstr(text, "latency_rec"));
	free(text);
	td_report_free(report);
}
END_TEST

/* Two runs with 100 records of these events and latencies. */
static struct td_compare *compare(const char *const event[2], const uint64_t latency[2])
{
	static const struct td_compare_query query = {
		.threshold = 0.01, .noise = 0.04, .min_windows = 50};
	struct td_report *report[2];
	struct td_compare_side side[2];
	struct td_compare *made;
	char *because;

	for (int i = 0; i < 2; i++) {
		report[i] = new_report();
		add(report[i], event[i], 100, latency[i]);
		ck_assert_int_eq(td_report_finish(report[i]), 0);
		side[i] = (struct td_compare_side){
			report[i], (const struct td_report *const *)&report[i], 1};
	}
	ck_assert_int_eq(td_compare_new(side, &query, &made, &because), 0);
	for (int i = 0; i < 2; i++)
		td_report_free(report[i]);
	return made;
}

/* The mean of 100 records, one below and one above it in turn: its error is 0.1. */
START_TEST(runs_are_compared)
{
	static const char *const loads[] = {"mem-loads", "mem-loads"};
	struct td_compare *c = compare(loads, (const uint64_t[]){20, 30});
	const struct td_change *change = &c->row[0].latency;
	char *text;
	size_t size;
	FILE *out;

	ck_assert(change->present && change->tested);
	ck_assert_double_eq_tol(change->after - change->before, 10, 1e-9);
	ck_assert_double_eq_tol(change->high - 10, 1.97 * sqrt(2) * 0.1, 0.005);
	ck_assert_int_eq(change->verdict, TD_VERDICT_WORSE);
	ck_assert_int_eq(c->row[0].verdict, TD_VERDICT_WORSE);
	out = open_memstream(&text, &size);
	td_diff_print_json(out, c, 0);
	fputc('#', out);
	td_diff_print_csv(out, c, 0);
	fclose(out);
	*strchr(text, '#') = '\0';
	ck_assert(is_json(text));
	ck_assert_ptr_nonnull(strstr(text, "\"retire_latency_event\": \"mem-loads\""));
	ck_assert_ptr_nonnull(
		strstr(text, "\"retire_latency\": {\"verdict\": \"worse\""));
	ck_assert_ptr_nonnull(
		strstr(strchr(text, '\0') + 1, ",retire_latency,20,30,10,"));
	free(text);
	td_compare_free(c);
	c = compare(loads, (const uint64_t[]){30, 20});
	ck_assert_int_eq(c->row[0].latency.verdict, TD_VERDICT_BETTER);
	td_compare_free(c);
	c = compare(loads, (const uint64_t[]){20, 20});
	ck_assert(c->row[0].latency.tested);
	ck_assert_int_eq(c->row[0].latency.verdict, TD_VERDICT_NONE);
	td_compare_free(c);
}
END_TEST

START_TEST(other_events_are_not_compared)
{
	static const char *const events[] = {"mem-loads", "branches"};
	struct td_compare *c = compare(events, (const uint64_t[]){20, 30});
	int said = 0;

	ck_assert(!c->row[0].latency.present);
	for (size_t i = 0; i < c->notes; i++)
		said += strcmp(c->note[i], "retire latencies are not compared: A has "
					   "those of mem-loads, B of branches") == 0;
	ck_assert_int_eq(said, 1);
	td_compare_free(c);
}
END_TEST

int main(void)
{
	return unit_main(
		"latencies",
		(const TTest *const[]){means, profiles_are_added_up, without_a_sample,
				       another_event_is_left_out, zeros_are_no_latencies,
				       no_record_at_all, csv_has_them, runs_are_compared,
				       other_events_are_not_compared, NULL});
}
