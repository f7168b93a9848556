// SPDX-License-Identifier: MIT
#include "tools/calls.h"

#include <stdlib.h>

#include "decoder/order.h"

static int by_pair(const void *a, const void *b)
{
	const struct td_call *x = a, *y = b;

	return td_order(x->function, y->function)
		       ?: td_order(x->other, y->other) ?: td_order(x->kind, y->kind);
}

static int by_samples(const void *a, const void *b)
{
	const struct td_call *x = a, *y = b;

	return td_order(x->function, y->function)
		       ?: td_order(y->samples, x->samples) ?: by_pair(a, b);
}

static size_t join(struct td_call *call, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(call, count, sizeof(*call), by_pair);
	for (size_t i = 0; i < count; i++) {
		if (kept && by_pair(&call[kept - 1], &call[i]) == 0)
			call[kept - 1].samples += call[i].samples;
		else
			call[kept++] = call[i];
	}
	if (kept)
		qsort(call, kept, sizeof(*call), by_samples);
	return kept;
}

/* The same function stands above this node, called by anybody. */
static int is_inner(const struct td_paths *tree, size_t node)
{
	size_t row = tree->node[node].row;

	for (size_t i = tree->node[node].parent; i != SIZE_MAX; i = tree->node[i].parent)
		if (tree->node[i].row == row)
			return 1;
	return 0;
}

/* The same call stands above this node. */
static int is_inner_call(const struct td_paths *tree, size_t node)
{
	size_t row = tree->node[node].row, parent = tree->node[node].parent;
	size_t caller = tree->node[parent].row;

	for (size_t i = parent, up; i != SIZE_MAX; i = up) {
		up = tree->node[i].parent;
		if (up != SIZE_MAX && tree->node[i].row == row &&
		    tree->node[up].row == caller)
			return 1;
	}
	return 0;
}

/* The call that leads to this node, as one of `of`; 0: it is none, or counted. */
static int call_of(const struct td_paths *tree, enum td_calls_of of, size_t node,
		   size_t function, struct td_call *call)
{
	const struct td_path_node *callee = &tree->node[node], *caller;
	const struct td_path_node *self, *other;

	if (callee->parent == SIZE_MAX || !callee->total)
		return 0;
	caller = &tree->node[callee->parent];
	self = of == TD_CALLS_CALLERS ? callee : caller;
	other = of == TD_CALLS_CALLERS ? caller : callee;
	if (self->row == SIZE_MAX || (function != TD_CALLS_ALL && self->row != function))
		return 0;
	if (of == TD_CALLS_CALLERS
		    ? is_inner(tree, node)
		    : caller->row == callee->row || is_inner_call(tree, node))
		return 0;
	*call = (struct td_call){self->row, other->row, other->kind, callee->total};
	return 1;
}

struct td_call *td_calls_list(const struct td_paths *tree, enum td_calls_of of,
			      size_t function, size_t *calls)
{
	struct td_call *call = calloc(tree->nodes + 1, sizeof(*call));
	size_t count = 0;

	for (size_t i = 0; call && i < tree->nodes; i++)
		count += (size_t)call_of(tree, of, i, function, &call[count]);
	*calls = call ? join(call, count) : 0;
	return call;
}
