// SPDX-License-Identifier: MIT
#include "decoder/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report.h"
#include "decoder/reserve.h"

struct key {
	const struct td_paths *paths;
	size_t parent;
	size_t row;
	uint32_t kind;
};

static int same_node(const void *context, size_t index)
{
	const struct key *key = context;
	const struct td_path_node *node = &key->paths->node[index];

	return node->parent == key->parent && node->row == key->row &&
	       node->kind == key->kind;
}

size_t td_paths_node(struct td_paths *paths, size_t parent, uint32_t kind, size_t row)
{
	struct key key = {paths, parent, row, kind};
	uint64_t words[3] = {parent, row, kind};
	uint64_t hash = td_hash_bytes(0, words, sizeof(words));
	size_t found = td_hash_find(&paths->by_key, hash, same_node, &key);
	size_t n = paths->nodes;

	if (found != SIZE_MAX)
		return found;
	if (td_reserve(&paths->node, n, sizeof(*paths->node)) < 0 ||
	    td_hash_add(&paths->by_key, hash, n) < 0)
		return SIZE_MAX;
	paths->node[n] =
		(struct td_path_node){.kind = kind, .parent = parent, .row = row};
	paths->nodes++;
	return n;
}

struct td_path_sums *td_paths_sums(struct td_path_node *node)
{
	if (!node->sums)
		node->sums = calloc(1, sizeof(*node->sums));
	return node->sums;
}

int td_paths_prepare(struct td_paths *paths, size_t rows)
{
	paths->row_of = calloc(rows + 1, sizeof(*paths->row_of));
	if (!paths->row_of)
		return -ENOMEM;
	for (size_t i = 0; i < rows; i++)
		paths->row_of[i] = i;
	paths->rows = rows;
	return 0;
}

void td_paths_merge(struct td_paths *paths, size_t into, size_t from)
{
	if (from < paths->rows)
		paths->row_of[from] = into;
}

/* 0 or -ENOMEM. */
static int add_total(struct td_report_total *total, const struct td_path_node *node)
{
	total->samples += node->samples;
	total->opened += node->opened;
	total->windows += node->windows;
	if (!node->sums)
		return 0;
	total->rounded += node->sums->rounded;
	for (unsigned c = 0; c < TD_COUNTERS_MAX; c++) {
		total->counted[c] += node->sums->counted[c];
		td_sum_add(&total->sum[c], &node->sums->sum[c]);
	}
	return td_path_groups_join(&total->groups, node->sums->groups);
}

/* To the function of the node and all callers, once to each.  0 or -ENOMEM. */
static int add_to_callers(struct td_report *report, size_t index, const size_t *place,
			  size_t *seen)
{
	const struct td_paths *paths = &report->paths;
	const struct td_path_node *node = &paths->node[index];
	int err = 0;

	for (size_t i = index; i != SIZE_MAX && !err; i = paths->node[i].parent) {
		size_t row = paths->node[i].row;

		if (row >= paths->rows)
			continue;
		row = place[paths->row_of[row]];
		if (row == SIZE_MAX || seen[row] == index)
			continue;
		seen[row] = index;
		err = add_total(&report->function[row].total, node);
	}
	return err;
}

/* Where the rows are now, by their ids. */
static void find_rows(const struct td_report *report, size_t *place)
{
	for (size_t i = 0; i < report->paths.rows; i++)
		place[i] = SIZE_MAX;
	for (size_t i = 0; i < report->functions; i++)
		place[report->function[i].id] = i;
}

int td_paths_totals(struct td_report *report)
{
	struct td_paths *paths = &report->paths;
	size_t *place = calloc(paths->rows + 1, sizeof(*place));
	size_t *seen = calloc(report->functions + 1, sizeof(*seen));
	int err = place && seen ? 0 : -ENOMEM;

	if (!err) {
		find_rows(report, place);
		for (size_t i = 0; i < report->functions; i++)
			seen[i] = SIZE_MAX;
	}
	for (size_t i = 0; i < paths->nodes && !err; i++) {
		if (paths->node[i].samples || paths->node[i].opened ||
		    paths->node[i].windows)
			err = add_to_callers(report, i, place, seen);
	}
	free(place);
	free(seen);
	return err;
}

int td_paths_place(struct td_report *report)
{
	struct td_paths *paths = &report->paths;

	paths->place = calloc(paths->rows + 1, sizeof(*paths->place));
	if (!paths->place)
		return -ENOMEM;
	for (size_t i = 0; i < paths->rows; i++)
		paths->place[i] = SIZE_MAX;
	for (size_t i = 0; i < report->rows; i++)
		paths->place[report->function[i].id] = i;
	return 0;
}

size_t td_paths_function(const struct td_paths *paths, size_t node)
{
	size_t row = paths->node[node].row;

	return row < paths->rows ? paths->place[paths->row_of[row]] : SIZE_MAX;
}

uint64_t td_paths_cut(const struct td_paths *paths)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < paths->nodes; i++) {
		size_t top = i;

		if (!paths->node[i].samples)
			continue;
		while (paths->node[top].kind == TD_PATH_FRAME)
			top = paths->node[top].parent;
		if (paths->node[top].kind == TD_PATH_CUT)
			samples += paths->node[i].samples;
	}
	return samples;
}

void td_paths_free(struct td_paths *paths)
{
	for (size_t i = 0; i < paths->nodes; i++) {
		if (paths->node[i].sums)
			free(paths->node[i].sums->groups);
		free(paths->node[i].sums);
	}
	free(paths->node);
	free(paths->row_of);
	free(paths->place);
	td_hash_free(&paths->by_key);
	memset(paths, 0, sizeof(*paths));
}
