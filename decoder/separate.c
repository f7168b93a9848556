// SPDX-License-Identifier: MIT
#include "decoder/separate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/separate_state.h"
#include "decoder/window_batches.h"
#include "decoder/window_opening.h"
#include "decoder/window_short.h"
#include "decoder/window_start.h"
#include "decoder/window_stays.h"
#include "decoder/window_sways.h"
#include "decoder/window_variance.h"

#define EMPTY_TRUSTED 0.1 /* of an empty window's cost: as near the others' is */
#define EDGES_DIFFER 0.05 /* standard deviation of their mix on the two sides */
#define VARIES 0.01       /* standard deviation that makes a twin, the lean */
#define LEANS 0.5         /* of what varies: behaviour and lengths go together */
#define BY_PLACE 0.2      /* of its variance: then it is by place */
#define TWIN_LEAST 0.03   /* of its variance: not to be seen is not to be none */

static void mean_mix(const struct td_separate_state *s, double *mix)
{
	td_sides sum = {0}, cost = {0};
	double n = 0, empties = 0, level1 = 0, cycles = 0;

	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];

		if (w->silent)
			continue;
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			*(w->empty ? &cost[k] : &sum[k]) += w->value[k] / s->axis.width;
		empties += w->empty;
		n += !w->empty;
		cycles += w->empty ? 0 : w->slots / s->axis.width - s->axis.empty;
	}
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		mix[k] = fmax(0, sum[k] - (empties > 0 ? cost[k] * n / empties : 0));
	for (int k = 0; k < TD_SEPARATE_NODES && s->axis.edges; k++)
		mix[k] = fmax(0, mix[k] - n * s->axis.start * s->axis.mix[k]);
	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		level1 += mix[k];
	if (s->input->rates)
		level1 = cycles;
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		mix[k] = level1 > 0 ? mix[k] / level1 : 0.25;
}

static void empty_mean(const struct td_separate_state *s, double *cost, double *empties)
{
	memset(cost, 0, sizeof(td_sides));
	*empties = 0;
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];

		if (!w->empty || w->silent)
			continue;
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			cost[k] += w->value[k] / s->axis.width;
		(*empties)++;
	}
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		cost[k] /= fmax(*empties, 1);
}

static void set_priors(struct td_separate_state *s, struct td_normal *normal)
{
	double empties, trusted;
	td_sides mix, cost;

	mean_mix(s, mix);
	empty_mean(s, cost, &empties);
	for (uint32_t i = 0; i < normal->unknowns; i++) {
		normal->ridge[i] = 1 / (TD_FRACTION_SPREAD * TD_FRACTION_SPREAD);
		memset(normal->prior[i], 0, sizeof(td_sides));
		if (i < normal->columns)
			memcpy(normal->prior[i], mix, sizeof(td_sides));
	}
	for (uint32_t c = 0; c < normal->columns; c++) {
		if (normal->twin[c] != TD_NO_TWIN)
			normal->ridge[normal->twin[c]] =
				1 / (s->twin_spread[c] * s->twin_spread[c]);
	}
	trusted = fmax(1, EMPTY_TRUSTED * s->axis.empty);
	normal->shared_ridge[0] = empties > 0 ? 1 / (trusted * trusted) : 1e-9;
	memcpy(normal->shared_prior[0], cost, sizeof(td_sides));
	if (s->axis.cost_error > 0) {
		normal->shared_ridge[0] = 1 / (s->axis.cost_error * s->axis.cost_error);
		memcpy(normal->shared_prior[0], s->axis.cost, sizeof(td_sides));
	}
	normal->shared_ridge[1] = 1 / (EDGES_DIFFER * EDGES_DIFFER);
	memcpy(normal->shared_prior[1], s->axis.mix, sizeof(td_sides));
}

/* For each cycle of windows that may be known as own, so many are in all; of those that
 * open in each column. */
static void all_for_sure(const struct td_separate_state *s, double *all, double *sure)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		double length = td_axis_length(&s->axis, w);

		if (w->empty || w->silent)
			continue;
		all[s->columns.open[i]] += length;
		if (!w->unsure || td_columns_can_tell(&s->columns, s->input, &s->axis, i))
			sure[s->columns.open[i]] += length;
	}
	for (uint32_t c = 0; c < s->columns.columns; c++)
		all[c] = sure[c] > 0 ? all[c] / sure[c] : 1;
}

