/* SPDX-License-Identifier: MIT */
/*
 * The call paths of all threads and profiles as one tree, whose nodes name the
 * report's rows, and the rows' totals from it.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_PATHS_H
#define TD_DECODER_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/format.h"
#include "decoder/hash.h"
#include "decoder/path_groups.h"

struct td_report;

/* What windows have counted, by the report's counters, own cost taken out. */
struct td_path_sums {
	uint64_t counted[TD_COUNTERS_MAX];
	struct td_file_sum sum[TD_COUNTERS_MAX];
	uint64_t rounded;
	struct td_path_groups
		*groups; /* windows of groups behind the first; NULL: none */
};

struct td_path_node {
	uint32_t kind; /* enum td_path_kind */
	size_t parent; /* index, before this one; SIZE_MAX of a ROOT */
	size_t row;    /* FRAME: id of the row, else SIZE_MAX */
	uint64_t samples;
	uint64_t total; /* samples here and below; in a tree of td_paths_tree() only */
	uint64_t opened;
	uint64_t windows;
	uint32_t part; /* as td_report_function.part, of the paths that end here */
	struct td_path_sums *sums; /* NULL: no windows */
};

struct td_paths {
	struct td_path_node *node;
	size_t nodes;
	struct td_hash by_key;
	size_t *row_of; /* of an id: the id that the row has been merged into */
	size_t *place;  /* of an id, after finish: the row's index in the report */
	size_t rows;
};

/*
 * The node of this row below `parent`, made when it is not there.  Returns its
 * index, or SIZE_MAX without memory.
 */
size_t td_paths_node(struct td_paths *paths, size_t parent, uint32_t kind, size_t row);

/* The node's sums, made when they are not there; NULL without memory. */
struct td_path_sums *td_paths_sums(struct td_path_node *node);

/* Rows have ids up to `rows` - 1 and are about to be merged.  0 or -ENOMEM. */
int td_paths_prepare(struct td_paths *paths, size_t rows);

/* Row `from` is now part of row `into`. */
void td_paths_merge(struct td_paths *paths, size_t into, size_t from);

/* Fills the total of each of the report's rows, once these are final.  0 or
 * -ENOMEM. */
int td_paths_totals(struct td_report *report);

/* Notes where the report's rows are, once these are in their order.  0 or -ENOMEM. */
int td_paths_place(struct td_report *report);

/* The node's function, an index in the finished report; SIZE_MAX for none. */
size_t td_paths_function(const struct td_paths *paths, size_t node);

/*
 * The tree as people look at it, of a finished report: `row` of each frame is the
 * index of its function, siblings are of different functions, and each node holds
 * what the nodes below hold as well, all but `samples`.  0 or -ENOMEM;
 * td_paths_free() after both.
 */
int td_paths_tree(const struct td_report *report, struct td_paths *tree);

/* Samples whose outermost callers are not known. */
uint64_t td_paths_cut(const struct td_paths *paths);

void td_paths_free(struct td_paths *paths);

#endif
