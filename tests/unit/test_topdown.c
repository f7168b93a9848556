// SPDX-License-Identifier: MIT
#include <string.h>

#include "decoder/topdown.h"
#include "tests/unit/unit.h"

/* Counters in the order slots, then the nodes that have one. */
static struct td_topdown_map map_of(int level)
{
	struct td_topdown_map map = {.slots = 0};
	int next = 1;

	for (int i = 0; i < TD_NODES; i++) {
		int derived = td_topdown_tree[i].less >= 0;

		map.node[i] =
			derived || (i >= TD_NODES_LEVEL1 && level < 2) ? -1 : next++;
	}
	return map;
}

static void add_windows(struct td_file_sum *sum, const uint64_t *count, int n)
{
	for (int i = 0; i < 9; i++) {
		sum[i].sum += count[i] * (uint64_t)n;
		sum[i].squares += (double)(count[i] * count[i]) * n;
		sum[i].cross += (double)(count[i] * count[0]) * n;
	}
}

START_TEST(the_tree_is_a_tree)
{
	for (int i = 0; i < TD_NODES; i++) {
		const struct td_topdown_node *node = &td_topdown_tree[i];

		ck_assert_int_eq(node->parent < 0, i < TD_NODES_LEVEL1);
		ck_assert_int_lt(node->parent, TD_NODES_LEVEL1);
		ck_assert_int_lt(node->less, i);
		if (node->less >= 0)
			ck_assert_int_eq(td_topdown_tree[node->less].parent,
					 node->parent);
		ck_assert_int_eq(td_topdown_node(node->name), i);
		ck_assert_uint_le(strlen(node->title), 9);
	}
	ck_assert_int_eq(td_topdown_node("slots"), -1);
}
END_TEST

START_TEST(values_and_flags)
{
	/* slots, ret, bad, fe, be, heavy, mispredicts, latency, memory */
	const uint64_t count[9] = {1000, 200, 100, 100, 600, 150, 90, 60, 450};
	struct td_topdown_map map = map_of(2);
	struct td_topdown_value v[TD_NODES];
	struct td_file_sum sum[9] = {{0}};

	add_windows(sum, count, 50);
	td_topdown_values(&map, sum, 50, 0, v);
	for (int i = 0; i < TD_NODES; i++)
		ck_assert_int_eq(v[i].present, 1);
	ck_assert_double_eq_tol(v[TD_NODE_BACKEND_BOUND].estimate.value, 0.6, 1e-9);
	ck_assert_double_eq_tol(v[TD_NODE_CORE_BOUND].estimate.value, 0.15, 1e-9);
	ck_assert_double_eq_tol(v[TD_NODE_LIGHT_OPERATIONS].estimate.value, 0.05, 1e-9);
	ck_assert_double_eq_tol(v[TD_NODE_MACHINE_CLEARS].estimate.value, 0.01, 1e-9);
	ck_assert_double_eq_tol(v[TD_NODE_FETCH_BANDWIDTH].estimate.value, 0.04, 1e-9);
	for (int i = 0; i < TD_NODES; i++) {
		int flagged = i == TD_NODE_BACKEND_BOUND || i == TD_NODE_MEMORY_BOUND ||
			      i == TD_NODE_CORE_BOUND;

		/* heavy is above its threshold, but retiring is not above its */
		ck_assert_msg(v[i].flagged == flagged, "%s", td_topdown_tree[i].name);
	}
}
END_TEST

START_TEST(level1_only)
{
	const uint64_t count[9] = {1000, 800, 50, 50, 100};
	struct td_topdown_map map = map_of(1);
	struct td_topdown_value v[TD_NODES];
	struct td_file_sum sum[9] = {{0}};

	add_windows(sum, count, 3);
	td_topdown_values(&map, sum, 3, 0, v);
	for (int i = 0; i < TD_NODES; i++)
		ck_assert_int_eq(v[i].present, i < TD_NODES_LEVEL1);
	ck_assert_int_eq(v[TD_NODE_RETIRING].flagged, 1);
	td_topdown_values(&map, sum, 0, 0, v);
	ck_assert_int_eq(v[TD_NODE_RETIRING].present, 0);
	map.slots = -1;
	td_topdown_values(&map, sum, 3, 0, v);
	ck_assert_int_eq(v[TD_NODE_RETIRING].present, 0);
}
END_TEST

