// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decoder/names.h"
#include "decoder/text.h"
#include "tools/print.h"
#include "tools/print_table.h"
#include "tools/print_timeline.h"

#define LABEL 11          /* columns of the header's labels */
#define LONG_LEAST 50000. /* cycles between samples that we advise, at least */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/*
 * One line of text, folded at blanks to the page's width; with a label the
 * folded lines stand below each other behind it.
 */
static void fold(FILE *out, const struct td_print_style *style, const char *label,
		 const char *text)
{
	int indent = label ? LABEL : 0;
	size_t room = style->width > LABEL + 8 ? style->width - (size_t)indent : SIZE_MAX;

	fprintf(out, "%-*s", indent, label ? label : "");
	while (*text) {
		size_t bytes = td_text_prefix(text, room), cut = bytes;

		while (text[bytes] && cut && text[cut] != ' ')
			cut--;
		if (text[bytes] && cut)
			bytes = cut;
		fprintf(out, "%.*s\n", (int)bytes, text);
		text += bytes;
		text += strspn(text, " ");
		if (*text)
			fprintf(out, "%*s", indent, "");
	}
}

__attribute__((format(printf, 4, 5))) static void line(FILE *out,
						       const struct td_print_style *style,
						       const char *label,
						       const char *format, ...)
{
	char *text = NULL, *clean = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		clean = td_text_clean(text, strlen(text));
		free(text);
	}
	va_end(args);
	if (clean && *clean)
		fold(out, style, label, clean);
	free(clean);
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

static void title(FILE *out, const struct td_report *report,
		  const struct td_print_style *style)
{
	if (report->simulated)
		fprintf(out, "%stdagent report *** SIMULATED ***%s\n",
			style->colour ? "\033[1;33m" : "",
			style->colour ? "\033[0m" : "");
	else
		fputs("tdagent report\n", out);
}

static void print_fate(FILE *out, const struct td_print_style *style,
		       const struct td_report_process *process)
{
	switch (process->fate) {
	case TD_FATE_KILLED:
		line(out, style, "state", "killed or crashed: up to the last sample");
		break;
	case TD_FATE_RUNNING:
		line(out, style, "state", "still running: up to now");
		break;
	case TD_FATE_UNKNOWN:
		line(out, style, "state", "running or killed on another host (%s)",
		     process->header.host);
		break;
	case TD_FATE_EXEC:
		line(out, style, "state", "went on as another program (exec)");
		break;
	case TD_FATE_EXITED:
		break;
	}
}

static void print_program(FILE *out, const struct td_report *report,
			  const struct td_print_style *style)
{
	const struct td_report_process *process = td_print_first(report);
	const struct td_file_header *header = &process->header;
	time_t seconds = (time_t)(header->start_realtime_ns / 1000000000u);
	char *command = td_print_command(header);
	char when[40] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	line(out, style, "program", "%s", command ? command : "");
	free(command);
	if (report->processes > 1)
		line(out, style, "", "and %zu more profile%s added up",
		     report->processes - 1, plural(report->processes - 1));
	line(out, style, "run",
	     "pid %u, %s, %.3f s, %" PRIu64 " thread%s, %.3f s CPU time", header->pid,
	     when, td_print_duration(process), report->threads_all,
	     plural(report->threads_all), (double)report->cpu_ns / 1e9);
	if (report->query.thread)
		line(out, style, "only", "thread %s", report->query.thread);
	print_fate(out, style, process);
	if (header->cpu[0])
		line(out, style, "machine", "%s; %s", header->cpu, header->kernel);
}

static void print_method(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	const struct td_file_header *header = &td_print_first(report)->header;
	char text[4][40];

	line(out, style, "backend", "%s%s%s", td_backend_name(header->backend),
	     header->reason[0] ? ": " : "", header->reason);
	line(out, style, "trigger", "%s%s%s%s",
	     header->windows == TD_WINDOWS_VERNIER
		     ? "vernier: the kernel cuts the windows; rings emptied at "
		     : "",
	     td_trigger_name(header->trigger),
	     header->resolution_ns ? ", resolution " : "",
	     header->resolution_ns
		     ? period(text[0], sizeof(text[0]), header->resolution_ns, TD_UNIT_NS)
		     : "");
	if (header->trigger == TD_TRIGGER_PERF) {
		line(out, style, "periods", "windows from sample to sample%s%s",
		     header->long_period ? ", on average " : "",
		     header->long_period
			     ? period(text[1], sizeof(text[1]), header->long_period,
				      header->period_unit)
			     : "");
		return;
	}
	line(out, style, "periods", "a sample every %s, %u %% jitter; %s%s",
	     period(text[1], sizeof(text[1]), header->long_period, header->period_unit),
	     header->jitter_percent, header->short_period ? "windows of " : "no windows",
	     header->short_period ? period(text[2], sizeof(text[2]), header->short_period,
					   header->period_unit)
				  : "");
}

