/* SPDX-License-Identifier: MIT */
/* Opening a perf event of a group.  Context: normal. */
#ifndef TD_CORE_PERF_OPEN_H
#define TD_CORE_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdint.h>

/* What reading a group gives: how many, their times, their counts. */
#define TD_PERF_READ_GROUP                                                               \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |                            \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

/*
 * Opens the event for thread `tid` of this process (0: the caller) in the group of
 * `leader`; -1 begins one, which counts nothing until it is enabled.  Fills in disabled
 * and exclude_hv of `attr`, and its size where that is 0: so many bytes are there.  The
 * descriptor is out of the program's way and closed on exec; or -errno.
 */
int td_perf_open(struct perf_event_attr *attr, uint32_t tid, int leader);

#endif
