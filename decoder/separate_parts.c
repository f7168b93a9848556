// SPDX-License-Identifier: MIT
#include "decoder/separate_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/estimate.h"
#include "decoder/jackknife.h"
#include "decoder/parallel.h"
#include "decoder/separate_state.h"
#include "decoder/separate_states.h"

#define PARTS_MOST (2 * TD_NODES_LEVEL1)
#define COUNTS (1 << PARTS_MOST) /* of td_separate_window.counts */
#define ROUNDED_WHOLE (1. / 12)  /* variance of a count for being a whole one */

struct part {
	const struct td_separate_input *input;
	int number; /* in td_separate_window.counts */
	int node;   /* -1: instructions, of all windows */
	int rest;   /* the node that is what no part counts */
	struct td_separate result;
};

struct parts {
	struct part part[PARTS_MOST + 1]; /* behind n: instructions */
	unsigned n;
	unsigned counted; /* bits of those that are there */
	int rest;         /* the node that has none */
	/* of instructions, to tell states by; NULL: nobody knows them */
	const struct td_separate_trace *states;
};

static int has(unsigned counts, int part)
{
	return counts >> part & 1;
}

/* Which nodes are counted, and which one is left for the rest. */
static int find_parts(const struct td_separate_input *input, struct parts *parts)
{
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if ((!w->unsure || !input->returns) && !w->empty)
			parts->counted |= w->counts;
	}
	parts->rest = -1;
	for (int k = 0; k < PARTS_MOST; k++) {
		if (has(parts->counted, k)) {
			parts->part[parts->n].number = k;
			parts->part[parts->n++].node = k % TD_NODES_LEVEL1;
		} else if (k < TD_NODES_LEVEL1) {
			if (parts->rest >= 0)
				return -EINVAL;
			parts->rest = k;
		}
	}
	return parts->rest < 0 ? -EINVAL : 0;
}

/* The window as one that counts the node and the rest, or nothing. */
static void reduce(const struct td_separate_window *from, const struct part *part,
		   struct td_separate_window *to)
{
	*to = *from;
	memset(to->value, 0, sizeof(to->value));
	to->silent = !has(from->counts, part->number);
	if (to->silent)
		return;
	to->value[part->node] = from->value[part->number];
	to->value[part->rest] = from->slots - from->value[part->number];
}

/* What empty windows count of a node: those that have these parts, or all of them. */
struct empties {
	double n, mean, squares; /* about the mean */
};

static void add_empty(struct empties *to, double value)
{
	double off = value - to->mean;

	to->n++;
	to->mean += off / to->n;
	to->squares += off * (value - to->mean);
}

/* How much more that is than the mean of all, `scatter` being the variance of a window's:
 * less of what few windows may say by chance (W. James and C. Stein, Estimation with
 * quadratic loss, 1961).  *doubt: the square of what it may be off by. */
static double beyond(const struct empties *of, const struct empties *all, double scatter,
		     double *doubt)
{
	double more = of->n > 0 ? of->mean - all->mean : 0;
	double chance = of->n > 0 ? scatter / of->n : 0;

	*doubt = fmin(chance, more * more);
	return chance < more * more ? more * (1 - chance / (more * more)) : 0;
}

/* Of the windows that count the node; *all: of all of them.  The variance of one, where
 * they have the same parts. */
static double find_empties(const struct td_separate_window *window, size_t n, int node,
			   struct empties of[COUNTS], struct empties *all)
{
	double squares = 0, free = 0;

	for (size_t i = 0; i < n; i++) {
		const struct td_separate_window *w = &window[i];

		if (!w->empty || w->silent)
			continue;
		add_empty(&of[w->counts], w->value[node]);
		add_empty(all, w->value[node]);
	}
	for (int c = 0; c < COUNTS; c++) {
		squares += of[c].squares;
		free += fmax(0, of[c].n - 1);
	}
	return free > 0 ? fmax(ROUNDED_WHOLE, squares / free) : INFINITY;
}

/* Each group reads other events, so that what is ours counts more or less of the node: as
 * in all empty windows then, in the mean.  Returns by how many slots windows may differ
 * still; what all of them have too much is taken for their cost. */
