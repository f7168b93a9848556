/* SPDX-License-Identifier: MIT */
/*
 * A thread's tree of call paths in the profile (TD_BLOCK_PATHS): from the root
 * along the callers, outermost first.  One node for each function under its
 * callers, wherever in them it is called.
 */
#ifndef TD_SIGSAFE_PATHS_H
#define TD_SIGSAFE_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/format.h"

/* Where the thread's next node goes.  All 0: no tree yet. */
struct td_paths {
	uint32_t owner;       /* ref of the thread record */
	uint32_t first_block; /* the chain of its blocks */
	uint32_t block;       /* being filled */
	uint32_t slot;        /* next free one in it */
	uint32_t trie; /* ref of the index's root: finds nodes by parent and place */
};

/*
 * The node of `place` (a ref) below `parent` (a ref, 0 for a top node), made when
 * it is not there yet; `kind` tells top nodes apart, whose place is 0.  Returns its
 * ref, 0 if there is no room.
 * Context: signal, on the owning thread, or normal with the thread stopped.
 */
uint32_t td_paths_get(struct td_paths *paths, enum td_path_kind kind, uint32_t parent,
		      uint32_t place);

/* Beside the node `ref`: where windows of another group of events than 0 count.
 * Likewise. */
uint32_t td_paths_get_of(struct td_paths *paths, uint32_t ref, uint32_t group);

static inline bool td_paths_used(const struct td_paths *paths)
{
	return paths->first_block != 0;
}

struct td_file_path *td_paths_node(uint32_t ref);

/*
 * Counts a window of these values, the header's counters; it stands for `weight` of its
 * kind.  Context: as above.
 */
void td_paths_add_window(uint32_t ref, const uint64_t *values, uint32_t weight);

/*
 * Adds all of `from` to `into` and empties it, blocks and all, for the thread's
 * next use.  `place_of` gives the ref in `into`'s table for one in `from`'s.
 * Context: normal, both threads stopped.
 */
void td_paths_fold(struct td_paths *into, struct td_paths *from,
		   uint32_t (*place_of)(uint32_t ref));

/* With the profile.  Context: normal, no thread takes samples. */
void td_paths_forget(void);

#endif
