// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/collect.h"
#include "tools/collect_ring.h"

#define BLOCKS_MORE 64u    /* that a profile may grow by */
#define SLACK_CYCLES 64u   /* as agent/sigsafe/vernier_window.c */
#define OBJECTS_A_BLOCK 8u /* as the agent fills them */

/* A profile that nobody else writes any more. */
struct saving {
	const struct td_collect_ring *ring;
	struct td_audit_code *code;
	struct td_file_header *header;
	uint32_t room; /* blocks that are mapped */
	struct td_file_thread *thread;
	bool started; /* `last` is there */
	struct td_collect_record last;
	long samples;
};

static struct td_file_block *block_at(const struct saving *s, uint32_t block)
{
	return (void *)((char *)s->header + (uint64_t)block * TD_BLOCK_SIZE);
}

static void *record_at(const struct saving *s, uint32_t block, uint32_t slot,
		       uint32_t size)
{
	return (char *)block_at(s, block) + TD_BLOCK_HEADER + (uint64_t)slot * size;
}

static uint32_t slots_of(uint32_t size)
{
	uint32_t slots = (TD_BLOCK_SIZE - TD_BLOCK_HEADER) / size;

	return slots > 256 ? 256 : slots;
}

static bool is_profile(const struct td_file_header *h, const struct td_collect_message *m)
{
	return !memcmp(h->magic, TD_FILE_MAGIC, sizeof(h->magic)) &&
	       h->version == TD_FILE_VERSION && h->byte_order == TD_FILE_BYTE_ORDER &&
	       h->block_size == TD_BLOCK_SIZE && h->pid == m->pid &&
	       h->state == TD_STATE_RUNNING && h->counters <= TD_COUNTERS_MAX &&
	       h->place_size == TD_PLACE_SIZE(h->counters) &&
	       h->thread_size == sizeof(struct td_file_thread) &&
	       h->object_size == sizeof(struct td_file_object);
}

static int find_thread(struct saving *s)
{
	const struct td_collect_message *m = &s->ring->from;
	uint32_t block = TD_REF_BLOCK(m->thread), slot = TD_REF_SLOT(m->thread);

	if (block < TD_HEADER_BLOCKS || block >= s->header->blocks ||
	    slot >= slots_of(sizeof(struct td_file_thread)) ||
	    block_at(s, block)->kind != TD_BLOCK_THREADS)
		return -EINVAL;
	s->thread = record_at(s, block, slot, sizeof(struct td_file_thread));
	return s->thread->state == TD_THREAD_LIVE && s->thread->tid == m->tid ? 0
									      : -ESRCH;
}

static int open_profile(struct saving *s)
{
	struct td_file_header header;
	struct stat file;
	uint64_t size;

	if (pread(s->ring->profile, &header, sizeof(header), 0) !=
		    (ssize_t)sizeof(header) ||
	    fstat(s->ring->profile, &file))
		return -EIO;
	if (!is_profile(&header, &s->ring->from) ||
	    (uint64_t)file.st_size < (uint64_t)header.blocks * TD_BLOCK_SIZE)
		return -EINVAL;
	s->room = header.blocks + BLOCKS_MORE;
	if (s->room > header.blocks_max)
		s->room = header.blocks_max;
	size = (uint64_t)s->room * TD_BLOCK_SIZE;
	if ((uint64_t)file.st_size < size && ftruncate(s->ring->profile, (off_t)size))
		return -errno;
	s->header =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->ring->profile, 0);
	if (s->header == MAP_FAILED)
		return -errno;
	return find_thread(s);
}

/* 0: no room. */
static uint32_t new_block(struct saving *s, enum td_block_kind kind, uint32_t owner)
{
	uint32_t block = s->header->blocks;

	if (block >= s->room)
		return 0;
	s->header->blocks++;
	block_at(s, block)->owner = owner;
	block_at(s, block)->kind = kind;
	return block;
}

static bool same_object(const struct td_file_object *a, const struct td_file_object *b)
{
	if (a->kind != b->kind || a->bias != b->bias)
		return false;
	if (a->kind == TD_OBJECT_JIT)
		return a->map_start == b->map_start && a->map_end == b->map_end;
	return a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, sizeof(a->build_id)) &&
	       a->map_start == b->map_start;
}

/* The object's ref, of a new record if need be; 0: no room. */
static uint32_t object_ref(struct saving *s, const struct td_file_object *object)
{
	uint32_t blocks = s->header->blocks, block, slot;

	for (block = TD_HEADER_BLOCKS; block < blocks; block++) {
		if (block_at(s, block)->kind != TD_BLOCK_OBJECTS)
			continue;
		for (slot = 0; slot < OBJECTS_A_BLOCK; slot++) {
			struct td_file_object *o = record_at(s, block, slot, sizeof(*o));

			if (o->kind == TD_OBJECT_FREE) {
				*o = *object;
				return TD_REF(block, slot);
			}
			if (same_object(o, object))
				return TD_REF(block, slot);
		}
	}
	block = new_block(s, TD_BLOCK_OBJECTS, 0);
	if (!block)
		return 0;
	*(struct td_file_object *)record_at(s, block, 0, sizeof(*object)) = *object;
	return TD_REF(block, 0);
}

