/* SPDX-License-Identifier: MIT */
/*
 * Retire latencies (TDAGENT_LATENCY): the kernel writes a record for one precise event
 * in so many, with the instruction and the cycles between its retirement and that of
 * the one before.  This adds them up by function: places of group TD_GROUP_LATENCY.
 */
#ifndef TD_SIGSAFE_LATENCY_H
#define TD_SIGSAFE_LATENCY_H

#include "agent/sigsafe/thread.h"

/* The processor's count, in cycles: the upper part of a record's weight (var3_w of
 * union perf_sample_weight). */
#define TD_LATENCY_OF(weight) ((weight) >> 48)

/*
 * Draws a period, a quarter more or less than the one that is asked for, from which the
 * event begins anew; nothing happens without a ring.  Context: as td_latency_take().
 */
void td_latency_vary(struct td_thread *thread);

/*
 * Takes the records that are there, and draws another period once there were enough of
 * the one before; nothing happens without a ring.  Context: signal, on the thread;
 * normal, on the thread with our signal blocked, or for one that takes no more samples.
 * With the vernier: under its claim.
 */
void td_latency_take(struct td_thread *thread);

#endif
