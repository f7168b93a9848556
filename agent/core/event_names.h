/* SPDX-License-Identifier: MIT */
/*
 * The names of TDAGENT_EVENTS, of which the agent notes what it does not find.
 * Context: normal.
 */
#ifndef TD_CORE_EVENT_NAMES_H
#define TD_CORE_EVENT_NAMES_H

#include <stdint.h>

#include "decoder/event_lookup.h"

/* Those of this processor, or of a hybrid's large cores. */
struct td_event_source td_event_names_source(void);

/* As td_event_lookup(), and reads files as a library in somebody's program must. */
int td_event_names_find_one(const struct td_event_source *source, const char *name,
			    struct td_event_name *event, char *why, size_t size);

/*
 * Finds each of `names` (event_lookup.h).  Fills `events` (TD_EVENT_NAMES_MAX) and
 * returns how many; what is not found, is there already or has no room becomes a note.
 */
uint32_t td_event_names_find(const struct td_event_source *source, const char *names,
			     struct td_event_name *events);

#endif
