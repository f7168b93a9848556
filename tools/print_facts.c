// SPDX-License-Identifier: MIT
#include "tools/print_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "decoder/names.h"

#define UNSAMPLED_PART 0.1    /* of the CPU time: less is nobody's concern */
#define UNSAMPLED_PERIODS 10. /* fewer are chance */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static const char *period(char *text, size_t size, uint64_t value, uint32_t unit)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};

	if (unit != TD_UNIT_NS) {
		snprintf(text, size, "%" PRIu64 " cycles", value);
		return text;
	}
	for (size_t i = 0; i < 4; i++) {
		if (value >= units[i].ns) {
			snprintf(text, size, "%.4g %s",
				 (double)value / (double)units[i].ns, units[i].name);
			return text;
		}
	}
	return "0";
}

/* "12 late, 3 blocked"; "" for none */
static char *causes(const uint64_t *count, unsigned entries,
		    const char *(*word)(unsigned cause))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned i = 0; out && i < entries; i++) {
		if (count[i])
			fprintf(out, "%s%" PRIu64 " %s", ftell(out) ? ", " : "", count[i],
				word(i));
	}
	if (out)
		fclose(out);
	return text;
}

static void print_method(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	const struct td_file_header *header = &td_print_first(report)->header;
	char text[4][40];

	td_print_line(out, style, "backend", "%s%s%s", td_backend_name(header->backend),
		      header->reason[0] ? ": " : "", header->reason);
	td_print_line(out, style, "trigger", "%s%s%s%s",
		      header->windows == TD_WINDOWS_VERNIER
			      ? "vernier: the kernel cuts the windows; rings emptied at "
			      : "",
		      td_trigger_name(header->trigger),
		      header->resolution_ns ? ", resolution " : "",
		      header->resolution_ns ? period(text[0], sizeof(text[0]),
						     header->resolution_ns, TD_UNIT_NS)
					    : "");
	if (header->trigger == TD_TRIGGER_PERF) {
		td_print_line(out, style, "periods", "windows from sample to sample%s%s",
			      header->long_period ? ", on average " : "",
			      header->long_period
				      ? period(text[1], sizeof(text[1]),
					       header->long_period, header->period_unit)
				      : "");
		return;
	}
	snprintf(text[0], sizeof(text[0]), "bursts of %u, the first not counted, ",
		 header->burst);
	td_print_line(out, style, "periods", "a sample every %s, %u %% jitter; %s%s%s",
		      period(text[1], sizeof(text[1]), header->long_period,
			     header->period_unit),
		      header->jitter_percent, header->burst > 1 ? text[0] : "",
		      header->short_period ? "windows of " : "no windows",
		      header->short_period
			      ? period(text[2], sizeof(text[2]), header->short_period,
				       header->period_unit)
			      : "");
}

/* Added up, a sample counts as one, however long its period was. */
static void print_unlike(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	const struct td_file_header *first = &td_print_first(report)->header;

	for (size_t i = 0; i < report->processes; i++) {
		const struct td_file_header *header = &report->process[i].header;

		if (!header->long_period || (header->long_period == first->long_period &&
					     header->period_unit == first->period_unit))
			continue;
		td_print_line(
			out, style, "",
			"these are the first profile's; others have other periods, so "
			"that their samples stand for more time or less: shares of "
			"samples are no shares of time");
		return;
	}
}

static void print_windows(FILE *out, const struct td_report *report,
			  const struct td_print_style *style)
{
	uint64_t rejected = td_print_sum(report->rejected, TD_REJECT_MAX);
	char *why = causes(report->rejected, TD_REJECT_MAX, td_reject_text);

	if (report->windows || rejected)
		td_print_line(out, style, "windows",
			      "%" PRIu64 " valid, %" PRIu64 " rejected%s%s",
			      report->windows, rejected, rejected && why ? ": " : "",
			      rejected && why ? why : "");
	free(why);
}

static void print_lost(FILE *out, const struct td_report *report,
		       const struct td_print_style *style)
{
	uint64_t lost = td_print_sum(report->lost, TD_LOST_MAX);
	char *why = causes(report->lost, TD_LOST_MAX, td_lost_text);

	if (lost)
		td_print_line(out, style, "lost", "%" PRIu64 " sample%s: %s", lost,
			      plural(lost), why ? why : "");
	free(why);
}

/* CPU time beyond the periods of all samples: the clock interrupts user mode alone, and
 * what a sample costs is CPU time of its thread as well. */
static void print_unsampled(FILE *out, const struct td_report *report,
			    const struct td_print_style *style)
{
	double lost = (double)td_print_sum(report->lost, TD_LOST_MAX);
	double all = (double)report->cpu_ns, each, left;

	if (!report->has_time || !report->samples)
		return;
	each = report->sampled_ns / (double)report->samples;
	left = all - report->sampled_ns - lost * each;
	if (left > UNSAMPLED_PART * all && left > UNSAMPLED_PERIODS * each)
		td_print_line(
			out, style, "unsampled",
			"%.3f s of CPU time: in the kernel, or what measuring took, "
			"which is less with longer periods",
			left / 1e9);
}