static void find_covered(struct td_separate_state *s, double *covered)
{
	uint32_t columns = s->columns.columns;
	double *own = calloc(3 * (size_t)columns + 1, sizeof(*own));
	double *all = own ? own + columns : NULL;

	memset(covered, 0, columns * sizeof(*covered));
	if (!own)
		return;
	all_for_sure(s, all, all + columns);
	for (size_t k = 0; k < s->rows.keys; k++) {
		const struct td_key *key = &s->rows.key[k];

		for (uint32_t b = 0; b < key->bins && !key->backward; b++) {
			own[key->function] +=
				all[key->function] * key->bin[b].row[TD_ROW_OWN].cycles;
			for (uint32_t c = 0; c < key->columns; c++)
				covered[key->column[c]] +=
					key->time[(size_t)b * key->columns + c];
		}
	}
	for (uint32_t c = 0; c < columns; c++)
		covered[c] = own[c] > 0 ? fmin(1, own[c] / fmax(covered[c], own[c])) : 0;
	free(own);
}

static int solve_round(struct td_separate_state *s, int twins)
{
	uint32_t unknowns = s->columns.columns;
	int err;

	for (uint32_t c = 0; c < s->columns.columns && twins; c++)
		unknowns += s->twin_spread[c] > 0;
	td_normal_free(&s->normal);
	err = td_normal_init(&s->normal, s->columns.columns, unknowns);
	if (err)
		return err;
	s->normal.lines = &s->lines;
	s->normal.tie = s->tie;
	s->normal.between = s->axis.between;
	unknowns = s->columns.columns;
	for (uint32_t c = 0; c < s->columns.columns && twins; c++) {
		if (s->twin_spread[c] > 0)
			s->normal.twin[c] = unknowns++;
	}
	find_covered(s, s->normal.covered);
	set_priors(s, &s->normal);
	err = td_normal_build(&s->normal, &s->rows);
	if (err)
		return err;
	free(s->at.each);
	s->at = s->normal.right;
	s->at.each = malloc((unknowns + 1) * sizeof(*s->at.each));
	if (!s->at.each)
		return -ENOMEM;
	memcpy(s->at.each, s->normal.right.each, unknowns * sizeof(*s->at.each));
	return td_normal_solve(&s->normal, &s->at);
}

/* Means over the nodes of level 1 are over all four; but a part of one that groups count
 * has two that differ, the node and what is left. */
static double nodes_more(const struct td_separate_state *s)
{
	return s->input->left ? TD_NODES_LEVEL1 / 2. : 1;
}

/* Functions lean as much as this round has seen, beyond what chance explains. */
static void shrink_twins(struct td_separate_state *s, const double *part)
{
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		uint32_t twin = s->normal.twin[c];
		double sum = 0, prior = s->twin_spread[c] * s->twin_spread[c], chance;

		if (twin == TD_NO_TWIN)
			continue;
		for (int k = 0; k < TD_NODES_LEVEL1; k++)
			sum += pow(s->at.each[twin][k], 2) / TD_NODES_LEVEL1 *
			       nodes_more(s);
		/* the estimate is shrunk already: 1 - part of it is left */
		chance = prior * part[twin] * (1 - part[twin]);
		sum = (sum - chance) / pow(fmax(0.05, 1 - part[twin]), 2);
		s->twin_spread[c] = sqrt(fmin(prior, fmax(TWIN_LEAST * prior, sum)));
	}
}

/* What this round has seen: how much functions lean, and which pieces are alike. */
static int look(struct td_separate_state *s)
{
	double *part = malloc((s->normal.unknowns + 1) * sizeof(*part));
	int err = part ? td_normal_prior_part(&s->normal, part) : -ENOMEM;

	if (!err) {
		shrink_twins(s, part);
		err = td_separate_tie(s, part);
	}
	free(part);
	return err;
}

