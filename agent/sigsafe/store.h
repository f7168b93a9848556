/* SPDX-License-Identifier: MIT */
/*
 * The profile as the agent sees it: a shared mapping of the file, handed out
 * block by block.  Everything here may run in a signal handler.  Blocks are
 * claimed with one compare-and-swap; a block, once claimed, belongs to one
 * thread (PLACES) or is filled slot by slot with atomic claims (OBJECTS,
 * THREADS).
 */
#ifndef TD_SIGSAFE_STORE_H
#define TD_SIGSAFE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/identity.h"
#include "agent/sigsafe/paths.h"
#include "decoder/format.h"

/* Written by core before the first signal, except `ready_blocks`. */
struct td_store {
	struct td_file_header *header; /* NULL: no profile */
	uint64_t map_size;
	int fd;
	uint64_t device; /* of fd's file, to know it again */
	uint64_t inode;
	_Atomic uint32_t ready_blocks; /* blocks that have room on the disk */
	/* Not NULL: the profile is private memory as yet, in a process of one thread,
	 * and td_store_settle() will make this file; or, if something is there by
	 * then, the other one, whose name it copies over this one (TD_LATER_MAX bytes).
	 * Where there is no file this name is empty afterwards. */
	char *later;
	const char *otherwise;
};

#define TD_LATER_MAX 2048u

extern struct td_store td_store;

static inline struct td_file_block *td_store_block(uint32_t block)
{
	return (struct td_file_block *)((char *)td_store.header +
					(uint64_t)block * TD_BLOCK_SIZE);
}

/* The number of this record, of an array of `record_size` bytes each.  Context: any. */
uint32_t td_store_ref(const void *record, uint32_t record_size);

/* The record with this number.  Context: any; `ref` must come from the store. */
static inline void *td_store_record(uint32_t ref, uint32_t record_size)
{
	return (char *)td_store_block(TD_REF_BLOCK(ref)) + TD_BLOCK_HEADER +
	       TD_REF_SLOT(ref) * record_size;
}

/*
 * Claims a zeroed block, growing the file when needed.  Returns its number, 0
 * if the profile or the disk is full.  The caller stores its kind last.
 * Context: any.
 */
uint32_t td_store_take_block(void);
/*
 * Makes the file of a profile that waits for its first sample (`later`), and puts it
 * in the memory's place; nothing happens if none waits.  Where it cannot be made the
 * profile stays in memory, as large as it is: false.
 * Context: any, with all signals blocked, in a process of one thread.
 */
bool td_store_settle(void);

/* The block of *slot, claimed and published by whoever needs it first; 0 if there is
 * no room.  Context: any. */
uint32_t td_store_block_once(_Atomic uint32_t *slot, enum td_block_kind kind);
void td_store_publish_block(uint32_t block, enum td_block_kind kind, uint32_t owner);

/* Records of `size` bytes in one block. */
static inline uint32_t td_store_slots(uint32_t size)
{
	uint32_t slots = (TD_BLOCK_SIZE - TD_BLOCK_HEADER) / size;

	return slots > 256 ? 256 : slots;
}

/* One thread's places: where the next one goes. */
struct td_places {
	struct td_file_thread *record;
	uint32_t record_ref;
	uint32_t block;              /* being filled */
	uint32_t slot;               /* next free slot in it */
	struct td_file_place *other; /* takes what finds no room */
	struct td_paths paths;
	uint64_t *bucket; /* of the timeline, the latest one; NULL none */
	uint64_t bucket_end_ns;
};

/*
 * Gives `places` its first block.  Returns false if there is no room.
 * Context: any, not while the thread takes samples.
 */
bool td_places_init(struct td_places *places, struct td_file_thread *record,
		    uint32_t ref);

/* Starts anew with the emptied chain of blocks from `first` on.  Context: normal. */
void td_places_reuse(struct td_places *places, uint32_t first);

/*
 * Finds or creates the place of `identity` in the thread's table; the thread's
 * "other" place, with TD_LOST_FULL counted, if there is no room.
 * Context: signal, on the owning thread, or normal with the thread stopped.
 */
struct td_file_place *td_places_get(struct td_places *places,
				    const struct td_identity *identity);

/* The same for the place of another group of events than 0. */
struct td_file_place *td_places_get_of(struct td_places *places,
				       const struct td_identity *identity,
				       uint32_t group);

/*
 * Claims an object record and makes it visible; returns its ref, 0 if full.
 * Context: any.
 */
uint32_t td_store_add_object(const struct td_file_object *object);

/* Forgets the profile (a forked child starts its own).  Context: normal, no
 * thread of this process takes samples. */
void td_store_forget(void);

#endif
