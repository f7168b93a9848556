// SPDX-License-Identifier: MIT
/* How many instructions of the program a window holds. */
#include <math.h>

#include "decoder/report_ticks.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/log_windows.h"
#include "tests/unit/sim_windows.h"
#include "tests/unit/unit.h"

static const struct sim_setup setup = {.kind = SIM_AWKWARD,
				       .seed = 4,
				       .windows = 5000,
				       .shortest = 2,
				       .most = 600,
				       .clock = 1};

/* What a profile tells of them; `off`: the most that a window is from what the
 * program did. */
static struct td_report_ticks ticks_of(enum log_kind kind, double *off)
{
	struct td_report_ticks ticks;
	struct td_profile profile;
	struct build build;
	struct sim sim;
	char why[256];

	sim_run(&sim, &setup);
	log_windows(&build, &sim, kind);
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.windows, sim.windows);
	ck_assert_int_eq(td_report_ticks_find(&profile, &ticks), 0);
	*off = 0;
	for (size_t i = 0; i < profile.windows; i++) {
		uint32_t group = profile.window[i].window->group;
		double value[TD_COUNTERS_MAX], got;

		td_profile_window_unrounded(&profile, profile.window[i].window, value);
		got = td_report_ticks_of(&ticks, group, value);
		ck_assert_int_eq(isnan(got), ticks.group[group].counter < 0);
		if (!isnan(got))
			*off = fmax(*off, fabs(got - sim.clock[i]));
	}
	td_profile_free(&profile);
	build_free(&build);
	sim_free(&sim);
	return ticks;
}

START_TEST(ours_are_taken_off)
{
	double off;
	struct td_report_ticks ticks = ticks_of(LOG_CLOCK, &off);

	ck_assert_int_ge(ticks.group[0].counter, 0);
	ck_assert(ticks.known);
	ck_assert_double_eq_tol(ticks.group[0].own, LOG_BASE_TICKS, 1e-9);
	ck_assert_double_lt(off, 1e-9);
}
END_TEST

/* Each group has its own, for it reads others; one counts none. */
START_TEST(groups_have_their_own)
{
	double off;
	struct td_report_ticks ticks = ticks_of(LOG_TICKING, &off);

	for (uint32_t g = 0; g < 3; g++)
		ck_assert_double_eq_tol(ticks.group[g].own, LOG_BASE_TICKS + g, 1e-9);
	ck_assert_int_lt(ticks.group[3].counter, 0);
	ck_assert(ticks.known);
	ck_assert_double_lt(off, 1e-9);
}
END_TEST

START_TEST(ours_differ)
{
	double off;

	ck_assert(!ticks_of(LOG_UNSURE, &off).known);
}
END_TEST

/* A log of windows, and all that hold nothing of the program. */
struct logged {
	struct build build;
	struct sim sim;
	struct td_profile profile;
	struct td_file_window *empty[500];
	size_t n;
};

static void log_more(struct logged *log)
{
	struct sim_setup more = setup;
	char why[256];

	more.windows = 8000;
	sim_run(&log->sim, &more);
	log_windows(&log->build, &log->sim, LOG_CLOCK);
	ck_assert_int_eq(build_parse(&log->build, build_size(&log->build), &log->profile,
				     why, sizeof(why)),
			 0);
	log->n = 0;
	for (size_t i = 0; i < log->profile.windows && log->n < 500; i++)
		if (log->profile.window[i].window->state == TD_WINDOW_EMPTY)
			log->empty[log->n++] =
				(struct td_file_window *)log->profile.window[i].window;
	ck_assert_uint_gt(log->n, 100);
}

static struct td_report_ticks ticks_of_log(const struct logged *log)
{
	struct td_report_ticks ticks;

	ck_assert_int_eq(td_report_ticks_find(&log->profile, &ticks), 0);
	return ticks;
}

static void log_free(struct logged *log)
{
	td_profile_free(&log->profile);
	build_free(&log->build);
	sim_free(&log->sim);
}

/* One window is no reason to doubt the others, nor to take it for them. */
START_TEST(one_differs)
{
	struct logged log;
	struct td_report_ticks ticks;

	log_more(&log);
	log.empty[log.n / 2]->value[4] += 7;
	ticks = ticks_of_log(&log);
	ck_assert_int_ge(ticks.group[0].counter, 0);
	ck_assert_double_eq_tol(ticks.group[0].own, LOG_BASE_TICKS, 1e-9);
	log_free(&log);
}
END_TEST

/* A short run has few by group: they are enough if all agree, and if they are not one or
 * two. */
START_TEST(few_are_enough)
{
	struct logged log;

	log_more(&log);
	for (size_t i = 6; i < log.n; i++)
		log.empty[i]->reject = TD_REJECT_SWITCHED;
	ck_assert_int_ge(ticks_of_log(&log).group[0].counter, 0);
	log.empty[3]->value[4] += 7;
	ck_assert_int_lt(ticks_of_log(&log).group[0].counter, 0);
	log.empty[3]->value[4] -= 7;
	for (size_t i = 2; i < 6; i++)
		log.empty[i]->reject = TD_REJECT_SWITCHED;
	ck_assert_int_lt(ticks_of_log(&log).group[0].counter, 0);
	log_free(&log);
}
END_TEST

START_TEST(nobody_counts)
{
	double off;

	ck_assert(!ticks_of(LOG_METRICS, &off).known);
}
END_TEST

int main(void)
{
	return unit_main("report_ticks",
			 (const TTest *const[]){ours_are_taken_off, groups_have_their_own,
						ours_differ, one_differs, few_are_enough,
						nobody_counts, NULL});
}
