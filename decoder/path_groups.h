/* SPDX-License-Identifier: MIT */
/*
 * What windows of several groups of events say of a call path, or of a function with
 * all that it calls.  Unlike the windows of one function, all of them count, whatever
 * happened in the leaves, so level 1 has two measurements that are independent: by the
 * first group and by the others.  doc/call-paths.md.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_PATH_GROUPS_H
#define TD_DECODER_PATH_GROUPS_H

#include "decoder/groups.h"
#include "decoder/topdown.h"

#define TD_PATH_GROUP_VALUES 8u

/* Group by group, own cost taken out; the first one is not used. */
struct td_path_groups {
	struct {
		uint64_t windows;
		struct td_file_sum sum[TD_PATH_GROUP_VALUES];
	} group[TD_GROUPS_MAX];
};

/* Adds windows of a group behind the first, less their own cost.  Makes *into where it
 * is NULL; it is malloc()'s.  0 or -ENOMEM. */
int td_path_groups_add(struct td_path_groups **into, uint32_t group,
		       const struct td_file_sum *sum, uint32_t values, uint64_t windows,
		       const struct td_own_cost *cost);

/* Adds `from`, which may be NULL, likewise. */
int td_path_groups_join(struct td_path_groups **into, const struct td_path_groups *from);

/*
 * The nodes of both: `value` has those of level 1 by the n windows of the first group, as
 * far as that has nodes (td_topdown_values()), whose sums are `first`.  `groups` may be
 * NULL.
 */
void td_path_groups_values(const struct td_groups_plan *plan,
			   const struct td_file_sum *first, uint64_t n,
			   const struct td_path_groups *groups,
			   struct td_topdown_value value[TD_NODES]);

#endif
