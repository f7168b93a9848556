// SPDX-License-Identifier: MIT
#include "tools/tui_details.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder/text.h"
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

/* Samples that went by one call to or from the function. */
struct call {
	size_t row; /* the other function; SIZE_MAX: none */
	uint32_t kind;
	uint64_t samples;
};

static struct td_tui_line *add(struct making *making, enum td_tui_style style, char *text)
{
	struct td_tui_details *details = making->details;
	size_t n = details->lines;
	struct td_tui_line *more = details->line;

	if (text && (n & (n - 1)) == 0)
		more = reallocarray(details->line, n ? 2 * n : 1, sizeof(*more));
	if (!text || !more) {
		free(text);
		making->err = -ENOMEM;
		return NULL;
	}
	details->line = more;
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
		size_t bytes = td_text_prefix(text, room), cut = bytes;

		while (text[bytes] && cut && text[cut] != ' ')
			cut--;
		if (!cut)
			cut = bytes;
		say(making, TD_TUI_SOFT, "  %.*s", (int)cut, text);
		text += cut;
		text += strspn(text, " ");
	}
}

static void head(struct making *making)
{
	const struct td_report_function *f = making->function;
	const struct td_report *report = making->report;
	const char *module = td_report_module(report, f);

	say(making, TD_TUI_STRONG, "%s", f->name);
	say(making, TD_TUI_SOFT, "%s at 0x%" PRIx64, *module ? module : "no module",
	    f->address);
	say(making, TD_TUI_PLAIN, "%s", "");
	say(making, TD_TUI_PLAIN, "  %.1f %% of the samples (%.1f to %.1f, %" PRIu64 ")",
	    100 * f->share.value, 100 * f->share.low, 100 * f->share.high, f->samples);
	if (report->has_paths)
		say(making, TD_TUI_PLAIN, "  %.1f %% with all that it calls",
		    100 * f->total.share.value);
	if (report->has_time)
		say(making, TD_TUI_PLAIN, "  %.3f s of CPU time", f->cpu_ns / 1e9);
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
		   24 - indent, td_hints[i].name, gap > 0 ? gap : 0, "", number,
		   100 * td_topdown_tree[i].threshold);
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
	char *text = td_text_format("%s: %s. Helps: %s.", td_hints[node].name,
				    td_hints[node].means, td_hints[node].helps);

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

static int by_samples(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return (x->samples < y->samples) - (x->samples > y->samples);
}

static size_t count_call(struct call *call, size_t calls,
			 const struct td_path_node *other, uint64_t samples)
{
	size_t row = other ? other->row : SIZE_MAX;
	uint32_t kind = other ? other->kind : TD_PATH_ROOT;
	size_t i = 0;

	while (i < calls && (call[i].row != row || call[i].kind != kind))
		i++;
	if (i == calls)
		call[calls++] = (struct call){.row = row, .kind = kind};
	call[i].samples += samples;
	return calls;
}

static void put_calls(struct making *making, const char *title, struct call *call,
		      size_t calls)
{
	const struct td_report *report = making->report;

	say(making, TD_TUI_PLAIN, "%s", "");
	say(making, TD_TUI_STRONG, "%s", title);
	if (!calls)
		say(making, TD_TUI_SOFT, "  none");
	else
		qsort(call, calls, sizeof(*call), by_samples);
	for (size_t i = 0; i < calls && i < CALLS_MOST; i++) {
		const char *name = call[i].kind == TD_PATH_ROOT  ? "(start of the thread)"
				   : call[i].kind == TD_PATH_CUT ? "(not found)"
				   : call[i].row < report->rows
					   ? report->function[call[i].row].name
					   : "(not known)";
		struct td_tui_line *line = say(
			making, TD_TUI_PLAIN, "  %5.1f %%  %s",
			100 * (double)call[i].samples / (double)report->samples, name);

		if (line && call[i].row < report->functions)
			line->link = call[i].row;
	}
	if (calls > CALLS_MOST)
		say(making, TD_TUI_SOFT, "  and %zu more", calls - CALLS_MOST);
}

/* Who calls it and whom it calls.  Below a call of itself nothing counts again. */
static void put_neighbours(struct making *making)
{
	const struct td_paths *tree = making->tree;
	size_t row = (size_t)(making->function - making->report->function);
	struct call *call = calloc(2 * (tree->nodes + 1), sizeof(*call));
	struct call *callee = call ? call + tree->nodes + 1 : NULL;
	char *inside = calloc(tree->nodes + 1, 1);
	size_t callers = 0, callees = 0;

	for (size_t i = 0; call && inside && i < tree->nodes; i++) {
		const struct td_path_node *node = &tree->node[i], *parent = NULL;
		int below = 0;

		if (node->parent != SIZE_MAX) {
			parent = &tree->node[node->parent];
			below = inside[node->parent];
		}
		inside[i] = (char)(below || node->row == row);
		if (node->row == row && !below)
			callers = count_call(call, callers, parent, node->total);
		else if (node->row != row && parent && parent->row == row)
			callees = count_call(callee, callees, node, node->total);
	}
	if (call && inside) {
		put_calls(making, "Called by, % of all samples", call, callers);
		put_calls(making, "Calls", callee, callees);
	} else {
		making->err = -ENOMEM;
	}
	free(call);
	free(inside);
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
