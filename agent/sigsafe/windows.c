// SPDX-License-Identifier: MIT
#include "agent/sigsafe/windows.h"

#define RECORDS TD_WINDOWS_A_BLOCK

_Atomic uint32_t td_windows_blocks[TD_WINDOWS_BLOCKS_MAX];

uint32_t td_windows_room(uint32_t blocks_max)
{
	uint32_t most = blocks_max / 4;

	return (most < TD_WINDOWS_BLOCKS_MAX ? most : TD_WINDOWS_BLOCKS_MAX) * RECORDS;
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
		block = td_store_block_once(&td_windows_blocks[(uint32_t)seen / RECORDS],
					    TD_BLOCK_WINDOWS);
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

struct td_file_window *td_windows_find(uint64_t seen, struct td_random *random,
				       struct td_windows_near *near)
{
	uint32_t n = (uint32_t)seen, block = 0;

	if (seen < __atomic_load_n(&td_store.header->windows_max, __ATOMIC_RELAXED))
		block = atomic_load_explicit(&td_windows_blocks[n / RECORDS],
					     memory_order_acquire);
	if (!block)
		return td_windows_choose(seen, random);
	if (near) {
		near->first = seen - n % RECORDS;
		near->records = (char *)td_windows_record(block, 0);
	}
	return td_windows_record(block, n);
}

void td_windows_forget(void)
{
	for (uint32_t i = 0; i < TD_WINDOWS_BLOCKS_MAX; i++)
		if (atomic_load(
			    &td_windows_blocks[i])) /* each page written costs a fork */
			atomic_store(&td_windows_blocks[i], 0);
}
