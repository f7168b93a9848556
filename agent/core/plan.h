/* SPDX-License-Identifier: MIT */
/*
 * Periods and lengths of windows: what the options ask for, in the unit of the trigger
 * that was chosen, within what measuring itself leaves of them.  Context: normal.
 */
#ifndef TD_CORE_PLAN_H
#define TD_CORE_PLAN_H

#include "agent/core/core.h"

/* How often the kernel looks at POSIX CPU timers, ns; 0: it does not say. */
uint64_t td_plan_tick_ns(void);

/* The shortest period by a timer, ns. */
uint64_t td_plan_timer_ns(void);

/* choice->plan and timer_plan, for the counters that are chosen. */
void td_plan_make(const struct td_options *options, struct td_backend_choice *choice);

/* The windows that are chosen are made no shorter than what tells functions apart. */
void td_plan_lengthen(struct td_backend_choice *choice);

/* Tells the profile what became another period or length than was asked for; UNIT is
 * that of the trigger. */
void td_plan_note(const struct td_options *options,
		  const struct td_backend_choice *choice, enum td_unit unit);

#endif
