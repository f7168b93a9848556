/* SPDX-License-Identifier: MIT */
/*
 * libpfm4's names of events, where this command was built with it.  The agent does not
 * load it into programs: it gets what was found as NAME=rHEX.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_PFM_H
#define TD_TOOLS_PFM_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/event_lookup.h"

/*
 * What counts the event of this name ("BR_MISP_RETIRED:ALL_BRANCHES") on this machine's
 * core PMU: a PERF_TYPE_RAW event, whose `name` is the same or, if that is too long, "".
 * Returns 0 or -ENOENT for a name that libpfm4 does not know; or with one line in `why`
 * -EINVAL for attributes that it does not know and -ENOTSUP for an event that is not
 * counted as it is asked for.
 */
int td_pfm_find(const char *name, struct td_event_name *event, char *why, size_t size);

/* What a message about an unknown name must add, "" where libpfm4 was asked. */
const char *td_pfm_lack(void);

/* Another processor that libpfm4 knows has an event of this name: then it is no slip. */
bool td_pfm_is_of_others(const char *name);

#endif
