/* SPDX-License-Identifier: MIT */
/*
 * Opens what interrupts a thread: a perf event with a signal, or a POSIX timer.
 * Context: normal.
 */
#ifndef TD_CORE_INTERRUPT_H
#define TD_CORE_INTERRUPT_H

#include "agent/core/core.h"

/* 0 if an event of this kind can be opened for the calling thread, else -errno. */
long td_interrupt_try(const struct td_backend_choice *choice, enum td_trigger trigger);

/* Opens the chosen event for a thread of this process, stopped; sets the
 * thread's trigger.  Returns 0 or -errno. */
int td_interrupt_open_event(const struct td_backend_choice *choice,
			    struct td_thread *thread, uint32_t tid);

/* The same with a CPU timer. */
int td_interrupt_open_timer(struct td_thread *thread, uint32_t tid);

void td_interrupt_close(struct td_thread *thread);

#endif
