/* SPDX-License-Identifier: MIT */
/*
 * What reading costs in the windows of one group of events beyond those of another: each
 * has other registers to read.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_REPORT_MORE_H
#define TD_DECODER_REPORT_MORE_H

#include "decoder/groups.h"

/* more[]: slots that a window of each group has beyond one of group 0, in the mean. */
void td_report_more_find(const struct td_profile *profile, float more[TD_GROUPS_MAX]);

#endif
