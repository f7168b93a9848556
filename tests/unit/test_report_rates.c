// SPDX-License-Identifier: MIT
/* What the errors of rates are made of: formulas put several together by it. */
#include "decoder/jackknife.h"
#include "decoder/student.h"
#include "tests/unit/log_run.h"

#define NOTICED 0.1 /* of a variance */

/* Of so many rates it is a good part of the error. */
struct parts {
	unsigned beside, unseen;
};

/* Half of the interval is by what batches show, by what goes with the instructions of all
 * windows, and by the rest. */
static void add_up(const struct td_groups_rate *rate, struct parts *to)
{
	double t = td_student_t95(rate->df), change[TD_BATCHES], seen;
	double beside = rate->beside * rate->beside, unseen = rate->unseen * rate->unseen;
	double all = rate->half * rate->half;

	for (int b = 0; b < TD_BATCHES; b++)
		change[b] = rate->change[b];
	seen = t * t * td_jackknife_variance(change);
	ck_assert_double_ge(seen + beside + unseen, 0.99 * all);
	if (unseen > 0)
		ck_assert_double_le(seen + beside + unseen, 1.01 * all);
	to->beside += beside > NOTICED * all;
	to->unseen += unseen > NOTICED * all;
}

START_TEST(errors_add_up)
{
	const struct sim_setup slower = {.kind = SIM_TREE,
					 .seed = 1,
					 .program = 1,
					 .functions = 24,
					 .windows = 7000,
					 .shortest = 2,
					 .most = 600,
					 .slower = 0.3,
					 .dwell = 400,
					 .calls = 1,
					 .clock = 1};
	struct parts insns = {0}, others = {0};
	struct run run;

	run_start(&run, &slower, LOG_TICKING);
	for (size_t f = 0; f < run.report->functions; f++) {
		const struct td_groups *groups = run.report->function[f].groups;

		for (uint32_t e = 0; groups && e < run.report->plan.events; e++)
			if (groups->rate[e].change)
				add_up(&groups->rate[e],
				       td_groups_is_instructions(&run.report->plan, e)
					       ? &insns
					       : &others);
	}
	ck_assert_uint_gt(insns.beside, 5);
	ck_assert_uint_gt(others.beside, 10);
	ck_assert_uint_gt(others.unseen, 10);
	run_free(&run);
}
END_TEST

int main(void)
{
	return unit_main("report_rates", (const TTest *const[]){errors_add_up, NULL});
}
