/* SPDX-License-Identifier: MIT */
/*
 * The software counters: CPU time of the thread, page faults, context
 * switches.  The one backend that every machine has.
 */
#ifndef TD_SIGSAFE_CLOCK_H
#define TD_SIGSAFE_CLOCK_H

#include <time.h>

#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/thread.h"

#define TD_CLOCK_COUNTERS 3u /* cpu_time (ns), faults, switches */

/* Source: CLOCK_THREAD_CPUTIME_ID and getrusage(RUSAGE_THREAD); user and kernel. */
extern const struct td_counter_ops td_clock_counters;

/* Samples only: never readable. */
extern const struct td_counter_ops td_no_counters;

/* What `clock` says, ns.  Context: any.  By a system call, for the vdso reads the time
 * stamp counter, and the program may have forbidden it (PR_TSC_SIGSEGV); but not for the
 * coarse clock. */
static inline uint64_t td_clock_now(clockid_t clock)
{
	struct timespec now = {0};

	if (clock == CLOCK_MONOTONIC_COARSE)
		clock_gettime(clock, &now);
	else
		td_syscall2(SYS_clock_gettime, clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* CPU time of the calling thread, ns.  Context: any. */
uint64_t td_clock_thread_cpu(void);

/* The three counters of the calling thread, absolute.  Context: any. */
void td_clock_read(uint64_t *values);

#endif
