// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decoder/names.h"
#include "tools/print.h"
#include "tools/print_by.h"
#include "tools/print_callers.h"
#include "tools/print_facts.h"
#include "tools/print_hints.h"
#include "tools/print_labels.h"
#include "tools/print_table.h"
#include "tools/print_timeline.h"
#include "tools/print_tree.h"

#define SAMPLES_FEW 100u  /* fewer are worth a word */
#define LONG_SHORTER 1e6  /* ns between samples that we advise then */
#define LONG_LEAST 50000. /* cycles between samples that we advise, at least */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
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

/* NULL: it ended by itself. */
static const char *fate_of(const struct td_report_process *process)
{
	switch (process->fate) {
	case TD_FATE_KILLED:
		return "killed or crashed, or ended without libc (as Go does) or by "
		       "daemon(): up to the last sample";
	case TD_FATE_RUNNING:
		return "still running: up to now";
	case TD_FATE_UNKNOWN:
		return "running or killed on another host";
	case TD_FATE_EXEC:
		return "went on as another program (exec)";
	case TD_FATE_EXITED:
		break;
	}
	return NULL;
}

static void print_fate(FILE *out, const struct td_report *report,
		       const struct td_print_style *style)
{
	const struct td_report_process *process = td_print_first(report);
	const char *fate = fate_of(process);
	int elsewhere = process->fate == TD_FATE_UNKNOWN;

	if (fate)
		td_print_line(out, style, "state", "%s%s%s%s%s",
			      report->profiles > 1 ? "of the first: " : "", fate,
			      elsewhere ? " (" : "",
			      elsewhere ? process->header.host : "",
			      elsewhere ? ")" : "");
}

/* Of several processes only the start of the first one is known. */
static void print_run(FILE *out, const struct td_report *report,
		      const struct td_print_style *style)
{
	const struct td_report_process *process = td_print_first(report);
	time_t seconds = (time_t)(process->header.start_realtime_ns / 1000000000u);
	char when[40] = "", took[40] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	if (report->profiles == 1)
		snprintf(took, sizeof(took), ", %.3f s", td_print_duration(process));
	td_print_line(out, style, "run",
		      "%spid %u, %s%s, %" PRIu64 " thread%s, %.3f s CPU time",
		      report->profiles > 1 ? "first " : "", process->header.pid, when,
		      took, report->threads_all, plural(report->threads_all),
		      (double)report->cpu_ns / 1e9);
}

static void print_program(FILE *out, const struct td_report *report,
			  const struct td_print_style *style)
{
	char *command = td_print_command(&td_print_first(report)->header);

	td_print_line(out, style, "program", "%s", command ? command : "");
	free(command);
	if (report->profiles > 1)
		td_print_line(out, style, "", "and %zu more profile%s added up",
			      report->profiles - 1, plural(report->profiles - 1));
	print_run(out, report, style);
	td_print_labels(out, report, style);
	if (report->query.thread)
		td_print_line(out, style, "only", "thread %s", report->query.thread);
	if (report->hybrid)
		td_print_line(out, style, "cores", "the %s ones",
			      td_cores_name(report->cores));
	print_fate(out, report, style);
}

static void print_counts(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	uint64_t all = report->windows + td_print_sum(report->rejected, TD_REJECT_MAX);
	uint64_t lost = td_print_sum(report->lost, TD_LOST_MAX);
	char time[48] = "", windows[64] = "", less[48] = "";

	if (report->has_time)
		snprintf(time, sizeof(time), ", standing for %.3f s of CPU time",
			 report->sampled_ns / 1e9);
	if (all)
		snprintf(windows, sizeof(windows),
			 "; %" PRIu64 " of %" PRIu64 " windows valid", report->windows,
			 all);
	if (lost)
		snprintf(less, sizeof(less), "; %" PRIu64 " lost", lost);
	td_print_line(out, style, "samples", "%" PRIu64 "%s%s%s", report->samples, time,
		      windows, less);
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
	td_print_line(out, style, "top-down", "%s %% of the slots of %s%s%s%s%s", text,
		      report->total_complete ? "the whole run" : "all windows", but,
		      report->simulated ? " (SIMULATED)" : "",
		      bottleneck < 0 ? "" : "; bottleneck: ",
		      bottleneck < 0 ? "" : td_topdown_tree[bottleneck].title);
	free(text);
}

/* Samples of functions whose level 1 is too uncertain, and why. */
struct vague {
	double samples, callers;
	double widest; /* half an interval, of the largest of them */
};

static struct vague find_vague(const struct td_report *report)
{
	struct vague vague = {0};

