/* SPDX-License-Identifier: MIT */
/*
 * What the windows of one place, line or function counted, for annotate_collect.h.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_TOOLS_ANNOTATE_SUMS_H
#define TD_TOOLS_ANNOTATE_SUMS_H

#include "decoder/groups.h"
#include "decoder/own_cost.h"
#include "decoder/profile.h"
#include "decoder/topdown.h"

struct td_annotate;

/* Windows, and what the valid ones of them counted, own cost taken out. */
struct td_annotate_sums {
	uint64_t opened; /* samples */
	uint64_t valid;
	uint64_t counted;                         /* valid ones that sum[] is of */
	struct td_file_sum slots, node[TD_NODES]; /* of the nodes that were counted */
	uint64_t rounded;                         /* slots of 8-bit windows */
	struct td_groups *groups; /* of groups of events: all valid ones; free() it */
};

/* How a profile's windows are read. */
struct td_annotate_counts {
	const struct td_profile *profile;
	struct td_own_cost cost;
	int slots, node[TD_NODES]; /* its counters; -1: none */
	int groups;                /* 1: of events, those of annotate->plan */
	struct td_own_cost group_cost[TD_GROUPS_MAX];
};

/* Notes in `annotate` what the profile counts.  `counts` holds the profile. */
void td_annotate_counts_of(struct td_annotate *annotate, const struct td_profile *profile,
			   struct td_annotate_counts *counts);

/* Adds a window of the profile; 0 or -ENOMEM. */
int td_annotate_count(struct td_annotate_sums *sums,
		      const struct td_annotate_counts *counts,
		      const struct td_file_window *window);

/* Adds `from` to `into`.  0 or -ENOMEM, with nothing added. */
int td_annotate_join(struct td_annotate_sums *into, const struct td_annotate_sums *from);

/* The top-down of these windows. */
void td_annotate_values(const struct td_annotate *annotate,
			const struct td_annotate_sums *sums,
			struct td_topdown_value value[TD_NODES]);

/* 1 if any windows have top-down. */
int td_annotate_has_nodes(const struct td_annotate *annotate);

#endif
