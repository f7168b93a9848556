// SPDX-License-Identifier: MIT
/* The tree of call paths as people look at it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/paths.h"
#include "decoder/report.h"

static int add_sums(struct td_path_node *to, const struct td_path_sums *from)
{
	struct td_path_sums *sums = from ? td_paths_sums(to) : NULL;

	if (!from)
		return 0;
	if (!sums)
		return -ENOMEM;
	sums->rounded += from->rounded;
	for (unsigned c = 0; c < TD_COUNTERS_MAX; c++) {
		sums->counted[c] += from->counted[c];
		td_sum_add(&sums->sum[c], &from->sum[c]);
	}
	return td_path_groups_join(&sums->groups, from->groups);
}

/* Parents stand before their children. */
static int add_to_parents(struct td_paths *tree)
{
	int err = 0;

	for (size_t i = tree->nodes; i-- > 0 && !err;) {
		const struct td_path_node *node = &tree->node[i];
		struct td_path_node *parent;

		if (node->parent == SIZE_MAX)
			continue;
		parent = &tree->node[node->parent];
		parent->total += node->total;
		parent->opened += node->opened;
		parent->windows += node->windows;
		err = add_sums(parent, node->sums);
	}
	return err;
}

/* `to` has the new index of each node. */
static int copy_nodes(const struct td_paths *paths, size_t *to, struct td_paths *tree)
{
	int err = 0;

	for (size_t i = 0; i < paths->nodes && !err; i++) {
		const struct td_path_node *node = &paths->node[i];
		size_t parent = node->parent == SIZE_MAX ? SIZE_MAX : to[node->parent];
		size_t n = td_paths_node(tree, parent, node->kind,
					 td_paths_function(paths, i));

		if (n == SIZE_MAX)
			return -ENOMEM;
		to[i] = n;
		tree->node[n].samples += node->samples;
		tree->node[n].total += node->samples;
		tree->node[n].opened += node->opened;
		tree->node[n].windows += node->windows;
		err = add_sums(&tree->node[n], node->sums);
	}
	return err;
}

int td_paths_tree(const struct td_report *report, struct td_paths *tree)
{
	size_t *to = calloc(report->paths.nodes + 1, sizeof(*to));
	int err = to ? 0 : -ENOMEM;

	memset(tree, 0, sizeof(*tree));
	if (!err)
		err = copy_nodes(&report->paths, to, tree);
	if (!err)
		err = add_to_parents(tree);
	free(to);
	return err;
}
