/* SPDX-License-Identifier: MIT */
/*
 * A simulated program's log (log_windows.h) and the report of it.
 *
 * Context: tests only.
 */
#ifndef TD_TESTS_LOG_RUN_H
#define TD_TESTS_LOG_RUN_H

#include "decoder/report.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/log_windows.h"
#include "tests/unit/sim_windows.h"
#include "tests/unit/unit.h"

/* What was simulated, what of it is logged, and what the report makes of that. */
struct run {
	struct sim sim;
	struct build build;
	struct td_report *report;
};

/* Functions are told apart. */
static inline void run_start(struct run *run, const struct sim_setup *as,
			     enum log_kind kind)
{
	sim_run(&run->sim, as);
	log_windows(&run->build, &run->sim, kind);
	run->report = td_report_new(&(struct td_report_query){0});
	build_add(&run->build, run->report);
	ck_assert_int_eq(td_report_finish(run->report), 0);
	ck_assert(run->report->separated);
}

static inline void run_free(struct run *run)
{
	td_report_free(run->report);
	build_free(&run->build);
	sim_free(&run->sim);
}

/* Its row; ends the test where there is none. */
static inline const struct td_report_function *find(const struct td_report *report,
						    unsigned function)
{
	for (size_t i = 0; i < report->functions; i++) {
		if (report->function[i].address == log_address(function))
			return &report->function[i];
	}
	ck_abort_msg("function %u is missing", function);
	return NULL;
}

#endif
