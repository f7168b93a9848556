/* SPDX-License-Identifier: MIT */
/*
 * Which group of events counts what of level 1.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_GROUPS_LEVEL1_H
#define TD_DECODER_GROUPS_LEVEL1_H

#include "decoder/groups.h"

/* Parts of level 1: its nodes, then what else some group has of them. */
#define TD_GROUPS_PARTS (2 * TD_NODES_LEVEL1)

/* Where the group's windows have the count of the family's event; -1: it is not in the
 * group. */
int td_groups_value(const struct td_groups_plan *plan, uint32_t group, const char *name);

/* The group has no returns, though others have: its windows may hold what the function
 * calls, and theirs tell all that they do. */
int td_groups_is_unjudged(const struct td_groups_plan *plan, uint32_t group);

/*
 * The parts of level 1 that are sums of the group's own events, a bit for each;
 * factor[part][value] tells how.  Part `node` is all of a node where some group counts
 * that; the node that is what the others leave has none.  Where two groups share a
 * node's events, `node` and TD_NODES_LEVEL1 + node are what either has of it: an event
 * that both count is the first one's.  Groups without returns are left out where others
 * have them.
 */
unsigned td_groups_level1(const struct td_groups_plan *plan, uint32_t group,
			  int8_t factor[TD_GROUPS_PARTS][TD_COUNTERS_MAX]);

#endif
