/* SPDX-License-Identifier: MIT */
/*
 * What only some windows count, for totals: level 2 of a run, a process, a thread by
 * groups of events.  Windows open at random moments, so all windows of a group
 * together, whatever functions were in them, are a sample of the run: part of
 * report.c.
 *
 * Context: normal; no globals.
 */
#ifndef TD_DECODER_REPORT_GROUPS_H
#define TD_DECODER_REPORT_GROUPS_H

#include "decoder/report.h"

/*
 * Adds the profile's windows, less their own cost (groups.h), to report->groups, the
 * process' and its threads'; of threads that are not asked for, none.  With that cost to
 * report->uncut, if a group counts the time that a core is shared.  `thread` has for
 * each of the profile's threads the report's, UINT32_MAX: not asked for.  Does nothing
 * where groups were not taken in turn window by window: then their windows are a sample
 * of nothing.  0 or -ENOMEM.
 */
int td_report_groups_add(struct td_report *report, const struct td_profile *profile,
			 const struct td_own_cost cost[TD_GROUPS_MAX], uint32_t process,
			 const uint32_t *thread);

/* Where a core has two threads: how much of it these had, into the plan, and a note that
 * says so.  0 or -ENOMEM. */
int td_report_groups_share(struct td_report *report);

/* Fills in the nodes of all totals that are not known from complete counts. */
void td_report_groups_totals(struct td_report *report);

void td_report_groups_free(struct td_report *report);

#endif
