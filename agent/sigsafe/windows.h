/* SPDX-License-Identifier: MIT */
/*
 * The window log (format.h): one for the process, shared by its threads.
 */
#ifndef TD_SIGSAFE_WINDOWS_H
#define TD_SIGSAFE_WINDOWS_H

#include <string.h>

#include "agent/sigsafe/thread.h"

/* Blocks that the log may take: 16 MiB, and a quarter of a smaller profile. */
#define TD_WINDOWS_BLOCKS_MAX 2048u

/* Records that a log has room for in a profile of so many blocks.  Context: any. */
uint32_t td_windows_room(uint32_t blocks_max);

/* Records in one block. */
#define TD_WINDOWS_A_BLOCK                                                               \
	((TD_BLOCK_SIZE - TD_BLOCK_HEADER) / (uint32_t)sizeof(struct td_file_window))

/* Blocks of the log in order of their records; 0 until one is there. */
extern _Atomic uint32_t td_windows_blocks[TD_WINDOWS_BLOCKS_MAX];

static inline struct td_file_window *td_windows_record(uint32_t block, uint32_t n)
{
	return (struct td_file_window *)((char *)td_store_block(block) +
					 TD_BLOCK_HEADER) +
	       n % TD_WINDOWS_A_BLOCK;
}

/* Which record window number `seen` gets where there is none waiting for it: the
 * first of a new block, or that of a random other window; NULL none. */
struct td_file_window *td_windows_choose(uint64_t seen, struct td_random *random);

/* The record for window number `seen`, wherever that is: sets `near`, if there is one
 * and it can be.  NULL as below. */
__attribute__((cold)) struct td_file_window *
td_windows_find(uint64_t seen, struct td_random *random, struct td_windows_near *near);

/* The number of one more window that is offered to the log.  Context: signal. */
static inline uint64_t td_windows_number(void)
{
	/* relaxed: numbers alone, which order nothing else */
	return __atomic_fetch_add(&td_store.header->windows_seen, 1, __ATOMIC_RELAXED);
}

/* `window` to be written; NULL: another thread writes it just now. */
static inline struct td_file_window *td_windows_begin(struct td_file_window *window)
{
	/* acquire: what we write comes after it; another one that writes keeps it */
	return __atomic_exchange_n(&window->state, TD_WINDOW_BUSY, __ATOMIC_ACQUIRE) ==
			       TD_WINDOW_BUSY
		       ? NULL
		       : window;
}

/* The record for window number `seen` where the thread has been before; NULL: it is not
 * there, or as above. */
static inline struct td_file_window *
td_windows_claim_near(uint64_t seen, const struct td_windows_near *near)
{
	uint64_t n = seen - near->first;

	if (n >= TD_WINDOWS_A_BLOCK ||
	    seen >= __atomic_load_n(&td_store.header->windows_max, __ATOMIC_RELAXED))
		return NULL;
	return td_windows_begin((struct td_file_window *)near->records + n);
}

/* The same, wherever it is.  NULL as of td_windows_take(). */
static inline struct td_file_window *
td_windows_claim(uint64_t seen, struct td_random *random, struct td_windows_near *near)
{
	struct td_file_window *window = td_windows_find(seen, random, near);

	return window ? td_windows_begin(window) : NULL;
}

/*
 * A record for one more window: the caller fills it and publishes it.  NULL if
 * the sample goes without this one, which is then counted all the same.  Where
 * the file cannot grow, the log keeps the room that it has: windows_max says so.
 * `random` is the thread's.  Context: signal.
 */
static inline struct td_file_window *td_windows_take(struct td_random *random)
{
	return td_windows_claim(td_windows_number(), random, NULL);
}

/* Is a window with this verdict one for the log (format.h)?  Context: any. */
static inline bool td_windows_takes(enum td_reject reject)
{
	return reject == TD_REJECT_MAX || reject == TD_REJECT_NESTED ||
	       reject == TD_REJECT_FUNCTION;
}

/* Where the window was opened (0) or closed (1).  Context: as above. */
static inline void td_windows_set_end(struct td_file_window *window, unsigned end,
				      const struct td_identity *where, uint64_t ip)
{
	window->kind[end] = (uint8_t)where->kind;
	/* both begin alike */
	memcpy(&window->end[end], where, sizeof(window->end[end]));
	window->end[end].offset = (uint32_t)(ip - where->start);
}

/* Context: as above. */
static inline void td_windows_publish(struct td_file_window *window,
				      enum td_window_state state)
{
	/* release: who sees the state sees the rest */
	__atomic_store_n(&window->state, state, __ATOMIC_RELEASE);
}

/* Forgets the profile's blocks.  Context: normal, no thread takes samples. */
void td_windows_forget(void);

#endif