/* How much a wrong function in a key's times matters. */
static void find_differ(const struct td_separate_state *s, struct td_rows *rows)
{
	for (size_t k = 0; k < rows->keys; k++) {
		struct td_key *key = &rows->key[k];
		td_sides sum = {0}, square = {0};
		double total = 0, differ = 0;

		for (uint32_t c = 0; c < key->columns; c++) {
			double cycles = 0;

			for (uint32_t b = 0; b < key->bins; b++)
				cycles += key->time[(size_t)b * key->columns + c];
			cycles = fmax(0, cycles);
			total += cycles;
			for (int i = 0; i < TD_NODES_LEVEL1; i++) {
				double r = s->bounded.each[key->column[c]][i];

				sum[i] += cycles * r;
				square[i] += cycles * r * r;
			}
		}
		for (int i = 0; i < TD_NODES_LEVEL1 && total > 0; i++)
			differ += square[i] / total - sum[i] / total * sum[i] / total;
		key->differ = fmax(1e-4, differ / TD_NODES_LEVEL1);
	}
}

static int constrain(struct td_separate_state *s)
{
	free(s->bounded.each);
	s->bounded = s->at;
	s->bounded.each = malloc((s->normal.unknowns + 1) * sizeof(td_sides));
	if (!s->bounded.each)
		return -ENOMEM;
	memcpy(s->bounded.each, s->at.each, s->normal.unknowns * sizeof(td_sides));
	return s->input->rates
		       ? 0
		       : td_normal_constrain(&s->normal, &s->bounded, s->input->nodes);
}

/* What the edges' scatter does to a window of each function: a late start has so many
 * cycles of the edges more and of the function less. */
static void find_edges(const struct td_separate_state *s, double *edges)
{
	double variance = s->axis.start_spread * s->axis.start_spread;

	for (uint32_t c = 0; c < s->columns.columns; c++) {
		edges[c] = 0;
		for (int k = 0; k < TD_NODES_LEVEL1; k++)
			edges[c] += variance / TD_NODES_LEVEL1 *
				    pow(s->bounded.each[c][k] - s->axis.mix[k], 2);
	}
}

/* What varies by place is another in own windows, for they are away from a visit's ends;
 * else a function leans.  As far as that goes with instructions it is left to them, of
 * all windows (separate_states.h), and an error here. */
static int find_leans(struct td_separate_state *s, const double *untold)
{
	struct td_stay *stay = td_stays_find(s->input, &s->axis, &s->columns);
	double *covered = malloc((s->columns.columns + 1) * sizeof(*covered));
	int err = stay && covered ? 0 : -ENOMEM;

	if (!err)
		find_covered(s, covered);
	for (uint32_t c = 0; c < s->columns.columns && !err; c++) {
		double varies = s->varies[c];
		double by_place = pow(stay[c].by_place, 2) * nodes_more(s);
		double lean = LEANS * varies * (1 - stay[c].left[TD_STAYS - 1]);

		stay[c].aside =
			by_place > BY_PLACE * varies * varies ? 1 - covered[c] : 0;
		s->twin_spread[c] = stay[c].aside > 0 ? varies : lean * untold[c];
		s->left_lean[c] =
			stay[c].aside > 0 ? 0 : lean * sqrt(1 - untold[c] * untold[c]);
		if (varies <= VARIES)
			s->twin_spread[c] = s->left_lean[c] = 0;
	}
	if (!err)
		td_stays_lean(&s->rows, stay);
	free(stay);
	free(covered);
	return err;
}

/* What functions vary by, and the part of it that does not go with instructions. */
static int find_varies(struct td_separate_state *s, double *edges, double *untold)
{
	int err;

	td_variance_of_functions(&s->rows, edges, untold);
	for (uint32_t c = 0; c < s->columns.columns && s->common.taken; c++)
		edges[c] -= s->common.taken[c];
	td_variance_of_functions(&s->rows, edges, s->varies);
	err = td_variance_widen_own(&s->rows, s->varies);
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		untold[c] = s->varies[c] > 0 ? fmin(1, untold[c] / s->varies[c]) : 1;
		s->varies[c] *= sqrt(nodes_more(s));
	}
	/* edges move nothing across a line: what is there is not lost in their scatter */
	for (uint32_t c = 0; c < s->columns.columns && s->lines.line; c++) {
		if (s->lines.line[c].weight > 0)
			s->varies[c] = s->lines.line[c].varies;
	}
	return err;
}

