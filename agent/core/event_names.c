// SPDX-License-Identifier: MIT
#include "agent/core/event_names.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/core/facts.h"
#include "agent/sigsafe/proc.h"
#include "agent/core/log.h"
#include "agent/core/core.h"
#include "decoder/event_names.h"
#include "decoder/events.h"

static bool find_raw(const char *name, struct td_event_name *event)
{
	char *end;

	if (name[0] != 'r' || !strchr("0123456789abcdefABCDEF", name[1]) || !name[1])
		return false;
	event->type = PERF_TYPE_RAW;
	event->config = strtoull(name + 1, &end, 16);
	return *end == '\0';
}

/* NAME=rHEX: `name` ends where the equals sign was. */
static bool find_named(char *name, struct td_event_name *event)
{
	char *equals = strchr(name, '=');

	if (!equals || !find_raw(equals + 1, event))
		return false;
	*equals = '\0';
	return true;
}

static bool find_generic(const char *name, struct td_event_name *event)
{
	for (size_t i = 0; i < td_generic_event_count; i++) {
		if (strcmp(td_generic_events[i].name, name) != 0)
			continue;
		event->type = td_generic_events[i].type;
		event->config = td_generic_events[i].config;
		return true;
	}
	return false;
}

struct td_event_source td_event_names_source(void)
{
	uint32_t family = 0, model = 0;
	bool hybrid = access(TD_EVENT_DEVICES "cpu_core", F_OK) == 0;

	return (struct td_event_source){hybrid ? "cpu_core" : "cpu",
					td_events_this_cpu(&family, &model)};
}

static bool find_in_table(const struct td_event_source *source, const char *name,
			  struct td_event_name *event)
{
	uint32_t family = 0, model = 0;
	const struct td_event_family *table;
	int index;

	td_events_this_cpu(&family, &model);
	table = td_events_of_cpu(source->vendor, family, model);
	index = table ? td_events_find(table, name) : -1;

	if (index < 0)
		return false;
	event->type = PERF_TYPE_RAW;
	event->config = table->event[index].config;
	return true;
}

static bool read_line(const struct td_event_source *source, const char *directory,
		      const char *name, char *text, size_t size)
{
	char path[160];

	if (strchr(name, '/') ||
	    snprintf(path, sizeof(path), TD_EVENT_DEVICES "%s/%s/%s", source->pmu,
		     directory, name) >= (int)sizeof(path))
		return false;
	return td_proc_read(path, text, size) > 0;
}

/* /sys has "event=0xc5,umask=0x1", and where the terms go in format/. */
static bool find_in_sys(const struct td_event_source *source, const char *name,
			struct td_event_name *event)
{
	char text[256], format[64], *rest, *term;
	uint64_t config = 0;

	if (!read_line(source, "events", name, text, sizeof(text)))
		return false;
	for (term = strtok_r(text, ",\n", &rest); term;
	     term = strtok_r(NULL, ",\n", &rest)) {
		char *equals = strchr(term, '=');
		uint64_t value = equals ? strtoull(equals + 1, NULL, 0) : 1;

		if (equals)
			*equals = '\0';
		if (!read_line(source, "format", term, format, sizeof(format)) ||
		    !td_event_format_put(format, value, &config))
			return false;
	}
	event->type = PERF_TYPE_RAW;
	event->config = config;
	return true;
}

bool td_event_names_find_one(const struct td_event_source *source, char *name,
			     struct td_event_name *event)
{
	if (!find_raw(name, event) && !find_named(name, event) &&
	    !find_generic(name, event) && !find_in_sys(source, name, event) &&
	    !find_in_table(source, name, event))
		return false;
	snprintf(event->name, sizeof(event->name), "%s", name);
	return true;
}

uint32_t td_event_names_find(const struct td_event_source *source, const char *names,
			     struct td_event_name *events)
{
	char list[sizeof(td_core.options.events)], *rest, *name;
	uint32_t n = 0;

	snprintf(list, sizeof(list), "%s", names);
	for (name = strtok_r(list, ", ", &rest); name;
	     name = strtok_r(NULL, ", ", &rest)) {
		if (n == TD_EVENT_NAMES_MAX) {
			td_core_note("TDAGENT_EVENTS has more than %u events",
				     TD_EVENT_NAMES_MAX);
			break;
		}
		if (td_event_names_find_one(source, name, &events[n]))
			n++;
		else
			td_core_note("TDAGENT_EVENTS: no event '%.40s'%s%s; `tdagent "
				     "list` has the names",
				     name, strchr(source->pmu, '_') ? " of " : "",
				     strchr(source->pmu, '_') ? source->pmu : "");
	}
	return n;
}
