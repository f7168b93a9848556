/* SPDX-License-Identifier: MIT */
/*
 * The triggers of the clock: perf's task-clock event, which interrupts user
 * mode exactly where a period ends, and POSIX CPU timers, which the kernel
 * looks at once a scheduler tick only.
 */
#ifndef TD_SIGSAFE_TRIGGER_H
#define TD_SIGSAFE_TRIGGER_H

#include "agent/sigsafe/thread.h"

/* perf's hrtimer grants no shorter period (kernel/events/core.c). */
#define TD_TASK_CLOCK_SHORTEST_NS 10000u

/* thread->fd is the event, F_SETSIG thread->fd_mark on it. */
extern const struct td_trigger_ops td_perf_trigger;
/* thread->timer is the timer's kernel id. */
extern const struct td_trigger_ops td_timer_trigger;

#endif
