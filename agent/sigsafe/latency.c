// SPDX-License-Identifier: MIT
#include "agent/sigsafe/latency.h"

#include <fcntl.h>

#include "agent/sigsafe/identity.h"
#include "agent/sigsafe/syscall.h"

/* The order in a record: sample_type's bits from the lowest one on. */
enum { WORD_IP, WORD_WEIGHT, WORDS };
/* PERF_RECORD_LOST: the event's number, how many */
enum { LOST_ID, LOST_RECORDS, LOST_WORDS };

/* A fixed period would lock onto loops.  But the kernel begins another one anew, and what
 * was counted of the old one is lost: half a period on average, here of 32, so of the
 * events hardly any; and an event that is rare between two takes keeps all. */
#define RECORDS_A_PERIOD 32u

static void count_lost(uint64_t records)
{
	/* any thread of the process; a count and nothing else: relaxed */
	__atomic_fetch_add(&td_store.header->latencies_lost, records, __ATOMIC_RELAXED);
}

/* Not by the thread's own cache: whoever takes records may have something of it in
 * hand. */
static struct td_file_place *place_of(struct td_thread *thread, uint64_t ip)
{
	struct td_identity *met = &thread->latency.met;

	if (!td_identity_covers(met, ip) || !td_identity_stands(met, ip))
		td_identity_find(ip, met);
	return td_places_get_of(&thread->places, met, TD_GROUP_LATENCY);
}

static void add(struct td_thread *thread, uint64_t ip, uint64_t latency)
{
	struct td_file_place *place = place_of(thread, ip);

	if (place == thread->places.other) { /* which is for samples */
		count_lost(1);
		return;
	}
	place->windows++;
	place->sum[0].sum += latency;
	place->sum[0].squares += (double)latency * (double)latency;
}

void td_latency_vary(struct td_thread *thread)
{
	struct td_latency *latency = &thread->latency;
	uint64_t period;

	if (!latency->ring.page)
		return;
	latency->taken = 0;
	period = latency->period - latency->period / 4 +
		 td_random_below(&thread->random, latency->period / 2);
	if (td_syscall3(SYS_fcntl, latency->fd, F_GETSIG, 0) == latency->mark)
		td_syscall3(SYS_ioctl, latency->fd, PERF_EVENT_IOC_PERIOD, &period);
}

void td_latency_take(struct td_thread *thread)
{
	struct td_latency *latency = &thread->latency;
	struct td_ring_record record;

	if (!latency->ring.page)
		return;
	while (td_ring_next(&latency->ring, &record)) {
		if (record.type == PERF_RECORD_SAMPLE && record.words >= WORDS) {
			add(thread, record.word[WORD_IP],
			    TD_LATENCY_OF(record.word[WORD_WEIGHT]));
			latency->taken++;
		} else if (record.type == PERF_RECORD_LOST &&
			   record.words >= LOST_WORDS) {
			count_lost(record.word[LOST_RECORDS]);
		}
	}
	if (latency->taken >= RECORDS_A_PERIOD)
		td_latency_vary(thread);
}