static double even_costs(struct td_separate_window *window, size_t n, int node, int rest)
{
	struct empties of[COUNTS] = {{0, 0, 0}}, all = {0, 0, 0};
	double scatter = find_empties(window, n, node, of, &all);
	double more[COUNTS], doubt[COUNTS], windows[COUNTS] = {0}, counted = 0, sum = 0;

	for (int c = 0; c < COUNTS; c++)
		more[c] = beyond(&of[c], &all, scatter, &doubt[c]);
	for (size_t i = 0; i < n; i++) {
		struct td_separate_window *w = &window[i];

		if (w->silent)
			continue;
		w->value[node] -= (float)more[w->counts];
		w->value[rest] += (float)more[w->counts];
		windows[w->counts] += !w->empty;
		counted += !w->empty;
	}
	for (int c = 0; c < COUNTS && counted > 0; c++)
		sum += windows[c] / counted * (1 - windows[c] / counted) * doubt[c];
	return sqrt(sum);
}

static int separate_node(struct part *part)
{
	const struct td_separate_input *input = part->input;
	struct td_separate_window *window =
		malloc((input->windows + 1) * sizeof(*window));
	struct td_separate_input of = *input;
	int err;

	if (!window)
		return -ENOMEM;
	of.window = window;
	of.nodes = TD_NODES_LEVEL1;
	of.left = 1 + (unsigned)part->rest;
	of.traced = 1 + (unsigned)part->node;
	for (size_t i = 0; i < input->windows; i++)
		reduce(&input->window[i], part, &window[i]);
	of.own_doubt = even_costs(window, input->windows, part->node, part->rest);
	err = td_separate(&of, &part->result);
	free(window);
	return err;
}

/* All windows that know them, whatever else they count, and the rest of their slots. */
static size_t take_common(const struct td_separate_input *input, int node, int rest,
			  struct td_separate_window *window)
{
	size_t known = 0;

	for (size_t i = 0; i < input->windows; i++) {
		struct td_separate_window *w = &window[i];

		*w = input->window[i];
		memset(w->value, 0, sizeof(w->value));
		w->silent = isnan(input->common[i]);
		if (w->silent)
			continue;
		w->value[node] = input->common[i];
		w->value[rest] = w->slots - w->value[node];
		known += !w->empty;
	}
	return known;
}

int td_separate_common(const struct td_separate_input *input, struct td_separate *result)
{
	const int node = 0, rest = 1;
	struct td_separate_window *window =
		malloc((input->windows + 1) * sizeof(*window));
	struct td_separate_input of = *input;
	int err = 0;

	memset(result, 0, sizeof(*result));
	if (!window)
		return -ENOMEM;
	of.window = window;
	of.nodes = TD_NODES_LEVEL1;
	of.left = 1 + rest;
	of.traced = 1 + node;
	of.paced = 1;
	of.chosen = 0;
	if (take_common(input, node, rest, window))
		err = td_separate(&of, result);
	free(window);
	return err;
}

static int separate_part(void *piece)
{
	struct part *part = piece;

	return part->node < 0 ? td_separate_common(part->input, &part->result)
			      : separate_node(part);
}

/*
 * A node, or a part of it, and how sure it is.  Parts are of the same windows or of
 * others of the same batches, so batches show how they go together.  What no batch shows
 * of each is taken for its own.
 */
struct whole {
	double value;              /* within bounds */
	double change[TD_BATCHES]; /* of it without a batch */
	double unseen;             /* variance that batches do not show */
	unsigned df;               /* 0: nothing is in it */
};

static struct whole whole_of(const struct td_separate_trace *trace, double value)
{
	struct whole whole = {
		.value = fmax(0, fmin(1, value)),
		.unseen = fmax(0, trace->variance - td_jackknife_variance(trace->change)),
		.df = trace->df,
	};

	memcpy(whole.change, trace->change, sizeof(whole.change));
	return whole;
}

static void add_to(struct whole *to, const struct whole *part)
{
	to->value += part->value;
	for (int b = 0; b < TD_BATCHES; b++)
		to->change[b] += part->change[b];
	to->unseen += part->unseen;
	to->df = to->df && to->df < part->df ? to->df : part->df;
}

