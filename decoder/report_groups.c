// SPDX-License-Identifier: MIT
#include "decoder/report_groups.h"

#include <errno.h>
#include <stdlib.h>

#include "decoder/text.h"

#define SCOPES 3 /* report, process, thread */

static int is_wanted(const struct td_file_window *w)
{
	return td_window_is_used(w) &&
	       (w->reject == TD_REJECT_MAX || w->reject == TD_REJECT_FUNCTION ||
		w->reject == TD_REJECT_NESTED);
}

/* A core's other thread is there as often while our own code runs: with that windows are
 * as long as they were asked to be, without it longer while it is away.  How many slots
 * it takes hangs on the code. */
static const struct td_own_cost no_cost;

static int add_window(struct td_groups **into, uint32_t group, const uint64_t *value,
		      uint32_t values, const struct td_own_cost *cost)
{
	struct td_file_sum sum[TD_COUNTERS_MAX];
	double slots = (double)(int64_t)value[0];

	if (!*into)
		*into = calloc(1, sizeof(**into));
	if (!*into)
		return -ENOMEM;
	for (uint32_t i = 0; i < values; i++) {
		double x = (double)(int64_t)value[i];

		sum[i] = (struct td_file_sum){value[i], x * x, x * slots};
	}
	td_groups_add(*into, group, sum, values, 1, cost);
	return 0;
}

/* The report's thread of that number; `last` is where it was found last. */
static uint32_t thread_of(const struct td_profile *profile, const uint32_t *thread,
			  uint32_t tid, size_t *last)
{
	for (size_t n = 0; n < profile->threads; n++) {
		size_t i = (*last + n) % profile->threads;

		if (profile->thread[i]->tid != tid)
			continue;
		*last = i;
		return thread[i];
	}
	return UINT32_MAX;
}

int td_report_groups_add(struct td_report *report, const struct td_profile *profile,
			 const struct td_own_cost cost[TD_GROUPS_MAX], uint32_t process,
			 const uint32_t *thread)
{
	uint64_t value[TD_COUNTERS_MAX] = {0};
	int timed = td_groups_is_shared(&report->plan) == TD_SHARED_TIME;
	size_t last = 0;
	int err = 0;

	/* the vernier's groups change with its ticks: what a group saw in a quarter of a
	 * second is no sample of the run, as far as intervals know */
	if (profile->header.groups < 2 || profile->header.drilled ||
	    profile->header.windows == TD_WINDOWS_VERNIER)
		return 0;
	for (size_t i = 0; i < profile->windows && !err; i++) {
		const struct td_file_window *w = profile->window[i].window;
		struct td_groups **scope[SCOPES];
		uint32_t values, number;

		if (!is_wanted(w))
			continue;
		number = thread_of(profile, thread, w->thread, &last);
		values = td_profile_window_values(profile, w, value);
		if (!values || number == UINT32_MAX)
			continue;
		scope[0] = &report->groups;
		scope[1] = &report->process[process].groups;
		scope[2] = &report->thread[number].groups;
		for (int s = 0; s < SCOPES && !err; s++)
			err = add_window(scope[s], w->group, value, values,
					 &cost[w->group]);
		if (timed && !err)
			err = add_window(&report->uncut, w->group, value, values,
					 &no_cost);
	}
	return err;
}

/* Group 0's sums, where formulas look for them. */
static void find_first(const struct td_report *report, const struct td_groups *groups,
		       struct td_file_sum first[TD_COUNTERS_MAX])
{
	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++) {
		if (report->plan.first[i] >= 0)
			first[report->plan.first[i]] = groups->group[0].sum[i];
	}
}

static char *share_text(const struct td_groups_plan *plan,
			const struct td_estimate *alone)
{
	if (td_groups_is_shared(plan) == TD_SHARED_SLOTS)
		return td_text_format("two hardware threads share a core, and %.1f %% of "
				      "its slots (%.1f to %.1f) were given to the other "
				      "one: top-down is of those left to this one",
				      50 * (1 - alone->value), 50 * (1 - alone->high),
				      50 * (1 - alone->low));
	return td_text_format("two hardware threads share a core, and in %.1f %% of the "
			      "cycles (%.1f to %.1f) the other one ran as well: "
			      "top-down is of the slots left to this one, half of them "
			      "then",
			      100 * (1 - alone->value), 100 * (1 - alone->high),
			      100 * (1 - alone->low));
}

int td_report_groups_share(struct td_report *report)
{
	struct td_file_sum first[TD_COUNTERS_MAX] = {0};
	const struct td_groups *groups = report->uncut ? report->uncut : report->groups;
	struct td_estimate alone;

	if (!groups)
		return 0;
	find_first(report, groups, first);
	if (!td_groups_alone(&report->plan, first, groups->group[0].windows, groups,
			     &alone))
		return 0;
	report->plan.alone = alone;
	return td_report_note(report, share_text(&report->plan, &alone));
}

static void fill(const struct td_report *report, const struct td_groups *groups,
		 struct td_topdown_value node[TD_NODES])
{
	struct td_file_sum first[TD_COUNTERS_MAX] = {0};

	if (!groups)
		return;
	find_first(report, groups, first);
	td_groups_values(&report->plan, first, groups->group[0].windows, groups, node);
}

void td_report_groups_totals(struct td_report *report)
{
	fill(report, report->groups, report->node);
	for (size_t i = 0; i < report->processes; i++)
		fill(report, report->process[i].groups, report->process[i].node);
	for (size_t i = 0; i < report->threads; i++)
		fill(report, report->thread[i].groups, report->thread[i].node);
}

void td_report_groups_free(struct td_report *report)
{
	free(report->groups);
	free(report->uncut);
	for (size_t i = 0; i < report->processes; i++)
		free(report->process[i].groups);
	for (size_t i = 0; i < report->threads; i++)
		free(report->thread[i].groups);
}
