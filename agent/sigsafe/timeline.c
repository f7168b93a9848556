// SPDX-License-Identifier: MIT
#include "agent/sigsafe/timeline.h"

#include <string.h>

static uint32_t bucket_values(void)
{
	return 1 + td_store.header->counters;
}

static struct td_file_timeline *timeline_at(uint32_t block)
{
	return td_store_record(TD_REF(block, 0), 0);
}

/* The thread's timeline, made when its first sample comes; NULL without room. */
static struct td_file_timeline *timeline_of(struct td_places *places)
{
	struct td_file_timeline *timeline;
	uint32_t block = places->record->timeline;

	if (block)
		return timeline_at(block);
	block = td_store_take_block();
	if (!block)
		return NULL;
	timeline = timeline_at(block);
	timeline->width_ns = TD_TIMELINE_WIDTH_NS;
	timeline->buckets = TD_TIMELINE_BUCKETS;
	td_store_publish_block(block, TD_BLOCK_TIMELINE, places->record_ref);
	places->record->timeline = block;
	return timeline;
}

/* Joins neighbours: half as many buckets, each twice as wide. */
static void coarsen(struct td_file_timeline *timeline)
{
	uint32_t n = bucket_values(), half = TD_TIMELINE_BUCKETS / 2 * n;

	/* A reader, or a kill, in the middle of this would see things twice. */
	__atomic_store_n(&timeline->busy, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < half; i++) {
		uint32_t left = i / n * 2 * n + i % n;

		timeline->value[i] = timeline->value[left] + timeline->value[left + n];
	}
	memset(&timeline->value[half], 0, half * sizeof(timeline->value[0]));
	timeline->width_ns *= 2;
	__atomic_store_n(&timeline->busy, 0, __ATOMIC_SEQ_CST);
}

/* The bucket of a moment, `since_ns` after the start of the profile. */
static uint64_t *bucket_at(struct td_file_timeline *timeline, uint64_t since_ns)
{
	while (since_ns / timeline->width_ns >= TD_TIMELINE_BUCKETS)
		coarsen(timeline);
	return &timeline->value[since_ns / timeline->width_ns * bucket_values()];
}

uint64_t *td_timeline_bucket_slowly(struct td_places *places, uint64_t now_ns)
{
	struct td_file_timeline *timeline = timeline_of(places);
	uint64_t start_ns = td_store.header->start_ns, since_ns;

	if (!timeline)
		return NULL;
	/* a coarse clock may not have reached the start yet */
	since_ns = now_ns > start_ns ? now_ns - start_ns : 0;
	places->bucket = bucket_at(timeline, since_ns);
	places->bucket_end_ns =
		start_ns + (since_ns / timeline->width_ns + 1) * timeline->width_ns;
	return places->bucket;
}

void td_timeline_fold(struct td_places *into, const struct td_file_thread *from)
{
	struct td_file_timeline *source, *target;

	if (!from->timeline)
		return;
	source = timeline_at(from->timeline);
	target = timeline_of(into);
	if (!target)
		return;
	into->bucket = NULL;
	while (target->width_ns < source->width_ns)
		coarsen(target);
	while (source->width_ns < target->width_ns)
		coarsen(source);
	for (uint32_t i = 0; i < TD_TIMELINE_BUCKETS * bucket_values(); i++)
		target->value[i] += source->value[i];
	memset(source->value, 0,
	       TD_TIMELINE_BUCKETS * bucket_values() * sizeof(source->value[0]));
	source->width_ns = TD_TIMELINE_WIDTH_NS;
}
