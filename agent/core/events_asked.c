// SPDX-License-Identifier: MIT
#include "agent/core/events_asked.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "agent/core/core.h"
#include "agent/core/events_open.h"
#include "agent/sigsafe/descriptors.h"

#define ARM_CPU_CYCLES 0x11 /* raw */

#define ARM_CPU_CYCLES 0x11

static int open_alone(const struct td_events_found *found,
		      const struct td_event_name *event)
{
	const struct td_events_member member = {
		.type = event->type, .config = event->config, .config1 = event->config1};
	int fd = td_events_open_event(found, &member, 0, 0, -1);

	td_descriptor_close(fd);
	return fd < 0 ? fd : 0;
}

/* Arm has one counter that is for cycles, where the kernel puts whatever counts them: as
 * groups take turns, the event that interrupts loses it to the other one, and most of its
 * interrupts with it (QEMU 7.2, Linux 6.1). */
static bool takes_trigger(const struct td_event_name *event)
{
#ifdef __aarch64__
	if (event->type == PERF_TYPE_HARDWARE)
		return event->config == PERF_COUNT_HW_CPU_CYCLES;
	return (event->type == PERF_TYPE_RAW || event->type >= PERF_TYPE_MAX) &&
	       (event->config & 0xffff) == ARM_CPU_CYCLES;
#else
	(void)event;
	return false;
#endif
}

void td_events_asked_find(struct td_events_found *found, const char *names,
			  const struct td_event_source *source)
{
	if (found->looked_up)
		return;
	found->looked_up = true;
	snprintf(found->source, sizeof(found->source), "%s", source->pmu);
	found->asked = td_event_names_find(source, names, found->ask);
	for (uint32_t i = 0; i < found->asked; i++)
		found->refused[i] = takes_trigger(&found->ask[i])
					    ? -EBUSY
					    : open_alone(found, &found->ask[i]);
}

uint32_t td_events_asked_room(const struct td_events_found *found)
{
	uint32_t most =
		found->counters < TD_GROUP_EVENTS ? found->counters : TD_GROUP_EVENTS;

	return found->judged == JUDGED_APART ? most - 1 : most;
}

/* The event that stands so many behind `at`, of those that are counted. */
static uint32_t behind(const struct td_events_found *found, uint32_t at, uint32_t events)
{
	while (at < found->asked && (events || found->refused[at]))
		events -= !found->refused[at++];
	return at;
}

void td_events_asked_part(struct td_events_found *found, uint32_t first, uint32_t events,
			  int error)
{
	if (events > 1)
		found->cut |= 1u << behind(found, first, events / 2) |
			      1u << behind(found, first, events);
	else
		/* opened alone it was: in company it has no counter */
		found->refused[first] = error == -EINVAL ? -EBUSY : error;
}

static const char *reason_of(int error)
{
	if (td_events_is_absent(error))
		return "it is not offered here";
	if (error == -EBUSY)
		return "it does not fit on the free counters";
	return error == -EIO ? "it counts nonsense here" : strerror(-error);
}

void td_events_asked_note(const struct td_events_found *found, bool more)
{
	bool hybrid = strchr(found->source, '_') != NULL;
	uint32_t left = TD_GROUPS_MAX - found->tables, i = found->asked;

	for (uint32_t k = 0; k < found->asked; k++)
		if (found->refused[k])
			td_core_note("TDAGENT_EVENTS: %s is not counted%s%s: %s",
				     found->ask[k].name, hybrid ? " by " : "",
				     hybrid ? found->source : "",
				     reason_of(found->refused[k]));
	for (uint32_t n = found->no_room; n; n -= !found->refused[i])
		i--;
	if (found->no_room)
		td_core_note("TDAGENT_EVENTS: no room for the last %u, from %s on: %u "
			     "group%s of %u %s left here%s",
			     found->no_room, found->ask[i].name, left,
			     left == 1 ? "" : "s", td_events_asked_room(found),
			     left == 1 ? "is" : "are",
			     more ? "; TDAGENT_LEVEL=1 leaves more" : "");
}
