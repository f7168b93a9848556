/* SPDX-License-Identifier: MIT */
/*
 * What the agent has to say to a person, one line at a time, each beginning
 * with "tdagent: ".  Context: normal.
 */
#ifndef TD_CORE_LOG_H
#define TD_CORE_LOG_H

#include <stdbool.h>

#include "decoder/options.h"

/* Which areas td_debug() prints; set from the options. */
extern unsigned td_debug_areas;

/* Remembers what stderr is; before all else. */
void td_log_start(void);

/* Whether descriptor 2 is still that: a program may have closed it and got the
 * number for a file of its own, where nobody wants lines of ours. */
bool td_log_possible(void);

/* Writes one line to stderr if that is possible. */
__attribute__((format(printf, 1, 2))) void td_say(const char *format, ...);

/* The same, if TDAGENT_DEBUG names the area. */
#define td_debug(area, ...)                                                              \
	do {                                                                             \
		if (td_debug_areas & (area))                                             \
			td_say(__VA_ARGS__);                                             \
	} while (0)

#endif
