/* SPDX-License-Identifier: MIT */
/*
 * SLOTS and PERF_METRICS: does this machine have them, and do they work?
 * Opening them for a thread.  Context: normal.
 */
#ifndef TD_CORE_METRICS_H
#define TD_CORE_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/sigsafe/thread.h"
#include "decoder/format.h"

/* How the counters of this machine can be read; td_metrics_shape has the rest. */
struct td_metrics_machine {
	uint32_t type;   /* of the PMU, perf_event_attr.type */
	uint64_t cycles; /* config of PERF_TYPE_HARDWARE for its cycles */
	const struct td_counter_ops *counters; /* by RDPMC or by read() */
	/* The program may move to cores without the registers, where RDPMC would end it.
	 */
	bool moves;
};

/*
 * Looks for the events that the kernel offers, opens them for the calling thread,
 * runs a short loop and judges what they counted.  Returns 0 and fills in
 * `machine` and td_metrics_shape, or -errno with the reason in `why` (a clause
 * without full stop).  Once found, it is not looked for again.
 */
int td_metrics_detect(struct td_metrics_machine *machine, char *why, size_t size);

/* How the registers are read on such a machine, for people. */
const char *td_metrics_reader(const struct td_metrics_machine *machine);

/* Why not by RDPMC, where it is by read(): a clause behind "because". */
const char *td_metrics_obstacle(const struct td_metrics_machine *machine);

/* The counters' names, in the order of the values. */
uint32_t td_metrics_names(struct td_file_counter *counter);

/* perf_event_attr.config of the profile's counter number `value`.  After a detection. */
uint64_t td_metrics_config(uint32_t value);

/* Opens the group for a thread of this process and starts it.  Returns 0 or -errno. */
int td_metrics_open(const struct td_metrics_machine *machine, struct td_thread *thread,
		    uint32_t tid);

/* Closes and unmaps; the thread itself only, or for it when it has ended: RDPMC
 * without a mapped event would fault. */
void td_metrics_close(struct td_thread *thread);

#endif
