/* SPDX-License-Identifier: MIT */
/* Creates the profile of this process.  Context: normal. */
#ifndef TD_CORE_PROFILE_H
#define TD_CORE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/format.h"

/*
 * Creates and maps the profile for records with `counters` counters, fills in
 * td_store and td_core.path.  Where the file cannot be made, the profile is
 * kept in memory for the report at exit, and a note says why.  Returns 0, or
 * -errno if there can be no profile at all, with the reason in `why`.
 *
 * `later`: the file may wait for the first sample, in memory until then
 * (td_store_settle()), as most children live too shortly for one; it is made at once
 * all the same where memory is limited.  For a process of one thread.
 */
int td_profile_create(uint32_t counters, bool later, char *why, size_t size);

/* The file goes, its mapping stays: threads that still run may be writing to it. */
void td_profile_discard(void);

/* Unmaps and closes it, when no thread of ours is left.  `remove`: the file goes as
 * well. */
void td_profile_close(int remove);

#endif
