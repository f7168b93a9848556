// SPDX-License-Identifier: MIT
/* Which differences are beyond their errors, and what they mean. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/compare_internal.h"
#include "decoder/order.h"
#include "decoder/student.h"

/* By what sampling explains, and by what runs differ: it must be beyond both. */
static void test(struct td_change *change, const struct td_error *error)
{
	double difference = change->after - change->before;
	double half = td_student_quantile(error->df) * sqrt(error->variance);
	double p = td_student_tail(difference / sqrt(error->variance), error->df);

	if (error->between_df > 0) {
		half = fmax(half, td_student_quantile(error->between_df) *
					  sqrt(error->between));
		p = fmax(p, td_student_tail(difference / sqrt(error->between),
					    error->between_df));
	}
	change->low = difference - half;
	change->high = difference + half;
	if (change->tested)
		change->p = p;
}

/* For the tested changes of all rows: index 0 is the total's. */
static size_t list_tests(const struct td_comparing *c, struct td_change **list)
{
	struct td_compare *compare = c->compare;
	size_t n = 0;

	for (size_t i = 0; i <= compare->rows; i++) {
		struct td_compare_row *row = td_compare_row(compare, i);

		for (int q = 0; q < TD_QUANTITIES; q++) {
			struct td_change *change = td_compare_change(row, q);

			if (change->present)
				test(change, &c->error[i * TD_QUANTITIES + (size_t)q]);
			if (change->present && change->tested)
				list[n++] = change;
		}
	}
	return n;
}

static int correct(const struct td_comparing *c)
{
	size_t most = (c->compare->rows + 1) * TD_QUANTITIES, n;
	struct td_change **list = calloc(most, sizeof(struct td_change *));
	double *p = calloc(2 * most, sizeof(*p));
	size_t *order = calloc(most, sizeof(*order));

	if (list && p && order) {
		n = list_tests(c, list);
		for (size_t i = 0; i < n; i++)
			p[i] = list[i]->p;
		td_holm(p, p + most, n, order);
		for (size_t i = 0; i < n; i++)
			list[i]->adjusted = p[most + i];
		c->compare->tests = n;
	}
	free(list);
	free(p);
	free(order);
	return list && p && order ? 0 : -ENOMEM;
}

static int is_found(const struct td_change *change, double threshold)
{
	return change->present && change->tested &&
	       change->adjusted <= TD_COMPARE_ERROR &&
	       fabs(change->after - change->before) >= threshold;
}

/* More is worse (1), better (-1), or neither (0). */
static enum td_verdict judge(const struct td_change *change, int more)
{
	if (!more)
		return TD_VERDICT_CHANGED;
	return (change->after > change->before) == (more > 0) ? TD_VERDICT_WORSE
							      : TD_VERDICT_BETTER;
}

static int more_is(int node)
{
	switch (node) {
	case TD_NODE_RETIRING:
		return -1;
	case TD_NODE_HEAVY_OPERATIONS:
	case TD_NODE_LIGHT_OPERATIONS:
		return 0;
	default:
		return 1;
	}
}

/*
 * A function's share also changes when others do: only where its own cost goes
 * the same way is it better or worse.
 */
static enum td_verdict judge_share(const struct td_compare_row *row)
{
	if (row->samples[0] == 0)
		return TD_VERDICT_APPEARED;
	if (row->samples[1] == 0)
		return TD_VERDICT_VANISHED;
	if (!row->cost.present ||
	    (row->share.after > row->share.before ? row->cost.low > 0
						  : row->cost.high < 0))
		return judge(&row->share, 1);
	return TD_VERDICT_CHANGED;
}

static enum td_verdict worst_node(const struct td_compare_row *row)
{
	enum td_verdict worst = row->latency.verdict;

	for (int i = 0; i < TD_NODES; i++) {
		if (row->node[i].verdict > worst)
			worst = row->node[i].verdict;
	}
	return worst;
}

/* Time decides; then share, then the pipeline. */
static enum td_verdict judge_row(const struct td_compare_row *row)
{
	enum td_verdict node = worst_node(row);

	if (row->share.verdict >= TD_VERDICT_APPEARED)
		return row->share.verdict;
	if (row->cost.verdict > TD_VERDICT_CHANGED)
		return row->cost.verdict;
	if (row->share.verdict > TD_VERDICT_CHANGED)
		return row->share.verdict;
	return node != TD_VERDICT_NONE ? node : row->share.verdict;
}

