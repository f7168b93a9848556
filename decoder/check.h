/* SPDX-License-Identifier: MIT */
/*
 * The report's check of itself: the functions, weighted by their samples,
 * against the complete totals.  Both tell of the same run, and neither is made
 * from the other.  doc/estimates.md says what may lie between them.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_CHECK_H
#define TD_DECODER_CHECK_H

struct td_report;

/* All fractions 0..1. */
struct td_check {
	int present; /* 0: nothing to compare, the rest means nothing */
	int holds;   /* no node of level 1 differs more than is explained */
	int node;    /* the one that differs most; of those that do not hold if any */
	double functions; /* its value by the functions */
	double total;     /* and by the totals */
	double explained; /* difference that intervals and unmeasured functions explain */
	double unmeasured; /* share of the samples in functions without valid windows */
};

/* From functions and totals with their values, all of them: before a selection. */
void td_check_report(const struct td_report *report, struct td_check *check);

#endif
