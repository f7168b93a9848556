// SPDX-License-Identifier: MIT
#include "decoder/separate_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MOST 4
#define HALF_LEAST 1e-6 /* of an interval */

struct part {
	unsigned counts;
	struct td_separate result;
};

struct parts {
	struct part part[PARTS_MOST];
	unsigned n;
	unsigned counted; /* nodes that some part has */
	int rest;         /* the node that none has */
};

static int has(unsigned counts, int node)
{
	return counts >> node & 1;
}

static int add_part(struct parts *parts, unsigned counts)
{
	for (unsigned p = 0; p < parts->n; p++)
		if (parts->part[p].counts == counts)
			return 0;
	if (parts->n == PARTS_MOST)
		return -EINVAL;
	parts->part[parts->n++].counts = counts;
	parts->counted |= counts;
	return 0;
}

/* Which parts there are, and which node is left for the rest. */
static int find_parts(const struct td_separate_input *input, struct parts *parts)
{
	int err = 0;

	for (size_t i = 0; i < input->windows && !err; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (!w->unsure && !w->empty)
			err = add_part(parts, w->counts & TD_COUNTS_LEVEL1);
	}
	parts->rest = -1;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		if (has(parts->counted, k))
			continue;
		if (parts->rest >= 0)
			return -EINVAL;
		parts->rest = k;
	}
	return err || parts->rest < 0 ? -EINVAL : 0;
}

/* The window as one that counts no more than the part; the rest is in one node. */
static void reduce(const struct td_separate_window *from, unsigned counts, int rest,
		   struct td_separate_window *to)
{
	float left = from->slots;

	*to = *from;
	memset(to->value, 0, sizeof(to->value));
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		if (!has(counts, k))
			continue;
		to->value[k] = from->value[k];
		left -= from->value[k];
	}
	to->value[rest] = left;
}

static int separate_part(const struct td_separate_input *input, int rest,
			 struct part *part)
{
	struct td_separate_window *window =
		malloc((input->windows + 1) * sizeof(*window));
	struct td_separate_input of = *input;
	int err;

	if (!window)
		return -ENOMEM;
	of.window = window;
	of.windows = 0;
	of.nodes = TD_NODES_LEVEL1;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if ((w->counts & part->counts) == part->counts)
			reduce(w, part->counts, rest, &window[of.windows++]);
	}
	err = td_separate(&of, &part->result);
	free(window);
	return err;
}

static double half_of(const struct td_topdown_value *value)
{
	return fmax(HALF_LEAST, (value->estimate.high - value->estimate.low) / 2);
}

/*
 * The mean of the parts that have the node, by their precision.  They share windows,
 * so that together they are not taken to be surer than they are on average.
 */
static void join_node(const struct parts *parts, size_t function, int node,
		      struct td_topdown_value *to)
{
	double weights = 0, value = 0, half = 0;

	for (unsigned p = 0; p < parts->n; p++) {
		const struct td_topdown_value *from =
			&parts->part[p].result.function[function].node[node];
		double weight;

		if (!has(parts->part[p].counts, node))
			continue;
		weight = 1 / (half_of(from) * half_of(from));
		weights += weight;
		value += weight * from->estimate.value;
		half += weight * half_of(from);
		if (!to->df || from->df < to->df)
			to->df = from->df;
		to->rounding = fmax(to->rounding, from->rounding);
	}
	to->present = 1;
	to->estimate.value = value / weights;
	to->estimate.low = half / weights; /* for now: half of the interval */
}

/* What is left of 1, and what the parts say too much of together taken off them. */
static void close_level(const struct parts *parts, struct td_topdown_value *node)
{
	struct td_topdown_value *rest = &node[parts->rest];
	double sum = 0, squares = 0;

	*rest = (struct td_topdown_value){.present = 1};
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		if (k == parts->rest)
			continue;
		sum += node[k].estimate.value;
		squares += node[k].estimate.low * node[k].estimate.low;
		if (!rest->df || node[k].df < rest->df)
			rest->df = node[k].df;
		rest->rounding = fmax(rest->rounding, node[k].rounding);
	}
	rest->estimate.value = fmax(0, 1 - sum);
	rest->estimate.low = sqrt(squares);
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		struct td_estimate *e = &node[k].estimate;
		double middle = k == parts->rest ? 1 - sum : e->value, half = e->low;

		if (k != parts->rest && sum > 1)
			e->value /= sum;
		e->low = fmin(e->value, fmax(0, middle - half));
		e->high = fmax(e->value, fmin(1, middle + half));
	}
}

static enum td_evidence weaker(enum td_evidence a, enum td_evidence b)
{
	if (a == TD_EVIDENCE_NONE || b == TD_EVIDENCE_NONE)
		return TD_EVIDENCE_NONE;
	return a > b ? a : b;
}

static void join_function(const struct parts *parts, size_t function,
			  struct td_separate_function *to)
{
	const struct td_separate_function *first =
		&parts->part[0].result.function[function];
	int measured = 1;

	to->evidence = first->evidence;
	to->identifiability = first->identifiability;
	for (unsigned p = 0; p < parts->n; p++) {
		const struct td_separate_function *from =
			&parts->part[p].result.function[function];

		to->evidence = weaker(to->evidence, from->evidence);
		to->identifiability = fmin(to->identifiability, from->identifiability);
		to->visit = fmax(to->visit, from->visit);
		to->own += from->own;
		measured = measured && from->node[0].present;
	}
	/* shares its unknown with others */
	if (to->evidence == TD_EVIDENCE_NONE || !measured)
		return;
	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		if (has(parts->counted, k))
			join_node(parts, function, k, &to->node[k]);
	close_level(parts, to->node);
}

/* A window that counts for several parts is still one. */
static void count_windows(const struct td_separate_input *input,
			  struct td_separate *result)
{
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (w->empty)
			continue;
		result->windows++;
		result->function[w->open].windows++;
		result->function[w->close].windows += w->close != w->open;
	}
}

/* Each node of the cost by the first part that has it; the rest is the last. */
static void join_cost(const struct parts *parts, struct td_separate_cost *cost)
{
	double left = 1;

	*cost = parts->part[0].result.cost;
	for (unsigned p = 0; p < parts->n; p++)
		if (parts->part[p].result.cost.axis == TD_AXIS_NONE)
			cost->axis = TD_AXIS_NONE;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		unsigned p = 0;

		if (k == parts->rest)
			continue;
		while (!has(parts->part[p].counts, k))
			p++;
		cost->mix[k] = parts->part[p].result.cost.mix[k];
		left -= cost->mix[k];
	}
	cost->mix[parts->rest] = left;
}

static int join(const struct td_separate_input *input, const struct parts *parts,
		struct td_separate *result)
{
	memset(result, 0, sizeof(*result));
	result->function = calloc(input->functions + 1, sizeof(*result->function));
	if (!result->function)
		return -ENOMEM;
	result->functions = input->functions;
	join_cost(parts, &result->cost);
	count_windows(input, result);
	for (size_t f = 0; f < input->functions; f++) {
		join_function(parts, f, &result->function[f]);
		result->own += result->function[f].own;
	}
	return 0;
}

int td_separate_parts(const struct td_separate_input *input, struct td_separate *result)
{
	struct parts parts = {.n = 0};
	int err = find_parts(input, &parts);

	for (unsigned p = 0; p < parts.n && !err; p++)
		err = separate_part(input, parts.rest, &parts.part[p]);
	if (!err)
		err = join(input, &parts, result);
	for (unsigned p = 0; p < parts.n; p++)
		td_separate_free(&parts.part[p].result);
	return err;
}
