// SPDX-License-Identifier: MIT
#include "decoder/topdown.h"

#include <limits.h>
#include <string.h>

/* Thresholds: Intel's perfmon metrics and toplev. */
const struct td_topdown_node td_topdown_tree[TD_NODES] = {
	[TD_NODE_RETIRING] = {"retiring", "Retiring", -1, -1, 0.70},
	[TD_NODE_BAD_SPECULATION] = {"bad_speculation", "BadSpec", -1, -1, 0.15},
	[TD_NODE_FRONTEND_BOUND] = {"frontend_bound", "Frontend", -1, -1, 0.15},
	[TD_NODE_BACKEND_BOUND] = {"backend_bound", "Backend", -1, -1, 0.20},
	[TD_NODE_HEAVY_OPERATIONS] = {"heavy_operations", "Heavy", TD_NODE_RETIRING, -1,
				      0.10},
	[TD_NODE_LIGHT_OPERATIONS] = {"light_operations", "Light", TD_NODE_RETIRING,
				      TD_NODE_HEAVY_OPERATIONS, 0.60},
	[TD_NODE_BRANCH_MISPREDICTS] = {"branch_mispredicts", "Mispred",
					TD_NODE_BAD_SPECULATION, -1, 0.10},
	[TD_NODE_MACHINE_CLEARS] = {"machine_clears", "Clears", TD_NODE_BAD_SPECULATION,
				    TD_NODE_BRANCH_MISPREDICTS, 0.10},
	[TD_NODE_FETCH_LATENCY] = {"fetch_latency", "FetchLat", TD_NODE_FRONTEND_BOUND,
				   -1, 0.10},
	[TD_NODE_FETCH_BANDWIDTH] = {"fetch_bandwidth", "FetchBW", TD_NODE_FRONTEND_BOUND,
				     TD_NODE_FETCH_LATENCY, 0.20},
	[TD_NODE_MEMORY_BOUND] = {"memory_bound", "Memory", TD_NODE_BACKEND_BOUND, -1,
				  0.20},
	[TD_NODE_CORE_BOUND] = {"core_bound", "Core", TD_NODE_BACKEND_BOUND,
				TD_NODE_MEMORY_BOUND, 0.10},
};

int td_topdown_node(const char *name)
{
	for (int i = 0; i < TD_NODES; i++) {
		if (strcmp(td_topdown_tree[i].name, name) == 0)
			return i;
	}
	return -1;
}

static int largest_flagged(const struct td_topdown_value *value, int first, int end)
{
	int largest = -1;

	for (int i = first; i < end; i++) {
		if (value[i].flagged &&
		    (largest < 0 ||
		     value[i].estimate.value > value[largest].estimate.value))
			largest = i;
	}
	return largest;
}

int td_topdown_bottleneck(const struct td_topdown_value value[TD_NODES])
{
	int deep = largest_flagged(value, TD_NODES_LEVEL1, TD_NODES);

	return deep >= 0 ? deep : largest_flagged(value, 0, TD_NODES_LEVEL1);
}

double td_topdown_threshold(const uint8_t *over, int node)
{
	return over && over[node] ? over[node] / 100. : td_topdown_tree[node].threshold;
}

void td_topdown_flag(struct td_topdown_value value[TD_NODES], const uint8_t *over)
{
	for (int i = 0; i < TD_NODES; i++) {
		int parent = td_topdown_tree[i].parent;

		value[i].flagged =
			value[i].present &&
			value[i].estimate.value > td_topdown_threshold(over, i) &&
			(parent < 0 || value[parent].flagged);
	}
}

/* Derived nodes and flags; parents and minuends stand before their users. */
void td_topdown_complete(struct td_topdown_value value[TD_NODES], const uint8_t *over)
{
	for (int i = 0; i < TD_NODES; i++) {
		const struct td_topdown_node *node = &td_topdown_tree[i];
		const struct td_topdown_value *parent =
			node->parent < 0 ? NULL : &value[node->parent];

		if (node->less >= 0 && parent->present && value[node->less].present) {
			value[i].present = 1;
			value[i].estimate = td_estimate_difference(
				parent->estimate, value[node->less].estimate);
			value[i].rounding = parent->rounding + value[node->less].rounding;
			value[i].df = parent->df < value[node->less].df
					      ? parent->df
					      : value[node->less].df;
		}
	}
	td_topdown_flag(value, over);
}

/*
 * How far the rounding to 255ths can move a node: level 1 is rounded so that it
 * adds up, which takes up to 3/4 of a step, level 2 to the nearest.
 * doc/estimates.md.
 */
static void widen(struct td_topdown_value *value, int node, uint64_t rounded,
		  double slots)
{
	double step = node < TD_NODES_LEVEL1 ? 0.75 : 0.5;

	value->rounding = step / 255 * (double)rounded / slots;
	td_estimate_widen(&value->estimate, value->rounding);
}

void td_topdown_values(const struct td_topdown_map *map, const struct td_file_sum *sum,
		       uint64_t n, uint64_t rounded,
		       struct td_topdown_value value[TD_NODES])
{
	memset(value, 0, TD_NODES * sizeof(*value));
	if (map->slots < 0)
		return;
	for (int i = 0; i < TD_NODES; i++) {
		if (map->node[i] < 0)
			continue;
		value[i].present = td_estimate_ratio(&sum[map->node[i]], &sum[map->slots],
						     n, &value[i].estimate);
		value[i].df = n > 1 ? (unsigned)(n - 1 < UINT_MAX ? n - 1 : UINT_MAX) : 1;
		if (value[i].present)
			widen(&value[i], i, rounded, td_sum_value(&sum[map->slots]));
	}
	td_topdown_complete(value, map->over);
}

void td_topdown_totals(const struct td_topdown_map *map, const uint64_t *total,
		       uint64_t rounded, struct td_topdown_value value[TD_NODES])
{
	double slots = map->slots < 0 ? 0 : (double)(int64_t)total[map->slots];

	memset(value, 0, TD_NODES * sizeof(*value));
	if (slots <= 0)
		return;
	for (int i = 0; i < TD_NODES; i++) {
		double part;

		if (map->node[i] < 0)
			continue;
		part = (double)(int64_t)total[map->node[i]] / slots;
		part = part < 0 ? 0 : part > 1 ? 1 : part;
		value[i].present = 1;
		value[i].estimate = (struct td_estimate){part, part, part};
		widen(&value[i], i, rounded, slots);
	}
	td_topdown_complete(value, map->over);
}
