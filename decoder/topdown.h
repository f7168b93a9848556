/* SPDX-License-Identifier: MIT */
/*
 * The top-down tree: the nodes, their names (as perf and toplev spell them),
 * their thresholds, and their values from a function's counter sums.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_TOPDOWN_H
#define TD_DECODER_TOPDOWN_H

#include "decoder/estimate.h"

/* Level 1, then level 2 in pairs: the children of the level 1 node in the same order. */
enum td_node {
	TD_NODE_RETIRING,
	TD_NODE_BAD_SPECULATION,
	TD_NODE_FRONTEND_BOUND,
	TD_NODE_BACKEND_BOUND,
	TD_NODE_HEAVY_OPERATIONS,
	TD_NODE_LIGHT_OPERATIONS,
	TD_NODE_BRANCH_MISPREDICTS,
	TD_NODE_MACHINE_CLEARS,
	TD_NODE_FETCH_LATENCY,
	TD_NODE_FETCH_BANDWIDTH,
	TD_NODE_MEMORY_BOUND,
	TD_NODE_CORE_BOUND,
	TD_NODES,
};
#define TD_NODES_LEVEL1 4

struct td_topdown_node {
	const char *name;  /* "retiring" */
	const char *title; /* "Retiring", at most 9 characters */
	int parent;        /* enum td_node, -1 for level 1 */
	int less;          /* derived: parent - this node; -1: has its own counter */
	double threshold;  /* flagged above it, under a flagged parent only */
};
extern const struct td_topdown_node td_topdown_tree[TD_NODES];

/* The node's threshold on cores that have their own: `over` has them in percent, by
 * enum td_node, 0 where it is the tree's.  NULL: all of them are. */
double td_topdown_threshold(const uint8_t *over, int node);

/* The node of that name, or -1. */
int td_topdown_node(const char *name);

struct td_topdown_value {
	int present; /* 0: not measured, the rest means nothing */
	int flagged;
	struct td_estimate estimate;
	double rounding; /* what 8-bit fractions added to the interval at both ends */
	unsigned df;     /* degrees of freedom of the rest of it; 0: not by sampling */
};

/*
 * The bottleneck: the flagged node of the largest value, of level 2 if any of
 * that level is flagged.  -1: nothing is above its threshold.
 */
int td_topdown_bottleneck(const struct td_topdown_value value[TD_NODES]);

/* Fills in derived nodes whose parts are present, then `flagged` of all nodes. */
void td_topdown_complete(struct td_topdown_value value[TD_NODES], const uint8_t *over);

/* Sets `flagged` of all nodes by their thresholds. */
void td_topdown_flag(struct td_topdown_value value[TD_NODES], const uint8_t *over);

/*
 * Where a tree's counters are: indexes into sum[], -1 for one that was not
 * counted.  Derived nodes have none.
 */
struct td_topdown_map {
	int slots;
	int node[TD_NODES];
	const uint8_t *over; /* td_topdown_threshold() */
};

/*
 * Fills value[] from sums over n windows.  slots must be the windows' first
 * counter, for the cross sums are with it; without slots nothing is present.
 * `rounded` are the slots of those windows whose nodes the hardware gave as
 * 8-bit fractions, own cost included: their rounding widens the intervals.
 */
void td_topdown_values(const struct td_topdown_map *map, const struct td_file_sum *sum,
		       uint64_t n, uint64_t rounded,
		       struct td_topdown_value value[TD_NODES]);

/* The same from complete totals, which have no sampling error, only rounding. */
void td_topdown_totals(const struct td_topdown_map *map, const uint64_t *total,
		       uint64_t rounded, struct td_topdown_value value[TD_NODES]);

#endif
