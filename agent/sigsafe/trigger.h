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
/*
 * The same event, one signal for each arming: a period of 10 us that goes on
 * by itself interrupts our handler ten times, which costs more than the handler.
 * Not on kernels 6.16 and 6.17, which hang when a clock event disables itself.
 */
extern const struct td_trigger_ops td_perf_once_trigger;
/* thread->timer is the timer's kernel id. */
extern const struct td_trigger_ops td_timer_trigger;

#endif
