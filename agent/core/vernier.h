/* SPDX-License-Identifier: MIT */
/*
 * The vernier's groups and rings: does the kernel grant them, opening them for a
 * thread.  Context: normal.
 */
#ifndef TD_CORE_VERNIER_H
#define TD_CORE_VERNIER_H

#include <stddef.h>
#include <stdint.h>

#include "agent/core/core.h"
#include "agent/core/metrics.h"
#include "agent/sigsafe/vernier.h"

/*
 * Makes the groups for the choice's backend, opens them for the calling thread and
 * runs each for a moment.  Returns 0, with td_vernier_shape and choice->vernier_plan
 * filled in, or -errno with the reason in `why`.  Of EVENTS the groups are cut anew, as
 * td_core.options and the second cycle counter allow.
 */
int td_vernier_try(struct td_backend_choice *choice,
		   const struct td_metrics_machine *machine, char *why, size_t size);

/* Does the kernel alternate the sampler's periods by itself? */
bool td_vernier_alternates(void);

/* How many counters the profile has then. */
uint32_t td_vernier_counters(void);

/*
 * Opens group, ring and tick for a thread of this process, not yet started.
 * Returns 0, or -errno with nothing open.  Under the core lock.
 */
int td_vernier_open(const struct td_backend_choice *choice, struct td_thread *thread,
		    uint32_t tid);

/* Closes and unmaps a stopped one.  Under the core lock. */
void td_vernier_close(struct td_thread *thread);

/* One of ours has another number now. */
void td_vernier_renumber(struct td_vernier *vernier, int from, int to);

/* In a forked child: closes the parent's descriptors; none of its rings is here. */
void td_vernier_leave_parent(struct td_vernier *vernier);
void td_vernier_forget(void);

/* Takes the records of all threads but the calling one's out of their rings, before
 * the process becomes another program or code is unloaded. */
void td_vernier_drain_all(void);

#endif
