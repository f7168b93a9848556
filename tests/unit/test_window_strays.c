// SPDX-License-Identifier: MIT
#include "decoder/window_strays.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder/report.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/unit.h"

#define COUNT 1000
#define WIDTH 6u

static const char *const counters[] = {
	"slots", "retiring", "bad_speculation", "frontend_bound", "backend_bound", NULL};
static const char *const lengths[] = {
	"cycles", "retiring", "bad_speculation", "frontend_bound", "backend_bound", NULL};
static const char *const *counted = counters;
static struct build build;
static struct td_file_thread *thread[2];
static struct td_file_place *place[2];
static struct td_file_window *window[COUNT];
static char why[256];

static void counts(const struct td_file_window *w, uint64_t *value)
{
	for (int k = 0; k < 5; k++)
		value[k] = w->value[k];
}

static void set_cycles(struct td_file_window *w, uint32_t cycles)
{
	w->value[0] = cycles * WIDTH;
	for (int k = 1; k < 5; k++)
		w->value[k] = cycles * WIDTH / 4;
}

/* The second thread is the record of some that ended: nobody knows which. */
static void start(void)
{
	uint32_t object, ref;

	build_start(&build, counted);
	build.header->backend = TD_BACKEND_EVENTS;
	build.header->level = 1;
	build.header->slots_a_cycle = WIDTH;
	build.header->period_unit = TD_UNIT_CYCLES;
	build.header->windows_max = 190000;
	object = build_object(&build, TD_OBJECT_ELF, "/nowhere/program");
	for (unsigned i = 0; i < 2; i++) {
		ref = build_thread(&build, 42 + i, "main");
		thread[i] = build_record(&build, ref);
		place[i] = build_place(&build, ref, TD_PLACE_FUNCTION, object, 0x1000);
	}
	thread[1]->state = TD_THREAD_FOLDED;
}

/* Windows of 1 to 1,000 cycles that take 40 more and up to `spread` on top; each tenth is
 * an empty one, which takes 38.  Each fifth is of a thread that is folded now. */
static void make(uint32_t spread)
{
	start();
	for (uint32_t i = 0; i < COUNT; i++) {
		struct td_file_window *w = build_logged(&build, place[0]);

		window[i] = w;
		w->thread = i % 5 ? 42 : 7;
		w->requested = i % 10 ? 1 + i * 7 % 1000 : 0;
		w->state = i % 10 ? TD_WINDOW_USED : TD_WINDOW_EMPTY;
		set_cycles(w,
			   i % 10 ? w->requested + 40 + i * 37 % 100 * spread / 100 : 38);
	}
}

/* As the agent would have counted them. */
static void add_up(void)
{
	uint64_t value[5];

	for (uint32_t i = 0; i < COUNT; i++) {
		unsigned t = window[i]->thread == 42 ? 0 : 1;

		counts(window[i], value);
		if (window[i]->state == TD_WINDOW_EMPTY) {
			thread[t]->empties++;
			for (int k = 0; k < 5; k++)
				thread[t]->empty[k] += value[k];
		} else if (window[i]->reject == TD_REJECT_MAX) {
			thread[t]->windows++;
			build_window(&build, place[t], value);
		} else {
			thread[t]->rejected[window[i]->reject]++;
			place[t]->rejected[window[i]->reject]++;
		}
	}
}

static void parse(struct td_profile *profile)
{
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), profile, why, sizeof(why)), 0);
}

static int is_stray(const struct td_profile *profile, uint32_t i)
{
	return profile->window[i].window->reject == TD_REJECT_STRAY;
}

/* Other threads' cycles, however many, are found, and nothing else. */
START_TEST(finds)
{
	static const uint32_t stray[] = {3, 10, 500, 999};

	for (uint32_t spread = 0; spread < 400; spread += 50) {
		struct td_profile profile;
		size_t found = 0;

		make(spread);
		window[3]->value[0] += WIDTH * 20000;
		window[10]->value[0] += WIDTH * 100000; /* an empty one */
		window[500]->value[0] += WIDTH * 110;   /* the same */
		window[999]->value[0] += WIDTH * (30 * spread + 200);
		parse(&profile);
		for (uint32_t i = 0; i < COUNT; i++) {
			int wanted = found < 4 && stray[found] == i;

			ck_assert_int_eq(is_stray(&profile, i), wanted);
			found += (size_t)wanted;
		}
		ck_assert_uint_eq(profile.strays, 4);
		td_profile_free(&profile);
		build_free(&build);
	}
}
END_TEST

/* Of cycles alone as long as they are few: on an Arm in QEMU a tenth ended 1,000 cycles
 * late, in which there are 32 instructions. */
START_TEST(late_by_instructions)
{
	for (uint32_t every = 10; every <= 100; every *= 10) {
		struct td_profile profile;

		counted = lengths;
		make(0);
		for (uint32_t i = 5; i < COUNT; i += every)
			window[i]->value[0] += WIDTH * 2000;
		parse(&profile);
		ck_assert_uint_eq(profile.strays, every == 10 ? 0 : 10);
		td_profile_free(&profile);
		build_free(&build);
		counted = counters;
	}
}
END_TEST

