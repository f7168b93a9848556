// SPDX-License-Identifier: MIT
/* How the event tables share their events out among groups. */
#include <stdbool.h>
#include <string.h>

#include "decoder/events.h"
#include "decoder/format.h"
#include "tests/unit/unit.h"

static bool has_event(const struct td_event_group *group, uint32_t event)
{
	for (uint32_t i = 0; i < group->events; i++)
		if (group->event[i] == event)
			return true;
	return false;
}

/* Of the groups for level 1, those that have some event of the node, the least that have
 * all; 0: nobody has one. */
static uint32_t groups_of_node(const struct td_event_family *f,
			       const struct td_event_group *group, uint32_t groups,
			       const char *node)
{
	uint32_t least = 0;

	for (uint32_t set = 1; set < 1u << groups; set++) {
		bool whole = true;

		for (uint32_t i = 0; i < f->terms; i++) {
			bool counted = strcmp(f->term[i].node, node) != 0;

			for (uint32_t g = 0; g < groups; g++)
				counted |= (set >> g & 1) && !group[g].nodes &&
					   has_event(&group[g], f->term[i].event);
			whole = whole && counted;
		}
		if (whole && (!least || __builtin_popcount(set) < (int)least))
			least = (uint32_t)__builtin_popcount(set);
	}
	return least;
}

/* Those that tell of the core's other thread. */
static uint32_t events_of_smt(const struct td_event_family *f)
{
	uint32_t events = 0;

	for (uint32_t g = 0; g < f->groups; g++)
		for (uint32_t k = 0; k < f->group[g].events; k++)
			if (strcmp(f->group[g].name, "smt") == 0)
				events |= 1u << f->group[g].event[k];
	return events;
}

static uint32_t events_of(const struct td_event_family *f,
			  const struct td_event_group *group, uint32_t groups)
{
	uint32_t events = 0;

	for (uint32_t g = 0; g < groups; g++) {
		ck_assert_msg(group[g].events < TD_GROUP_EVENTS, "%s: %s", f->name,
			      group[g].name);
		for (uint32_t k = 0; k < group[g].events; k++)
			events |= 1u << group[g].event[k];
	}
	return events;
}

/*
 * Judged groups count what the others do, but for the core's other thread, and leave
 * room for returns; level 1 is in those that are always counted, each of its nodes in two
 * of them at most, and where calls are known each of these has room for them.  Parts do
 * the same, without room, and have each node whole.
 */
START_TEST(judged_groups_are_sound)
{
	uint32_t families = 0;

	for (size_t i = 0; i < td_event_family_count; i++) {
		const struct td_event_family *f = &td_event_families[i];
		bool calls = td_events_find(f, "near_calls") >= 0;
		uint32_t all = 0, smt;

		if (!f->judgeds)
			continue;
		families++;
		ck_assert_uint_lt(f->judgeds + 1, TD_GROUPS_MAX);
		ck_assert_int_ge(td_events_find(f, "near_returns"), 0);
		for (uint32_t g = 0; g < f->groups; g++)
			for (uint32_t k = 0; k < f->group[g].events; k++)
				if (strcmp(f->group[g].name, "smt") != 0)
					all |= 1u << f->group[g].event[k];
		smt = events_of_smt(f);
		ck_assert_uint_eq(all, events_of(f, f->judged, f->judgeds) & ~smt);
		if (f->parts)
			ck_assert_uint_eq(all, events_of(f, f->part, f->parts) & ~smt);
		for (uint32_t g = 0; g < f->judgeds; g++)
			ck_assert(f->judged[g].nodes || !calls ||
				  f->judged[g].events + 2 <= TD_GROUP_EVENTS);
		for (uint32_t k = 0; k < f->terms; k++) {
			const char *node = f->term[k].node;
			uint32_t in = groups_of_node(f, f->judged, f->judgeds, node);

			ck_assert_msg(in == 1 || in == 2, "%s: %s is in %u groups",
				      f->name, node, in);
			if (f->parts)
				ck_assert_uint_eq(
					groups_of_node(f, f->part, f->parts, node), 1);
		}
	}
	ck_assert_uint_ge(families, 5);
}
END_TEST

/* What a table declares is counted, but for near returns and calls, which are counted
 * beside groups; more than a window keeps is level 1's alone. */
START_TEST(no_event_is_idle)
{
	for (size_t i = 0; i < td_event_family_count; i++) {
		const struct td_event_family *f = &td_event_families[i];

		for (uint32_t e = 0; e < f->events; e++) {
			bool counted = !strncmp(f->event[e].name, "near_", 5);

			for (uint32_t g = 0; g < f->groups; g++)
				counted |= has_event(&f->group[g], e);
			ck_assert_msg(counted, "%s: nobody counts %s", f->name,
				      f->event[e].name);
		}
		for (uint32_t g = 0; g < f->groups; g++)
			ck_assert_uint_le(f->group[g].events,
					  g || !f->terms ? TD_GROUP_EVENTS
							 : TD_GROUP_EVENTS_MAX);
	}
}
END_TEST

int main(void)
{
	return unit_main("event_groups", (const TTest *const[]){judged_groups_are_sound,
								no_event_is_idle, NULL});
}
