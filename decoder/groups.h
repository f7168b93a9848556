/* SPDX-License-Identifier: MIT */
/*
 * Event groups in a report: each group's sums over the windows that it was counted
 * in, and the nodes that the family's formulas make of them.  Numerators and
 * denominators are of the same windows; what is combined are ratios of sums.
 * doc/estimates.md has the intervals.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_GROUPS_H
#define TD_DECODER_GROUPS_H

#include <string.h>

#include "decoder/events.h"
#include "decoder/own_cost.h"
#include "decoder/separate.h"
#include "decoder/topdown.h"

/* What was counted in which group; the same for all profiles of a report. */
struct td_groups_plan {
	const struct td_event_family *family; /* NULL: the tables do not know it */
	uint32_t groups;                      /* 0: no profile with groups yet */
	uint32_t width;
	uint32_t events;
	struct td_file_event event[TD_EVENTS_MAX];
	/* Bits of event[]: what somebody asked for beside the family's events.  Only its
	 * own rate is made of it, whatever its name is. */
	uint64_t asked;
	/* The values that count near returns and calls in a group's windows; 0: none
	 * does. */
	uint16_t returns[TD_GROUPS_MAX], calls[TD_GROUPS_MAX];
	/* Where group 0's values are among the sums that the caller has of them; -1:
	 * nowhere. */
	int first[TD_COUNTERS_MAX];
	/* Of the run's cycles the part in which a thread had its core alone, for what no
	 * window tells of itself.  1: there is one thread; NAN: not known, then what
	 * takes it is not either.  TD_SHARED_SLOTS: what it would be if the other one
	 * took half of the slots while it runs; it may take more, down to -1. */
	struct td_estimate alone;
};

/* How often an event was in a function, told apart from its neighbours; a cycle. */
struct td_groups_rate {
	int known;
	int own;     /* of a function whose visits are as long as many windows: what
			is not known of the windows' own cost is not in `half` yet */
	unsigned df; /* of Student's distribution */
	double value;
	double half; /* of its 95 % interval */
	/* [TD_BATCHES]: how the value moves without a batch of windows, malloc()'s; what
	 * of `half` goes with what no batch shows of the instructions of all windows,
	 * signed; and what of it neither shows.  NULL: that is all of it. */
	float *change;
	double beside, unseen;
};

/* The windows of one function, group by group; group 0 is not used. */
struct td_groups {
	struct {
		uint64_t windows;
		struct td_file_sum sum[TD_COUNTERS_MAX];
		/* of each sum, by the own cost taken out of it: standard deviation */
		double unsure[TD_COUNTERS_MAX];
	} group[TD_GROUPS_MAX];
	struct td_groups_rate rate[TD_EVENTS_MAX]; /* of the plan's events */
	/* At least so large a part of the run's cycles: with others it makes the plan's
	 * `alone`.  0: not known. */
	double share;
};

static inline int td_groups_is_asked(const struct td_groups_plan *plan, uint32_t event)
{
	return plan->asked >> event & 1;
}

/* Those that groups count by themselves. */
static inline int td_groups_is_instructions(const struct td_groups_plan *plan,
					    uint32_t event)
{
	return !td_groups_is_asked(plan, event) &&
	       strcmp(plan->event[event].name, "inst") == 0;
}

/* Some group counts near returns beside its events. */
static inline int td_groups_count_returns(const struct td_groups_plan *plan)
{
	for (uint32_t g = 0; g < plan->groups; g++)
		if (plan->returns[g])
			return 1;
	return 0;
}

/* The core has another thread, and some group counts how often that one runs, or the
 * slots that it has. */
enum { TD_SHARED_TIME = 1, TD_SHARED_SLOTS };

/* One of these, or 0: no group counts anything of another thread. */
int td_groups_is_shared(const struct td_groups_plan *plan);

/* Reads the plan of a header. */
void td_groups_read(struct td_groups_plan *plan, const struct td_file_header *header);

/* Makes `all` the same; counter[]: where the caller has a profile's counters. */
void td_groups_adopt(struct td_groups_plan *all, const struct td_groups_plan *plan,
		     const int counter[TD_COUNTERS_MAX]);

/* 1 if windows of the two can be added up. */
int td_groups_match(const struct td_groups_plan *a, const struct td_groups_plan *b);

/*
 * What measuring adds to a window, by the empty windows of each group in the log.  Events
 * that are as many in all of them are known to a whole one only.
 */
void td_groups_own_cost(const struct td_profile *profile,
			struct td_own_cost cost[TD_GROUPS_MAX]);

/* Adds a place's windows of one group, less their own cost. */
void td_groups_add(struct td_groups *into, uint32_t group, const struct td_file_sum *sum,
		   uint32_t values, uint64_t windows, const struct td_own_cost *cost);

/* Adds what `from` has, or gives it to `into`; either may be NULL, *from is
 * afterwards.  The memory is malloc()'s. */
void td_groups_take(struct td_groups **into, struct td_groups **from);

/* NULL is allowed. */
void td_groups_free(struct td_groups *groups);

/*
 * Fills in those nodes of value[] that are not present and that the formulas give;
 * then derived nodes and flags.  `first` are the sums of group 0 over `n` windows.
 * `groups` may be NULL.
 */
void td_groups_values(const struct td_groups_plan *plan, const struct td_file_sum *first,
		      uint64_t n, const struct td_groups *groups,
		      struct td_topdown_value value[TD_NODES]);

/* The part of their cycles in which the thread had its core alone (as the plan's), by the
 * same windows; 0: they do not tell. */
int td_groups_alone(const struct td_groups_plan *plan, const struct td_file_sum *first,
		    uint64_t n, const struct td_groups *groups,
		    struct td_estimate *alone);

/* How often an event was, in the windows of its group. */
struct td_event_rate {
	const char *name; /* the plan's */
	int asked;        /* for by name; in older profiles, not of the family's table */
	struct td_estimate per_cycle; /* with its 95 % interval; not bounded by 1 */
	struct td_estimate
		per_instruction; /* likewise, about as sure; value NaN: unknown */
};

/* The rate of the plan's event number `i`; 0: there are too few windows, or the name is
 * another one's: that was asked for, is better known, or comes first. */
int td_groups_rate(const struct td_groups_plan *plan, uint32_t i,
		   const struct td_file_sum *first, uint64_t n,
		   const struct td_groups *groups, struct td_event_rate *rate);

/*
 * A node by the family's formulas alone, from counts a cycle: `rate` gives that of an
 * event, of "inst" and of "slots" (formula.h).  NaN: there is no formula, or a count is
 * missing.
 */
double td_groups_node(const struct td_event_family *family, const char *node,
		      double (*rate)(void *context, const char *name, size_t length),
		      void *context);

#endif