/* The sums are those of the windows that are left, whatever the strays were. */
START_TEST(takes_out)
{
	struct td_profile with, without;

	make(20);
	window[5]->reject = TD_REJECT_NESTED;
	for (uint32_t i = 1; i <= 5; i++) /* of both threads, a nested one among them */
		set_cycles(window[i], 9000);
	set_cycles(window[20], 9000); /* empty */
	add_up();
	parse(&with);
	build_free(&build);
	make(20);
	add_up();
	for (uint32_t i = 1; i <= 5; i++) {
		uint64_t value[5];

		counts(window[i], value);
		thread[i == 5]->windows--;
		place[i == 5]->windows--;
		for (int k = 0; k < 5; k++) {
			struct td_file_sum *sum = &place[i == 5]->sum[k];

			sum->sum -= value[k];
			sum->squares -= (double)(value[k] * value[k]);
			sum->cross -= (double)(value[k] * value[0]);
		}
	}
	parse(&without);
	ck_assert_uint_eq(with.strays, 6);
	ck_assert_uint_eq(without.strays, 0);
	for (unsigned t = 0; t < 2; t++) {
		const struct td_file_place *a = with.place[t].place,
					   *b = without.place[t].place;

		ck_assert_uint_eq(a->windows, b->windows);
		ck_assert_mem_eq(a->sum, b->sum, 5 * sizeof(a->sum[0]));
		ck_assert_uint_eq(a->rejected[TD_REJECT_STRAY], t ? 1 : 4);
		ck_assert_uint_eq(a->rejected[TD_REJECT_NESTED], 0);
		ck_assert_uint_eq(with.thread[t]->windows, without.thread[t]->windows);
		ck_assert_uint_eq(with.thread[t]->rejected[TD_REJECT_STRAY], t ? 1 : 4);
	}
	ck_assert_uint_eq(with.thread[1]->empties, without.thread[1]->empties - 1);
	ck_assert_uint_eq(with.thread[1]->empty[0],
			  without.thread[1]->empty[0] - 38ull * WIDTH);
	td_profile_free(&with);
	td_profile_free(&without);
	build_free(&build);
}
END_TEST

/* Counts that the sums cannot hold: nothing goes below zero. */
START_TEST(trusts_nobody)
{
	struct td_profile profile;

	make(20);
	set_cycles(window[1], 9000);
	set_cycles(window[2], 9000);
	window[2]->end[0].address = 0x2000; /* no place */
	set_cycles(window[10], 9000);
	set_cycles(window[11], 9000);
	window[11]->reject = TD_REJECT_NESTED;
	parse(&profile);
	ck_assert_uint_eq(profile.strays, 4);
	for (unsigned t = 0; t < 2; t++) {
		ck_assert_uint_eq(profile.place[t].place->windows, 0);
		ck_assert_uint_eq(profile.place[t].place->rejected[TD_REJECT_STRAY], 0);
		ck_assert_uint_eq(profile.thread[t]->windows, 0);
		ck_assert_uint_eq(profile.thread[t]->empties, 0);
	}
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

/* Windows of two kinds of edges, a third of them long, are all the program's; so are
 * windows that nobody knows the length of, and times. */
START_TEST(keeps)
{
	struct td_profile profile;

	make(20);
	for (uint32_t i = 0; i < COUNT; i += 3)
		window[i]->value[0] += window[i]->requested ? WIDTH * 300 : 0;
	window[1]->requested = 0;
	window[1]->value[0] = UINT32_MAX;
	parse(&profile);
	ck_assert_uint_eq(profile.strays, 0);
	td_profile_free(&profile);
	window[2]->value[0] = UINT32_MAX;
	build.header->period_unit = TD_UNIT_NS;
	parse(&profile);
	ck_assert_uint_eq(profile.strays, 0);
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

/* The cause is in the report's counts; where the log is a sample, a note says so. */
START_TEST(reported)
{
	for (unsigned sampled = 0; sampled < 2; sampled++) {
		struct td_report *report = td_report_new(&(struct td_report_query){0});
		struct td_profile profile;

		make(20);
		set_cycles(window[1], 9000);
		add_up();
		build.header->windows_seen += sampled * 500ull;
		parse(&profile);
		ck_assert_int_eq(td_report_add(report, &profile, "p", TD_FATE_EXITED), 0);
		ck_assert_int_eq(td_report_finish(report), 0);
		ck_assert_uint_eq(report->rejected[TD_REJECT_STRAY], 1);
		ck_assert_uint_eq(report->windows, COUNT - COUNT / 10 - 1);
		ck_assert_uint_eq(report->function[0].rejected[TD_REJECT_STRAY], 1);
		ck_assert_str_eq(td_reject_key(TD_REJECT_STRAY), "stray");
		ck_assert_uint_eq(report->notes, 1 + sampled);
		td_report_free(report);
		td_profile_free(&profile);
		build_free(&build);
	}
}
END_TEST

int main(void)
{
	return unit_main("window_strays",
			 (const TTest *const[]){finds, late_by_instructions, takes_out,
						trusts_nobody, keeps, reported, NULL});
}