START_TEST(totals_have_no_sampling_error)
{
	const uint64_t total[9] = {1000, 200, 100, 100, 600, 150, 90, 60, 450};
	const uint64_t nothing[9] = {0};
	struct td_topdown_map map = map_of(2);
	struct td_topdown_value v[TD_NODES];

	td_topdown_totals(&map, total, 0, v);
	ck_assert(v[TD_NODE_CORE_BOUND].present && v[TD_NODE_CORE_BOUND].flagged);
	ck_assert_double_eq_tol(v[TD_NODE_CORE_BOUND].estimate.low, 0.15, 1e-9);
	ck_assert_double_eq_tol(v[TD_NODE_CORE_BOUND].estimate.high, 0.15, 1e-9);
	td_topdown_totals(&map, nothing, 0, v);
	ck_assert_int_eq(v[TD_NODE_RETIRING].present, 0);
}
END_TEST

/* As perf (without its tma_) and toplev (in lower case) have them. */
START_TEST(names_are_tma_s)
{
	static const char *const names[TD_NODES] = {
		"retiring",           "bad_speculation",  "frontend_bound",
		"backend_bound",      "heavy_operations", "light_operations",
		"branch_mispredicts", "machine_clears",   "fetch_latency",
		"fetch_bandwidth",    "memory_bound",     "core_bound"};
	static const int percent[TD_NODES] = {70, 15, 15, 20, 10, 60,
					      10, 10, 10, 20, 20, 10};

	for (int i = 0; i < TD_NODES; i++) {
		ck_assert_str_eq(td_topdown_tree[i].name, names[i]);
		ck_assert_double_eq_tol(100 * td_topdown_tree[i].threshold, percent[i],
					1e-9);
	}
}
END_TEST

START_TEST(bottlenecks)
{
	/* slots, ret, bad, fe, be, heavy, mispredicts, latency, memory */
	static const struct {
		uint64_t count[9];
		int node;
	} cases[] = {
		/* the larger child of the largest */
		{{1000, 200, 100, 100, 600, 50, 90, 60, 450}, TD_NODE_MEMORY_BOUND},
		/* the largest of level 2, though not under the largest of level 1 */
		{{1000, 200, 340, 40, 420, 50, 330, 20, 211}, TD_NODE_BRANCH_MISPREDICTS},
		/* a flagged parent without a flagged child */
		{{1000, 690, 50, 160, 100, 50, 40, 90, 50}, TD_NODE_FRONTEND_BOUND},
		/* level 2 goes before level 1 */
		{{1000, 440, 50, 280, 230, 50, 40, 90, 120}, TD_NODE_CORE_BOUND},
		/* 65 % retiring is below its threshold: so are its children */
		{{1000, 650, 100, 100, 150, 300, 90, 60, 50}, -1},
	};
	struct td_topdown_map two = map_of(2), one = map_of(1);
	struct td_topdown_value v[TD_NODES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		td_topdown_totals(&two, cases[i].count, 0, v);
		ck_assert_msg(td_topdown_bottleneck(v) == cases[i].node, "case %zu: %d",
			      i, td_topdown_bottleneck(v));
	}
	td_topdown_totals(&one, cases[0].count, 0, v);
	ck_assert_int_eq(td_topdown_bottleneck(v), TD_NODE_BACKEND_BOUND);
	memset(v, 0, sizeof(v));
	ck_assert_int_eq(td_topdown_bottleneck(v), -1);
}
END_TEST

