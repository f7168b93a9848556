// SPDX-License-Identifier: MIT
#include "agent/sigsafe/windows.h"

#define RECORDS TD_WINDOWS_A_BLOCK

_Atomic uint32_t td_windows_blocks[TD_WINDOWS_BLOCKS_MAX];

uint32_t td_windows_room(uint32_t blocks_max)
{
	uint32_t most = blocks_max / 4;

	return (most < TD_WINDOWS_BLOCKS_MAX ? most : TD_WINDOWS_BLOCKS_MAX) * RECORDS;
}

/* The block of record `n`, taken from the store by whoever needs it first. */
static uint32_t make_block(uint32_t n)
{
	_Atomic uint32_t *slot = &td_windows_blocks[n / RECORDS];
	uint32_t block = atomic_load(slot), none = 0;

	if (block)
		return block;
	block = td_store_take_block();
	if (!block)
		return 0;
	if (!atomic_compare_exchange_strong(slot, &none, block))
		return none; /* another thread was faster; ours stays free */
	td_store_publish_block(block, TD_BLOCK_WINDOWS, 0);
	return block;
}

/* The log ends before record `n`: no block for it. */
static uint32_t end_before(uint32_t n)
{
	uint32_t *room = &td_store.header->windows_max;
	uint32_t now = __atomic_load_n(room, __ATOMIC_RELAXED), least = n - n % RECORDS;

	while (now > least &&
	       !__atomic_compare_exchange_n(room, &now, least, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	return now < least ? now : least;
}

struct td_file_window *td_windows_choose(uint64_t seen, struct td_random *random)
{
	uint32_t room = __atomic_load_n(&td_store.header->windows_max, __ATOMIC_RELAXED);
	uint32_t block;
	uint64_t chosen;

	if (seen < room) {
		block = make_block((uint32_t)seen);
		if (block)
			return td_windows_record(block, (uint32_t)seen);
		room = end_before((uint32_t)seen);
	}
	/* a sample of all: number n is kept with probability room / n */
	chosen = td_random_below(random, seen + 1);
	if (chosen >= room)
		return NULL;
	block = atomic_load_explicit(&td_windows_blocks[chosen / RECORDS],
				     memory_order_acquire);
	return block ? td_windows_record(block, (uint32_t)chosen) : NULL;
}

void td_windows_forget(void)
{
	for (uint32_t i = 0; i < TD_WINDOWS_BLOCKS_MAX; i++)
		atomic_store(&td_windows_blocks[i], 0);
}