static void fill_place(struct saving *s, uint64_t ip, struct td_file_place *place)
{
	uint32_t number = td_audit_code_function(s->code, ip);
	const struct td_audit_function *f =
		number == UINT32_MAX ? NULL : td_audit_code_get(s->code, number);
	const struct td_file_object *object =
		f ? td_audit_code_object(s->code, f->object) : NULL;

	*place = (struct td_file_place){
		.kind = TD_PLACE_UNKNOWN,
		.address = ip & ~(uint64_t)(TD_PLACE_CHUNK - 1),
		.size = TD_PLACE_CHUNK,
	};
	if (object)
		place->object = object_ref(s, object);
	if (!place->object)
		return;
	place->kind = f->kind;
	place->region = f->region;
	if (f->kind == TD_PLACE_FUNCTION) {
		place->address = f->region;
		place->size = f->size;
	} else if (object->kind != TD_OBJECT_JIT) {
		place->address -= object->bias;
	}
}

/* In the thread's own table; NULL: no room. */
static struct td_file_place *place_of(struct saving *s, uint64_t ip)
{
	uint32_t size = s->header->place_size, slots = slots_of(size), last = 0;
	uint32_t block = s->thread->first_block, left = s->header->blocks;
	struct td_file_place wanted, *place;

	fill_place(s, ip, &wanted);
	for (; block && block < s->header->blocks && left; left--) {
		for (uint32_t slot = 0; slot < slots; slot++) {
			place = record_at(s, block, slot, size);
			if (place->kind == TD_PLACE_FREE) {
				memcpy(place, &wanted, sizeof(wanted));
				return place;
			}
			if (place->kind == wanted.kind &&
			    place->object == wanted.object &&
			    place->address == wanted.address)
				return place;
		}
		last = block;
		block = block_at(s, block)->next;
	}
	block = last ? new_block(s, TD_BLOCK_PLACES, s->ring->from.thread) : 0;
	if (!block)
		return NULL;
	block_at(s, last)->next = block;
	place = record_at(s, block, 0, size);
	memcpy(place, &wanted, sizeof(wanted));
	return place;
}

static void add_sample(struct saving *s, const struct td_collect_record *record)
{
	struct td_file_place *place = place_of(s, record->ip);

	if (!place) {
		s->thread->lost[TD_LOST_FULL]++;
		return;
	}
	place->samples++;
	s->thread->samples++;
	s->thread->last_ns = record->time;
	s->samples++;
	if (!s->ring->from.windows)
		return;
	place->rejected[TD_REJECT_CUT]++;
	s->thread->rejected[TD_REJECT_CUT]++;
}

/* From one record to the next of a group; as td_vernier_window_total() in the agent. */
static void add_total(struct saving *s, const struct td_collect_record *now)
{
	const struct td_collect_message *m = &s->ring->from;
	uint64_t value[TD_COUNTERS_MAX] = {0};
	uint64_t cycles = now->value[m->sampler] - s->last.value[m->sampler];

	for (uint32_t i = 0; i < s->header->counters; i++)
		value[i] = now->value[m->counter[i]] - s->last.value[m->counter[i]];
	s->thread->cpu_ns += now->running - s->last.running;
	if (!m->totals || (m->nodes && value[0] > m->width * (cycles + SLACK_CYCLES))) {
		s->thread->unread++;
		return;
	}
	if (m->nodes)
		td_registers_correct(&m->correction, m->nodes, value);
	for (uint32_t i = 0; i < s->header->counters; i++)
		s->thread->total[i] += value[i];
}

/* A record of either event with the next one of the other is a window, and one sample. */
static void add_all(struct saving *s)
{
	const struct td_collect_message *m = &s->ring->from;
	uint64_t at = td_collect_ring_begin(s->ring), length;
	struct td_collect_record now, first;
	bool waiting = false;

	for (; td_collect_ring_next(s->ring, &at, &now); s->last = now) {
		if (s->started && now.group == s->last.group)
			add_total(s, &now);
		s->started = true;
		length = waiting ? now.value[m->sampler] - first.value[m->sampler] : 0;
		if (waiting && now.which != first.which && length < m->long_period / 2) {
			add_sample(s, &first);
			waiting = false;
			continue;
		}
		if (waiting && !first.which)
			add_sample(s, &first);
		first = now;
		waiting = true;
	}
	if (waiting && !first.which)
		add_sample(s, &first);
}

static void add_note(struct saving *s)
{
	struct td_file_header *header = s->header;

	if (!s->samples || header->notes >= TD_NOTES_MAX)
		return;
	snprintf(header->note[header->notes++], sizeof(header->note[0]),
		 "killed: thread %u's last %ld samples are from its ring, which tdagent "
		 "run kept; code of the last %d ms may be unknown",
		 s->ring->from.tid, s->samples, TD_COLLECT_INTERVAL_MS);
}

long td_collect_ring_save(const struct td_collect_ring *ring, struct td_audit_code *code)
{
	struct saving s = {.ring = ring, .code = code};
	int error = open_profile(&s);

	if (!error) {
		add_all(&s);
		add_note(&s);
	}
	if (s.header && s.header != MAP_FAILED)
		munmap(s.header, (uint64_t)s.room * TD_BLOCK_SIZE);
	return error ? error : s.samples;
}
