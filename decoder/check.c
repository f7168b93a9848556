// SPDX-License-Identifier: MIT
#include "decoder/check.h"

#include <math.h>
#include <string.h>

#include "decoder/report.h"

#define Z95 1.959963984540054
/* doc/accuracy.md: instructions of a sample and its window, twice over */
#define AGENT_CYCLES 2500.

static double half_of(const struct td_estimate *estimate)
{
	return (estimate->high - estimate->low) / 2;
}

/* Samples of the functions that have a value for the node. */
static double measured_samples(const struct td_report *report, int node)
{
	double samples = 0;

	for (size_t i = 0; i < report->functions; i++) {
		if (report->function[i].node[node].present)
			samples += (double)report->function[i].samples;
	}
	return samples;
}

static double weighted_mean(const struct td_report *report, int node, double samples)
{
	double mean = 0;

	for (size_t i = 0; i < report->functions; i++) {
		const struct td_report_function *f = &report->function[i];

		if (f->node[node].present)
			mean += (double)f->samples / samples *
				f->node[node].estimate.value;
	}
	return mean;
}

/* Half the interval of that mean: the weights are samples, the values estimates. */
static double weighted_half(const struct td_report *report, int node, double samples,
			    double mean)
{
	double square = 0;

	for (size_t i = 0; i < report->functions; i++) {
		const struct td_report_function *f = &report->function[i];
		const struct td_estimate *e = &f->node[node].estimate;
		double weight = (double)f->samples / samples;
		double own = weight * half_of(e), away = Z95 * (e->value - mean);

		if (f->node[node].present)
			square += own * own + weight * away * away / samples;
	}
	return sqrt(square);
}

/*
 * The part of the totals that may be the agent's, at most: handlers and what a window
 * costs, for each sample.  The functions' windows do not have it.
 */
static double agents_part(const struct td_report *report)
{
	double slots = report->processes ? report->process[0].header.slots_a_cycle : 0;
	double cycles = AGENT_CYCLES;

	if (report->separated)
		cycles += 2 * report->cost.cycles.high;
	if (report->total[0] == 0)
		return 0;
	return fmin(1,
		    (double)report->samples * cycles * slots / (double)report->total[0]);
}

static int check_node(const struct td_report *report, int node, struct td_check *check)
{
	double samples = measured_samples(report, node), mean;

	if (!report->node[node].present || samples <= 0)
		return 0;
	mean = weighted_mean(report, node, samples);
	check->present = 1;
	check->node = node;
	check->functions = mean;
	check->total = report->node[node].estimate.value;
	check->unmeasured = 1 - samples / (double)report->samples;
	check->explained =
		weighted_half(report, node, samples, mean) +
		half_of(&report->node[node].estimate) +
		(check->unmeasured + agents_part(report)) * fmax(mean, 1 - mean);
	check->holds = fabs(check->functions - check->total) <= check->explained;
	return 1;
}

static int is_worse(const struct td_check *a, const struct td_check *b)
{
	if (!b->present || a->holds != b->holds)
		return !b->present || !a->holds;
	return fabs(a->functions - a->total) > fabs(b->functions - b->total);
}

void td_check_report(const struct td_report *report, struct td_check *check)
{
	memset(check, 0, sizeof(*check));
	if (!report->total_complete || !report->samples)
		return;
	for (int node = 0; node < TD_NODES_LEVEL1; node++) {
		struct td_check one = {0};

		if (check_node(report, node, &one) && is_worse(&one, check))
			*check = one;
	}
}
