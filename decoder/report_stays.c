// SPDX-License-Identifier: MIT
#include "decoder/report_stays.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/estimate.h"
#include "decoder/groups.h"

#define STAYS 0.9          /* of the windows that open in a function */
#define OTHERS 0.001       /* there are some, or none would have left */
#define AWAY_MOST 1048576. /* cycles */
#define DEVIATIONS 2.      /* by which chance may have made counts too small */
#define UNLIKELY 2.        /* less than the best, of a likelihood's logarithm */

/* Windows of a function, where it is away for so long at a time. */
struct sums {
	double all, left; /* of the chance to end elsewhere; of its logarithm */
	double cycles;
	double best; /* logarithm of the likelihood, of the likeliest `away` */
};

static void add_up(const struct td_separate_input *input, double away, struct sums *sums)
{
	for (size_t f = 0; f < input->functions; f++)
		sums[f] = (struct sums){.best = sums[f].best};
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		double cycles = fmax(1, w->requested), chance = -expm1(-cycles / away);

		if (w->empty)
			continue;
		sums[w->open].all += chance;
		sums[w->open].cycles += cycles;
		if (w->open != w->close)
			sums[w->open].left += log(chance);
	}
}

static double likelihood(const struct sums *sums, const struct td_report_stays *stays)
{
	return sums->left - stays->left * log(sums->all);
}

static void keep_best(const struct td_separate_input *input,
		      const struct td_report_stays *stays, struct sums *sums)
{
	for (size_t f = 0; f < input->functions; f++)
		if (stays[f].left)
			sums[f].best =
				fmax(sums[f].best, likelihood(&sums[f], &stays[f]));
}

static void take_likely(const struct td_separate_input *input, const struct sums *sums,
			double away, struct td_report_stays *stays)
{
	for (size_t f = 0; f < input->functions; f++)
		if (stays[f].left &&
		    likelihood(&sums[f], &stays[f]) >= sums[f].best - UNLIKELY)
			stays[f].crossed =
				stays[f].left / sums[f].all * sums[f].cycles / away;
}

/*
 * Of long windows more end elsewhere, until they are as long as a function is away at a
 * time: by the shortest `away` that those that did may come from.
 */
static int find_crossed(const struct td_separate_input *input,
			struct td_report_stays *stays)
{
	struct sums *sums = malloc((input->functions + 1) * sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	for (size_t f = 0; f < input->functions; f++)
		sums[f].best = -INFINITY;
	for (double away = AWAY_MOST; away >= 1; away /= 2) {
		add_up(input, away, sums);
		keep_best(input, stays, sums);
	}
	for (double away = AWAY_MOST; away >= 1; away /= 2) {
		add_up(input, away, sums);
		take_likely(input, sums, away, stays);
	}
	free(sums);
	return 0;
}

struct td_report_stays *td_report_stays_find(const struct td_separate_input *input)
{
	struct td_report_stays *stays = calloc(input->functions + 1, sizeof(*stays));
	double opened = 0;

	for (size_t i = 0; i < input->windows && stays; i++) {
		const struct td_separate_window *w = &input->window[i];

		opened += !w->empty;
		stays[w->open].opened += !w->empty;
		stays[w->open].left += !w->empty && w->open != w->close;
	}
	for (size_t f = 0; f < input->functions && stays && opened > 0; f++)
		stays[f].others = 1 - stays[f].opened / opened;
	if (stays && find_crossed(input, stays)) {
		free(stays);
		return NULL;
	}
	return stays;
}

int td_report_stays_mostly(const struct td_report_stays *stays)
{
	return stays->opened > 0 && stays->left <= (1 - STAYS) * stays->opened;
}

/* So many may be expected where there are `n`: by chance there were few. */
static double most_of(double n)
{
	return n + DEVIATIONS * sqrt(n + 1);
}

/*
 * Of a window's time no larger a part is in others than of the windows' ends: nearly as
 * large where the function calls short ones all the time.  Where it is left now and then,
 * windows scatter by that: of n times the standard deviation is a root of n-th of what
 * they do together.
 */
double td_report_stays_error(const struct td_report_stays *stays, double half,
			     double differs)
{
	double others = fabs(differs) / fmax(stays->others, OTHERS);

	if (!stays->opened)
		return 0;
	return fmin(others * fmin(1, most_of(stays->left) / stays->opened),
		    sqrt(most_of(stays->crossed)) * half / 2);
}

void td_report_stays_mean(const struct td_separate *told,
			  struct td_topdown_value mean[TD_NODES])
{
	double n[TD_NODES] = {0}, sum[TD_NODES] = {0};

	for (size_t f = 0; f < told->functions; f++) {
		const struct td_separate_function *from = &told->function[f];

		for (int node = 0; node < TD_NODES; node++) {
			if (!from->node[node].present)
				continue;
			n[node] += from->windows;
			sum[node] += from->windows * from->node[node].estimate.value;
		}
	}
	memset(mean, 0, TD_NODES * sizeof(*mean));
	for (int node = 0; node < TD_NODES; node++) {
		mean[node].present = n[node] > 0;
		mean[node].estimate.value = n[node] > 0 ? sum[node] / n[node] : 0;
	}
}

static int agree(const struct td_topdown_value *own, const struct td_topdown_value *told)
{
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		const struct td_estimate *a = &own[i].estimate, *b = &told[i].estimate;

		/* twice what chance does in one node of twenty: there are many */
		if (!own[i].present || !told[i].present ||
		    fabs(a->value - b->value) > a->high - a->low + b->high - b->low)
			return 0;
	}
	return 1;
}

/* Level 1's intervals, all together. */
static double width_of(const struct td_topdown_value *node)
{
	double width = 0;

	for (int i = 0; i < TD_NODES_LEVEL1; i++)
		width += node[i].estimate.high - node[i].estimate.low;
	return width;
}

static void widen(const struct td_report_stays *stays,
		  const struct td_topdown_value *mean, struct td_topdown_value *node)
{
	struct td_estimate *e = &node->estimate;
	double half = fmax(e->high - e->value, e->value - e->low);

	if (node->present && mean->present)
		td_estimate_widen(e,
				  td_report_stays_error(stays, half,
							e->value - mean->estimate.value));
}

int td_report_stays_take(const struct td_report *report,
			 const struct td_report_stays *stays,
			 const struct td_topdown_value told[TD_NODES],
			 const struct td_topdown_value mean[TD_NODES],
			 struct td_report_function *function)
{
	struct td_topdown_value own[TD_NODES];

	if (!td_report_stays_mostly(stays))
		return 0;
	/* they may be of several groups, which nobody has put together yet */
	memcpy(own, function->node, sizeof(own));
	td_groups_values(&report->plan, function->sum, function->counted[0],
			 function->groups, own);
	if (!agree(own, told))
		return 0;
	for (int node = 0; node < TD_NODES; node++)
		widen(stays, &mean[node], &own[node]);
	if (width_of(own) >= width_of(told))
		return 0;
	memcpy(function->node, own, sizeof(own));
	return 1;
}
