/* SPDX-License-Identifier: MIT */
/*
 * libpfm4's names of events, where this command was built with it.  The agent does not
 * load it into programs: it gets what was found as NAME=rHEX.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_PFM_H
#define TD_TOOLS_PFM_H

#include <stddef.h>
#include <stdint.h>

/*
 * The perf_event_attr.config of PERF_TYPE_RAW that counts the event of this name
 * ("BR_MISP_RETIRED:ALL_BRANCHES") on this machine's core PMU.  Returns 0, or -1 with one
 * line in `why`.
 */
int td_pfm_find(const char *name, uint64_t *config, char *why, size_t size);

/*
 * TDAGENT_EVENTS's list `names`, or the NAME or NAME@PERIOD of TDAGENT_LATENCY, where
 * those that only libpfm4 knows became NAME=rHEX; what nobody knows stays, for the agent
 * says so.  To be freed; NULL without memory.
 */
char *td_pfm_resolve(const char *names);

#endif
