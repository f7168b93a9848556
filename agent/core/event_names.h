/* SPDX-License-Identifier: MIT */
/*
 * From the names of TDAGENT_EVENTS to what perf_event_open wants.  Context: normal.
 */
#ifndef TD_CORE_EVENT_NAMES_H
#define TD_CORE_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/events.h"

#define TD_EVENT_NAMES_MAX 16u

/* Whose names: of a PMU in /sys, and of the tables of this vendor's processor. */
struct td_event_source {
	const char *pmu; /* "cpu"; of a hybrid processor "cpu_core", "cpu_atom" */
	enum td_vendor vendor;
};

struct td_event_name {
	char name[TD_EVENT_NAME]; /* as asked for, cut if too long */
	uint32_t type;            /* perf_event_attr's */
	uint64_t config;
};

/* Those of this processor, or of a hybrid's large cores. */
struct td_event_source td_event_names_source(void);

/* Finds one name of those below, which is cut at its equals sign; false: nobody knows
 * it. */
bool td_event_names_find_one(const struct td_event_source *source, char *name,
			     struct td_event_name *event);

/*
 * Finds each of `names` (with commas between them): rHEX is a raw config, NAME=rHEX
 * the same with a name, the others are the kernel's own names as perf spells them, those
 * of the CPU's PMU in /sys, and those of its event table (data/events).  Fills `events`
 * (TD_EVENT_NAMES_MAX) and returns how many; what is not found becomes a note.
 */
uint32_t td_event_names_find(const struct td_event_source *source, const char *names,
			     struct td_event_name *events);

#endif
