// SPDX-License-Identifier: MIT
#include "agent/core/event_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/core/core.h"
#include "agent/core/log.h"
#include "agent/sigsafe/proc.h"
#include "decoder/values.h"

struct td_event_source td_event_names_source(void)
{
	static char pmu[64];
	struct td_event_source source[TD_CORE_TYPES];

	td_event_sources(NULL, pmu, sizeof(pmu), source);
	return source[0];
}

int td_event_names_find_one(const struct td_event_source *source, const char *name,
			    struct td_event_name *event, char *why, size_t size)
{
	struct td_event_source here = *source;

	here.read = td_proc_read;
	return td_event_lookup(&here, name, event, why, size);
}

/* The report would show one of two that are called the same. */
static bool is_among(const struct td_event_name *events, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(events[i].name, name) == 0)
			return true;
	return false;
}

uint32_t td_event_names_find(const struct td_event_source *source, const char *names,
			     struct td_event_name *events)
{
	char name[TD_EVENT_TEXT], why[160];
	const char *rest = names;
	struct td_event_name event;
	uint32_t n = 0;

	while (td_event_list_next(&rest, name)) {
		if (n == TD_EVENT_NAMES_MAX) {
			td_core_note("TDAGENT_EVENTS has more than %u events: '%s' and "
				     "those behind it are not counted",
				     TD_EVENT_NAMES_MAX,
				     td_show(name, strlen(name)).text);
			break;
		}
		if (td_event_names_find_one(source, name, &event, why, sizeof(why)))
			td_core_note("TDAGENT_EVENTS: %s", why);
		else if (is_among(events, n, event.name))
			td_core_note(
				"TDAGENT_EVENTS has '%s' twice: the first is counted",
				event.name);
		else
			events[n++] = event;
	}
	return n;
}
