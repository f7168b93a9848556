// SPDX-License-Identifier: MIT
#include "tools/print_hints.h"

#include <stdlib.h>

#define NAMES_MOST 3 /* functions named behind a node */

static const struct td_hint hints[TD_NODES] = {
	[TD_NODE_RETIRING] = {"retiring", "the slots do useful work",
			      "fewer instructions: a better algorithm, vector code, "
			      "less that is computed twice"},
	[TD_NODE_BAD_SPECULATION] = {"bad speculation",
				     "work is thrown away behind a wrong guess",
				     "see which branches or clears: count mispredicted "
				     "branches and machine clears by perf"},
	[TD_NODE_FRONTEND_BOUND] = {"frontend bound",
				    "the core waits for instructions, not for data",
				    "smaller hot code: -O2, profile-guided "
				    "optimization, function order, huge pages for code"},
	[TD_NODE_BACKEND_BOUND] = {"backend bound",
				   "instructions are there and wait for data or units",
				   "tell memory from core first: level 2, or the cache "
				   "misses of this function"},
	[TD_NODE_HEAVY_OPERATIONS] = {"heavy operations",
				      "instructions of many micro-operations: gathers, "
				      "string moves, microcode",
				      "simpler instructions; denormals flushed to zero"},
	[TD_NODE_LIGHT_OPERATIONS] = {"light operations",
				      "the core works at its best; the work itself is "
				      "the limit",
				      "fewer instructions: a better algorithm, vector "
				      "code, less that is computed twice"},
	[TD_NODE_BRANCH_MISPREDICTS] = {"branch mispredicts",
					"branches go where the predictor did not expect",
					"sorted or partitioned data, conditional moves, "
					"lookup tables, profile-guided optimization"},
	[TD_NODE_MACHINE_CLEARS] = {"machine clears",
				    "the pipeline is emptied: memory ordering, "
				    "self-modifying code, assists",
				    "data of different threads in different cache "
				    "lines; no writes near code"},
	[TD_NODE_FETCH_LATENCY] = {"fetch latency",
				   "instructions come late: instruction cache and TLB "
				   "misses, branches taken",
				   "smaller hot code, profile-guided optimization, "
				   "function order, huge pages for code"},
	[TD_NODE_FETCH_BANDWIDTH] = {"fetch bandwidth",
				     "instructions come, but too few in a cycle",
				     "aligned loops, fewer taken branches, loops that "
				     "fit the micro-operation cache"},
	[TD_NODE_MEMORY_BOUND] = {"memory bound",
				  "loads and stores wait for caches or memory",
				  "less data, better locality, blocking, prefetching, "
				  "huge pages; no line written by two threads"},
	[TD_NODE_CORE_BOUND] = {"core bound",
				"results or units are not ready: divisions, long chains",
				"break dependency chains, no division in loops, "
				"unroll, vector code"},
};

/* Where no event tells the memory's resources from the others. */
static const struct td_hint resource = {
	"resource bound",
	"a scheduler, the registers or the reorder buffer are full, for memory or not",
	"tell which first: TDAGENT_EVENTS=mem=r0274,other=r0874,registers=r2074,reorder=r4074"};

const struct td_hint *td_hint(const struct td_report *report, int node)
{
	return node == TD_NODE_MEMORY_BOUND && td_report_is_resource(report)
		       ? &resource
		       : &hints[node];
}

static int limits(const struct td_report *report, size_t row, int node)
{
	int total;
	const struct td_report_function *f = &report->function[row];
	const struct td_topdown_value *answer = td_report_answer(f, &total);

	return answer[TD_NODE_RETIRING].present &&
	       td_topdown_bottleneck(answer) == node &&
	       !td_report_is_vague(report, f, node);
}

/* "a, b, c and 4 more"; NULL for no function at all. */
static char *names_of(const struct td_report *report, int node)
{
	char *text = NULL;
	size_t size, count = 0;
	FILE *words = open_memstream(&text, &size);

	for (size_t i = 0; words && i < report->functions; i++) {
		if (!limits(report, i, node))
			continue;
		if (count++ < NAMES_MOST)
			fprintf(words, "%s%s", count > 1 ? ", " : "",
				report->function[i].name);
	}
	if (words && count > NAMES_MOST)
		fprintf(words, " and %zu more", count - NAMES_MOST);
	if (words)
		fclose(words);
	if (count)
		return text;
	free(text);
	return NULL;
}

void td_print_hints(FILE *out, const struct td_report *report,
		    const struct td_print_style *style)
{
	int any = 0;

	for (int node = 0; node < TD_NODES; node++) {
		char *names = names_of(report, node);

		if (!names)
			continue;
		if (!any++)
			fputs("\nWhat it means, and what usually helps\n", out);
		td_print_line(out, style, td_topdown_tree[node].title,
			      "%s: %s. Helps: %s. (%s)", td_hint(report, node)->name,
			      td_hint(report, node)->means, td_hint(report, node)->helps,
			      names);
		free(names);
	}
}