static void print_counts(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	uint64_t rejected = td_print_sum(report->rejected, TD_REJECT_MAX);
	uint64_t lost = td_print_sum(report->lost, TD_LOST_MAX);
	char *why = causes(report->rejected, TD_REJECT_MAX, td_reject_text);

	if (report->has_time)
		line(out, style, "samples",
		     "%" PRIu64 ", standing for %.3f s of CPU time", report->samples,
		     report->sampled_ns / 1e9);
	else
		line(out, style, "samples", "%" PRIu64, report->samples);
	if (report->windows || rejected)
		line(out, style, "windows", "%" PRIu64 " valid, %" PRIu64 " rejected%s%s",
		     report->windows, rejected, rejected && why ? ": " : "",
		     rejected && why ? why : "");
	free(why);
	why = causes(report->lost, TD_LOST_MAX, td_lost_text);
	if (lost)
		line(out, style, "lost", "%" PRIu64 " sample%s: %s", lost, plural(lost),
		     why ? why : "");
	free(why);
}

/* What being measured costs here, by where the windows' lines meet. */
static void print_cost(FILE *out, const struct td_report *report,
		       const struct td_print_style *style)
{
	const struct td_separate_cost *cost = &report->cost;
	const char *unit = cost->width > 1 ? "cycles" : "slots";
	char edges[96] = "";

	if (cost->start_spread > 0)
		snprintf(edges, sizeof(edges),
			 "; edges of returns to user mode: ±%.0f cycles from window to "
			 "window",
			 cost->start_spread);
	line(out, style, "told apart",
	     "by %" PRIu64 " windows, %" PRIu64
	     " of them of one function alone (doc/estimates.md)",
	     report->told, report->own);
	/* shares of next to nothing are noise */
	if (td_print_first(report)->header.windows == TD_WINDOWS_VERNIER &&
	    fabs(cost->cycles.value) < 1) {
		line(out, style, "own cost", "none: the kernel cuts the windows");
		return;
	}
	line(out, style, "own cost",
	     "%.1f±%.1f %s a window, taken out, in %% of them: Retiring %.0f, BadSpec "
	     "%.0f, Frontend %.0f, Backend %.0f%s",
	     cost->cycles.value, (cost->cycles.high - cost->cycles.low) / 2, unit,
	     100 * cost->mix[0], 100 * cost->mix[1], 100 * cost->mix[2],
	     100 * cost->mix[3], edges);
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
		line(out, style, "own cost",
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
	line(out, style, "own cost",
	     "%.0f slots a window, taken out; by %" PRIu64
	     " empty window%s, in %% of them: %s",
	     cost->mean[0], cost->windows, plural(cost->windows), text);
	free(text);
}

static void print_notes(FILE *out, const struct td_report *report,
			const struct td_print_style *style)
{
	for (size_t i = 0; i < report->notes; i++)
		line(out, style, "note", "%s", report->note[i]);
}

static void print_totals(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	int bottleneck = td_topdown_bottleneck(report->node);
	char *text = NULL;
	size_t size;
	char but[48] = "";
	FILE *words;

	if (!td_report_has_topdown(report))
		return;
	words = open_memstream(&text, &size);
	if (!words)
		return;
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		if (report->node[i].present)
			fprintf(words, "%s%s %.1f", ftell(words) ? ", " : "",
				td_topdown_tree[i].title,
				100 * report->node[i].estimate.value);
	}
	fclose(words);
	if (report->total_complete && report->unread)
		snprintf(but, sizeof(but), " but %" PRIu64 " periods", report->unread);
	line(out, style, "top-down", "%s %% of the slots of %s%s%s%s%s", text,
	     report->total_complete ? "the whole run" : "all windows", but,
	     report->simulated ? " (SIMULATED)" : "",
	     bottleneck < 0 ? "" : "; bottleneck: ",
	     bottleneck < 0 ? "" : td_topdown_tree[bottleneck].title);
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
		line(out, style, "check",
		     "functions and the whole run agree within %.1f points (%s; intervals "
		     "and unmeasured functions explain %.1f); %.1f %% of the samples are in "
		     "functions without valid windows",
		     points, title, 100 * check->explained, 100 * check->unmeasured);
	else
		line(out, style, "check",
		     "FUNCTIONS AND THE WHOLE RUN DISAGREE: %s is %.1f %% by the "
		     "functions, %.1f %% in all: %.1f points apart, of which intervals "
		     "and functions without valid windows (%.1f %% of the samples) "
		     "explain %.1f. The windows are biased or were disturbed",
		     title, 100 * check->functions, 100 * check->total, points,
		     100 * check->unmeasured, 100 * check->explained);
}

