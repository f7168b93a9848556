// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/csv.h"
#include "tools/module_rows.h"
#include "tools/print.h"
#include "tools/quote.h"

/* How many nodes have columns. */
static int nodes_of(const struct td_report *report, int most)
{
	return td_report_has_topdown(report) ? most : 0;
}

static void head_of_totals(FILE *out, const struct td_report *report)
{
	if (!report->has_paths)
		return;
	fputs(",total_samples,total_share,total_share_low,total_share_high,total_windows,total_opened",
	      out);
	td_csv_node_names(out, "total_", nodes_of(report, TD_NODES));
}

static void totals(FILE *out, const struct td_report *report,
		   const struct td_report_total *total)
{
	if (!report->has_paths)
		return;
	fprintf(out, ",%" PRIu64, total->samples);
	td_csv_estimate(out, report->samples != 0, &total->share);
	fprintf(out, ",%" PRIu64 ",%" PRIu64, total->windows, total->opened);
	td_csv_nodes(out, total->node, nodes_of(report, TD_NODES));
}

/* Cycles before the event's instruction retired. */
static void latencies(FILE *out, const struct td_report *report,
		      const struct td_latencies *of)
{
	struct td_estimate mean = {0};
	int known = td_latencies_mean(of, &mean);

	if (!td_report_has_latencies(report))
		return;
	fprintf(out, ",%" PRIu64, of->records);
	td_csv_estimate(out, known, &mean);
}

/* The events that several groups may count, each name once. */
static int is_first(const struct td_groups_plan *plan, uint32_t event)
{
	for (uint32_t k = 0; k < event; k++)
		if (strcmp(plan->event[k].name, plan->event[event].name) == 0)
			return 0;
	return 1;
}

/* An event's name may have commas: cpu/event=1,umask=2/. */
static void head_of_rates(FILE *out, const struct td_report *report)
{
	static const char *const columns[] = {"per_cycle_value", "per_cycle_low",
					      "per_cycle_high", "per_instruction_value"};
	char title[TD_EVENT_NAME + sizeof("_per_instruction_value")];

	for (uint32_t i = 0; i < report->plan.events; i++) {
		if (!is_first(&report->plan, i))
			continue;
		for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
			snprintf(title, sizeof(title), "%s_%s",
				 report->plan.event[i].name, columns[k]);
			fputc(',', out);
			td_quote_csv(out, title);
		}
	}
}

/* Of an event that several groups count the first one with a rate. */
static void rates(FILE *out, const struct td_report *report,
		  const struct td_report_function *f)
{
	const struct td_groups_plan *plan = &report->plan;

	for (uint32_t i = 0; i < plan->events; i++) {
		struct td_event_rate rate = {.per_instruction.value = NAN};
		int known = 0;

		if (!is_first(plan, i))
			continue;
		for (uint32_t k = i; k < plan->events && !known; k++)
			if (strcmp(plan->event[k].name, plan->event[i].name) == 0)
				known = td_groups_rate(plan, k, f->sum, f->counted[0],
						       f->groups, &rate);
		td_csv_estimate(out, known, &rate.per_cycle);
		td_csv_number(out, known, rate.per_instruction.value);
	}
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
	td_csv_node_names(out, "", nodes_of(report, TD_NODES));
	if (td_report_has_topdown(report))
		fputs(",bottleneck", out);
	head_of_totals(out, report);
	head_of_rates(out, report);
	if (td_report_has_latencies(report))
		fputs(",retire_latency_records,retire_latency_value,retire_latency_low,"
		      "retire_latency_high",
		      out);
	fputs("\n", out);
}

static void row(FILE *out, const struct td_report *report,
		const struct td_report_function *f)
{
	fputs(report->simulated ? "SIMULATED," : ",", out);
	td_quote_csv(out, f->name);
	fputc(',', out);
	td_quote_csv(out, td_report_module(report, f));
	fprintf(out, ",0x%" PRIx64 ",%" PRIu64, f->address, f->samples);
	td_csv_estimate(out, report->samples != 0, &f->share);
	fprintf(out, ",%" PRIu64 ",%" PRIu64, f->windows,
		td_print_sum(f->rejected, TD_REJECT_MAX));
	td_csv_number(out, report->has_time, f->cpu_ns / 1e9);
	td_csv_number(out, f->faults.present, f->faults.estimate.value);
	td_csv_number(out, f->switches.present, f->switches.estimate.value);
	for (unsigned i = 0; i < report->counters; i++) {
		fputc(',', out);
		if (f->counted[i])
			fprintf(out, "%" PRId64, (int64_t)f->sum[i].sum);
	}
	td_csv_nodes(out, f->node, nodes_of(report, TD_NODES));
	if (td_report_has_topdown(report))
		td_csv_bottleneck(out, f->node);
	totals(out, report, &f->total);
	rates(out, report, f);
	latencies(out, report, &f->latencies);
	fputs("\n", out);
}

void td_print_csv(FILE *out, const struct td_report *report)
{
	head(out, report);
	for (size_t i = 0; i < report->functions; i++)
		row(out, report, &report->function[i]);
}

static double share(const struct td_report *report, uint64_t samples)
{
	return (double)samples / (double)report->samples;
}

static void nodes_head(FILE *out, const struct td_report *report, int nodes)
{
	td_csv_node_names(out, "", nodes_of(report, nodes));
	fputs(td_report_has_topdown(report) ? ",bottleneck\n" : "\n", out);
}

static void nodes_row(FILE *out, const struct td_report *report,
		      const struct td_topdown_value value[TD_NODES], int nodes)
{
	td_csv_nodes(out, value, nodes_of(report, nodes));
	if (td_report_has_topdown(report))
		td_csv_bottleneck(out, value);
	fputc('\n', out);
}

void td_print_csv_threads(FILE *out, const struct td_report *report)
{
	fputs("simulated,thread,pid,tid,threads,samples,share,windows_valid,"
	      "windows_rejected,cpu_time_s",
	      out);
	nodes_head(out, report, TD_NODES);
	for (size_t i = 0; i < report->threads; i++) {
		const struct td_report_thread *thread = &report->thread[i];
		const struct td_file_thread *record = &thread->record;

		fputs(report->simulated ? "SIMULATED," : ",", out);
		td_quote_csv(out, thread->name);
		fprintf(out, ",%u,%u,%u,%" PRIu64,
			report->process[thread->process].header.pid, record->tid,
			record->threads, record->samples);
		td_csv_number(out, report->samples != 0, share(report, record->samples));
		fprintf(out, ",%" PRIu64 ",%" PRIu64, record->windows,
			td_print_sum(record->rejected, TD_REJECT_MAX));
		td_csv_number(out, 1, (double)record->cpu_ns / 1e9);
		nodes_row(out, report, thread->node, TD_NODES);
	}
}

void td_print_csv_modules(FILE *out, const struct td_report *report)
{
	size_t modules;
	struct td_module_row *row = td_module_rows(report, &modules);

	fputs("simulated,module,samples,share,windows_valid,known", out);
	nodes_head(out, report, TD_NODES_LEVEL1);
	for (size_t i = 0; row && i < modules; i++) {
		fputs(report->simulated ? "SIMULATED," : ",", out);
		td_quote_csv(out, td_module_row_name(report, &row[i]));
		fprintf(out, ",%" PRIu64, row[i].samples);
		td_csv_number(out, 1, share(report, row[i].samples));
		fprintf(out, ",%" PRIu64, row[i].windows);
		td_csv_number(out, 1, (double)row[i].known / (double)row[i].samples);
		nodes_row(out, report, row[i].value, TD_NODES_LEVEL1);
	}
	free(row);
}
