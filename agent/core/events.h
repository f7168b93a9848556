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
 * being multiplexed.  Returns 0 with td_groups_shapes filled, or -errno with the reason
 * in `why` (a clause without full stop).  Once found, it is not looked for again.
 */
int td_events_detect(const struct td_options *options, char *why, size_t size);

/* On a hybrid processor: are there groups for the small cores as well, which the large
 * ones' windows and the profile go together with? */
bool td_events_on_both(void);

/* The cycles event beside the groups: config of PERF_TYPE_HARDWARE. */
uint64_t td_events_cycles(enum td_core_type cores);

/* Notes which events of TDAGENT_EVENTS are not counted, and why; after the last cut. */
void td_events_note_asked(const struct td_options *options);

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

/* perf_event_attr's type, config and config1 of a group's member. */
void td_events_member(uint32_t group, uint32_t i, uint32_t *type, uint64_t *config,
		      uint64_t *config1);

/* Fills in counters, groups and level of the profile's header; its `counters` is
 * td_events_counters().  `both`: the groups of small cores as well. */
void td_events_describe(struct td_file_header *header, bool both);
uint32_t td_events_counters(void);

/* Which value counts near returns, then calls; 0: none. */
unsigned td_events_leavings(void);

/* No group counts all of level 1 and who leaves a function: several share it. */
bool td_events_in_parts(void);

/* Opens the groups for a thread of this process.  `groups` is its memory.  Group 0 must
 * work, the others are left out where they do not.  Returns 0 or -errno. */
int td_events_open(struct td_group_counters *groups, struct td_thread *thread,
		   uint32_t tid, enum td_core_type cores);

#endif
