/* SPDX-License-Identifier: MIT */
/*
 * Kernels that alternate an event's period by themselves: a patch to the Arm PMU driver
 * has `format/strobe_period', the period that follows each sample_period.  Context:
 * normal, under the core lock.
 */
#ifndef TD_CORE_ALTERNATION_H
#define TD_CORE_ALTERNATION_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/ring.h"

/* Does a CPU's PMU in /sys have it, for this period?  Then td_alternation_config2() is
 * perf_event_attr.config2 of such an event. */
bool td_alternation_find(uint64_t short_period);
uint64_t td_alternation_config2(void);

/*
 * Runs the group of `fd`, a sampler of cycles alone in it, with `period` as its long one,
 * for several of them, and reads its records from the ring.  0: short and long ones come
 * in turn; -ENOTSUP: they do not, or -errno.
 */
int td_alternation_run(struct td_ring *ring, int fd, uint64_t period);

/* The verdict: of so many counts at which a record was written, one after the other. */
bool td_alternation_is_seen(const uint64_t *count, unsigned counts, uint64_t period);

#endif
