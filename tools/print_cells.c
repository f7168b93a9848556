// SPDX-License-Identifier: MIT
#include "tools/print_cells.h"

#include <inttypes.h>
#include <string.h>

#include "decoder/text.h"

#define CELL TD_CELL_BYTES
#define MODULE_MOST 24

static void percent(const struct td_estimate *e, int compact, const char *before,
		    const char *behind, char *text)
{
	double half = 50 * (e->high - e->low);

	snprintf(text, CELL, "%s%.*f±%.*f%s", before, !compact, 100 * e->value, !compact,
		 half, behind);
}

static void share_cell(const struct td_report *report, const struct td_report_function *f,
		       int node, int compact, char *text)
{
	(void)node, (void)compact; /* many functions have less than a percent */
	if (report->samples)
		percent(&f->share, 0, "", "", text);
}

static void total_cell(const struct td_report *report, const struct td_report_function *f,
		       int node, int compact, char *text)
{
	(void)node;
	if (report->samples && report->has_paths)
		percent(&f->total.share, compact, "", "", text);
}

static void samples_cell(const struct td_report *report,
			 const struct td_report_function *f, int node, int compact,
			 char *text)
{
	(void)report, (void)node, (void)compact;
	snprintf(text, CELL, "%" PRIu64, f->samples);
}

static uint64_t windows_of(const struct td_report_function *f)
{
	return f->windows + td_print_sum(f->rejected, TD_REJECT_MAX);
}

/* Valid ones of all; those of the total where the values are the total's. */
void td_cell_windows(const struct td_report *report, const struct td_report_function *f,
		     int node, int compact, char *text)
{
	int total;

	(void)report, (void)node;
	td_report_answer(f, &total);
	if (total && compact)
		snprintf(text, CELL, TD_CELL_TOTAL "%" PRIu64, f->total.windows);
	else if (total)
		snprintf(text, CELL, TD_CELL_TOTAL "%" PRIu64 "/%" PRIu64,
			 f->total.windows, f->total.opened);
	else if (windows_of(f) && compact)
		snprintf(text, CELL, "%" PRIu64, f->windows);
	else if (windows_of(f))
		snprintf(text, CELL, "%" PRIu64 "/%" PRIu64, f->windows, windows_of(f));
}

static int counts_returns(const struct td_report *report)
{
	return report->rejected[TD_REJECT_NESTED] != 0;
}

/* Windows in which the function called or returned, and came back, in percent. */
void td_cell_nested(const struct td_report *report, const struct td_report_function *f,
		    int node, int compact, char *text)
{
	(void)node, (void)compact;
	if (counts_returns(report) && windows_of(f))
		snprintf(text, CELL, "%.1f",
			 100 * (double)f->rejected[TD_REJECT_NESTED] /
				 (double)windows_of(f));
}

static void time_cell(const struct td_report *report, const struct td_report_function *f,
		      int node, int compact, char *text)
{
	(void)node, (void)compact;
	if (report->has_time)
		snprintf(text, CELL, "%.3f", f->cpu_ns / 1e9);
}

static void rate_text(const struct td_report_rate *rate, char *text)
{
	if (rate->present)
		snprintf(text, CELL, "%.3g", rate->estimate.value);
}

static void faults_cell(const struct td_report *report,
			const struct td_report_function *f, int node, int compact,
			char *text)
{
	(void)report, (void)node, (void)compact;
	rate_text(&f->faults, text);
}

static void switches_cell(const struct td_report *report,
			  const struct td_report_function *f, int node, int compact,
			  char *text)
{
	(void)report, (void)node, (void)compact;
	rate_text(&f->switches, text);
}

void td_cell_node_text(const struct td_report *report, const struct td_report_function *f,
		       int node, int compact, char *text)
{
	int total;
	const struct td_topdown_value *answer = td_report_answer(f, &total);

	if (answer[node].present)
		percent(&answer[node].estimate, compact, total ? TD_CELL_TOTAL : "",
			td_report_is_vague(report, f, node) ? "?"
							    : td_print_mark(answer, node),
			text);
}