static int has_marks(const struct td_report *report)
{
	for (size_t i = 0; i < report->functions; i++) {
		if (td_topdown_bottleneck(report->function[i].node) >= 0)
			return 1;
	}
	return 0;
}

/* Samples of functions whose level 1 is too uncertain, and why. */
struct vague {
	double samples, callers;
	double widest; /* half an interval, of the largest of them */
	int any;
};

static struct vague find_vague(const struct td_report *report)
{
	struct vague vague = {0};

	for (size_t i = 0; i < report->functions; i++) {
		const struct td_report_function *f = &report->function[i];
		double widest = 0;

		for (int node = 0; node < TD_NODES; node++) {
			const struct td_estimate *e = &f->node[node].estimate;

			vague.any |= td_report_is_vague(report, f, node);
			if (node < TD_NODES_LEVEL1 && td_report_is_vague(report, f, node))
				widest = fmax(widest, (e->high - e->low) / 2);
		}
		if (f->evidence == TD_EVIDENCE_CALLERS)
			vague.callers += (double)f->samples;
		else if (widest > 0)
			vague.samples += (double)f->samples;
		if (f->evidence != TD_EVIDENCE_CALLERS && widest > vague.widest)
			vague.widest = widest;
	}
	return vague;
}

/* What would make the uncertain ones certain. */
static void print_advice(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	const struct td_file_header *header = &td_print_first(report)->header;
	struct vague vague = find_vague(report);
	double all = (double)report->samples;
	double more = ceil(fmin(1000, fmax(2, pow(vague.widest / 0.1, 2))));
	char or [48] = "";

	if (vague.any)
		line(out, style, NULL,
		     "? too uncertain to act on: half the interval is more than 10 "
		     "points%s",
		     report->query.min_windows ? ", or too few windows" : "");
	if (all > 0 && vague.samples > 0.05 * all) {
		if (header->period_unit == TD_UNIT_CYCLES &&
		    (double)header->long_period >= 2 * LONG_LEAST)
			snprintf(or, sizeof(or), ", or --long=%.0f,",
				 fmax(LONG_LEAST, (double)header->long_period / more));
		line(out, style, NULL,
		     "%.0f %% of the samples are in such functions. A run %.0f times as "
		     "long%s would settle most of them.",
		     100 * vague.samples / all, more, or);
	}
	if (all > 0 && vague.callers > 0.05 * all)
		line(out, style, NULL,
		     "%.0f %% of the samples are in functions that are too short to be "
		     "told from their callers%s.",
		     100 * vague.callers / all,
		     report->cost.axis == TD_AXIS_REQUESTED && header->short_period > 400
			     ? ": --short=300 shows more of them"
			     : "");
}

static void print_absent(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	const struct td_file_header *header = &td_print_first(report)->header;

	if (td_report_has_topdown(report))
		return;
	fputc('\n', out);
	line(out, style, NULL,
	     "No top-down columns: the %s backend cannot measure them%s%s%s. `tdagent "
	     "probe` shows what would give them.",
	     td_backend_name(header->backend), header->reason[0] ? " (" : "",
	     header->reason, header->reason[0] ? ")" : "");
}

void td_print_text(FILE *out, const struct td_report *report,
		   const struct td_print_style *style)
{
	title(out, report, style);
	print_program(out, report, style);
	print_method(out, report, style);
	print_counts(out, report, style);
	print_totals(out, report, style);
	print_own_cost(out, report, style);
	print_check(out, report, style);
	print_notes(out, report, style);
	fputc('\n', out);
	td_print_table(out, report, style);
	if (has_marks(report))
		line(out, style, NULL, "%s", td_print_marks);
	if (td_report_has_topdown(report))
		print_advice(out, report, style);
	if (style->timeline)
		td_print_timelines(out, report, style);
	print_absent(out, report, style);
}
