/* SPDX-License-Identifier: MIT */
/*
 * A ring of another process, mapped to be read: nothing in it is believed.
 *
 * Context: normal; no globals.
 */
#ifndef TD_TOOLS_COLLECT_RING_H
#define TD_TOOLS_COLLECT_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/collect.h"
#include "tools/audit_code.h"

struct td_collect_ring {
	struct td_collect_message from;
	int profile;                             /* descriptor of its file */
	const struct perf_event_mmap_page *page; /* and data behind it */
	uint64_t seen;                           /* position, as data_head is */
};

/* A sample of A (which: 0) or B (1). */
struct td_collect_record {
	uint32_t which;
	uint32_t group; /* whose A or B */
	uint64_t ip;
	uint64_t time;    /* CLOCK_MONOTONIC, ns */
	uint64_t running; /* ns that the group ran */
	uint64_t value[TD_COUNTERS_MAX];
};

/* Can a ring and its profile be what the message says?  Context: any. */
bool td_collect_message_is_sound(const struct td_collect_message *message, size_t size);

/*
 * The next sample at or behind *at, which moves behind it.  False at the end, or where
 * something is no record.  Others than samples are passed over.
 */
bool td_collect_ring_next(const struct td_collect_ring *ring, uint64_t *at,
			  struct td_collect_record *record);

/* Where the records that its process has not taken begin. */
uint64_t td_collect_ring_begin(const struct td_collect_ring *ring);

/*
 * Puts all of these records into the profile if its process left it running: samples
 * and totals, whose windows count as cut.  `code` knows the process's code.  Returns
 * how many samples, or -errno.
 */
long td_collect_ring_save(const struct td_collect_ring *ring, struct td_audit_code *code);

#endif
