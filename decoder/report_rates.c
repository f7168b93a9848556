// SPDX-License-Identifier: MIT
#include "decoder/report_rates.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/groups_level1.h"
#include "decoder/jackknife.h"
#include "decoder/parallel.h"
#include "decoder/separate_parts.h"
#include "decoder/text.h"

#define USUAL 0.2       /* an event's mean, as a part of slots: separate.h's scale */
#define RARE 50         /* times as rare as the commonest: mostly instructions */
#define EVENTS_FEW 100  /* in all windows */
#define VISIT_LONG 1000 /* cycles */
#define OPENED_FEW 4    /* windows of the group that open in a function */
#define SWAYED_MUCH 0.2 /* td_separate_cost.swayed: up to 600 cycles 0.3, 2,000 0.1 */

struct event {
	uint32_t number; /* in the plan */
	uint32_t value;
	double scale;
};

struct group {
	const struct td_groups_plan *plan;
	const struct td_separate_input *input;
	const struct td_report_counts *counts;
	const struct td_separate_trace *insns; /* NULL: nobody knows them */
	const struct td_report_stays *stays;   /* td_report_rates_of */
	uint32_t number;
	int rare;  /* its rare events, else the others */
	int alone; /* there is nothing beside them: level 1 is of rates, too */
	struct event event[TD_SEPARATE_NODES];
	unsigned events;
	int returns; /* as td_separate_input's, of its windows */
	struct td_separate result;
};

static void find_events(struct group *group)
{
	const struct td_groups_plan *plan = group->plan;

	for (uint32_t i = 0; i < plan->events; i++) {
		uint32_t value = plan->event[i].value;

		if (plan->event[i].group != group->number || !value ||
		    value > TD_REPORT_COUNTS || group->events == TD_SEPARATE_NODES)
			continue;
		group->event[group->events++] =
			(struct event){.number = i, .value = value - 1};
	}
}

/* By the mean of the group's windows, less that of its empty ones.  What is too rare has
 * none: as if it were not there. */
static void find_scales(const struct td_separate_input *input,
			const struct td_report_counts *counts, struct group *group)
{
	double n[2] = {0}, slots[2] = {0}, sum[2][TD_REPORT_COUNTS] = {{0}};

	for (size_t i = 0; i < input->windows; i++) {
		int empty = input->window[i].empty;

		if (counts[i].group != group->number)
			continue;
		n[empty]++;
		slots[empty] += input->window[i].slots;
		for (unsigned v = 0; v < TD_REPORT_COUNTS; v++)
			sum[empty][v] += counts[i].value[v];
	}
	for (unsigned e = 0; e < group->events; e++) {
		double own = n[0] / fmax(1, n[1]);
		double *of[] = {&sum[0][group->event[e].value],
				&sum[1][group->event[e].value]};
		double events = *of[0] - own * *of[1];

		group->event[e].scale =
			events < EVENTS_FEW
				? 0
				: USUAL * (slots[0] - own * slots[1]) / events;
	}
}

/* What the group's windows know of returns and calls. */
static void find_returns(const struct td_separate_input *input,
			 const struct td_report_counts *counts, struct group *group)
{
	group->returns = input->returns;
	for (size_t i = 0; i < input->windows; i++)
		if (counts[i].group == group->number &&
		    counts[i].counted < input->returns)
			group->returns = counts[i].counted;
}

/* Where the group has returns alone, these are what all windows are judged by. */
static void take_returns(const struct td_report_counts *counts, const struct group *group,
			 struct td_separate_window *to)
{
	if (group->returns != 1)
		return;
	to->calls = counts->returns;
	to->unsure = counts->counted == 0;
}

static void take_windows(const struct td_separate_input *input,
			 const struct td_report_counts *counts, const struct group *group,
			 struct td_separate_window *window)
{
	for (size_t i = 0; i < input->windows; i++) {
		struct td_separate_window *to = &window[i];

		*to = input->window[i];
		take_returns(&counts[i], group, to);
		to->silent = counts[i].group != group->number;
		memset(to->value, 0, sizeof(to->value));
		for (unsigned e = 0; e < group->events && !to->silent; e++)
			to->value[e] = (float)(group->event[e].scale *
					       counts[i].value[group->event[e].value]);
	}
}

