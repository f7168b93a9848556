/* SPDX-License-Identifier: MIT */
/*
 * Reads a stack that may be broken, and never faults: the thread's own stack
 * directly, from the interrupted stack pointer up, all else through the kernel.  Code
 * that may be gone, likewise.
 */
#ifndef TD_SIGSAFE_MEMORY_H
#define TD_SIGSAFE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/identity.h"

#define TD_MEMORY_CHUNK 512u

struct td_memory {
	/* Set by core: the stack that the thread was born with; 0..0 if that is not
	 * known.  It is mapped from any stack pointer in it to its end. */
	struct td_range stack;
	bool grows;      /* downwards, by itself: the first thread's */
	uint32_t looked; /* how often its new start was looked up */
	/* of this walk */
	uint64_t from;        /* direct reads from here to stack.end; 0 none */
	uint64_t chunk_start; /* what chunk[] is a copy of */
	uint32_t chunk_size;
	uint8_t chunk[TD_MEMORY_CHUNK];
};

/* A new walk, of the stack that `sp` points into.  Context: signal. */
void td_memory_begin(struct td_memory *memory, uint64_t sp);

/* False if there is nothing to read at `address`.  Context: signal. */
bool td_memory_fetch(struct td_memory *memory, uint64_t address, uint64_t *value);

/* Of code, in one page. */
#define TD_MEMORY_ALIKE 16u

/* Is there something to read at both addresses, and are so many bytes the same?
 * Context: signal. */
bool td_memory_is_alike(uint64_t a, uint64_t b);

/* Are the 8 bytes at `address` in the part that is read directly? */
static inline bool td_memory_is_near(const struct td_memory *memory, uint64_t address)
{
	return memory->from && address >= memory->from && address < memory->stack.end - 7;
}

/* Reads 8 bytes; false if they cannot be read.  Context: signal, after begin. */
static inline bool td_memory_read(struct td_memory *memory, uint64_t address,
				  uint64_t *value)
{
	if (td_memory_is_near(memory, address)) {
		*value = *(const uint64_t *)address;
		return true;
	}
	return td_memory_fetch(memory, address, value);
}

#endif
