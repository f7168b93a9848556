/* SPDX-License-Identifier: MIT */
/*
 * Kernels that alternate an event's period by themselves, as patches of 2024 and 2025
 * do it: the Arm PMU driver has `format/strobe_period', or perf_event_attr has a field
 * behind config3, alternative_sample_period or hf_sample.  Either is the period that
 * follows each sample_period; of a field the low half, for hf_sample's upper one says how
 * random the long period is.  Context: normal, under the core lock.
 */
#ifndef TD_CORE_ALTERNATION_H
#define TD_CORE_ALTERNATION_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/ring.h"

/* perf_event_attr up to that field, which the header need not have. */
#define TD_ALTERNATION_FIELD 17 /* of words */
union td_alternation_attr {
	struct perf_event_attr attr;
	uint64_t word[TD_ALTERNATION_FIELD + 1];
};

/* Does a CPU's PMU in /sys have a strobe_period that takes this one?  Then
 * td_alternation_put() is about that. */
bool td_alternation_find(uint64_t short_period);

/* From here on it is about the field, unless the period is too long for it.  Whether the
 * kernel has it only a trial shows: one that does not know these bytes refuses them
 * (-E2BIG), a newer one may know them as something else. */
bool td_alternation_use_field(uint64_t short_period);

/* Makes an event alternate by what was found or used last. */
void td_alternation_put(union td_alternation_attr *attr);

/*
 * Runs the group of `fd`, a sampler of cycles alone in it, with `period` as its long one,
 * for several of them, and reads its records from the ring.  0: short and long ones come
 * in turn; -ENOTSUP: they do not, or -errno.
 */
int td_alternation_run(struct td_ring *ring, int fd, uint64_t period);

/* The verdict: of so many counts at which a record was written, one after the other. */
bool td_alternation_is_seen(const uint64_t *count, unsigned counts, uint64_t period);

#endif
