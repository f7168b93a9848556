/* SPDX-License-Identifier: MIT */
/*
 * TDAGENT_LATENCY: the precise event whose retire latencies are asked for, opened for
 * each thread with a ring of its own (agent/sigsafe/latency.h takes the records).
 * Context: normal, under the core lock but for td_latency_detect().
 */
#ifndef TD_CORE_LATENCY_H
#define TD_CORE_LATENCY_H

#include <stddef.h>
#include <stdint.h>

#include "agent/sigsafe/thread.h"
#include "decoder/options.h"

/*
 * Looks for the event that is asked for, tries it, and tells the profile's header; what
 * stands in the way becomes a note.  Nothing happens if none is asked for.
 */
void td_latency_detect(const struct td_options *options, struct td_file_header *header);

/* Opens the event that was found for a thread of this process, and starts it.  Where
 * that fails the thread has no latencies. */
void td_latency_open(struct td_thread *thread, uint32_t tid);

/* Takes the rest of a stopped thread's records and closes. */
void td_latency_close(struct td_thread *thread);

/* Takes the calling thread's records: the program may end. */
void td_latency_take_own(void);

/* Is there an event?  Then who stops other threads waits until they are out of their
 * handlers, and takes their records. */
bool td_latency_is_on(void);

/* One of ours has another number now. */
void td_latency_renumber(struct td_thread *thread, int from, int to);

/* In a forked child: closes the parent's descriptor; the ring is not here. */
void td_latency_forget(struct td_thread *thread);

#endif