/* A rate, and td_groups_rate.change of it if it has that. */
struct found {
	struct td_groups_rate rate;
	int moves;
	float change[TD_BATCHES];
};

/* As all windows know them, whatever group counted them. */
static void take_instructions(const struct td_separate_trace *insns, double width,
			      struct found *to)
{
	double t = td_student_t95(insns->df);
	double seen = td_jackknife_variance(insns->change);

	to->rate.df = insns->df;
	to->rate.value = width * insns->value;
	to->rate.half = width * t * sqrt(insns->variance);
	to->rate.unseen = 0;
	to->rate.beside = width * t * sqrt(fmax(0, insns->variance - seen));
	to->moves = 1;
	for (int b = 0; b < TD_BATCHES; b++)
		to->change[b] = (float)(width * insns->change[b]);
}

static void take_moves(const struct td_separate_moves *moves, size_t event, double by,
		       struct found *to)
{
	double t = td_student_t95(to->rate.df);

	to->rate.unseen = by * t * sqrt(moves->unseen[event]);
	to->rate.beside = by * t * moves->beside[event];
	to->moves = 1;
	for (int b = 0; b < TD_BATCHES; b++)
		to->change[b] = (float)by * moves->change[event][b];
}

/* Those that are alone are taken of long functions as well. */
static struct found rate_of(const struct group *group, const struct event *event,
			    const struct td_separate *result, size_t function)
{
	const struct td_separate_function *from = &result->function[function];
	const struct td_separate_trace *insns =
		group->insns ? &group->insns[function] : NULL;
	size_t number = (size_t)(event - group->event);
	const struct td_topdown_value *value =
		&from->node[td_separate_node_of((unsigned)number)];
	double by = event->scale > 0 ? result->cost.width / event->scale : 0;
	struct found found = {
		.rate = {.known = by > 0 && value->present,
			 .own = !group->alone && from->visit >= VISIT_LONG,
			 .df = value->df,
			 .value = by * value->estimate.value,
			 .half = by * (value->estimate.high - value->estimate.low) / 2}};

	if (result->moves[function])
		take_moves(result->moves[function], number, by, &found);
	if (found.rate.known && insns && insns->variance > 0 &&
	    td_groups_is_instructions(group->plan, event->number))
		take_instructions(insns, result->cost.width, &found);
	return found;
}

/* By the windows that stayed in the function; `mean` is the program's. */
static int sum_of(const struct group *group, const struct event *event, double mean,
		  const struct td_report_function *function,
		  const struct td_report_stays *stays, struct found *found)
{
	struct td_groups_rate *rate = &found->rate;
	struct td_event_rate own;

	if (!td_report_stays_mostly(stays) ||
	    !td_groups_rate(group->plan, event->number, function->sum,
			    function->counted[0], function->groups, &own))
		return 0;
	rate->value = own.per_cycle.value;
	rate->half = (own.per_cycle.high - own.per_cycle.low) / 2;
	rate->half += td_report_stays_error(stays, rate->half, rate->value - mean);
	found->moves = 0;
	return 1;
}

/* Where returns do not judge windows: those that stayed, if they know it better. */
static void take_sums(const struct group *group, const struct td_separate *result,
		      size_t function, const struct td_report_function *to,
		      struct found found[TD_SEPARATE_NODES])
{
	struct found sum[TD_SEPARATE_NODES];

	memcpy(sum, found, sizeof(sum));
	for (unsigned e = 0; e < group->events; e++) {
		const struct event *event = &group->event[e];
		double mean =
			event->scale > 0 ? result->cost.width * USUAL / event->scale : 0;

		if (found[e].rate.known &&
		    (!sum_of(group, event, mean, to, &group->stays[function], &sum[e]) ||
		     fabs(sum[e].rate.value - found[e].rate.value) >
			     2 * (sum[e].rate.half + found[e].rate.half)))
			return;
	}
	for (unsigned e = 0; e < group->events; e++)
		if (sum[e].rate.half < found[e].rate.half)
			found[e] = sum[e];
}

