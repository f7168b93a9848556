/* SPDX-License-Identifier: MIT */
/* A profile in memory for tests of agent/sigsafe.  Context: normal. */
#ifndef TD_TESTS_MEMORY_STORE_H
#define TD_TESTS_MEMORY_STORE_H

#include <stdint.h>

#include "agent/sigsafe/thread.h"

/* Opens td_store on a new memory file with room for `blocks_max` blocks. */
void memory_store_open(uint32_t counters, uint32_t blocks_max);
void memory_store_close(void);

/* A thread record with its first block of places. */
void memory_store_add_thread(struct td_places *places);

#endif
