// SPDX-License-Identifier: MIT
#include "agent/core/fold.h"

#include <string.h>

#include "agent/sigsafe/sums.h"
#include "agent/sigsafe/timeline.h"

static void fold_thread(struct td_file_thread *into, const struct td_file_thread *from)
{
	into->threads += from->threads;
	if (!into->start_ns || from->start_ns < into->start_ns)
		into->start_ns = from->start_ns;
	if (from->last_ns > into->last_ns)
		into->last_ns = from->last_ns;
	if (from->end_ns > into->end_ns)
		into->end_ns = from->end_ns;
	into->cpu_ns += from->cpu_ns;
	into->samples += from->samples;
	into->windows += from->windows;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		into->rejected[i] += from->rejected[i];
	for (unsigned i = 0; i < TD_LOST_MAX; i++)
		into->lost[i] += from->lost[i];
	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++)
		into->total[i] += from->total[i];
	into->empties += from->empties;
	into->unread += from->unread;
	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++)
		into->empty[i] += from->empty[i];
}

static void fold_place(struct td_places *places, struct td_file_place *from)
{
	struct td_identity identity = {
		.kind = from->kind,
		.object = from->object,
		.address = from->address,
		.region = from->region,
		.size = from->size,
	};
	struct td_file_place *into =
		from->kind == TD_PLACE_OTHER
			? places->other
			: td_places_get_of(places, &identity, from->group);

	/* the old index is not needed any more: where the place has gone */
	from->child[0] = td_store_ref(into, td_store.header->place_size);
	into->samples += from->samples;
	into->windows += from->windows;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		into->rejected[i] += from->rejected[i];
	td_sums_fold(into->sum, from->sum, td_store.header->counters);
}

static void fold_block(struct td_places *into, uint32_t block)
{
	uint32_t size = td_store.header->place_size;

	for (uint32_t slot = 0; slot < td_store_slots(size); slot++) {
		struct td_file_place *place = td_store_record(TD_REF(block, slot), size);

		if (place->kind != TD_PLACE_FREE)
			fold_place(into, place);
	}
}

static uint32_t folded_place(uint32_t ref)
{
	struct td_file_place *place = td_store_record(ref, td_store.header->place_size);

	return place->child[0];
}

static void clear_block(uint32_t block)
{
	memset((char *)td_store_block(block) + TD_BLOCK_HEADER, 0,
	       TD_BLOCK_SIZE - TD_BLOCK_HEADER);
}

void td_fold(struct td_places *into, struct td_places *from)
{
	struct td_file_thread ended = *from->record;
	uint32_t first = ended.first_block;

	/* A crash in the middle may lose this thread, but never count it twice. */
	memset(from->record, 0, sizeof(*from->record));
	fold_thread(into->record, &ended);
	td_timeline_fold(into, &ended);
	from->record->timeline = ended.timeline;
	for (uint32_t block = first; block; block = td_store_block(block)->next)
		fold_block(into, block);
	td_paths_fold(&into->paths, &from->paths, folded_place);
	for (uint32_t block = first; block; block = td_store_block(block)->next)
		clear_block(block);
	td_places_reuse(from, first);
}