static int take_rate(const struct found *from, struct td_groups_rate *to)
{
	free(to->change);
	*to = from->rate;
	if (!from->moves)
		return 0;
	to->change = malloc(sizeof(from->change));
	if (!to->change)
		return -ENOMEM;
	memcpy(to->change, from->change, sizeof(from->change));
	return 0;
}

static int take_rates(const struct group *group, const struct td_separate *result,
		      size_t function, struct td_report_function *to)
{
	struct found found[TD_SEPARATE_NODES];
	int err = 0;

	for (unsigned e = 0; e < group->events; e++)
		found[e] = rate_of(group, &group->event[e], result, function);
	if (group->stays)
		take_sums(group, result, function, to, found);
	if (!to->groups) {
		to->groups = calloc(1, sizeof(*to->groups));
		if (!to->groups)
			return -ENOMEM;
		to->groups->share = to->share.low;
	}
	for (unsigned e = 0; e < group->events && !err; e++)
		if (found[e].rate.known)
			err = take_rate(&found[e],
					&to->groups->rate[group->event[e].number]);
	return err;
}

/* What the functions' values will be made of. */
static void take_evidence(struct td_report *report, const struct td_separate *result)
{
	for (size_t f = 0; f < report->functions; f++) {
		const struct td_separate_function *from = &result->function[f];
		struct td_report_function *to = &report->function[f];

		to->own = from->own;
		to->told = from->windows;
		to->evidence = from->evidence;
		to->identifiability = from->identifiability;
		to->visit = from->visit;
	}
	report->separated = 1;
	report->cost = result->cost;
	report->told = result->windows;
	report->own = result->own;
}

static int take_group(struct td_report *report, const struct group *group)
{
	const struct td_separate_input *input = group->input;
	const struct td_separate *result = &group->result;
	uint32_t *opened = calloc(report->functions + 1, sizeof(*opened));
	int err = opened ? 0 : -ENOMEM;

	for (size_t i = 0; i < input->windows && !err; i++)
		opened[input->window[i].open] +=
			group->counts[i].group == group->number &&
			!input->window[i].empty;
	for (size_t f = 0; f < report->functions && !err; f++) {
		const struct td_separate_function *from = &result->function[f];

		/* what nobody looked at stays blank, though its neighbours were */
		if (opened[f] >= OPENED_FEW && from->evidence != TD_EVIDENCE_NONE)
			err = take_rates(group, result, f, &report->function[f]);
	}
	free(opened);
	return err;
}

/* Keeps the events that are rare beside the group's commonest, or the others. */
static void keep_events(struct group *group)
{
	unsigned n = group->events;
	double least = INFINITY;

	for (unsigned e = 0; e < n; e++)
		if (group->event[e].scale > 0)
			least = fmin(least, group->event[e].scale);
	group->events = 0;
	for (unsigned e = 0; e < n; e++)
		if ((group->event[e].scale > RARE * least) == group->rare)
			group->event[group->events++] = group->event[e];
}

/* How many instructions a cycle has, if the group's windows counted them beside these. */
static void know_instructions(const struct group *group, struct td_separate_input *input)
{
	for (unsigned e = 0; e < group->events; e++) {
		const struct event *event = &group->event[e];

		if (!(event->scale > 0) ||
		    !td_groups_is_instructions(group->plan, event->number))
			continue;
		input->known = group->insns;
		input->known_at = e;
		input->known_by = event->scale;
	}
}

/*
 * Rare events are told apart by themselves.  Each is brought to the same mean, and so is
 * the rounding of its counts to whole ones, which decides with what else is chance how
 * much a row counts for: beside rare events a common one would be told apart as if
 * windows of one function were no better known than those of many.
 */
static int separate_group(void *piece)
{
	struct group *group = piece;
	const struct td_separate_input *input = group->input;
	struct td_separate_window *window;
	struct td_separate_input of = *input;
	int err;

	find_events(group);
	find_scales(input, group->counts, group);
	keep_events(group);
	if (group->rare && !group->events)
		return 0;
	window = malloc((input->windows + 1) * sizeof(*window));
	if (!window)
		return -ENOMEM;
	find_returns(input, group->counts, group);
	take_windows(input, group->counts, group, window);
	of.window = window;
	of.returns = group->returns ? group->returns : input->returns;
	of.nodes = TD_SEPARATE_NODES;
	of.rates = 1;
	know_instructions(group, &of);
	err = td_separate(&of, &group->result);
	free(window);
	return err;
}

