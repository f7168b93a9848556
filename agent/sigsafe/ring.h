/* SPDX-License-Identifier: MIT */
/*
 * The kernel's side of a perf ring: records that wrap around its end.  One reader
 * at a time; the kernel is the only writer.
 */
#ifndef TD_SIGSAFE_RING_H
#define TD_SIGSAFE_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* A sample with two times and sixteen counts has 22. */
#define TD_RING_WORDS 30u

struct td_ring {
	struct perf_event_mmap_page *page; /* NULL: no ring */
	const uint8_t *data;
	uint64_t size; /* bytes, a power of two */
};

struct td_ring_record {
	uint32_t type;  /* enum perf_event_type */
	uint32_t words; /* of `word`: as many as were in the record, or fitted */
	uint64_t word[TD_RING_WORDS];
};

/* Bytes that wait to be read.  Context: any. */
uint64_t td_ring_used(const struct td_ring *ring);

/*
 * Takes the next record out of the ring.  False if there is none; a record that
 * cannot be one empties the ring.  Context: any.
 */
bool td_ring_next(struct td_ring *ring, struct td_ring_record *record);

#endif
