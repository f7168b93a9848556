// SPDX-License-Identifier: MIT
#include "tools/tui_details.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder/reserve.h"
#include "decoder/text.h"
#include "tools/calls.h"
#include "tools/print_cells.h"
#include "tools/print_hints.h"

#define CALLS_MOST 12 /* callers, and callees */

struct making {
	struct td_tui_details *details;
	const struct td_report *report;
	const struct td_paths *tree;
	const struct td_report_function *function;
	size_t width;
	int err;
};

static struct td_tui_line *add(struct making *making, enum td_tui_style style, char *text)
{
	struct td_tui_details *details = making->details;
	size_t n = details->lines;

	if (!text || td_reserve(&details->line, n, sizeof(*details->line)) < 0) {
		free(text);
		making->err = -ENOMEM;
		return NULL;
	}
	details->line[n] = (struct td_tui_line){
		.text = text, .style = style, .link = SIZE_MAX, .node = -1};
	details->lines++;
	return &details->line[n];
}

__attribute__((format(printf, 3, 4))) static struct td_tui_line *
say(struct making *making, enum td_tui_style style, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = td_text_vformat(format, args);
	va_end(args);
	return add(making, style, text);
}

/* Folded at blanks. */
static void say_folded(struct making *making, const char *text)
{
	size_t room = making->width > 24 ? making->width - 4 : 20;

	while (*text) {
		size_t bytes = td_text_fold(text, room);

		say(making, TD_TUI_SOFT, "  %.*s", (int)bytes, text);
		text += bytes;
		text += strspn(text, " ");
	}
}

static void put_latency(struct making *making)
{
	const struct td_latencies *latencies = &making->function->latencies;
	struct td_estimate mean;

	if (!td_report_has_latencies(making->report) ||
	    !td_latencies_mean(latencies, &mean))
		return;
	say(making, TD_TUI_PLAIN,
	    "  %.3g cycles retire latency before %s (%.3g to %.3g, %" PRIu64 ")",
	    mean.value, making->report->latency_event, mean.low, mean.high,
	    latencies->records);
}

static void head(struct making *making)
{
	const struct td_report_function *f = making->function;
	const struct td_report *report = making->report;
	const char *module = td_report_module(report, f);

	say(making, TD_TUI_STRONG, "%s", f->name);
	if (f->address)
		say(making, TD_TUI_SOFT, "%s at 0x%" PRIx64,
		    *module ? module : "no module", f->address);
	else /* compiled at run time, perhaps to several places */
		say(making, TD_TUI_SOFT, "%s", *module ? module : "no module");
	say(making, TD_TUI_PLAIN, "%s", "");
	say(making, TD_TUI_PLAIN, "  %.1f %% of the samples (%.1f to %.1f, %" PRIu64 ")",
	    100 * f->share.value, 100 * f->share.low, 100 * f->share.high, f->samples);
	if (report->has_paths)
		say(making, TD_TUI_PLAIN, "  %.1f %% with all that it calls",
		    100 * f->total.share.value);
	if (report->has_time)
		say(making, TD_TUI_PLAIN, "  %.3f s of CPU time", f->cpu_ns / 1e9);
	put_latency(making);
}

static void put_node(struct making *making, const struct td_topdown_value *value, int i)
{
	char number[TD_CELL_BYTES] = "";
	struct td_tui_line *line;
	int indent = td_topdown_tree[i].parent < 0 ? 2 : 4;
	int gap;

	if (!value[i].present)
		return;
	td_cell_node_text(making->report, making->function, i, 0, number);
	gap = 12 - (int)td_text_width(number);
	line = say(making, TD_TUI_PLAIN, "%*s%-*s%*s%s  over %2.0f ", indent, "",
		   24 - indent, td_hint(making->report, i)->name, gap > 0 ? gap : 0, "",
		   number, 100 * td_topdown_threshold(making->report->map.over, i));
	if (line)
		line->node = i;
}

static const char *evidence(const struct td_report_function *f)
{
	switch (f->evidence) {
	case TD_EVIDENCE_OWN:
		return "From windows of this function alone.";
	case TD_EVIDENCE_SEPARATED:
		return "Told apart from its neighbours by regression over all windows.";
	case TD_EVIDENCE_CALLERS:
		return "Known only together with its callers.";
	case TD_EVIDENCE_NONE:
		break;
	}
	return "";
}

static void put_hint(struct making *making, int node)
{
	char *text =
		td_text_format("%s: %s. Helps: %s.", td_hint(making->report, node)->name,
			       td_hint(making->report, node)->means,
			       td_hint(making->report, node)->helps);

	if (text)
		say_folded(making, text);
	else
		making->err = -ENOMEM;
	free(text);
}