/* What being measured costs here, by where the windows' lines meet. */
static void print_cost(FILE *out, const struct td_report *report,
		       const struct td_print_style *style)
{
	const struct td_separate_cost *cost = &report->cost;
	const char *unit = cost->width > 1 || report->map.slots < 0 ? "cycles" : "slots";
	char edges[96] = "", mix[96] = "";

	if (td_separate_knows_mix(cost))
		snprintf(mix, sizeof(mix),
			 ", in %% of them: Retiring %.0f, BadSpec %.0f, Frontend %.0f, "
			 "Backend %.0f",
			 100 * cost->mix[0], 100 * cost->mix[1], 100 * cost->mix[2],
			 100 * cost->mix[3]);
	if (cost->start_spread > 0)
		snprintf(edges, sizeof(edges),
			 "; edges of returns to user mode: ±%.0f cycles from window to "
			 "window",
			 cost->start_spread);
	td_print_line(out, style, "told apart",
		      "by %" PRIu64 " windows, %" PRIu64
		      " of them of one function alone%s (doc/estimates.md)",
		      report->told, report->own,
		      cost->clocked ? ", and by their instructions" : "");
	/* shares of next to nothing are noise */
	if (td_print_first(report)->header.windows == TD_WINDOWS_VERNIER &&
	    fabs(cost->cycles.value) < 1) {
		td_print_line(out, style, "own cost",
			      "none: the kernel cuts the windows");
		return;
	}
	td_print_line(out, style, "own cost", "%.1f±%.1f %s a window, taken out%s%s",
		      cost->cycles.value, (cost->cycles.high - cost->cycles.low) / 2,
		      unit, mix, edges);
}

/* Law 5: a number that was corrected says by how much. */
static void print_own_cost(FILE *out, const struct td_report *report,
			   const struct td_print_style *style)
{
	const struct td_own_cost *cost = &report->own_cost;
	char *text = NULL;
	size_t size;
	FILE *words;

	if (report->separated) {
		print_cost(out, report, style);
		return;
	}
	if (!cost->windows && report->rounded)
		td_print_line(
			out, style, "own cost",
			"not known: each window holds some instructions of the agent, which "
			"count for more in short ones");
	if (!cost->windows || report->map.slots < 0 || cost->mean[0] <= 0)
		return;
	words = open_memstream(&text, &size);
	if (!words)
		return;
	for (int i = 0; i < TD_NODES_LEVEL1; i++)
		if (report->map.node[i] >= 0)
			fprintf(words, "%s%s %.0f", ftell(words) ? ", " : "",
				td_topdown_tree[i].title,
				100 * td_report_own_part(report, i));
	fclose(words);
	td_print_line(out, style, "own cost",
		      "%.0f slots a window, taken out; by %" PRIu64
		      " empty window%s, in %% of them: %s",
		      cost->mean[0], cost->windows, plural(cost->windows), text);
	free(text);
}

/* Do the functions add up to the whole? */
static void print_check(FILE *out, const struct td_report *report,
			const struct td_print_style *style)
{
	const struct td_check *check = &report->check;
	double points = 100 * fabs(check->functions - check->total);
	const char *title = td_topdown_tree[check->node].title;

	if (!check->present)
		return;
	if (check->holds)
		td_print_line(
			out, style, "check",
			"functions and the whole run agree within %.1f points (%s; intervals "
			"and unmeasured functions explain %.1f); %.1f %% of the samples are in "
			"functions without valid windows",
			points, title, 100 * check->explained, 100 * check->unmeasured);
	else
		td_print_line(
			out, style, "check",
			"FUNCTIONS AND THE WHOLE RUN DISAGREE: %s is %.1f %% by the "
			"functions, %.1f %% in all: %.1f points apart, of which intervals "
			"and functions without valid windows (%.1f %% of the samples) "
			"explain %.1f. The windows are biased or were disturbed",
			title, 100 * check->functions, 100 * check->total, points,
			100 * check->unmeasured, 100 * check->explained);
}

static void print_notes(FILE *out, const struct td_report *report,
			const struct td_print_style *style)
{
	for (size_t i = 0; i < report->notes; i++)
		td_print_line(out, style, "note", "%s", report->note[i]);
}

void td_print_facts(FILE *out, const struct td_report *report,
		    const struct td_print_style *style)
{
	const struct td_file_header *header = &td_print_first(report)->header;

	fputs("\nHow it was measured\n", out);
	if (header->cpu[0])
		td_print_line(out, style, "machine", "%s; %s", header->cpu,
			      header->kernel);
	print_method(out, report, style);
	print_unlike(out, report, style);
	print_windows(out, report, style);
	print_lost(out, report, style);
	print_unsampled(out, report, style);
	print_own_cost(out, report, style);
	print_check(out, report, style);
	print_notes(out, report, style);
}
