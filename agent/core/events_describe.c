// SPDX-License-Identifier: MIT
#include "agent/core/events_describe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/core/core.h"
#include "agent/sigsafe/arch.h"
#include "agent/sigsafe/proc.h"

const char *const td_events_nodes[TD_GROUP_NODES] = {"retiring", "bad_speculation",
						     "frontend_bound", "backend_bound"};

static void set_factor(const struct td_event_family *family,
		       const struct td_event_term *term, uint32_t node,
		       struct td_groups_shape *shape)
{
	const struct td_event_group *group = &family->group[0];

	for (uint32_t k = 0; k < group->events; k++)
		if (group->event[k] == term->event)
			shape->factor[node][k] = (int8_t)term->factor;
}

void td_events_set_factors(const struct td_event_family *family,
			   struct td_groups_shape *shape)
{
	for (uint32_t node = 0; node < TD_GROUP_NODES; node++) {
		bool summed = false;

		for (uint32_t i = 0; i < family->terms; i++) {
			if (strcmp(family->term[i].node, td_events_nodes[node]) != 0)
				continue;
			set_factor(family, &family->term[i], node, shape);
			summed = true;
		}
		if (!summed)
			shape->rest = node;
	}
}

static void name_counter(struct td_file_counter *counter, const char *name,
			 const char *unit)
{
	snprintf(counter->name, sizeof(counter->name), "%s", name);
	snprintf(counter->unit, sizeof(counter->unit), "%s", unit);
}

static void name_counters(const struct td_events_found *found,
			  struct td_file_counter *counter)
{
	name_counter(&counter[0], found->why[0] ? "cycles" : "slots",
		     found->why[0] ? "1" : "slots");
	for (uint32_t i = 0; i < TD_GROUP_NODES; i++)
		name_counter(&counter[1 + i],
			     td_groups_shapes->nodes ? td_events_nodes[i] : "none",
			     td_groups_shapes->nodes ? "slots" : "1");
	for (uint32_t i = 0; i < td_groups_shapes->members[0]; i++)
		if (!td_groups_shapes->nodes || i >= found->counters)
			name_counter(&counter[td_groups_shapes->value[0][i]],
				     found->member[0][i].name, "1");
	name_counter(&counter[TD_GROUP_VALUE_INST], "instructions", "1");
	/* the event list has who counts it */
	for (uint32_t i = 0;
	     i < TD_LEAVINGS && found->judged == JUDGED_APART && td_groups_shapes->nodes;
	     i++)
		name_counter(&counter[TD_GROUP_VALUE_LEAVINGS + i], "none", "1");
}

/* Near returns and calls are for judging windows only: where all groups have them, they
 * are counters like others. */
static void name_events(const struct td_events_found *found,
			const struct td_groups_shape *shape, uint32_t first,
			struct td_file_header *header)
{
	for (uint32_t g = 0; g < shape->groups; g++) {
		for (uint32_t i = 0; i < shape->members[g]; i++) {
			uint32_t value = shape->value[g][i];
			struct td_file_event *event = &header->event[header->events];

			if ((value >= TD_GROUP_VALUE_LEAVINGS &&
			     found->judged == JUDGED_ALL) ||
			    header->events == TD_EVENTS_MAX ||
			    (g == 0 && shape->nodes && value != TD_GROUP_VALUE_INST))
				continue;
			memcpy(event->name, found->member[g][i].name,
			       sizeof(event->name));
			event->group = (uint16_t)(first + g);
			event->value = (uint16_t)value;
			event->config = found->member[g][i].config;
			event->config1 = found->member[g][i].config1;
			/* its own events: instructions and the like are in all groups */
			if (g >= found->tables && value < TD_GROUP_VALUE_INST)
				header->asked |= 1ull << header->events;
			header->events++;
		}
	}
}

/* Does the family divide a node of level 1? */
static bool has_level2(const struct td_events_found *found)
{
	for (uint32_t i = 0; i < found->family->formulas; i++)
		if (strcmp(found->family->formula[i].node, "memory_bound") == 0)
			return true;
	return false;
}

/* Are there groups that divide level 1?  Of the vernier's groups several may be level
 * 1's.
 */
static bool has_groups2(const struct td_events_found *found)
{
	if (found->beside)
		return td_core.options.level == TD_LEVEL_2;
	for (uint32_t g = 0; g < found->tables; g++)
		if (td_groups_shapes->divides[g] & ((1u << TD_GROUP_NODES) - 1))
			return true;
	return false;
}

void td_events_write(const struct td_events_found *found, struct td_file_header *header)
{
	header->slots_a_cycle = td_groups_shapes->width;
	header->groups = td_groups_shapes->groups;
	header->drilled = td_groups_shapes->drill && header->groups > 1;
	header->events = 0;
	header->asked = 0;
	snprintf(header->family, sizeof(header->family), "%s", found->family->name);
	name_counters(found, header->counter);
	name_events(found, td_groups_shapes, 0, header);
	header->level = found->why[0]                             ? 0
			: has_groups2(found) && has_level2(found) ? 2
								  : 1;
}

void td_events_write_small(const struct td_events_found *found,
			   struct td_file_header *header)
{
	const struct td_groups_shape *shape = &td_groups_shapes[TD_CORES_SMALL];

	header->small_group = header->groups;
	header->small_width = shape->width;
	snprintf(header->small_family, sizeof(header->small_family), "%s",
		 found->family->name);
	header->groups += shape->groups;
	name_events(found, shape, header->small_group, header);
}

static const char *reader_of_groups(const struct td_events_found *found)
{
	if (!found->by_read)
		return found->beside ? "as the kernel reads them" : "by " TD_ARCH_READING;
	return found->beside ? "as the kernel reads them, for " TD_ARCH_READING_OFF
			     : "by read(), for " TD_ARCH_READING_OFF;
}

void td_events_say(const struct td_events_found *found,
		   const struct td_groups_shape *shape, char *text, size_t size)
{
	const char *reader = reader_of_groups(found);

	if (found->why[0]) {
		snprintf(text, size, "%s %s; no top-down: %s",
			 shape->members[0] < 2 ? "instructions"
			 : found->family->cpus ? "instructions and events"
					       : "instructions and branch misses",
			 reader, found->why);
		return;
	}
	snprintf(text, size, "%u group%s of up to %u events %s (%s)%s%s", shape->groups,
		 shape->groups == 1 ? "" : "s", found->counters, reader,
		 found->family->name, shape->nodes ? "" : ", level 1 in several of them",
		 found->dropped ? ", some level 2 events do not count here" : "");
}

static bool file_says(const char *path, char wanted)
{
	char text[8];

	return td_proc_read(path, text, sizeof(text)) > 0 && text[0] == wanted;
}

void td_events_explain(const struct td_events_found *found, int error, char *why,
		       size_t size)
{
	bool watchdog = file_says("/proc/sys/kernel/nmi_watchdog", '1');

	if (error == -EBUSY)
		snprintf(why, size, "the events of %s do not fit on the free counters%s",
			 found->family->name,
			 watchdog ? " (kernel.nmi_watchdog takes one)" : "");
	else if (error == -ENODATA)
		snprintf(why, size, "the counters of %s cannot be read here",
			 found->family->name);
	else if (error == -EIO)
		snprintf(why, size, "the events of %s count nonsense here",
			 found->family->name);
	else
		snprintf(why, size, "the events of %s %s%s", found->family->name,
			 td_events_is_absent(error) ? "are not offered here"
						    : "cannot be opened: ",
			 td_events_is_absent(error) ? "" : strerror(-error));
}