static void set_node(const struct whole *whole, double value, double middle,
		     struct td_topdown_value *node)
{
	double variance = td_jackknife_variance(whole->change) + whole->unseen;

	*node = (struct td_topdown_value){
		.present = 1,
		.estimate = td_separate_bound(value, middle,
					      td_student_t95(whole->df) * sqrt(variance)),
		.df = whole->df,
	};
}

/* What is left of 1, and what the parts say too much of together taken off them. */
static void close_level(const struct parts *parts, const struct whole *whole,
			struct td_topdown_value *node)
{
	struct whole all = {0};

	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		if (k != parts->rest)
			add_to(&all, &whole[k]);
	}
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		if (k != parts->rest)
			set_node(&whole[k], whole[k].value / fmax(1, all.value),
				 whole[k].value, &node[k]);
	}
	set_node(&all, fmax(0, 1 - all.value), 1 - all.value, &node[parts->rest]);
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
	struct whole whole[TD_NODES_LEVEL1] = {0};
	int measured = 1;

	to->evidence = first->evidence;
	to->identifiability = first->identifiability;
	for (unsigned p = 0; p < parts->n; p++) {
		const struct td_separate_function *from =
			&parts->part[p].result.function[function];

		to->evidence = weaker(to->evidence, from->evidence);
		to->identifiability = fmin(to->identifiability, from->identifiability);
		to->visit = fmax(to->visit, from->visit);
		to->own = from->own > to->own ? from->own : to->own;
		measured = measured && from->node[0].present;
	}
	/* shares its unknown with others */
	if (to->evidence == TD_EVIDENCE_NONE || !measured)
		return;
	for (unsigned p = 0; p < parts->n; p++) {
		const struct td_separate *from = &parts->part[p].result;
		int node = parts->part[p].node;
		double value = from->function[function].node[node].estimate.value;
		struct td_separate_trace trace = from->trace[function];
		struct whole part;

		value -= trace.value;
		if (parts->states)
			td_states_join(&parts->states[function], &trace);
		part = whole_of(&trace, value + trace.value);
		add_to(&whole[node], &part);
	}
	close_level(parts, whole, to->node);
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

/* Each node of the cost by its part; the rest is what is left. */
static void join_cost(const struct parts *parts, struct td_separate_cost *cost)
{
	double left = 1;

	*cost = parts->part[0].result.cost;
	for (unsigned p = 0; p < parts->n; p++) {
		const struct part *part = &parts->part[p];

		if (part->result.cost.axis == TD_AXIS_NONE)
			cost->axis = TD_AXIS_NONE;
		if (part->number < TD_NODES_LEVEL1)
			cost->mix[part->node] = 0;
		cost->mix[part->node] += part->result.cost.mix[part->node];
		left -= part->result.cost.mix[part->node];
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

/* Behind edges instructions have told what states there were, which no trace has. */
static int is_clocked(const struct parts *parts)
{
	for (unsigned p = 0; p < parts->n; p++)
		if (parts->part[p].result.cost.clocked &&
		    !parts->part[p].result.cost.follows)
			return 1;
	return 0;
}

int td_separate_parts(const struct td_separate_input *input, struct td_separate *result)
{
	struct parts parts = {.n = 0};
	int err = find_parts(input, &parts);
	struct part *insns = &parts.part[parts.n];

	insns->node = -1;
	for (unsigned p = 0; p <= parts.n; p++) {
		parts.part[p].input = input;
		parts.part[p].rest = parts.rest;
	}
	if (!err)
		err = td_parallel_run(separate_part, parts.part, sizeof(*parts.part),
				      parts.n + (input->common != NULL));
	if (!err && !is_clocked(&parts))
		parts.states = insns->result.trace;
	if (!err)
		err = join(input, &parts, result);
	if (!err) {
		result->trace = insns->result.trace;
		insns->result.trace = NULL;
	}
	for (unsigned p = 0; p <= parts.n; p++)
		td_separate_free(&parts.part[p].result);
	return err;
}