static double impact_of(const struct td_compare *compare,
			const struct td_compare_row *row)
{
	double share =
		row == &compare->total ? 1 : fmax(row->share.before, row->share.after);
	double impact = 0;

	if (row->share.verdict)
		impact = fabs(row->share.after - row->share.before);
	if (row->cost.verdict)
		impact = fmax(impact, fabs(row->cost.after - row->cost.before) /
					      fmax(compare->total.cost.before, 1));
	for (int i = 0; i < TD_NODES; i++) {
		const struct td_change *node = &row->node[i];

		if (node->verdict)
			impact = fmax(impact, share * fabs(node->after - node->before));
	}
	/* how much of its time the latencies are nobody knows: as much as is sure */
	if (row->latency.verdict)
		impact = fmax(impact, share * compare->query.threshold);
	return impact;
}

static void find_verdicts(struct td_compare *compare, struct td_compare_row *row)
{
	double threshold = compare->query.threshold;

	if (is_found(&row->share, threshold))
		row->share.verdict = judge_share(row);
	if (is_found(&row->cost, threshold * compare->total.cost.before))
		row->cost.verdict = judge(&row->cost, 1);
	for (int i = 0; i < TD_NODES; i++) {
		if (is_found(&row->node[i], threshold))
			row->node[i].verdict = judge(&row->node[i], more_is(i));
	}
	if (is_found(&row->latency, threshold * row->latency.before))
		row->latency.verdict = judge(&row->latency, 1);
	row->verdict = judge_row(row);
	row->impact = impact_of(compare, row);
}

/* Of what its callees do as well, if nothing was found in itself. */
static double impact_shown(const struct td_compare_row *row)
{
	return row->verdict || !row->total ? row->impact : row->total->impact;
}

static int by_impact(const void *a, const void *b)
{
	const struct td_compare_row *x = a, *y = b;
	double share[2] = {x->share.before + x->share.after,
			   y->share.before + y->share.after};
	int order = x->inclusive - y->inclusive;

	if (!order)
		order = (x->verdict == TD_VERDICT_NONE) - (y->verdict == TD_VERDICT_NONE);
	if (!order)
		order = td_order(impact_shown(y), impact_shown(x));
	if (!order)
		order = (share[0] < share[1]) - (share[0] > share[1]);
	if (!order)
		order = strcmp(x->module, y->module);
	return order ? order : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	const struct td_compare_row *x = *(const struct td_compare_row *const *)a;
	const struct td_compare_row *y = *(const struct td_compare_row *const *)b;

	return strcmp(x->module, y->module) ?: strcmp(x->name, y->name);
}

/* Once the inclusive rows are the last: whose they are, and the order by both. */
static int find_totals(struct td_compare *compare)
{
	const struct td_compare_row **list, **found;
	size_t n = 0;

	while (compare->rows && compare->row[compare->rows - 1].inclusive) {
		compare->rows--;
		compare->inclusive++;
	}
	list = calloc(compare->inclusive + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < compare->inclusive; i++) {
		const struct td_compare_row *row = &compare->row[compare->rows + i];

		if (!td_compare_is_leaf(row))
			list[n++] = row;
	}
	if (n)
		qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 0; i < compare->rows && n; i++) {
		const struct td_compare_row *key = &compare->row[i];

		found = bsearch(&key, list, n, sizeof(*list), by_name);
		compare->row[i].total = found ? *found : NULL;
	}
	free(list);
	if (compare->rows)
		qsort(compare->row, compare->rows, sizeof(*compare->row), by_impact);
	return 0;
}

int td_compare_verdicts(struct td_comparing *c)
{
	struct td_compare *compare = c->compare;
	int err = correct(c);

	if (err)
		return err;
	find_verdicts(compare, &compare->total);
	for (size_t i = 0; i < compare->rows; i++) {
		find_verdicts(compare, &compare->row[i]);
		if (compare->row[i].inclusive)
			compare->found_inclusive[compare->row[i].verdict]++;
		else
			compare->found[compare->row[i].verdict]++;
	}
	if (compare->rows)
		qsort(compare->row, compare->rows, sizeof(*compare->row), by_impact);
	return find_totals(compare);
}