	for (size_t i = 0; i < report->functions; i++) {
		const struct td_report_function *f = &report->function[i];
		double widest = 0;

		for (int node = 0; node < TD_NODES; node++) {
			const struct td_estimate *e = &f->node[node].estimate;

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

	if (all > 0 && vague.samples > 0.05 * all) {
		if (header->period_unit == TD_UNIT_CYCLES &&
		    (double)header->long_period >= 2 * LONG_LEAST)
			snprintf(or, sizeof(or), ", or --long=%.0f,",
				 fmax(LONG_LEAST, (double)header->long_period / more));
		td_print_line(
			out, style, NULL,
			"%.0f %% of the samples are in functions with too few windows. A run "
			"%.0f times as long%s would settle most of them.",
			100 * vague.samples / all, more, or);
	}
	if (all > 0 && vague.callers > 0.05 * all)
		td_print_line(
			out, style, NULL,
			"%.0f %% of the samples are in functions that are too short to be "
			"told from their callers%s.",
			100 * vague.callers / all,
			report->cost.axis == TD_AXIS_REQUESTED &&
					header->short_period > 400
				? ": --short=300 shows more of them"
				: "");
}

/* The share of all samples whose functions have a level 1 that can be acted on. */
static double known_part(const struct td_report *report)
{
	double known = 0;

	for (size_t i = 0; i < report->rows; i++) {
		const struct td_report_function *f = &report->function[i];
		int total, sound;

		sound = td_report_answer(f, &total)[TD_NODE_RETIRING].present && !total;
		for (int node = 0; node < TD_NODES_LEVEL1 && sound; node++)
			sound = !td_report_is_vague(report, f, node);
		if (sound)
			known += (double)f->samples;
	}
	return report->samples ? known / (double)report->samples : 0;
}

/* One word: what is wrong, or how much of the run the answers are about. */
static const char *verdict(const struct td_report *report, double known)
{
	double lost = (double)td_print_sum(report->lost, TD_LOST_MAX);

	if (report->simulated)
		return "MADE UP (SIMULATED)";
	if (report->check.present && !report->check.holds)
		return "DOUBTFUL";
	if (lost > 0.05 * (double)report->samples || known < 0.5)
		return "little";
	return known < 0.8 || !report->check.present ? "fair" : "good";
}

/* How far shares can be off, and what would tell them better. */
static void print_few(FILE *out, const struct td_report *report,
		      const struct td_print_style *style)
{
	const struct td_file_header *header = &td_print_first(report)->header;
	double period = (double)header->long_period;
	struct td_estimate half;
	char more[64] = "";

	if (!report->samples || report->samples >= SAMPLES_FEW)
		return;
	half = td_estimate_share(report->samples / 2, report->samples);
	if (header->period_unit == TD_UNIT_NS && period >= 2 * LONG_SHORTER)
		snprintf(more, sizeof(more), "; --long=1ms takes %.0f times as many",
			 period / LONG_SHORTER);
	td_print_line(out, style, "",
		      "%" PRIu64 " sample%s only: a share of one half is ±%.0f points%s",
		      report->samples, plural(report->samples),
		      50 * (half.high - half.low), more);
}

/* Can the table be trusted?  The facts at the end have the details. */
static void print_trust(FILE *out, const struct td_report *report,
			const struct td_print_style *style)
{
	const struct td_check *check = &report->check;
	double known = known_part(report);
	char agree[128] = "not checked against the whole run";

	if (!td_report_has_topdown(report)) {
		td_print_line(out, style, "trust",
			      "shares of samples only: no top-down, see below");
		return;
	}
	if (check->present)
		snprintf(agree, sizeof(agree),
			 check->holds
				 ? "functions and the whole run agree (%.1f points apart)"
				 : "FUNCTIONS AND THE WHOLE RUN DISAGREE by %.1f points",
			 100 * fabs(check->functions - check->total));
	td_print_line(
		out, style, "trust",
		"%s: %.0f %% of the samples are in functions known to ±10 points; %s",
		verdict(report, known), 100 * known, agree);
}

static void print_absent(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	if (td_report_has_topdown(report))
		return;
	fputc('\n', out);
	td_print_line(
		out, style, NULL,
		"No top-down columns: the %s backend cannot measure them. Why there "
		"is no better one stands below; `tdagent probe` shows what would "
		"give them.",
		td_backend_name(td_print_first(report)->header.backend));
}

/* What a row is of, and what stands below the rows. */
static void print_body(FILE *out, const struct td_report *report,
		       const struct td_print_style *style)
{
	if (style->by == TD_PRINT_BY_THREAD) {
		td_print_threads(out, report, style);
		return;
	}
	if (style->by == TD_PRINT_BY_MODULE) {
		td_print_modules(out, report, style);
		return;
	}
	td_print_table(out, report, style);
	if (td_report_has_topdown(report))
		print_advice(out, report, style);
	if (style->tree)
		td_print_trees(out, report, style);
	if (style->callers)
		td_print_callers(out, report, style);
	if (td_report_has_topdown(report))
		td_print_hints(out, report, style);
}

void td_print_text_begin(FILE *out, const struct td_report *report,
			 const struct td_print_style *style)
{
	title(out, report, style);
	print_program(out, report, style);
	print_counts(out, report, style);
	print_totals(out, report, style);
	print_trust(out, report, style);
	print_few(out, report, style);
	fputc('\n', out);
}

void td_print_text_end(FILE *out, const struct td_report *report,
		       const struct td_print_style *style)
{
	if (style->timeline)
		td_print_timelines(out, report, style);
	print_absent(out, report, style);
	td_print_facts(out, report, style);
}

void td_print_text(FILE *out, const struct td_report *report,
		   const struct td_print_style *style)
{
	td_print_text_begin(out, report, style);
	print_body(out, report, style);
	td_print_text_end(out, report, style);
}