static int take_result(struct td_report *report, struct group *group)
{
	const struct td_separate *result = &group->result;
	int err;

	if (!result->function || result->cost.axis != TD_AXIS_REQUESTED)
		return 0;
	err = take_group(report, group);
	if (!err && !group->number && !group->rare)
		take_evidence(report, result);
	return err;
}

/* Of group[n], two of each from `first` on, of which one has the rare events.  *swayed:
 * the most of td_separate_cost.swayed. */
static int separate_groups(struct td_report *report, const struct group *all,
			   uint32_t first, struct group *group, size_t n, double *swayed)
{
	int err;

	for (size_t i = 0; i < n; i++) {
		group[i] = *all;
		group[i].number = first + (uint32_t)(i / 2);
		group[i].rare = i % 2;
	}
	err = td_parallel_run(separate_group, group, sizeof(*group), n);
	for (size_t i = 0; i < n; i++) {
		if (!err)
			err = take_result(report, &group[i]);
		*swayed = fmax(*swayed, group[i].result.cost.swayed);
		td_separate_free(&group[i].result);
	}
	return err;
}

static int note_swayed(struct td_report *report, double swayed)
{
	if (swayed < SWAYED_MUCH)
		return 0;
	return td_report_note(
		report,
		td_text_format(
			"what our own code takes differs by %.0f %% of what windows "
			"have of the program (standard deviation), as where the "
			"other thread of the core comes and goes: it ran more often "
			"than they say then, and functions are known worse; take "
			"longer windows (TDAGENT_SHORT)",
			100 * swayed));
}

int td_report_rates(struct td_report *report, const struct td_report_rates_of *of)
{
	uint32_t groups = report->plan.groups;
	size_t n = of->first < groups ? 2 * (groups - of->first) : 0;
	struct group all = {.plan = &report->plan,
			    .input = of->input,
			    .counts = of->counts,
			    .insns = of->insns,
			    .stays = of->stays,
			    .alone = !of->first};
	struct td_separate common = {.functions = 0};
	struct group *group = malloc((n + 1) * sizeof(*group));
	int err = group ? 0 : -ENOMEM;
	double swayed = 0;

	if (!err && !of->insns && of->input->common) {
		err = td_separate_common(of->input, &common);
		all.insns = common.trace;
	}
	if (!err)
		err = separate_groups(report, &all, of->first, group, n, &swayed);
	if (!err)
		err = note_swayed(report, swayed);
	td_separate_free(&common);
	free(group);
	return err;
}

/* Where the group's instructions are in counts[]; -1: it has none. */
static int instructions_at(const struct td_groups_plan *plan, uint32_t group)
{
	int value = td_groups_value(plan, group, "inst");

	return value >= 1 && value <= (int)TD_REPORT_COUNTS ? value - 1 : -1;
}

float *td_report_instructions(const struct td_groups_plan *plan,
			      const struct td_separate_input *input,
			      const struct td_report_counts *counts)
{
	float *insns = malloc((input->windows + 1) * sizeof(*insns));
	double own[TD_GROUPS_MAX] = {0}, empties[TD_GROUPS_MAX] = {0};
	int at[TD_GROUPS_MAX];

	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++)
		at[g] = instructions_at(plan, g);
	for (size_t i = 0; i < input->windows && insns; i++) {
		uint8_t g = counts[i].group;

		if (!input->window[i].empty || at[g] < 0)
			continue;
		own[g] += counts[i].value[at[g]];
		empties[g]++;
	}
	for (size_t i = 0; i < input->windows && insns; i++) {
		uint8_t g = counts[i].group;
		int known = at[g] >= 0 && (empties[g] > 0 || input->by_kernel);

		insns[i] = known ? (float)(counts[i].value[at[g]] -
					   own[g] / fmax(1, empties[g]))
				 : NAN;
	}
	return insns;
}
