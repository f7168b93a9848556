// SPDX-License-Identifier: MIT
#include "decoder/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/compare_internal.h"
#include "decoder/compare_settings.h"

const char *td_verdict_name(enum td_verdict verdict)
{
	static const char *const names[TD_VERDICTS] = {
		[TD_VERDICT_NONE] = "no evidence",  [TD_VERDICT_CHANGED] = "changed",
		[TD_VERDICT_BETTER] = "better",     [TD_VERDICT_WORSE] = "worse",
		[TD_VERDICT_APPEARED] = "appeared", [TD_VERDICT_VANISHED] = "vanished",
	};

	return verdict < TD_VERDICTS ? names[verdict] : "unknown";
}

struct td_change *td_compare_change(struct td_compare_row *row, int quantity)
{
	return quantity == TD_SHARE     ? &row->share
	       : quantity == TD_COST    ? &row->cost
	       : quantity == TD_LATENCY ? &row->latency
					: &row->node[quantity - TD_NODE];
}

struct td_compare_row *td_compare_row(struct td_compare *compare, size_t i)
{
	return i < compare->rows ? &compare->row[i] : &compare->total;
}

/* A quantity of one part, with what it is a mean over. */
struct td_measured td_compare_value(const struct td_parts *parts,
				    const struct td_part *part, int quantity)
{
	double n = (double)parts->total.samples;
	struct td_measured value = {.present = 1, .weight = n};

	if (quantity == TD_LATENCY)
		return part ? part->latency : (struct td_measured){0};
	if (quantity >= TD_NODE)
		return part ? part->node[quantity - TD_NODE] : (struct td_measured){0};
	if (quantity == TD_COST)
		return (struct td_measured){
			.present = 1, .value = part ? part->cost : 0, .weight = 1};
	value.present = n > 0;
	value.value = part && n > 0 ? (double)part->samples / n : 0;
	return value;
}

double td_compare_pooled(const struct td_compare *compare,
			 const struct td_compare_row *row)
{
	return (double)(row->samples[0] + row->samples[1]) /
	       (double)(compare->total.samples[0] + compare->total.samples[1]);
}

int td_compare_is_leaf(const struct td_compare_row *row)
{
	return row->inclusive && row->self[0] == row->samples[0] &&
	       row->self[1] == row->samples[1];
}

/* A change is tested where it could be found and can be judged. */
static int is_tested(const struct td_comparing *c, const struct td_compare_row *row,
		     int quantity)
{
	const struct td_compare *compare = c->compare;
	const struct td_compare_query *query = &compare->query;
	const struct td_change *share = &row->share;
	double n[2] = {(double)compare->total.samples[0],
		       (double)compare->total.samples[1]};
	double pooled = td_compare_pooled(compare, row);
	int several = c->runs[0] > 1 && c->runs[1] > 1;

	if (row == &compare->total)
		return several && quantity != TD_SHARE;
	if (td_compare_is_leaf(row))
		return 0; /* the function itself is tested */
	if (quantity == TD_LATENCY)
		return row->records[0] >= query->min_windows &&
		       row->records[1] >= query->min_windows;
	if (quantity >= TD_NODE)
		return row->windows[0] >= query->min_windows &&
		       row->windows[1] >= query->min_windows;
	/* The share of what nearly all samples are below cannot change. */
	if (row->inclusive && (1 - pooled) * fmin(n[0], n[1]) < TD_COMPARE_SAMPLES)
		return 0;
	/* The mean of both says nothing of their difference: it may select. */
	return (quantity == TD_SHARE || several) &&
	       pooled * fmin(n[0], n[1]) >= TD_COMPARE_SAMPLES &&
	       (share->before + share->after) / 2 >= query->threshold / 2;
}

static void fill_change(const struct td_comparing *c, struct td_compare_row *row,
			int quantity, const struct td_part *const part[2])
{
	struct td_change *change = td_compare_change(row, quantity);
	struct td_measured value[2];

	for (int side = 0; side < 2; side++)
		value[side] = td_compare_value(&c->all[side], part[side], quantity);
	change->p = change->adjusted = 1;
	change->present = value[0].present && value[1].present;
	if (row == &c->compare->total && quantity == TD_SHARE)
		change->present = 0;
	if (quantity == TD_COST)
		change->present = c->compare->has_cost;
	if (quantity == TD_LATENCY && !c->compare->latency_event[0])
		change->present = 0;
	if (!change->present)
		return;
	change->before = value[0].value / (quantity == TD_COST ? (double)c->runs[0] : 1);
	change->after = value[1].value / (quantity == TD_COST ? (double)c->runs[1] : 1);
}

static void fill_row(const struct td_comparing *c, struct td_compare_row *row,
		     const struct td_part *const part[2])
{
	for (int side = 0; side < 2; side++) {
		row->samples[side] = part[side] ? part[side]->samples : 0;
		row->self[side] = part[side] ? part[side]->self : 0;
		row->windows[side] = part[side] ? part[side]->windows : 0;
		row->records[side] =
			part[side] ? (uint64_t)part[side]->latency.weight : 0;
	}
	for (int q = 0; q < TD_QUANTITIES; q++) {
		fill_change(c, row, q, part);
		if (td_compare_change(row, q)->present)
			td_compare_change(row, q)->tested = is_tested(c, row, q);
	}
}

