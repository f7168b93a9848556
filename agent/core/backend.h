/* SPDX-License-Identifier: MIT */
/*
 * Chooses how to measure, and opens that for a thread.  Context: normal.
 */
#ifndef TD_CORE_BACKEND_H
#define TD_CORE_BACKEND_H

#include "agent/core/core.h"

/* Decides by the options and by what the kernel grants here; fills in `choice`
 * and td_signal.  Returns 0, or -errno with the reason in choice->reason.  The second
 * makes no perf event: they would end the process. */
int td_backend_choose(const struct td_options *options, struct td_backend_choice *choice);
int td_backend_choose_timer(const struct td_options *options,
			    struct td_backend_choice *choice);

/* In a forked child: the choice of its parent holds, with the handler that is
 * installed.  False if the program has taken the signal since, or if there were no
 * events to choose: choose again, the handler removed. */
bool td_backend_inherit(const struct td_backend_choice *choice);

/* Writes the choice into the profile's header. */
void td_backend_describe(const struct td_options *options,
			 const struct td_backend_choice *choice,
			 struct td_file_header *header);

/* How many counters the choice reads. */
uint32_t td_backend_counters(const struct td_backend_choice *choice);

/*
 * Gives `thread` its trigger and counters; `tid` may be another thread of this
 * process.  Not yet armed.  Returns 0 or -errno.
 */
int td_backend_open(struct td_thread *thread, uint32_t tid);

/* Closes what td_backend_open() opened.  Only the thread itself may, or somebody
 * for a thread that is no more. */
void td_backend_close(struct td_thread *thread);

/* A descriptor has another number now. */
void td_backend_renumber(struct td_thread *thread, int from, int to);

/* In a forked child: closes the parent's descriptors.  Its mappings of counters
 * are not in the child, and its events are not to be touched. */
void td_backend_forget(struct td_thread *thread);

#endif
