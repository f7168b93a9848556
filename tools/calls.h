/* SPDX-License-Identifier: MIT */
/*
 * Who calls whom, by the samples that came that way.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_TOOLS_CALLS_H
#define TD_TOOLS_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/paths.h"

enum td_calls_of { TD_CALLS_CALLERS, TD_CALLS_CALLEES };
#define TD_CALLS_ALL SIZE_MAX

struct td_call {
	size_t function; /* an index of the report's, as is */
	size_t other;    /* its caller or callee; SIZE_MAX: none */
	uint32_t kind;   /* the other's enum td_path_kind */
	uint64_t samples;
};

/*
 * The callers or callees of one function (TD_CALLS_ALL: of each) in a tree of
 * td_paths_tree(): ordered by function, then those of most samples first.  What a
 * function calls below itself is counted once.  Returns the list, which is the
 * caller's to free, or NULL without memory.
 */
struct td_call *td_calls_list(const struct td_paths *tree, enum td_calls_of of,
			      size_t function, size_t *calls);

#endif