/* Small cores are flagged by thresholds of their own (data/events, "over"). */
START_TEST(cores_have_their_own_thresholds)
{
	static const uint8_t over[TD_NODES] = {
		[TD_NODE_FRONTEND_BOUND] = 20,
		[TD_NODE_BACKEND_BOUND] = 10,
		[TD_NODE_BRANCH_MISPREDICTS] = 5,
	};
	/* slots, ret, bad, fe, be, heavy, mispredicts, latency, memory */
	static const uint64_t count[9] = {1000, 500, 160, 180, 160, 50, 90, 60, 40};
	struct td_topdown_map map = map_of(2);
	struct td_topdown_value v[TD_NODES];

	td_topdown_totals(&map, count, 0, v);
	ck_assert(v[TD_NODE_FRONTEND_BOUND].flagged && !v[TD_NODE_BACKEND_BOUND].flagged);
	ck_assert(!v[TD_NODE_BRANCH_MISPREDICTS].flagged);
	map.over = over;
	td_topdown_totals(&map, count, 0, v);
	ck_assert(!v[TD_NODE_FRONTEND_BOUND].flagged && v[TD_NODE_BACKEND_BOUND].flagged);
	ck_assert(v[TD_NODE_BRANCH_MISPREDICTS].flagged);
	ck_assert_double_eq_tol(td_topdown_threshold(over, TD_NODE_BACKEND_BOUND), 0.1,
				1e-9);
	ck_assert_double_eq_tol(td_topdown_threshold(over, TD_NODE_RETIRING), 0.7, 1e-9);
}
END_TEST

/* A constant mix is rounded the same way in every window. */
START_TEST(rounding_widens)
{
	const uint64_t count[9] = {1000, 200, 100, 100, 600, 150, 90, 60, 450};
	struct td_topdown_map map = map_of(2);
	struct td_topdown_value v[TD_NODES];
	struct td_file_sum sum[9] = {{0}};
	const struct td_estimate *e = &v[TD_NODE_BACKEND_BOUND].estimate;

	add_windows(sum, count, 50);
	/* 20 % of each window were ours */
	td_topdown_values(&map, sum, 50, 50 * 1250, v);
	ck_assert_double_eq_tol(e->high, 0.6 + 0.75 / 255 * 1.25, 1e-9);
	ck_assert_double_eq_tol(e->low, 0.6 - 0.75 / 255 * 1.25, 1e-9);
	e = &v[TD_NODE_MEMORY_BOUND].estimate;
	ck_assert_double_eq_tol(e->high, 0.45 + 0.5 / 255 * 1.25, 1e-9);
	e = &v[TD_NODE_CORE_BOUND].estimate;
	ck_assert_double_eq_tol(e->high, 0.15 + 1.25 / 255 * 1.25, 1e-9);
}
END_TEST

START_TEST(totals_are_rounded_and_signed)
{
	const uint64_t total[9] = {1000, 200, (uint64_t)-3, 203, 600, 150, 0, 60, 450};
	struct td_topdown_map map = map_of(2);
	struct td_topdown_value v[TD_NODES];
	const struct td_estimate *e = &v[TD_NODE_BAD_SPECULATION].estimate;

	td_topdown_totals(&map, total, 1000, v);
	ck_assert(e->value == 0 && e->low == 0);
	ck_assert_double_eq_tol(e->high, 0.75 / 255, 1e-12);
	e = &v[TD_NODE_RETIRING].estimate;
	ck_assert_double_eq_tol(e->value, 0.2, 1e-12);
	ck_assert_double_eq_tol(e->low, 0.2 - 0.75 / 255, 1e-12);
}
END_TEST

int main(void)
{
	return unit_main("topdown",
			 (const TTest *const[]){
				 the_tree_is_a_tree, values_and_flags, level1_only,
				 totals_have_no_sampling_error, names_are_tma_s,
				 bottlenecks, cores_have_their_own_thresholds,
				 rounding_widens, totals_are_rounded_and_signed, NULL});
}
