/* SPDX-License-Identifier: MIT */
/*
 * Opening what events.c has found, for a thread: the groups of cores of one type.
 *
 * Context: normal; no globals.
 */
#ifndef TD_CORE_EVENTS_OPEN_H
#define TD_CORE_EVENTS_OPEN_H

#include "agent/core/events_describe.h"
#include "agent/sigsafe/thread.h"

/* perf_event_attr's type and config of a member, on the PMU that `of` is about. */
void td_events_of_pmu(const struct td_events_found *of,
		      const struct td_events_member *member, uint32_t *type,
		      uint64_t *config);

/* An event of the PMU that `of` is about, by td_perf_open(); sampling if it has a
 * period. */
int td_events_open_event(const struct td_events_found *of,
			 const struct td_events_member *member, uint64_t period,
			 uint32_t tid, int leader);

/* Its page, NULL if it cannot be mapped. */
const volatile struct perf_event_mmap_page *td_events_map(int fd);

/* Group number `number`.  Returns 0 or -errno; close it in both cases. */
int td_events_open_group(const struct td_events_found *of,
			 const struct td_groups_shape *shape,
			 struct td_group_pages *group, uint32_t number, uint32_t tid);
void td_events_close_group(struct td_group_pages *group);

/* No group is open. */
void td_events_clear(struct td_group_counters *groups);

/* All groups, as td_events_open() has it. */
int td_events_open_all(const struct td_events_found *of,
		       const struct td_groups_shape *shape,
		       struct td_group_counters *groups, struct td_thread *thread,
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
