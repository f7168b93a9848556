/* SPDX-License-Identifier: MIT */
/*
 * Functions that hardly any window leaves, where nothing counts returns: part of
 * report_log.c.  The regression must not trust any window then, and is often less sure
 * than the sums of the windows that stayed, of which some left and came back.
 *
 * Context: normal; no globals.
 */
#ifndef TD_DECODER_REPORT_STAYS_H
#define TD_DECODER_REPORT_STAYS_H

#include "decoder/report.h"
#include "decoder/separate.h"

/* Of the windows that open in a function. */
struct td_report_stays {
	uint32_t opened, left; /* they close in another one */
	double others;         /* of all windows, the part that opens in others */
	double crossed;        /* it was left so often in them, at most */
};

/* Of each of the input's functions; malloc()'s.  NULL: no memory. */
struct td_report_stays *td_report_stays_find(const struct td_separate_input *input);

/* 1 where so many stay that sums are worth a look. */
int td_report_stays_mostly(const struct td_report_stays *stays);

/* What those that left and came back move the sums' value by, at most: `half` is that of
 * its 95 % interval, `differs` the value less the program's. */
double td_report_stays_error(const struct td_report_stays *stays, double half,
			     double differs);

/* The program's nodes, as far as they are told. */
void td_report_stays_mean(const struct td_separate *told,
			  struct td_topdown_value mean[TD_NODES]);

/* Gives the function its sums' nodes, if hardly any window leaves it, what the
 * regression tells is the same, as far as both know, and they know it better: 1. */
int td_report_stays_take(const struct td_report *report,
			 const struct td_report_stays *stays,
			 const struct td_topdown_value told[TD_NODES],
			 const struct td_topdown_value mean[TD_NODES],
			 struct td_report_function *function);

#endif
