// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>

#include "tools/print.h"
#include "tools/quote.h"

/* An empty field for what was not measured. */
static void field(FILE *out, int present, double value)
{
	fputc(',', out);
	if (present && isfinite(value))
		fprintf(out, "%.9g", value);
}

static void fields(FILE *out, int present, const struct td_estimate *estimate)
{
	field(out, present, estimate->value);
	field(out, present, estimate->low);
	field(out, present, estimate->high);
}

static void head_of_totals(FILE *out, const struct td_report *report)
{
	if (!report->has_paths)
		return;
	fputs(",total_samples,total_share,total_share_low,total_share_high,total_windows,total_opened",
	      out);
	for (int i = 0; i < TD_NODES && td_report_has_topdown(report); i++) {
		const char *name = td_topdown_tree[i].name;

		fprintf(out, ",total_%s_value,total_%s_low,total_%s_high", name, name,
			name);
	}
}

static void totals(FILE *out, const struct td_report *report,
		   const struct td_report_total *total)
{
	if (!report->has_paths)
		return;
	fprintf(out, ",%" PRIu64, total->samples);
	fields(out, report->samples != 0, &total->share);
	fprintf(out, ",%" PRIu64 ",%" PRIu64, total->windows, total->opened);
	for (int i = 0; i < TD_NODES && td_report_has_topdown(report); i++)
		fields(out, total->node[i].present, &total->node[i].estimate);
}

static void head(FILE *out, const struct td_report *report)
{
	fputs("simulated,function,module,address,samples,share,share_low,share_high,"
	      "windows_valid,windows_rejected,cpu_time_s,faults_per_s,switches_per_s",
	      out);
	for (unsigned i = 0; i < report->counters; i++) {
		fputc(',', out);
		td_quote_csv(out, report->counter[i].name);
	}
	for (int i = 0; i < TD_NODES && td_report_has_topdown(report); i++) {
		const char *name = td_topdown_tree[i].name;

		fprintf(out, ",%s_value,%s_low,%s_high", name, name, name);
	}
	if (td_report_has_topdown(report))
		fputs(",bottleneck", out);
	head_of_totals(out, report);
	fputs("\n", out);
}

static void row(FILE *out, const struct td_report *report,
		const struct td_report_function *f)
{
	int bottleneck = td_topdown_bottleneck(f->node);

	fputs(report->simulated ? "SIMULATED," : ",", out);
	td_quote_csv(out, f->name);
	fputc(',', out);
	td_quote_csv(out, td_report_module(report, f));
	fprintf(out, ",0x%" PRIx64 ",%" PRIu64, f->address, f->samples);
	fields(out, report->samples != 0, &f->share);
	fprintf(out, ",%" PRIu64 ",%" PRIu64, f->windows,
		td_print_sum(f->rejected, TD_REJECT_MAX));
	field(out, report->has_time, f->cpu_ns / 1e9);
	field(out, f->faults.present, f->faults.estimate.value);
	field(out, f->switches.present, f->switches.estimate.value);
	for (unsigned i = 0; i < report->counters; i++) {
		fputc(',', out);
		if (f->counted[i])
			fprintf(out, "%" PRId64, (int64_t)f->sum[i].sum);
	}
	for (int i = 0; i < TD_NODES && td_report_has_topdown(report); i++)
		fields(out, f->node[i].present, &f->node[i].estimate);
	if (td_report_has_topdown(report))
		fprintf(out, ",%s",
			bottleneck < 0 ? "" : td_topdown_tree[bottleneck].name);
	totals(out, report, &f->total);
	fputs("\n", out);
}

void td_print_csv(FILE *out, const struct td_report *report)
{
	head(out, report);
	for (size_t i = 0; i < report->functions; i++)
		row(out, report, &report->function[i]);
}
