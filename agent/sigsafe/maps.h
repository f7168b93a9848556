/* SPDX-License-Identifier: MIT */
/*
 * What is mapped at an address that belongs to no loaded object: JIT code, a
 * mapped file, the stack.  Reads /proc/self/maps with raw system calls.
 */
#ifndef TD_SIGSAFE_MAPS_H
#define TD_SIGSAFE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/sigsafe/identity.h"

struct td_mapping {
	struct td_range range; /* neighbouring lines of one file are one mapping */
	char path[256];        /* "[anon]" if it has none */
};

/*
 * Finds the mapping at `ip`.  False if there is none or /proc is not readable.
 * Costs a walk through /proc/self/maps, some microseconds per hundred lines,
 * and a descriptor while it runs.  Context: any.
 */
bool td_maps_find(uint64_t ip, struct td_mapping *mapping);

/*
 * The one line of /proc/self/maps that covers `address`, as it stands there: no
 * neighbours joined.  False and costs as above.  Context: any.
 */
bool td_maps_exactly(uint64_t address, struct td_mapping *mapping);

/*
 * Where else the bytes at `ip` are, of the same file, mapped by the dynamic linker:
 * *twin. False if they are no file's, or nowhere else, and costs twice the above.
 * Context: any.
 */
bool td_maps_twin(uint64_t ip, uint64_t *twin);

/*
 * The walk itself, for one line: joins it to `run` or starts a new run.
 * Returns true when `run` is complete and covers `ip`.  Context: any.
 */
bool td_maps_line(const char *line, uint64_t ip, struct td_mapping *run);

#endif
