// SPDX-License-Identifier: MIT
#include "tools/print_callers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"
#include "tools/calls.h"

#define CALLERS_MOST 5

static void put_caller(FILE *out, const struct td_report *report,
		       const struct td_print_style *style, const struct td_call *call,
		       uint64_t all)
{
	const char *name = call->kind == TD_PATH_CUT ? "[not found]"
			   : call->other == SIZE_MAX ? "[nobody: where threads begin]"
						     : report->function[call->other].name;
	size_t room = style->width > 20 ? style->width - 12 : SIZE_MAX;

	fprintf(out, "%7.1f %%  %.*s\n", 100 * (double)call->samples / (double)all,
		(int)td_text_prefix(name, room), name);
}

/* Returns how many of the calls were this function's. */
static size_t put_function(FILE *out, const struct td_report *report,
			   const struct td_print_style *style, size_t function,
			   const struct td_call *call, size_t calls)
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
	struct td_paths tree;
	struct td_call *call = NULL;
	size_t calls = 0, at = 0;

	fputs("\nCallers, of each function's samples\n", out);
	if (!report->has_paths) {
		fputs("None: the profile has no call paths; record with "
		      "TDAGENT_CALLPATH=on (run --callpath=on).\n",
		      out);
		return;
	}
	if (td_paths_tree(report, &tree) == 0)
		call = td_calls_list(&tree, TD_CALLS_CALLERS, TD_CALLS_ALL, &calls);
	if (!call)
		fprintf(out, "None: %s\n", strerror(ENOMEM));
	for (size_t i = 0; call && i < report->functions; i++)
		at += put_function(out, report, style, i, call + at, calls - at);
	free(call);
	td_paths_free(&tree);
}
