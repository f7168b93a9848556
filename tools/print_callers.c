// SPDX-License-Identifier: MIT
#include "tools/print_callers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"

#define CALLERS_MOST 5

/* Samples of `function` that came by a call from `caller`. */
struct call {
	size_t function, caller; /* indexes; caller SIZE_MAX: nobody */
	int unknown;             /* there is one, but it was not found */
	uint64_t samples;
};

static int by_pair(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return x->unknown - y->unknown;
}

static int by_samples(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return by_pair(a, b);
}

static size_t join(struct call *call, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(call, count, sizeof(*call), by_pair);
	for (size_t i = 0; i < count; i++) {
		if (kept && by_pair(&call[kept - 1], &call[i]) == 0)
			call[kept - 1].samples += call[i].samples;
		else
			call[kept++] = call[i];
	}
	if (kept)
		qsort(call, kept, sizeof(*call), by_samples);
	return kept;
}

/*
 * The samples of each node and of all below it: children stand behind their
 * parents, so one pass from the end does.  NULL without memory.
 */
static uint64_t *totals_of(const struct td_paths *paths)
{
	uint64_t *total = calloc(paths->nodes + 1, sizeof(*total));

	for (size_t i = paths->nodes; total && i-- > 0;) {
		total[i] += paths->node[i].samples;
		if (paths->node[i].parent != SIZE_MAX)
			total[paths->node[i].parent] += total[i];
	}
	return total;
}

/* 1 when the function stands above this node as well: counted there already. */
static int is_inner(const struct td_paths *paths, size_t node, size_t function)
{
	for (size_t i = paths->node[node].parent; i != SIZE_MAX;
	     i = paths->node[i].parent)
		if (td_paths_function(paths, i) == function)
			return 1;
	return 0;
}

static size_t collect(const struct td_report *report, const uint64_t *total,
		      struct call *call)
{
	const struct td_paths *paths = &report->paths;
	size_t count = 0;

	for (size_t i = 0; i < paths->nodes; i++) {
		size_t function = td_paths_function(paths, i);
		size_t parent = paths->node[i].parent;

		if (function >= report->functions || !total[i] ||
		    is_inner(paths, i, function))
			continue;
		call[count++] = (struct call){
			.function = function,
			.caller = parent == SIZE_MAX ? SIZE_MAX
						     : td_paths_function(paths, parent),
			.unknown = parent != SIZE_MAX &&
				   paths->node[parent].kind == TD_PATH_CUT,
			.samples = total[i],
		};
	}
	return join(call, count);
}

static void put_caller(FILE *out, const struct td_report *report,
		       const struct td_print_style *style, const struct call *call,
		       uint64_t all)
{
	const char *name = call->unknown ? "[not found]"
			   : call->caller == SIZE_MAX
				   ? "[nobody: where threads begin]"
				   : report->function[call->caller].name;
	size_t room = style->width > 20 ? style->width - 12 : SIZE_MAX;

	fprintf(out, "%7.1f %%  %.*s\n", 100 * (double)call->samples / (double)all,
		(int)td_text_prefix(name, room), name);
}

/* Returns how many of the calls were this function's. */
static size_t put_function(FILE *out, const struct td_report *report,
			   const struct td_print_style *style, size_t function,
			   const struct call *call, size_t calls)
{
	uint64_t all = 0;
	size_t count = 0;

	while (count < calls && call[count].function == function)
		all += call[count++].samples;
	if (!all)
		return count;
	fprintf(out, "%s: %" PRIu64 " samples with all that it calls\n",
		report->function[function].name, all);
	for (size_t i = 0; i < count && i < CALLERS_MOST; i++)
		put_caller(out, report, style, &call[i], all);
	if (count > CALLERS_MOST)
		fprintf(out, "           and %zu more callers\n", count - CALLERS_MOST);
	return count;
}

void td_print_callers(FILE *out, const struct td_report *report,
		      const struct td_print_style *style)
{
	uint64_t *total;
	struct call *call;
	size_t calls, at = 0;

	fputs("\nCallers, of each function's samples\n", out);
	if (!report->has_paths) {
		fputs("None: the profile has no call paths; record with "
		      "TDAGENT_CALLPATH=on (run --callpath=on).\n",
		      out);
		return;
	}
	total = totals_of(&report->paths);
	call = calloc(report->paths.nodes + 1, sizeof(*call));
	if (total && call) {
		calls = collect(report, total, call);
		for (size_t i = 0; i < report->functions; i++)
			at += put_function(out, report, style, i, call + at, calls - at);
	} else {
		fprintf(out, "None: %s\n", strerror(ENOMEM));
	}
	free(total);
	free(call);
}
