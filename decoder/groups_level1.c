// SPDX-License-Identifier: MIT
#include "decoder/groups_level1.h"

#include <string.h>

int td_groups_value(const struct td_groups_plan *plan, uint32_t group, const char *name)
{
	for (uint32_t i = 0; i < plan->events; i++)
		if (plan->event[i].group == group && !td_groups_is_asked(plan, i) &&
		    !strcmp(plan->event[i].name, name))
			return plan->event[i].value;
	return -1;
}

int td_groups_is_unjudged(const struct td_groups_plan *plan, uint32_t group)
{
	int judged = 0;

	for (uint32_t g = 0; g < plan->groups; g++)
		judged |= plan->returns[g] != 0;
	return judged && !plan->returns[group];
}

/* The nodes (bits) that have terms, and all of them in the group. */
static unsigned whole_nodes(const struct td_groups_plan *plan, uint32_t group)
{
	unsigned with = 0, without = 0;

	for (uint32_t i = 0; i < plan->family->terms; i++) {
		const struct td_event_term *term = &plan->family->term[i];
		int node = td_topdown_node(term->node);

		if (node < 0 || node >= TD_NODES_LEVEL1)
			continue;
		with |= 1u << node;
		if (td_groups_value(plan, group, plan->family->event[term->event].name) <
		    0)
			without |= 1u << node;
	}
	return with & ~without;
}

/* The first group that counts the term's event; plan->groups: none does. */
static uint32_t first_with(const struct td_groups_plan *plan,
			   const struct td_event_term *term)
{
	const char *event = plan->family->event[term->event].name;
	uint32_t g = 0;

	while (g < plan->groups &&
	       (td_groups_is_unjudged(plan, g) || td_groups_value(plan, g, event) < 0))
		g++;
	return g;
}

/* Which groups have the node's terms: 0 if more than two or a term is nobody's. */
static int find_shares(const struct td_groups_plan *plan, int node, uint32_t share[2])
{
	uint32_t low = UINT32_MAX, high = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < plan->family->terms; i++) {
			const struct td_event_term *term = &plan->family->term[i];
			uint32_t g = first_with(plan, term);

			if (td_topdown_node(term->node) != node)
				continue;
			if (g == plan->groups || (pass && g != low && g != high))
				return 0;
			low = g < low ? g : low;
			high = g > high ? g : high;
		}
	}
	share[0] = low;
	share[1] = high;
	return low < high;
}

/* What the group has of nodes that none has whole. */
static unsigned shared_parts(const struct td_groups_plan *plan, uint32_t group,
			     unsigned whole)
{
	unsigned parts = 0;

	for (int node = 0; node < TD_NODES_LEVEL1; node++) {
		uint32_t share[2];

		if (whole >> node & 1 || !find_shares(plan, node, share))
			continue;
		if (group == share[0])
			parts |= 1u << node;
		if (group == share[1])
			parts |= 1u << (TD_NODES_LEVEL1 + node);
	}
	return parts;
}

unsigned td_groups_level1(const struct td_groups_plan *plan, uint32_t group,
			  int8_t factor[TD_GROUPS_PARTS][TD_COUNTERS_MAX])
{
	unsigned whole = 0, parts;

	memset(factor, 0, TD_GROUPS_PARTS * sizeof(factor[0]));
	if (!plan->family)
		return 0;
	for (uint32_t g = 0; g < plan->groups; g++)
		whole |= td_groups_is_unjudged(plan, g) ? 0 : whole_nodes(plan, g);
	parts = (whole & whole_nodes(plan, group)) | shared_parts(plan, group, whole);
	for (uint32_t i = 0; i < plan->family->terms; i++) {
		const struct td_event_term *term = &plan->family->term[i];
		int node = td_topdown_node(term->node), value;

		if (node < 0 || node >= TD_NODES_LEVEL1)
			continue;
		if (!(whole >> node & 1) && first_with(plan, term) != group)
			continue;
		value = td_groups_value(plan, group,
					plan->family->event[term->event].name);
		for (int part = node; part < TD_GROUPS_PARTS; part += TD_NODES_LEVEL1)
			if (parts >> part & 1)
				factor[part][value] = (int8_t)term->factor;
	}
	return parts;
}
