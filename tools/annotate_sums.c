// SPDX-License-Identifier: MIT
#include "tools/annotate_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/groups_level1.h"
#include "tools/annotate_collect.h"

/* The plan of the first profile that has groups; others of the same go with it. */
static int take_plan(struct td_annotate *annotate, const struct td_file_header *header)
{
	struct td_groups_plan plan;

	td_groups_read(&plan, header);
	if (plan.groups < 2 || !plan.family)
		return 0;
	if (!annotate->plan.groups) {
		annotate->plan = plan;
		annotate->map.over = plan.family->over;
	}
	return td_groups_match(&annotate->plan, &plan);
}

void td_annotate_counts_of(struct td_annotate *annotate, const struct td_profile *profile,
			   struct td_annotate_counts *counts)
{
	counts->profile = profile;
	td_own_cost_of(profile, &counts->cost);
	counts->groups = take_plan(annotate, &profile->header);
	if (counts->groups)
		td_groups_own_cost(profile, counts->group_cost);
	counts->slots = td_profile_counter(profile, "slots");
	if (counts->slots == 0)
		annotate->map.slots = 0;
	for (int i = 0; i < TD_NODES; i++) {
		counts->node[i] = td_profile_counter(profile, td_topdown_tree[i].name);
		if (counts->node[i] >= 0)
			annotate->map.node[i] = i;
	}
}

static struct td_file_sum one(const uint64_t *value, uint32_t c)
{
	double x = (double)(int64_t)value[c], d = (double)(int64_t)value[0];

	return (struct td_file_sum){value[c], x * x, x * d};
}

static int count_group(struct td_annotate_sums *sums,
		       const struct td_annotate_counts *counts, uint32_t group,
		       const uint64_t *value, uint32_t values)
{
	struct td_file_sum sum[TD_COUNTERS_MAX];

	if (!sums->groups)
		sums->groups = calloc(1, sizeof(*sums->groups));
	if (!sums->groups)
		return -ENOMEM;
	for (uint32_t i = 0; i < values; i++)
		sum[i] = one(value, i);
	td_groups_add(sums->groups, group, sum, values, 1, &counts->group_cost[group]);
	return 0;
}

static void count_nodes(struct td_annotate_sums *sums,
			const struct td_annotate_counts *counts, const uint64_t *value,
			uint32_t values)
{
	struct td_file_sum sum = one(value, 0);

	sum = td_own_cost_remove(&counts->cost, 0, &sum, 1, value[0]);
	td_sum_add(&sums->slots, &sum);
	for (int i = 0; i < TD_NODES; i++) {
		if (counts->node[i] < 0 || (uint32_t)counts->node[i] >= values)
			continue;
		sum = one(value, (uint32_t)counts->node[i]);
		sum = td_own_cost_remove(&counts->cost, (unsigned)counts->node[i], &sum,
					 1, value[0]);
		td_sum_add(&sums->node[i], &sum);
	}
	if (counts->profile->header.backend == TD_BACKEND_METRICS)
		sums->rounded += value[0];
	sums->counted++;
}

int td_annotate_count(struct td_annotate_sums *sums,
		      const struct td_annotate_counts *counts,
		      const struct td_file_window *window)
{
	uint64_t value[TD_COUNTERS_MAX];
	uint32_t values;
	int err = 0;

	sums->opened++;
	if (window->reject != TD_REJECT_MAX)
		return 0;
	sums->valid++;
	values = td_profile_window_values(counts->profile, window, value);
	/* cross sums are with the first counter */
	if (counts->slots != 0 || !values)
		return 0;
	if (counts->groups)
		err = count_group(sums, counts, window->group, value, values);
	/* the nodes are the first group's */
	if (!window->group)
		count_nodes(sums, counts, value, values);
	return err;
}

int td_annotate_join(struct td_annotate_sums *into, const struct td_annotate_sums *from)
{
	struct td_groups *more = NULL;

	if (from->groups) {
		more = malloc(sizeof(*more));
		if (!more)
			return -ENOMEM;
		*more = *from->groups;
		td_groups_take(&into->groups, &more);
	}
	into->opened += from->opened;
	into->valid += from->valid;
	into->counted += from->counted;
	into->rounded += from->rounded;
	td_sum_add(&into->slots, &from->slots);
	for (int i = 0; i < TD_NODES; i++)
		td_sum_add(&into->node[i], &from->node[i]);
	return 0;
}

static void values_of_nodes(const struct td_annotate *annotate,
			    const struct td_annotate_sums *sums,
			    struct td_topdown_value value[TD_NODES])
{
	struct td_file_sum sum[TD_NODES + 1];
	struct td_topdown_map map = {.slots = annotate->map.slots,
				     .over = annotate->map.over};

	/* slots first, as td_topdown_values() wants it */
	sum[0] = sums->slots;
	for (int i = 0; i < TD_NODES; i++) {
		sum[i + 1] = sums->node[i];
		map.node[i] = annotate->map.node[i] < 0 ? -1 : i + 1;
	}
	td_topdown_values(&map, sum, sums->counted, sums->rounded, value);
}

void td_annotate_values(const struct td_annotate *annotate,
			const struct td_annotate_sums *sums,
			struct td_topdown_value value[TD_NODES])
{
	const struct td_groups *groups = sums->groups;

	memset(value, 0, TD_NODES * sizeof(*value));
	if (!groups || !td_groups_is_unjudged(&annotate->plan, 0))
		values_of_nodes(annotate, sums, value);
	if (groups)
		td_groups_values(&annotate->plan, groups->group[0].sum,
				 groups->group[0].windows, groups, value);
}

int td_annotate_has_nodes(const struct td_annotate *annotate)
{
	for (int i = 0; i < TD_NODES; i++)
		if (annotate->map.slots >= 0 && annotate->map.node[i] >= 0)
			return 1;
	return annotate->plan.family && annotate->plan.family->formulas;
}
