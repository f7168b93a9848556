// SPDX-License-Identifier: MIT
#include "decoder/path_groups.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int make(struct td_path_groups **into)
{
	if (!*into)
		*into = calloc(1, sizeof(**into));
	return *into ? 0 : -ENOMEM;
}

int td_path_groups_add(struct td_path_groups **into, uint32_t group,
		       const struct td_file_sum *sum, uint32_t values, uint64_t windows,
		       const struct td_own_cost *cost)
{
	if (make(into) < 0)
		return -ENOMEM;
	(*into)->group[group].windows += windows;
	for (uint32_t i = 0; i < values && i < TD_PATH_GROUP_VALUES; i++) {
		struct td_file_sum less =
			td_own_cost_remove(cost, i, &sum[i], windows, sum[0].sum);

		td_sum_add(&(*into)->group[group].sum[i], &less);
	}
	return 0;
}

int td_path_groups_join(struct td_path_groups **into, const struct td_path_groups *from)
{
	if (!from)
		return 0;
	if (make(into) < 0)
		return -ENOMEM;
	for (uint32_t g = 1; g < TD_GROUPS_MAX; g++) {
		(*into)->group[g].windows += from->group[g].windows;
		for (uint32_t i = 0; i < TD_PATH_GROUP_VALUES; i++)
			td_sum_add(&(*into)->group[g].sum[i], &from->group[g].sum[i]);
	}
	return 0;
}

/* As the formulas take them. */
static void spread(const struct td_path_groups *from, struct td_groups *to)
{
	memset(to, 0, sizeof(*to));
	for (uint32_t g = 1; from && g < TD_GROUPS_MAX; g++) {
		to->group[g].windows = from->group[g].windows;
		memcpy(to->group[g].sum, from->group[g].sum, sizeof(from->group[g].sum));
	}
}

/* Two independent values of one node, each as heavy as its windows. */
static void combine(struct td_topdown_value *value, uint64_t n,
		    const struct td_topdown_value *other)
{
	const struct td_estimate *a = &value->estimate, *b = &other->estimate;
	double windows = (double)other->df + 1, part = (double)n / ((double)n + windows);
	double middle = part * a->value + (1 - part) * b->value;
	double low = hypot(part * (a->value - a->low), (1 - part) * (b->value - b->low));
	double high =
		hypot(part * (a->high - a->value), (1 - part) * (b->high - b->value));

	value->estimate = (struct td_estimate){middle, fmax(0, middle - low),
					       fmin(1, middle + high)};
	value->df = (unsigned)fmin((double)value->df + windows, UINT32_MAX);
}

void td_path_groups_values(const struct td_groups_plan *plan,
			   const struct td_file_sum *first, uint64_t n,
			   const struct td_path_groups *groups,
			   struct td_topdown_value value[TD_NODES])
{
	static const struct td_file_sum none[TD_COUNTERS_MAX];
	struct td_topdown_value other[TD_NODES] = {0};
	struct td_groups all;

	if (!plan->family)
		return;
	spread(groups, &all);
	if (groups)
		td_groups_values(plan, none, 0, &all, other);
	for (int i = 0; i < TD_NODES_LEVEL1 && n > 1; i++)
		if (value[i].present && other[i].present)
			combine(&value[i], n, &other[i]);
	td_groups_values(plan, first, n, &all, value);
}
