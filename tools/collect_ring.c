// SPDX-License-Identifier: MIT
#include "tools/collect_ring.h"

#include <string.h>

#define PAGE 4096u
#define RING_MAX (1u << 24)

/* A sample's words behind its header, as agent/core/vernier.c asks for them. */
enum {
	WORD_ID,
	WORD_IP,
	WORD_TIME,
	WORD_EVENTS,
	WORD_ENABLED,
	WORD_RUNNING,
	WORD_VALUES,
	WORDS = WORD_VALUES + TD_COUNTERS_MAX,
};

bool td_collect_message_is_sound(const struct td_collect_message *message, size_t size)
{
	const struct td_collect_message *m = message;

	if (size != sizeof(*m) || m->version != TD_COLLECT_VERSION || !m->pid)
		return false;
	if (m->ring_size < PAGE || m->ring_size > RING_MAX ||
	    (m->ring_size & (m->ring_size - 1)))
		return false;
	if (!m->groups || m->groups > TD_GROUPS_MAX || m->nodes >= TD_COUNTERS_MAX ||
	    m->correction.uop_dropping >= TD_COUNTERS_MAX ||
	    m->correction.clears >= TD_COUNTERS_MAX)
		return false;
	for (uint32_t g = 0; g < m->groups; g++)
		if (m->values[g] > TD_COUNTERS_MAX || m->sampler >= m->values[g])
			return false;
	for (int i = 0; i < (int)TD_COUNTERS_MAX; i++)
		if (m->counter[i] >= TD_COUNTERS_MAX)
			return false;
	return true;
}

/* `size` bytes from position `at` on, around the end. */
static void copy(const struct td_collect_ring *ring, uint64_t at, void *to, uint64_t size)
{
	const char *data = (const char *)ring->page + PAGE;
	uint64_t from = at & (ring->from.ring_size - 1);
	uint64_t first = ring->from.ring_size - from;

	if (first > size)
		first = size;
	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, size - first);
}

static bool find(const struct td_collect_message *from, uint64_t id,
		 struct td_collect_record *record)
{
	for (record->group = 0; record->group < from->groups; record->group++)
		for (record->which = 0; record->which < 2; record->which++)
			if (from->id[record->group][record->which] == id)
				return true;
	return false;
}

static bool take(const struct td_collect_ring *ring, const uint64_t *word, size_t words,
		 struct td_collect_record *record)
{
	struct td_collect_record of;
	uint32_t values;

	if (words < WORD_VALUES || !find(&ring->from, word[WORD_ID], &of))
		return false;
	values = ring->from.values[of.group];
	if (words < WORD_VALUES + values || word[WORD_EVENTS] != values)
		return false;
	*record = (struct td_collect_record){
		.which = of.which,
		.group = of.group,
		.ip = word[WORD_IP],
		.time = word[WORD_TIME],
		.running = word[WORD_RUNNING],
	};
	memcpy(record->value, word + WORD_VALUES, values * sizeof(*word));
	return true;
}

bool td_collect_ring_next(const struct td_collect_ring *ring, uint64_t *at,
			  struct td_collect_record *record)
{
	/* acquire: what the kernel wrote before it moved its head */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;
	uint64_t word[WORDS], body;

	while (head - *at >= sizeof(header) && head - *at <= ring->from.ring_size) {
		copy(ring, *at, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - *at)
			return false;
		body = header.size - sizeof(header);
		if (body > sizeof(word))
			body = sizeof(word);
		copy(ring, *at + sizeof(header), word, body);
		*at += header.size;
		if (header.type == PERF_RECORD_SAMPLE &&
		    take(ring, word, body / sizeof(*word), record))
			return true;
	}
	return false;
}

uint64_t td_collect_ring_begin(const struct td_collect_ring *ring)
{
	return __atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE);
}
