// SPDX-License-Identifier: MIT
#include "agent/sigsafe/windows.h"

#define RECORDS                                                                          \
	((TD_BLOCK_SIZE - TD_BLOCK_HEADER) / (uint32_t)sizeof(struct td_file_window))

/* Blocks of the log in order of their records; 0 until one is there. */
static _Atomic uint32_t blocks[TD_WINDOWS_BLOCKS_MAX];

uint32_t td_windows_room(uint32_t blocks_max)
{
	uint32_t most = blocks_max / 4;

	return (most < TD_WINDOWS_BLOCKS_MAX ? most : TD_WINDOWS_BLOCKS_MAX) * RECORDS;
}

/* The block of record `n`, 0 if it is not there. */
static uint32_t block_of(uint32_t n)
{
	return atomic_load_explicit(&blocks[n / RECORDS], memory_order_acquire);
}

/* The same, taken from the store by whoever needs it first. */
static uint32_t make_block(uint32_t n)
{
	uint32_t block = block_of(n), none = 0;

	if (block)
		return block;
	block = td_store_take_block();
	if (!block)
		return 0;
	if (!atomic_compare_exchange_strong(&blocks[n / RECORDS], &none, block))
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

/* Which record the window that came as number `seen` (from 0) gets: its own, and in
 * a full log that of a random other, with falling probability. */
static uint32_t choose(uint64_t seen, struct td_random *random, uint32_t *block)
{
	/* relaxed: a number alone, which orders nothing else */
	uint32_t room = __atomic_load_n(&td_store.header->windows_max, __ATOMIC_RELAXED);
	uint64_t chosen;

	*block = 0;
	if (seen < room) {
		*block = make_block((uint32_t)seen);
		if (*block)
			return (uint32_t)seen;
		room = end_before((uint32_t)seen);
	}
	chosen = td_random_below(random, seen + 1);
	if (chosen < room)
		*block = block_of((uint32_t)chosen);
	return (uint32_t)chosen;
}

struct td_file_window *td_windows_take(struct td_random *random)
{
	struct td_file_window *window;
	uint32_t block, record;
	uint64_t seen;

	seen = __atomic_fetch_add(&td_store.header->windows_seen, 1, __ATOMIC_RELAXED);
	record = choose(seen, random, &block);
	if (!block)
		return NULL;
	window = td_store_record(TD_REF(block, record % RECORDS), sizeof(*window));
	/* acquire: what we write comes after it; another one that writes keeps it */
	if (__atomic_exchange_n(&window->state, TD_WINDOW_BUSY, __ATOMIC_ACQUIRE) ==
	    TD_WINDOW_BUSY)
		return NULL;
	return window;
}

void td_windows_publish(struct td_file_window *window, enum td_window_state state)
{
	/* release: who sees the state sees the rest */
	__atomic_store_n(&window->state, state, __ATOMIC_RELEASE);
}

void td_windows_forget(void)
{
	for (uint32_t i = 0; i < TD_WINDOWS_BLOCKS_MAX; i++)
		atomic_store(&blocks[i], 0);
}