static int find_twins(struct td_separate_state *s)
{
	double *edges, *untold;
	int err;

	edges = calloc(2 * ((size_t)s->columns.columns + 1), sizeof(*edges));
	if (!edges)
		return -ENOMEM;
	untold = edges + s->columns.columns;
	if (s->axis.start_spread > 0)
		find_edges(s, edges);
	err = find_varies(s, edges, untold);
	if (!err)
		err = find_leans(s, untold);
	free(edges);
	return err;
}

int td_separate_lines(const struct td_separate_state *s, const struct td_axis *axis,
		      unsigned without, struct td_lines *lines)
{
	const struct td_lines_known known = {
		.cost = s->at.shared[0],
		.fraction = (const td_sides *)s->bounded.each,
	};

	if (s->axis.start_spread > 0)
		return td_lines_find(lines, s->input, axis, &s->columns, &known, without);
	return td_sways_find(lines, s->input, axis, &s->columns, s->sways_cost,
			     s->twin_spread, without);
}

static int find_lines(struct td_separate_state *s)
{
	memcpy(s->sways_cost, s->at.shared[0], sizeof(s->sways_cost));
	return td_separate_lines(s, &s->axis, TD_NO_BATCH, &s->lines);
}

static int solve_and_bound(struct td_separate_state *s, int twins)
{
	int err = solve_round(s, twins);

	return err ? err : constrain(s);
}

/* First without twins where edges must be told from what varies; then with them, as
 * wide as they may be, and as wide as they were seen to be. */
static int solve(struct td_separate_state *s)
{
	int err = td_rows_fill(&s->rows, TD_NO_BATCH);

	td_variance_guess(&s->rows);
	if (!err)
		err = td_events_fill(&s->events[0], TD_NO_BATCH);
	if (!err)
		err = td_events_fill(&s->events[1], TD_NO_BATCH);
	if (err)
		return err;
	td_variance_find(&s->rows);
	td_common_doubt(&s->common, &s->rows);
	if (s->axis.start_spread > 0)
		err = solve_and_bound(s, 0);
	if (!err && s->axis.start_spread > 0)
		err = find_lines(s);
	if (!err)
		err = find_twins(s);
	if (!err)
		err = solve_and_bound(s, 1);
	if (!err) {
		find_differ(s, &s->rows);
		for (int i = 0; i < 2 && s->rows.more; i++)
			find_differ(s, &s->events[i].rows);
	}
	if (!err)
		err = look(s);
	if (!err)
		err = find_lines(s);
	return err ? err : solve_and_bound(s, 1);
}

static void free_state(struct td_separate_state *s)
{
	td_columns_free(&s->columns);
	td_common_free(&s->common);
	td_late_free(&s->late);
	td_rows_free(&s->rows);
	td_ends_free(&s->ends);
	td_clock_free(&s->clock);
	td_events_free(&s->events[0]);
	td_events_free(&s->events[1]);
	td_lines_free(&s->lines);
	td_normal_free(&s->normal);
	free(s->varies);
	free(s->twin_spread);
	free(s->left_lean);
	free(s->tie);
	free(s->prior_part);
	free(s->at.each);
	free(s->bounded.each);
}

/* How much of a function is in each of its columns: by where the triggers came. */
static void count_ends(struct td_separate_state *s)
{
	memset(s->columns.ends, 0, s->columns.columns * sizeof(*s->columns.ends));
	for (size_t i = 0; i < s->input->windows; i++) {
		if (s->input->window[i].empty)
			continue;
		s->columns.ends[s->ends.open[i]]++;
		s->columns.ends[s->ends.close[i]]++;
	}
}

/* The program by its instructions says more of how late interrupts are. */
static void move_late(struct td_separate_state *s)
{
	struct td_separate_window *window =
		s->common.window ? s->common.window : s->late.window;

	if (s->clock.late)
		td_late_move(window, s->input->windows, &s->axis, &s->columns,
			     s->clock.late);
}

