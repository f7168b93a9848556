/* SPDX-License-Identifier: MIT */
/*
 * What the agent has to say to a person, one line at a time, each beginning
 * with "tdagent: ".  Context: normal.
 */
#ifndef TD_CORE_LOG_H
#define TD_CORE_LOG_H

#include "decoder/options.h"

/* Which areas td_debug() prints; set from the options. */
extern unsigned td_debug_areas;

/* Writes one line to stderr; quietly gives up if that is closed. */
__attribute__((format(printf, 1, 2))) void td_say(const char *format, ...);

/* The same, if TDAGENT_DEBUG names the area. */
#define td_debug(area, ...)                     \
	do {                                    \
		if (td_debug_areas & (area))    \
			td_say(__VA_ARGS__);    \
	} while (0)

#endif
