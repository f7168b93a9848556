/* SPDX-License-Identifier: MIT */
/*
 * From the names of TDAGENT_EVENTS to what perf_event_open wants.  Context: normal.
 */
#ifndef TD_CORE_EVENT_NAMES_H
#define TD_CORE_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define TD_EVENT_NAMES_MAX 16u

struct td_event_name {
	char name[20]; /* as asked for, cut if too long */
	uint32_t type; /* perf_event_attr's */
	uint64_t config;
};

/* Finds one name of those below, which is cut at its equals sign; false: nobody knows
 * it. */
bool td_event_names_find_one(char *name, struct td_event_name *event);

/*
 * Finds each of `names` (with commas between them): rHEX is a raw config, NAME=rHEX
 * the same with a name, the others are the kernel's own names as perf spells them, those
 * of the CPU's PMU in /sys, and those of its event table (data/events).  Fills `events`
 * (TD_EVENT_NAMES_MAX) and returns how many; what is not found becomes a note.
 */
uint32_t td_event_names_find(const char *names, struct td_event_name *events);

#endif