const char *td_cell_colour(const struct td_report *report,
			   const struct td_report_function *f, int node)
{
	int total;

	return td_report_is_vague(report, f, node)
		       ? "\033[2m"
		       : td_print_colour(td_report_answer(f, &total), node);
}

/* What the windows cannot tell says so, what is below all thresholds as well. */
static void limit_cell(const struct td_report *report, const struct td_report_function *f,
		       int node, int compact, char *text)
{
	int total;
	const struct td_topdown_value *answer = td_report_answer(f, &total);
	int limit = td_topdown_bottleneck(answer);

	(void)node, (void)compact;
	if (!answer[TD_NODE_RETIRING].present)
		return;
	if (limit < 0)
		snprintf(text, CELL, "nothing");
	else
		snprintf(text, CELL, "%s%s", td_topdown_tree[limit].title,
			 td_report_is_vague(report, f, limit) ? "?" : "");
}

/* Where the values come from: its own windows, a separation, or not without callers. */
static void basis_cell(const struct td_report *report, const struct td_report_function *f,
		       int node, int compact, char *text)
{
	static const char *const words[] = {
		[TD_EVIDENCE_OWN] = "own",
		[TD_EVIDENCE_SEPARATED] = "separ.",
		[TD_EVIDENCE_CALLERS] = "callers",
	};

	(void)node, (void)compact;
	if (report->separated && words[f->evidence])
		snprintf(text, CELL, "%s", words[f->evidence]);
}

/* A blank where others have their flag keeps the digits in line. */
void td_cell_node(const struct td_report *report, const struct td_report_function *f,
		  int node, int compact, char *text)
{
	int total;
	const struct td_topdown_value *answer = td_report_answer(f, &total);

	td_cell_node_text(report, f, node, compact, text);
	if (answer[node].present && !answer[node].flagged &&
	    !td_report_is_vague(report, f, node))
		strcat(text, " ");
}

static void module_cell(const struct td_report *report,
			const struct td_report_function *f, int node, int compact,
			char *text)
{
	const char *base = td_text_base(td_report_module(report, f));
	size_t bytes = td_text_prefix(base, MODULE_MOST - 1);

	(void)node, (void)compact;
	if (td_text_width(base) <= MODULE_MOST)
		snprintf(text, CELL, "%s", base);
	else
		snprintf(text, CELL, "%.*s…", (int)bytes, base);
}

_Static_assert(4 * MODULE_MOST + 4 <= TD_CELL_BYTES, "a module's name fits its cell");

const struct td_column td_columns[TD_COLUMNS] = {
	{"Share %", "Share %", share_cell, 0, 0, 0},
	{"Total %", "Total", total_cell, 0, 0, 0},
	{"Samples", "Samples", samples_cell, 0, 9, 0},
	{"Windows", "Wins", td_cell_windows, 0, 2, 0},
	{"Nested %", "Nest%", td_cell_nested, 0, 5, 0},
	{"CPU s", "CPU s", time_cell, 0, 7, 0},
	{"Retiring", "Retir", td_cell_node, TD_NODE_RETIRING, 1, 0},
	{"BadSpec", "BadSp", td_cell_node, TD_NODE_BAD_SPECULATION, 1, 0},
	{"Frontend", "Front", td_cell_node, TD_NODE_FRONTEND_BOUND, 1, 0},
	{"Backend", "Back", td_cell_node, TD_NODE_BACKEND_BOUND, 1, 0},
	{"Limited by", "Limited by", limit_cell, 0, 3, 1},
	{"Faults/s", "Faults/s", faults_cell, 0, 8, 0},
	{"Switches/s", "Switches/s", switches_cell, 0, 10, 0},
	{"Basis", "Basis", basis_cell, 0, 4, 1},
	{"Module", "Module", module_cell, 0, 6, 1},
};
