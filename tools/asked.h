/* SPDX-License-Identifier: MIT */
/*
 * Events that are asked for by name: what the agent will find, or libpfm4 finds now.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_ASKED_H
#define TD_TOOLS_ASKED_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/event_lookup.h"

/* Where this machine's events are looked up. */
struct td_asked {
	struct td_event_source source[TD_CORE_TYPES];
	size_t sources; /* two of a hybrid processor */
	char pmu[64];
};

/* `devices`: a directory in the place of the one of /sys, or NULL.  `asked` must stay
 * where it is. */
void td_asked_open(struct td_asked *asked, const char *devices);

/*
 * Finds one name as the agent will, in the first source that has it, and else as libpfm4
 * does; *by_pfm says which.  0, or as td_event_lookup() with one line in `why`; -ENODEV
 * also for what is libpfm4's of another processor.
 */
int td_asked_find(const struct td_asked *asked, const char *name,
		  struct td_event_name *event, bool *by_pfm, char *why, size_t size);

/*
 * TDAGENT_EVENTS's list `names` as the agent can read it: what only libpfm4 knows became
 * NAME=rHEX[:HEX].  To be freed; NULL with one line in `why`, if something of it is no
 * event, is there twice or has no room.  What this machine does not count stays: the
 * agent says so.
 */
char *td_asked_list(const struct td_asked *asked, const char *names, char *why,
		    size_t size);

/* The same of TDAGENT_LATENCY: NAME or NAME@PERIOD. */
char *td_asked_latency(const struct td_asked *asked, const char *latency, char *why,
		       size_t size);

/* "NAME=rHEX[:HEX]" as a new string, NULL without memory. */
char *td_asked_raw(const struct td_event_name *event);

#endif
