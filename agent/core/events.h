/* SPDX-License-Identifier: MIT */
/*
 * Groups of general-purpose events: which this machine can count, and opening them
 * for a thread.  Context: normal.
 */
#ifndef TD_CORE_EVENTS_H
#define TD_CORE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "agent/sigsafe/thread.h"
#include "decoder/options.h"

/*
 * Looks for the CPU's event tables, cuts their groups to the counters that are free,
 * and tries each group beside a sampling cycles event: it must count a loop without
 * being multiplexed.  Returns 0 with td_groups_shape filled, or -errno with the reason in
 * `why` (a clause without full stop).  Once found, it is not looked for again.
 */
int td_events_detect(const struct td_options *options, char *why, size_t size);

/* What was found, one clause for the profile's reason. */
void td_events_reason(char *text, size_t size);

/*
 * Cuts the groups anew for the vernier, whose second cycle counter takes one of the
 * general-purpose ones: level 1 alone if no more is asked for, from the most events a
 * group to the fewest until trial(context, g) returns 0 for group 0; others for which it
 * does not are left out.  Returns 0, or the last trial's error, with the groups as they
 * were before.
 */
int td_events_cut_beside(const struct td_options *options, int (*trial)(void *, uint32_t),
			 void *context);

/* How many of a group's members are its own: the others, behind them, are in all. */
uint32_t td_events_own(uint32_t group);

/* perf_event_attr's type and config of a group's member. */
void td_events_member(uint32_t group, uint32_t i, uint32_t *type, uint64_t *config);

/* Fills in counters, groups and level of the profile's header; its `counters` is
 * td_events_counters(). */
void td_events_describe(struct td_file_header *header);
uint32_t td_events_counters(void);

/* Which value counts near returns, then calls; 0: none. */
unsigned td_events_leavings(void);

/* Opens the groups for a thread of this process.  `groups` is its memory.  Group 0 must
 * work, the others are left out where they do not.  Returns 0 or -errno. */
int td_events_open(struct td_group_counters *groups, struct td_thread *thread,
		   uint32_t tid);

/* Maps the trigger, which is the cycles event, and starts group 0. */
int td_events_start(struct td_thread *thread);

/* Closes and unmaps; the thread itself only, or for it when it has ended. */
void td_events_close(struct td_thread *thread);

/* One of ours has another number now. */
void td_events_renumber(struct td_thread *thread, int from, int to);

/* In a forked child: closes the parent's descriptors. */
void td_events_forget(struct td_thread *thread);

#endif
