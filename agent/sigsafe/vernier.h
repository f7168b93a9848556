/* SPDX-License-Identifier: MIT */
/*
 * The vernier: windows that the kernel cuts (doc/vernier.md).  Two sampling
 * events of nearly equal period write records into a ring; this takes them out
 * and makes samples and windows of them.
 *
 * Whoever holds the claim may touch the rest, and the thread's places and random
 * numbers: its own thread as a rule, any other if it blocks our signal.
 */
#ifndef TD_SIGSAFE_VERNIER_H
#define TD_SIGSAFE_VERNIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/ring.h"
#include "agent/sigsafe/thread.h"
#include "decoder/registers.h"

/* What a record's counts are; one for the process, constant after the start. */
struct td_vernier_shape {
	uint32_t groups;                /* that take turns; one but with EVENTS */
	uint32_t values[TD_GROUPS_MAX]; /* counts in a record of each, at most
					 * TD_COUNTERS_MAX */
	uint32_t shared; /* so many of them, the first ones, are in all groups */
	/* The event A, by its place in the group; B comes next.  A's counts are
	 * lengths in the period's unit. */
	uint32_t sampler;
	bool windows; /* there is a B, or A alternates */
	/* A's period is long and short in turn, which a patched kernel does by itself
	 * (strobe_period): there is no B. */
	bool alternates;
	/* The count that is the profile's counter i, of the groups that have so many. */
	uint8_t counter[TD_COUNTERS_MAX];
	uint32_t scale; /* counter 0 is so many times its count */
	bool events;    /* EVENTS: groups of general-purpose counters */
	bool level1;    /* EVENTS: counters 1 to 4 are to become level 1's nodes */
	uint32_t nodes; /* METRICS: so many counters behind slots, else 0 */
	struct td_correction correction; /* of theirs */
	uint32_t width;                  /* METRICS: slots a cycle */
	uint64_t tick_ns;                /* CPU time between two ticks at most */
	uint64_t delay_ns; /* B starts, or A, so much later than the other */
};

extern struct td_vernier_shape td_vernier_shape;

/* Events of a group that write records. */
static inline uint32_t td_vernier_samplers(const struct td_vernier_shape *shape)
{
	return shape->windows && !shape->alternates ? 2 : 1;
}

/* All counts at one moment. */
struct td_vernier_reading {
	uint64_t time;    /* CLOCK_MONOTONIC, ns */
	uint64_t enabled; /* ns that the group was to run, and ran */
	uint64_t running;
	uint64_t value[TD_COUNTERS_MAX];
};

/* One end of a window. */
struct td_vernier_end {
	uint32_t which; /* 0: of A, 1: of B */
	uint64_t ip;
	struct td_vernier_reading reading;
};

enum td_vernier_claim {
	TD_VERNIER_FREE = 0,
	TD_VERNIER_CLAIMED = 1,
	TD_VERNIER_CLOSED = 2, /* no ring, or not to be used any more */
};

struct td_vernier {
	_Atomic uint32_t claim; /* enum td_vernier_claim */
	struct td_ring ring;
	int fd[TD_GROUPS_MAX][TD_COUNTERS_MAX]; /* the first is the leader; -1 none */
	uint64_t id[TD_GROUPS_MAX][2];          /* of A and B, as records name them */
	uint32_t active;        /* the group that counts: all records are its */
	uint32_t shorter;       /* which of them has the shorter period now */
	uint64_t period;        /* that one's */
	uint64_t longer_period; /* the other one's */
	/* Of each event: its count when its latest period was over, or the first one
	 * began; UINT64_MAX: not known yet. */
	uint64_t due[2];
	uint32_t later; /* which of them starts later, and by how much */
	uint64_t apart_ns;
	/* CPU time between two ticks, mean.  Atomic: its own thread's tick arms with it
	 * while somebody else has the claim. */
	_Atomic uint64_t tick_ns;
	uint64_t asked_ns;    /* the tick that was asked for; 0: none yet */
	uint32_t lateness;    /* how late ticks come, 64ths of what was asked for */
	uint32_t laps;        /* windows opened since the latest re-phasing */
	uint64_t used;        /* bytes taken out of the ring since then */
	bool was_full;        /* the ring, since then */
	bool helped;          /* another thread has emptied it since then */
	uint64_t phase_start; /* group's running time then */
	bool ticked;          /* the tick that is a sample is over */

	struct td_vernier_reading last;    /* the latest one */
	struct td_vernier_reading sampled; /* at the latest sample */
	bool throttled; /* since the latest re-phasing: A may have counted too little */
	bool waiting;   /* a record for its partner */
	struct td_vernier_end first;
};

/* Starts the group and the tick.  Returns 0 or -errno.  Context: normal. */
int td_vernier_start(struct td_thread *thread);

/*
 * The tick's signal, at `ip`; `delayed` as td_strobe_signal() has it.
 * Context: signal, on the thread, with thread->inside set.
 */
void td_vernier_tick(struct td_thread *thread, uint64_t ip, bool delayed);

/*
 * Takes the records that are there, from any thread of the process, and sets new
 * periods.  Nothing happens if somebody else does so now.  Context: any.
 */
void td_vernier_drain(struct td_thread *thread);

/* The same if the ring is fuller than `quarters` of its size.  Context: any. */
void td_vernier_drain_over(struct td_thread *thread, unsigned quarters);

/*
 * The last drain: stops group and tick, and the ring is not used again until the
 * next start.  Waits for somebody else's drain; false if that does not end.
 * Context: normal.
 */
bool td_vernier_stop(struct td_thread *thread);

#endif
