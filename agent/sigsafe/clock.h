/* SPDX-License-Identifier: MIT */
/*
 * The software counters: CPU time of the thread, page faults, context
 * switches.  The one backend that every machine has.
 */
#ifndef TD_SIGSAFE_CLOCK_H
#define TD_SIGSAFE_CLOCK_H

#include <time.h>

#include "agent/sigsafe/thread.h"

#define TD_CLOCK_COUNTERS 3u /* cpu_time (ns), faults, switches */

/* Source: CLOCK_THREAD_CPUTIME_ID and getrusage(RUSAGE_THREAD); user and kernel. */
extern const struct td_counter_ops td_clock_counters;

/* Samples only: never readable. */
extern const struct td_counter_ops td_no_counters;

/* What `clock` says, ns; by the vdso where it can.  Context: any. */
static inline uint64_t td_clock_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* CPU time of the calling thread, ns.  Context: any. */
uint64_t td_clock_thread_cpu(void);

/* The three counters of the calling thread, absolute.  Context: any. */
void td_clock_read(uint64_t *values);

#endif