static void tree_of_nodes(struct making *making)
{
	const struct td_report_function *f = making->function;
	int total, limit;
	const struct td_topdown_value *value = td_report_answer(f, &total);

	if (!td_report_has_topdown(making->report))
		return;
	say(making, TD_TUI_PLAIN, "%s", "");
	say(making, TD_TUI_STRONG, "What limits it, %% of%s slots%s",
	    making->report->simulated ? " SIMULATED" : "",
	    total ? " (^ with all that it calls)" : "");
	if (!value[TD_NODE_RETIRING].present)
		say(making, TD_TUI_SOFT, "  not known: no window tells of it");
	for (int parent = 0; parent < TD_NODES_LEVEL1; parent++) {
		put_node(making, value, parent);
		for (int i = TD_NODES_LEVEL1; i < TD_NODES; i++)
			if (td_topdown_tree[i].parent == parent)
				put_node(making, value, i);
	}
	limit = td_topdown_bottleneck(value);
	if (limit >= 0 && !td_report_is_vague(making->report, f, limit))
		put_hint(making, limit);
	if (!total)
		say_folded(making, evidence(f));
}

static void put_calls(struct making *making, const char *title,
		      const struct td_call *call, size_t calls)
{
	const struct td_report *report = making->report;

	say(making, TD_TUI_PLAIN, "%s", "");
	say(making, TD_TUI_STRONG, "%s", title);
	if (!calls)
		say(making, TD_TUI_SOFT, "  none");
	for (size_t i = 0; i < calls && i < CALLS_MOST; i++) {
		const char *name = call[i].kind == TD_PATH_ROOT  ? "(start of the thread)"
				   : call[i].kind == TD_PATH_CUT ? "(not found)"
				   : call[i].other < report->rows
					   ? report->function[call[i].other].name
					   : "(not known)";
		struct td_tui_line *line = say(
			making, TD_TUI_PLAIN, "  %5.1f %%  %s",
			100 * (double)call[i].samples / (double)report->samples, name);

		if (line && call[i].other < report->functions)
			line->link = call[i].other;
	}
	if (calls > CALLS_MOST)
		say(making, TD_TUI_SOFT, "  and %zu more", calls - CALLS_MOST);
}

/* Who calls it and whom it calls. */
static void put_neighbours(struct making *making)
{
	static const char *const title[] = {[TD_CALLS_CALLERS] =
						    "Called by, % of all samples",
					    [TD_CALLS_CALLEES] = "Calls"};
	size_t function = (size_t)(making->function - making->report->function);

	for (unsigned of = TD_CALLS_CALLERS; of <= TD_CALLS_CALLEES; of++) {
		size_t calls;
		struct td_call *call = td_calls_list(making->tree, (enum td_calls_of)of,
						     function, &calls);

		if (call)
			put_calls(making, title[of], call, calls);
		else
			making->err = -ENOMEM;
		free(call);
	}
}

static void put_windows(struct making *making)
{
	const struct td_report_function *f = making->function;

	say(making, TD_TUI_PLAIN, "%s", "");
	say(making, TD_TUI_STRONG, "Windows");
	say(making, TD_TUI_PLAIN, "  %10" PRIu64 "  valid", f->windows);
	for (unsigned i = 0; i < TD_REJECT_MAX; i++) {
		if (f->rejected[i])
			say(making, TD_TUI_PLAIN, "  %10" PRIu64 "  %s", f->rejected[i],
			    td_reject_key(i));
	}
	if (f->identifiability >= 0 && making->report->separated)
		say(making, TD_TUI_SOFT, "  identifiability %.2f", f->identifiability);
	if (f->visit > 0)
		say(making, TD_TUI_SOFT, "  %.0f cycles a visit", f->visit);
}

int td_tui_details_make(struct td_tui_details *details, const struct td_report *report,
			const struct td_paths *tree, size_t function, size_t width)
{
	struct making making = {.details = details,
				.report = report,
				.tree = tree,
				.function = &report->function[function],
				.width = width};

	*details = (struct td_tui_details){.function = function};
	head(&making);
	tree_of_nodes(&making);
	if (tree)
		put_neighbours(&making);
	put_windows(&making);
	return making.err;
}

void td_tui_details_free(struct td_tui_details *details)
{
	for (size_t i = 0; i < details->lines; i++)
		free(details->line[i].text);
	free(details->line);
	memset(details, 0, sizeof(*details));
}

void td_tui_details_move(struct td_tui_details *details, long lines, size_t height)
{
	if (lines < 0)
		details->at =
			(size_t)-lines > details->at ? 0 : details->at - (size_t)-lines;
	else if (details->lines)
		details->at = (size_t)lines >= details->lines - details->at
				      ? details->lines - 1
				      : details->at + (size_t)lines;
	if (details->top > details->at)
		details->top = details->at;
	if (height && details->at >= details->top + height)
		details->top = details->at - height + 1;
}

void td_tui_details_link(struct td_tui_details *details, int step, size_t height)
{
	for (size_t i = details->at + (size_t)step; i < details->lines;
	     i += (size_t)step) {
		if (details->line[i].link != SIZE_MAX) {
			td_tui_details_move(details, (long)i - (long)details->at, height);
			return;
		}
	}
}
