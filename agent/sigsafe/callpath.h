/* SPDX-License-Identifier: MIT */
/*
 * Call paths: who called the function that a sample or the end of a window fell
 * into.  The path of each sample counts in the thread's tree (paths.h), and each
 * window counts at the last frame that both of its ends have in common: it is part
 * of the total of that function and of all its callers, whatever happened in the
 * leaves.
 *
 * A frame is the same at both ends if it is of the same function at the same
 * address on the stack, and so are all its callers.
 */
#ifndef TD_SIGSAFE_CALLPATH_H
#define TD_SIGSAFE_CALLPATH_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "agent/sigsafe/thread.h"
#include "agent/sigsafe/unwind.h"

#define TD_CALLPATH_DEPTH 256u /* frames; callers beyond that are cut off */
#define TD_CALLPATH_ROWS 1024u
#define TD_CALLPATH_OBJECTS 8u

struct td_frame {
	uint64_t cfa; /* tells one call from another; 0: not known */
	struct td_file_place *place;
};

/* A path, innermost frame first. */
struct td_walk {
	uint32_t depth;
	bool complete; /* down to the outermost frame */
	struct td_frame frame[TD_CALLPATH_DEPTH];
};

/* A rule that was learnt for an instruction, and whose code it is. */
struct td_callpath_row {
	uint64_t ip;
	struct td_file_place *place; /* NULL: free */
	struct td_rule rule;
	uint32_t object;                /* ref */
	const struct td_object *loaded; /* of a function, else NULL */
};

/* Of one thread. */
struct td_callpath {
	struct td_memory memory;
	struct td_walk open;
	struct td_walk close;
	/* The path that the tree was last asked for, outermost first: the next one has
	 * most of it in common. */
	uint32_t top[2]; /* refs of CUT and ROOT, 0: not there yet */
	uint32_t root;   /* the one of them that the path is below */
	uint32_t known;
	struct td_file_place *known_place[TD_CALLPATH_DEPTH];
	uint32_t known_node[TD_CALLPATH_DEPTH];
	/* objects that were found in place during this walk */
	uint32_t objects;
	uint32_t object[TD_CALLPATH_OBJECTS];
	bool used;        /* rows were learnt */
	uint32_t lessons; /* rows that this walk may still learn */
	struct td_callpath_row row[TD_CALLPATH_ROWS];
	uint8_t stack[TD_UNWIND_STACK] __attribute__((aligned(16)));
};

/*
 * For a thread that begins: forgets the last one's.  `stack` is the stack it was
 * born with, 0..0 if not known; `grows`: that of the first thread.
 * Context: normal, the thread takes no samples.
 */
void td_callpath_reset(struct td_callpath *callpath, struct td_range stack, bool grows);

/* A sample in `where`, whose place is `place`: takes the path of
 * thread->interrupted and counts it.  Context: signal, on the thread. */
void td_callpath_open(struct td_thread *thread, const struct td_identity *where,
		      struct td_file_place *place);

/* One more window begins there, without a sample.  Likewise. */
void td_callpath_reopen(struct td_thread *thread, const struct td_identity *where,
			struct td_file_place *place);

/* The window that was opened last ends in `where`; it is of this group of events and
 * stands for `weight` of its kind.  Likewise. */
void td_callpath_close(struct td_thread *thread, const struct td_identity *where,
		       const uint64_t *values, uint32_t group, uint32_t weight);

/*
 * Takes the path from `context`, the first frame being in `place`; at most
 * TD_CALLPATH_DEPTH frames.  Context: signal, on the thread.
 */
void td_callpath_walk(struct td_thread *thread, struct td_walk *walk,
		      const ucontext_t *context, const struct td_identity *where,
		      struct td_file_place *place);

/* How many frames, from the outermost of `open` on, both have in common. */
uint32_t td_callpath_common(const struct td_walk *open, const struct td_walk *close);

#endif
