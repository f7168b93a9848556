// SPDX-License-Identifier: MIT
#include "agent/sigsafe/ring.h"

#include <string.h>

uint64_t td_ring_used(const struct td_ring *ring)
{
	/* acquire: what the kernel wrote before it moved its head */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	return head - ring->page->data_tail;
}

/* `size` bytes from `at` on, around the end. */
static void copy(const struct td_ring *ring, uint64_t at, void *to, uint64_t size)
{
	uint64_t from = at & (ring->size - 1), first = ring->size - from;

	if (first > size)
		first = size;
	memcpy(to, ring->data + from, first);
	memcpy((uint8_t *)to + first, ring->data, size - first);
}

static void give_back(struct td_ring *ring, uint64_t tail)
{
	/* release: we have read before the kernel may write there again */
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

bool td_ring_next(struct td_ring *ring, struct td_ring_record *record)
{
	uint64_t used = td_ring_used(ring), tail = ring->page->data_tail, body;
	struct perf_event_header header;

	if (used < sizeof(header))
		return false;
	copy(ring, tail, &header, sizeof(header));
	if (header.size < sizeof(header) || header.size > used) {
		give_back(ring, tail + used);
		return false;
	}
	body = header.size - sizeof(header);
	if (body > sizeof(record->word))
		body = sizeof(record->word);
	record->type = header.type;
	record->words = (uint32_t)(body / sizeof(record->word[0]));
	copy(ring, tail + sizeof(header), record->word, body);
	give_back(ring, tail + header.size);
	return true;
}
