/* SPDX-License-Identifier: MIT */
/*
 * Groups of general-purpose counters, read in the strobe's windows: in user mode where
 * the kernel allows it (RDPMC, and the like on aarch64), otherwise by read().  One
 * group counts at a time, so that the kernel never has to multiplex: group 0 in all
 * long periods and some windows, another one in single windows instead of it.
 * Cycles are those of the event that interrupts, which counts all the time.
 *
 * Counts are taken as the kernel's perf_event_mmap_page defines them, offset and
 * register together: they go on over overflows, switches and periods.
 */
#ifndef TD_SIGSAFE_GROUPS_H
#define TD_SIGSAFE_GROUPS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/thread.h"

/* Events of a group: up to 4 of its own, 5 where they become level 1; instructions, near
 * returns and calls. */
#define TD_GROUP_MEMBERS 8u
/* Where the values of the last three are; those of its own follow value 0, slots. */
#define TD_GROUP_VALUE_INST 5u
#define TD_GROUP_VALUE_LEAVINGS 6u
/* Level 1's fifth event is behind all that is kept: only nodes are made of it. */
#define TD_GROUP_VALUE_FIFTH 8u
#define TD_GROUP_TERMS 5u
#define TD_GROUP_NODES 4u
#define TD_GROUPS_PASS 33u   /* rounds of two instructions */
#define TD_GROUPS_DITHER 32u /* the same */

/* What all threads' groups on cores of a type have in common; constant after the
 * start. */
struct td_groups_shape {
	uint32_t width; /* slots a cycle; 1: value 0 is cycles */
	bool by_read;   /* user mode may not read counters here */
	uint32_t groups;
	uint32_t members[TD_GROUPS_MAX];
	uint8_t value[TD_GROUPS_MAX][TD_GROUP_MEMBERS]; /* of each member */
	/* Group 0's values 1 to 4 are the slots of level 1's nodes: factor times its
	 * members, up to TD_GROUP_TERMS, of one node the rest. */
	bool nodes;
	uint32_t rest; /* that node */
	int8_t factor[TD_GROUP_NODES][TD_GROUP_TERMS];
	/* Level `auto`: nodes (bits) that a group divides, and the percent of slots
	 * from which a node is worth that; drill: all groups in turn without. */
	bool drill;
#define TD_GROUP_ALWAYS 0x80 /* among the nodes: wanted whatever level 1 says */
#define TD_GROUP_LEVEL1 0x40 /* instead of them: a part of level 1, as group 0 */
	uint8_t divides[TD_GROUPS_MAX];
	/* Of near returns, then calls, so many are among the members. */
	uint8_t judged[TD_GROUPS_MAX];
	uint8_t percent[TD_GROUP_NODES];
};

/* By type of cores; the first is of the only one, or of the large ones. */
extern struct td_groups_shape td_groups_shapes[TD_CORE_TYPES];

struct td_group_pages {
	int fd[TD_GROUP_MEMBERS]; /* the first is the leader; -1 none */
	/* Its events; the first ones are what a return to user mode costs some of. */
	uint32_t members, own;
	const volatile struct perf_event_mmap_page *page[TD_GROUP_MEMBERS];
};

/* Counts, of the cycles and then of the members: what the kernel keeps, and what the
 * registers have beyond it. */
struct td_group_counts {
	uint64_t kept[1 + TD_GROUP_MEMBERS], value[1 + TD_GROUP_MEMBERS];
	bool taken;  /* each member had a counter */
	bool cycles; /* they had one; otherwise they are what they were at last */
	bool torn;   /* the trigger's period ended while they were read */
};

/* A thread's counters. */
struct td_group_counters {
	const struct td_groups_shape *shape;
	uint32_t groups; /* that the thread has */
	uint32_t active;
	const volatile struct perf_event_mmap_page *cycles; /* of the trigger */
	struct td_group_pages group[TD_GROUPS_MAX];
	/* Of a drilled window, in sums over functions: how many of its kind it stands
	 * for, because others of its function were for what is below; 0: it is one of
	 * these. */
	uint32_t stands_for;
	bool started;  /* now is of this signal, as far as the registers go */
	bool fresh;    /* now is of this signal */
	bool stood;    /* the kernel has stopped the trigger, and its cycles with it */
	bool complete; /* all of it was on counters */
	bool based;    /* the same of base */
	uint32_t lock; /* of the leader's page: it moves with each switch */
	uint32_t base_lock;
	struct td_group_counts now, base; /* base: at the last reset */
	uint64_t idle, base_idle; /* read(): time that the group had no counter, ns */
};

/* On a hybrid the counters that cores of both types have; 0: it does not matter.  One
 * that the thread's next core lacks must not be read: the CPU forbids it. */
extern uint32_t td_groups_common;

/* Such a counter, by the index in its page; those of fixed ones are above.
 * Context: any. */
static inline bool td_groups_is_only_here(uint32_t common, uint32_t index)
{
	return common && index > common && index < 0x40000000u;
}