static int run(struct td_separate_state *s, struct td_separate *result)
{
	const struct td_separate_input *clock = s->input;
	size_t n;
	int err = td_columns_find(&s->columns, s->input, &s->axis);

	if (err)
		return err;
	n = (size_t)s->columns.columns + 1;
	s->varies = calloc(n, sizeof(*s->varies));
	s->twin_spread = calloc(n, sizeof(*s->twin_spread));
	s->left_lean = calloc(n, sizeof(*s->left_lean));
	s->tie = calloc(n, sizeof(*s->tie));
	s->prior_part = calloc(2 * n, sizeof(*s->prior_part));
	if (!s->varies || !s->twin_spread || !s->left_lean || !s->tie || !s->prior_part)
		return -ENOMEM;
	err = td_late_find(&s->late, s->input, &s->axis, &s->columns);
	if (err)
		return err;
	if (s->late.window)
		s->input = &s->late.input;
	if (s->axis.sharp) { /* else it takes lengths as they were asked for */
		clock = s->input;
		s->columns.late_doubt = s->late.doubt;
	}
	err = td_common_find(&s->common, s->input, &s->columns, &s->axis);
	if (err)
		return err;
	if (s->common.window) {
		err = td_short_lengthen(s->common.window, s->input, &s->columns,
					&s->axis);
		s->input = &s->common.input;
	}
	s->columns.doubt = s->common.doubt;
	s->first_axis = s->axis;
	if (!err)
		err = td_start_find(s->input, &s->columns, TD_NO_BATCH, &s->axis);
	s->first_axis.lines_alone = s->axis.lines_alone;
	if (!err)
		err = td_ends_find(&s->ends, s->input, &s->axis, &s->columns);
	if (!err)
		err = td_clock_find(&s->clock, clock, &s->axis, &s->columns, &s->ends);
	if (!err)
		move_late(s);
	if (!err)
		err = td_rows_build(&s->rows, s->input, &s->axis, &s->columns, &s->ends);
	s->rows.more = s->axis.start_spread > 0 ? &s->events[0].rows : NULL;
	if (!err)
		count_ends(s);
	for (int i = 0; i < 2 && !err; i++)
		err = td_events_build(&s->events[i], s->input, &s->axis, &s->columns,
				      &s->ends, i);
	s->events[0].rows.more = &s->events[1].rows;
	if (!err)
		err = solve(s);
	if (!err)
		err = td_normal_prior_part(&s->normal, s->prior_part);
	return err ? err : td_separate_finish(s, result);
}

/* Results have room for all functions. */
static int make_room(const struct td_separate_input *input, struct td_separate *result)
{
	memset(result, 0, sizeof(*result));
	result->functions = input->functions;
	result->function = calloc(input->functions + 1, sizeof(*result->function));
	if (input->traced)
		result->trace = calloc(input->functions + 1, sizeof(*result->trace));
	if (input->rates)
		result->moves = calloc(input->functions + 1, sizeof(*result->moves));
	return result->function && (result->trace || !input->traced) &&
			       (result->moves || !input->rates)
		       ? 0
		       : -ENOMEM;
}

static int separate(const struct td_separate_input *input, struct td_separate *result)
{
	struct td_separate_state state = {.input = input,
					  .given = input,
					  .trace = result->trace,
					  .moves = result->moves};
	int err = td_axis_find(input, &state.axis);

	if (!err)
		td_opening_find(input, &state.axis);
	if (!err && state.axis.kind != TD_AXIS_NONE)
		err = run(&state, result);
	free_state(&state);
	return err;
}

int td_separate(const struct td_separate_input *given, struct td_separate *result)
{
	struct td_separate_input input = *given;
	uint8_t *batch = td_batches_deal(given);
	int err = make_room(given, result);

	input.batch = batch;
	for (size_t i = 0; i < given->windows; i++)
		result->windows += !given->window[i].empty;
	if (!err)
		err = batch ? separate(&input, result) : -ENOMEM;
	free(batch);
	if (err)
		td_separate_free(result);
	return err;
}

void td_separate_free(struct td_separate *result)
{
	free(result->function);
	for (size_t f = 0; f < result->functions && result->moves; f++)
		free(result->moves[f]);
	free(result->moves);
	free(result->trace);
	memset(result, 0, sizeof(*result));
}
