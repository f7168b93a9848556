/* SPDX-License-Identifier: MIT */
/*
 * How a profiled process hands its rings to `tdagent run`, so that the records in
 * them outlive it: datagrams to an abstract socket, whose name is in the
 * environment.  Both ends are of one build; who gets a message trusts none of it.
 */
#ifndef TD_DECODER_COLLECT_H
#define TD_DECODER_COLLECT_H

#include <stdint.h>

#include "decoder/format.h"
#include "decoder/registers.h"

/* The socket's name without the zero before it. */
#define TD_COLLECT_VARIABLE "_TDAGENT_COLLECTOR"

#define TD_COLLECT_VERSION 2u

enum td_collect_kind {
	TD_COLLECT_RING = 1, /* with two descriptors: the ring's event, the profile */
	TD_COLLECT_END = 2,  /* unmap it; the answer is the message itself */
};

struct td_collect_message {
	uint32_t version;
	uint32_t kind; /* enum td_collect_kind */
	uint32_t pid;
	uint32_t tid;
	/* The kernel's of the events A and B of each group; B's may be 0. */
	uint64_t id[TD_GROUPS_MAX][2];
	uint64_t ring_size; /* bytes of data behind the ring's first page */
	uint32_t thread;    /* ref of the thread's record in the profile */
	/* what the groups count: struct td_vernier_shape */
	uint32_t groups;
	uint32_t values[TD_GROUPS_MAX];
	uint32_t totals; /* 0: what is counted is not the profile's totals as it is */
	uint32_t sampler;
	uint32_t windows;
	uint32_t nodes;
	uint32_t width;
	uint8_t counter[TD_COUNTERS_MAX];
	struct td_correction correction;
	uint64_t long_period; /* in A's unit */
};

#endif
