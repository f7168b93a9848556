/* SPDX-License-Identifier: MIT */
/*
 * The program's instructions in a window: part of report_log.c.
 *
 * Windows that count instructions hold some of ours, as many in each, which empty ones
 * show.  Where these differ nobody knows how many are the program's.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_REPORT_TICKS_H
#define TD_DECODER_REPORT_TICKS_H

#include "decoder/profile.h"

struct td_report_tick {
	int counter; /* -1: not known */
	double own;  /* of ours in a window */
};

struct td_report_ticks {
	struct td_report_tick group[TD_GROUPS_MAX]; /* 0 is all windows' without groups */
	int known;                                  /* of some group */
};

/* 0 or -ENOMEM. */
int td_report_ticks_find(const struct td_profile *profile, struct td_report_ticks *ticks);

/* What td_separate_input.clock has of a window of the group that counted value[]: NAN,
 * not known, or not below 0. */
float td_report_ticks_of(const struct td_report_ticks *ticks, uint32_t group,
			 const double *value);

#endif