extern const struct td_counter_ops td_groups_ops;

/* Level 1 from the counts of group 0's own events, values 1 to 4 and FIFTH: values 1 to 4
 * become its nodes, in slots.  A node may be below 0.  Context: any. */
void td_groups_make_nodes(const struct td_groups_shape *shape, uint64_t *values);

/* One register, and members from..to-1.  False if one has none just now.  That COMMON is
 * asked twice saves instructions where there is no hybrid: the compiler leaves then. */
static inline bool td_groups_take_one(const volatile struct perf_event_mmap_page *page,
				      uint32_t common, uint64_t *value)
{
	return !(common && td_groups_is_only_here(common, page->index)) &&
	       td_metrics_read_one(page, value);
}

static inline bool td_groups_take_some(const struct td_group_pages *group, uint32_t from,
				       uint32_t to, uint32_t common, uint64_t *value)
{
	for (; from < to; from++)
		if (!td_groups_take_one(group->page[from], common, &value[from]))
			return false;
	return true;
}

/*
 * The registers of the active group at a window's end, with next to nothing in between.
 * What is executed here is in each window, and the short period
 * goes on: where it ends again in here, one more return to user mode is in what is read
 * later.  That costs slots and cycles, so these are read together, and it is torn if it
 * ended between them; it costs no instructions, returns or calls, so these come last.
 * Context: signal.
 */
static inline void td_groups_take(const struct td_group_counters *groups,
				  const struct td_group_pages *group,
				  struct td_group_counts *to)
{
	const volatile struct perf_event_mmap_page *cycles = groups->cycles;
	uint32_t common = td_groups_common, own = group->own, lock = cycles->lock;
	bool taken = td_groups_take_some(group, 0, own, common, to->value + 1);

	to->cycles = td_groups_take_one(cycles, common, &to->value[0]);
	to->kept[0] = (uint64_t)cycles->offset;
	to->torn = cycles->lock != lock;
	to->taken =
		td_groups_take_some(group, own, group->members, common, to->value + 1) &&
		taken;
}

/* At its beginning.  Cycles come last: from there to the program, and from the first
 * member on, it is as far in all groups of as many members, whatever they are. */
static inline void td_groups_take_first(const struct td_group_counters *groups,
					const struct td_group_pages *group,
					struct td_group_counts *to)
{
	const volatile struct perf_event_mmap_page *cycles = groups->cycles;
	uint32_t common = td_groups_common, lock = cycles->lock;

	to->taken = td_groups_take_some(group, 0, group->members, common, to->value + 1);
	to->kept[0] = (uint64_t)cycles->offset;
	to->cycles = td_groups_take_one(cycles, common, &to->value[0]);
	to->torn = cycles->lock != lock;
}

/* The same as the first thing in a signal.  Context: signal. */
static inline void td_groups_begin_capture(struct td_group_counters *groups)
{
	const struct td_group_pages *group = &groups->group[groups->active];

	groups->lock = group->page[0]->lock;
	if (!groups->shape->by_read)
		td_groups_take(groups, group, &groups->now);
	groups->started = true;
}

/*
 * Some cycles in which nothing happens, twice.  Before the counters are read for the
 * window's beginning any number of them below TD_GROUPS_DITHER: our own instructions are
 * the same in each window, so what an event counts of them in part would be rounded
 * the same way in each, and this rounding would not average out.
 *
 * And TD_GROUPS_PASS between arming a window and the way to the program: more than the
 * handler takes to have read slots and cycles.  A window that holds a cycle of the
 * program is then longer than that, and cannot end a second time while they are read;
 * otherwise no window of fewer than 20 cycles of the program is known, and functions that
 * short have none for themselves.
 */
static inline void td_groups_pass(unsigned rounds)
{
	for (; rounds; rounds--)
		__asm__ volatile("" : "+r"(rounds));
}

/* The active group's registers, as the beginning of what it counts: the last thing before
 * the window.  Context: signal. */
static inline void td_groups_base(struct td_group_counters *groups)
{
	const struct td_group_pages *group = &groups->group[groups->active];
	const volatile struct perf_event_mmap_page *leader = group->page[0];
	uint32_t lock = leader->lock;

	for (uint32_t i = 0; i < group->members; i++)
		groups->base.kept[1 + i] = (uint64_t)group->page[i]->offset;
	groups->base_lock = lock;
	td_groups_take_first(groups, group, &groups->base);
	groups->based = groups->base.taken && !groups->base.torn && !groups->stood &&
			leader->lock == lock;
}

/* Reads the active group, or the rest of it if the signal has begun.  Context: signal,
 * or normal on the thread. */
void td_groups_capture(struct td_thread *thread);

/* Before a window of the function opens: decides on its group, which counts from
 * now on; thread->window.place becomes the function's place for it.  Context: signal. */
void td_groups_open(struct td_thread *thread, const struct td_identity *identity);

/* After the window: group 0 again.  Context: as above. */
void td_groups_close(struct td_thread *thread);

#endif