/* One row for each part of either side. */
static int match(struct td_comparing *c)
{
	struct td_compare *compare = c->compare;
	size_t at[2] = {0, 0}, most = c->all[0].parts + c->all[1].parts;

	compare->row = calloc(most + 1, sizeof(*compare->row));
	if (!compare->row)
		return -ENOMEM;
	fill_row(c, &compare->total,
		 (const struct td_part *const[]){&c->all[0].total, &c->all[1].total});
	while (at[0] < c->all[0].parts || at[1] < c->all[1].parts) {
		const struct td_part *part[2], *any;
		struct td_compare_row *row = &compare->row[compare->rows++];
		int order;

		for (int i = 0; i < 2; i++)
			part[i] = at[i] < c->all[i].parts ? &c->all[i].part[at[i]] : NULL;
		order = !part[0] ? 1 : !part[1] ? -1 : td_part_order(part[0], part[1]);
		any = order <= 0 ? part[0] : part[1];
		at[0] += order <= 0;
		at[1] += order >= 0;
		if (order)
			part[order < 0] = NULL;
		row->name = strdup(any->name);
		row->module = strdup(any->module);
		row->inclusive = any->inclusive;
		if (!row->name || !row->module)
			return -ENOMEM;
		fill_row(c, row, part);
	}
	return 0;
}

/* What modules are called is said of A. */
static struct td_parts_source source_of(const struct td_comparing *c, int side,
					const struct td_report *report)
{
	return (struct td_parts_source){report,
					side == 0 ? c->compare->query.renamed : NULL};
}

/* The runs of one side by themselves.  What is not read has no parts. */
static int split(struct td_comparing *c, const struct td_compare_side side[2], int which)
{
	struct td_parts_source other = source_of(c, !which, side[!which].all);
	int err = 0;

	if (side[which].runs < 2)
		return 0;
	c->run[which] = calloc(side[which].runs, sizeof(*c->run[which]));
	if (!c->run[which])
		return -ENOMEM;
	for (size_t i = 0; i < side[which].runs && !err; i++) {
		struct td_parts_source run = source_of(c, which, side[which].run[i]);

		err = td_parts_of(&c->run[which][i], &run, &other);
	}
	return err;
}

static int read_sides(struct td_comparing *c, const struct td_compare_side side[2])
{
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		struct td_parts_source all = source_of(c, i, side[i].all);
		struct td_parts_source other = source_of(c, !i, side[!i].all);

		c->runs[i] = c->compare->runs[i] = side[i].runs;
		err = td_parts_of(&c->all[i], &all, &other);
		if (!err)
			err = split(c, side, i);
	}
	return err;
}

static void release(struct td_comparing *c)
{
	for (int side = 0; side < 2; side++) {
		if (c->all[side].part)
			td_parts_free(&c->all[side]);
		for (size_t i = 0; c->run[side] && i < c->runs[side]; i++) {
			if (c->run[side][i].part)
				td_parts_free(&c->run[side][i]);
		}
		free(c->run[side]);
	}
	free(c->error);
}

int td_compare_new(const struct td_compare_side side[2],
		   const struct td_compare_query *query, struct td_compare **compare,
		   char **why)
{
	struct td_compare *made = calloc(1, sizeof(*made));
	struct td_comparing c = {.compare = made};
	int err = made ? 0 : -ENOMEM;

	*why = made ? td_compare_refusal(side) : NULL;
	if (*why)
		err = -EINVAL;
	if (!err) {
		int unit = td_compare_unit(side[0].all);

		made->query = *query;
		made->alternating = td_compare_alternating(side);
		made->total.name = made->total.module = (char *)"";
		made->simulated = side[0].all->simulated;
		made->has_cost = unit >= 0 && unit == td_compare_unit(side[1].all);
		made->unit = unit < 0 ? TD_UNIT_NS : (unsigned)unit;
		if (strcmp(side[0].all->latency_event, side[1].all->latency_event) == 0)
			strcpy(made->latency_event, side[0].all->latency_event);
		err = read_sides(&c, side);
	}
	if (!err)
		err = match(&c);
	if (!err)
		err = td_compare_errors(&c);
	if (!err)
		err = td_compare_verdicts(&c);
	if (!err)
		err = td_compare_notes(made, side);
	release(&c);
	if (err && made)
		td_compare_free(made);
	*compare = err ? NULL : made;
	return err;
}

void td_compare_free(struct td_compare *compare)
{
	for (size_t i = 0; i < compare->rows + compare->inclusive; i++) {
		free(compare->row[i].name);
		free(compare->row[i].module);
	}
	for (size_t i = 0; i < compare->notes; i++)
		free(compare->note[i]);
	free(compare->row);
	free(compare->note);
	free(compare);
}
