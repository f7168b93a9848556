/* SPDX-License-Identifier: MIT */
/*
 * The user's events (TDAGENT_EVENTS) beside a family's: which of them are counted, and
 * how they are shared out among groups.  Part of events.c.
 *
 * Context: normal; no globals.
 */
#ifndef TD_CORE_EVENTS_ASKED_H
#define TD_CORE_EVENTS_ASKED_H

#include "agent/core/events_describe.h"

/* Looks the names up, once, and opens each event alone: what the kernel refuses is
 * refused[] from then on. */
void td_events_asked_find(struct td_events_found *found, const char *names,
			  const struct td_event_source *source);

/* How many fit in a group of theirs; one counter may be for returns. */
uint32_t td_events_asked_room(const struct td_events_found *found);

/*
 * The group that begins with ask[first] and has so many of them does not work: either
 * half is a group of its own in the next plan, and what does not work alone is refused.
 */
void td_events_asked_part(struct td_events_found *found, uint32_t first, uint32_t events,
			  int error);

/* Notes what is refused or has no room; `more`: with TDAGENT_LEVEL=1 there is more. */
void td_events_asked_note(const struct td_events_found *found, bool more);

#endif
