// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decoder/label_list.h"
#include "decoder/names.h"
#include "decoder/text.h"
#include "tools/print.h"
#include "tools/quote.h"

struct json {
	FILE *out;
	int depth;
	int first; /* no comma before the next value */
	int flat;  /* what is open at this depth goes on one line; 0: nothing */
};

static void separate(struct json *json)
{
	if (!json->first)
		fputc(',', json->out);
	if (json->flat && json->depth >= json->flat) {
		fputs(json->first ? "" : " ", json->out);
		json->first = 0;
		return;
	}
	if (json->depth)
		fputc('\n', json->out);
	for (int i = 0; i < json->depth; i++)
		fputc(' ', json->out);
	json->first = 0;
}

/* A key, or NULL for an element of an array. */
static void begin(struct json *json, const char *key)
{
	separate(json);
	if (key) {
		td_quote_json(json->out, key);
		fputs(": ", json->out);
	}
}

static void open_value(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	fputc(bracket, json->out);
	json->depth++;
	json->first = 1;
}

static void close_value(struct json *json, char bracket)
{
	int flat = json->flat && json->depth >= json->flat;

	json->depth--;
	json->first = 1;
	if (!flat)
		separate(json);
	json->first = 0;
	fputc(bracket, json->out);
	if (json->depth < json->flat)
		json->flat = 0;
}

static void put_clean(struct json *json, const char *key, const char *text)
{
	begin(json, key);
	td_quote_json(json->out, text ? text : "");
}

static void put_text(struct json *json, const char *key, const char *text, size_t size)
{
	char *clean = td_text_clean(text, size);

	put_clean(json, key, clean);
	free(clean);
}

static void put_count(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

/* Corrected counters' sums may be below zero. */
static void put_sum(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRId64, (int64_t)value);
}

/* JSON has no infinity: what is not bounded is left out. */
static void put_number(struct json *json, const char *key, double value)
{
	if (!isfinite(value))
		return;
	begin(json, key);
	fprintf(json->out, "%.9g", value);
}

static void put_bool(struct json *json, const char *key, int value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

static void put_hex(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}

static void put_start(struct json *json, const struct td_file_header *header)
{
	time_t seconds = (time_t)(header->start_realtime_ns / 1000000000u);
	struct tm tm;
	char text[40];

	if (!gmtime_r(&seconds, &tm) ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return;
	put_clean(json, "start", text);
}

static void put_arguments(struct json *json, const struct td_file_header *header)
{
	const char *at = header->command, *end = at + sizeof(header->command);

	open_value(json, "arguments", '[');
	while (at < end && *at) {
		put_text(json, NULL, at, (size_t)(end - at));
		at += strnlen(at, (size_t)(end - at)) + 1;
	}
	close_value(json, ']');
}

static void put_labels(struct json *json, const char *labels)
{
	struct td_label_text label;
	const char *list = labels;
	int any = 0, next;

	while ((next = td_label_list_next(&list, &label)) != 0) {
		char key[TD_LABEL_LIST_KEY];

		if (next < 0 || td_label_list_repeats(labels, &label))
			continue;
		if (!any++)
			open_value(json, "labels", '{');
		snprintf(key, sizeof(key), "%.*s", (int)label.key_length, label.key);
		put_text(json, key, label.value, label.value_length);
	}
	if (any)
		close_value(json, '}');
}

static void put_program(struct json *json, const struct td_report_process *process)
{
	const struct td_file_header *header = &process->header;
	char *command = td_print_command(header);

	put_clean(json, "command", command);
	free(command);
	put_arguments(json, header);
	put_text(json, "program", header->exe, sizeof(header->exe));
	put_clean(json, "profile", process->path);
	if (process->profiles > 1)
		put_count(json, "profiles", process->profiles);
	if (process->mixed)
		put_bool(json, "mixed", 1);
	else
		put_labels(json, header->labels);
	put_count(json, "pid", header->pid);
	put_count(json, "ppid", header->ppid);
	put_start(json, header);
	put_number(json, "duration_s", td_print_duration(process));
	put_clean(json, "state", td_print_fate(process->fate));
	put_count(json, "threads", process->threads);
	put_count(json, "samples", process->samples);
	put_number(json, "cpu_time_s", (double)process->cpu_ns / 1e9);
}

/* A node is a plain fraction here: neither has an interval. */
static void put_own_cost(struct json *json, const struct td_report *report)
{
	const struct td_own_cost *cost = &report->own_cost;

	if (!cost->windows || report->map.slots < 0)
		return;
	open_value(json, "own_cost", '{');
	put_count(json, "windows", cost->windows);
	put_number(json, "slots", cost->mean[0]);
	for (int i = 0; i < TD_NODES; i++) {
		double part = td_report_own_part(report, i);

		if (part >= 0)
			put_number(json, td_topdown_tree[i].name, part);
	}
	close_value(json, '}');
}

static void put_range(struct json *json, const char *name, const struct td_range *range)
{
	open_value(json, name, '{');
	put_number(json, "value", range->value);
	put_number(json, "low", range->low);
	put_number(json, "high", range->high);
	close_value(json, '}');
}

/* How the functions were told apart, and what a window costs by that. */
static void put_separation(struct json *json, const struct td_report *report)
{
	const struct td_separate_cost *cost = &report->cost;

	if (!report->separated)
		return;
	open_value(json, "separation", '{');
	put_count(json, "windows", report->told);
	put_count(json, "own_windows", report->own);
	put_clean(json, "length",
		  cost->axis == TD_AXIS_REQUESTED ? "requested" : "measured");
	put_number(json, "slots_a_cycle", cost->width);
	put_range(json, "cost_cycles", &cost->cycles);
	for (int i = 0; i < TD_NODES_LEVEL1; i++)
		put_number(json, td_topdown_tree[i].name, cost->mix[i]);
	put_number(json, "empty_window_cycles", cost->empty);
	put_number(json, "start_cycles", cost->start);
	put_number(json, "start_spread_cycles", cost->start_spread);
	close_value(json, '}');
}

static void put_check(struct json *json, const struct td_check *check)
{
	if (!check->present)
		return;
	open_value(json, "check", '{');
	put_bool(json, "holds", check->holds);
	put_clean(json, "node", td_topdown_tree[check->node].name);
	put_number(json, "functions", check->functions);
	put_number(json, "total", check->total);
	put_number(json, "difference", fabs(check->functions - check->total));
	put_number(json, "explained", check->explained);
	put_number(json, "unmeasured", check->unmeasured);
	close_value(json, '}');
}

static void put_run(struct json *json, const struct td_report *report)
{
	const struct td_report_process *process = td_print_first(report);
	const struct td_file_header *header = &process->header;

	open_value(json, "run", '{');
	put_program(json, process);
	put_text(json, "agent", header->agent, sizeof(header->agent));
	put_text(json, "cpu", header->cpu, sizeof(header->cpu));
	put_text(json, "kernel", header->kernel, sizeof(header->kernel));
	put_text(json, "host", header->host, sizeof(header->host));
	put_clean(json, "backend", td_backend_name(header->backend));
	put_text(json, "reason", header->reason, sizeof(header->reason));
	put_count(json, "level", header->level);
	put_clean(json, "trigger", td_trigger_name(header->trigger));
	put_clean(json, "windows_by", td_windows_name(header->windows));
	put_clean(json, "period_unit",
		  header->period_unit == TD_UNIT_NS ? "ns" : "cycles");
	put_count(json, "long_period", header->long_period);
	put_count(json, "short_period", header->short_period);
	put_count(json, "jitter", header->jitter_percent);
	put_count(json, "burst", header->burst ? header->burst : 1);
	if (header->resolution_ns)
		put_count(json, "resolution_ns", header->resolution_ns);
	put_own_cost(json, report);
	put_separation(json, report);
	put_check(json, &report->check);
	open_value(json, "notes", '[');
	for (size_t i = 0; i < report->notes; i++)
		put_clean(json, NULL, report->note[i]);
	close_value(json, ']');
	close_value(json, '}');
}

/* Causes without a name, of a later version, are one. */
static void put_causes(struct json *json, const char *key, const uint64_t *count,
		       unsigned entries, const char *(*name)(unsigned cause))
{
	uint64_t unknown = 0;

	open_value(json, key, '{');
	for (unsigned i = 0; i < entries; i++) {
		if (strcmp(name(i), "unknown") == 0)
			unknown += count[i];
		else if (count[i])
			put_count(json, name(i), count[i]);
	}
	if (unknown)
		put_count(json, "unknown", unknown);
	close_value(json, '}');
}

static void put_windows(struct json *json, uint64_t valid, const uint64_t *rejected)
{
	open_value(json, "windows", '{');
	put_count(json, "valid", valid);
	put_causes(json, "rejected", rejected, TD_REJECT_MAX, td_reject_key);
	close_value(json, '}');
}

static void put_lost(struct json *json, const uint64_t *lost)
{
	put_causes(json, "lost", lost, TD_LOST_MAX, td_lost_key);
}

static void put_estimate(struct json *json, const char *key,
			 const struct td_estimate *estimate)
{
	open_value(json, key, '{');
	put_number(json, "value", estimate->value);
	put_number(json, "low", estimate->low);
	put_number(json, "high", estimate->high);
	close_value(json, '}');
}

static void put_rate(struct json *json, const char *key,
		     const struct td_report_rate *rate)
{
	struct td_estimate known = rate->estimate;

	if (!rate->present)
		return;
	if (!rate->interval)
		known.low = known.high = INFINITY;
	put_estimate(json, key, &known);
}

/* Events by name: how often a cycle and an instruction; "inst" is IPC. */
static void put_events(struct json *json, const struct td_report *report,
		       const struct td_report_function *f)
{
	struct td_event_rate rate;
	int any = 0;

	for (uint32_t i = 0; i < report->plan.events; i++) {
		if (!td_groups_rate(&report->plan, i, f->sum, f->counted[0], f->groups,
				    &rate))
			continue;
		if (!any++)
			open_value(json, "events", '{');
		open_value(json, rate.name, '{');
		put_estimate(json, "per_cycle", &rate.per_cycle);
		if (!isnan(rate.per_instruction.value))
			put_estimate(json, "per_instruction", &rate.per_instruction);
		close_value(json, '}');
	}
	if (any)
		close_value(json, '}');
}

static void put_topdown(struct json *json, const struct td_topdown_value value[TD_NODES])
{
	int any = 0;

	for (int i = 0; i < TD_NODES; i++) {
		if (!value[i].present)
			continue;
		if (!any++)
			open_value(json, "topdown", '{');
		put_estimate(json, td_topdown_tree[i].name, &value[i].estimate);
	}
	if (!any)
		return;
	close_value(json, '}');
	if (td_topdown_bottleneck(value) >= 0)
		put_clean(json, "bottleneck",
			  td_topdown_tree[td_topdown_bottleneck(value)].name);
}

/* Complete totals of a process or a thread, if there are any. */
static void put_complete(struct json *json, const struct td_report *report,
			 uint64_t slots, const struct td_topdown_value *node)
{
	if (report->map.slots < 0 || !slots)
		return;
	put_sum(json, "slots", slots);
	put_topdown(json, node);
}

/* One line; its nodes are plain fractions. */
static void put_bucket(struct json *json, const struct td_report *report,
		       const struct td_history *history, size_t bucket)
{
	struct td_topdown_value node[TD_NODES];
	const uint64_t *total = history->total[bucket];

	open_value(json, NULL, '{');
	json->flat = json->depth;
	put_count(json, "samples", history->samples[bucket]);
	td_topdown_totals(&report->map, total, 0, node);
	if (node[TD_NODE_RETIRING].present) {
		put_sum(json, "slots", total[0]);
		open_value(json, "topdown", '{');
		for (int i = 0; i < TD_NODES; i++) {
			if (node[i].present)
				put_number(json, td_topdown_tree[i].name,
					   node[i].estimate.value);
		}
		close_value(json, '}');
	}
	close_value(json, '}');
}

static void put_timeline(struct json *json, const struct td_report *report,
			 const struct td_report_process *process,
			 const struct td_history *history)
{
	size_t used = history ? td_history_used(history) : 0;

	if (!used)
		return;
	open_value(json, "timeline", '{');
	put_number(json, "bucket_s", (double)history->width_ns / 1e9);
	put_start(json, &process->header);
	open_value(json, "buckets", '[');
	for (size_t i = 0; i < used; i++)
		put_bucket(json, report, history, i);
	close_value(json, ']');
	close_value(json, '}');
}

static void put_processes(struct json *json, const struct td_report *report)
{
	open_value(json, "processes", '[');
	for (size_t i = 0; i < report->processes; i++) {
		const struct td_report_process *process = &report->process[i];
		struct td_history history;

		td_report_history(report, i, &history);
		open_value(json, NULL, '{');
		put_program(json, process);
		put_complete(json, report, process->total[0], process->node);
		put_timeline(json, report, process, &history);
		close_value(json, '}');
	}
	close_value(json, ']');
}

static void put_counters(struct json *json, const struct td_report *report,
			 const uint64_t *counted, const struct td_file_sum *sum)
{
	open_value(json, "counters", '{');
	for (unsigned i = 0; i < report->counters; i++) {
		if (!counted[i])
			continue;
		open_value(json, report->counter[i].name, '{');
		put_sum(json, "sum", sum[i].sum);
		put_number(json, "per_window",
			   td_sum_value(&sum[i]) / (double)counted[i]);
		put_count(json, "windows", counted[i]);
		put_clean(json, "unit", report->counter[i].unit);
		close_value(json, '}');
	}
	close_value(json, '}');
}

static void put_totals(struct json *json, const struct td_report *report)
{
	open_value(json, "totals", '{');
	put_count(json, "samples", report->samples);
	put_count(json, "functions", report->functions_all);
	put_number(json, "cpu_time_s", (double)report->cpu_ns / 1e9);
	put_windows(json, report->windows, report->rejected);
	put_lost(json, report->lost);
	if (report->map.slots >= 0)
		put_sum(json, "slots",
			report->total_complete ? report->total[0] : report->sum[0].sum);
	put_counters(json, report, report->counted, report->sum);
	if (td_report_has_topdown(report))
		put_clean(json, "coverage",
			  !report->total_complete ? "windows"
			  : report->unread        ? "partial"
						  : "complete");
	if (report->total_complete && report->unread)
		put_count(json, "unread_periods", report->unread);
	put_topdown(json, report->node);
	close_value(json, '}');
}

static void put_threads(struct json *json, const struct td_report *report)
{
	static const char *const states[] = {
		[TD_THREAD_FREE] = "free",
		[TD_THREAD_LIVE] = "live",
		[TD_THREAD_ENDED] = "ended",
		[TD_THREAD_FOLDED] = "folded",
	};

	open_value(json, "threads", '[');
	for (size_t i = 0; i < report->threads; i++) {
		const struct td_report_thread *thread = &report->thread[i];
		const struct td_file_thread *record = &thread->record;

		open_value(json, NULL, '{');
		put_count(json, "pid", report->process[thread->process].header.pid);
		put_count(json, "tid", record->tid);
		put_clean(json, "name", thread->name);
		put_clean(json, "state", states[record->state]);
		put_count(json, "threads", record->threads);
		put_count(json, "samples", record->samples);
		put_number(json, "cpu_time_s", (double)record->cpu_ns / 1e9);
		put_windows(json, record->windows, record->rejected);
		put_lost(json, record->lost);
		put_complete(json, report, thread->total[0], thread->node);
		put_timeline(json, report, &report->process[thread->process],
			     thread->history);
		close_value(json, '}');
	}
	close_value(json, ']');
}

static void put_module(struct json *json, const struct td_report *report,
		       const struct td_report_function *f)
{
	const struct td_file_object *object;
	char id[2 * sizeof(object->build_id) + 1] = "";

	put_clean(json, "module", td_report_module(report, f));
	if (f->module == TD_NO_MODULE)
		return;
	object = &report->module[f->module].object;
	for (uint32_t i = 0; i < object->build_id_size; i++)
		snprintf(id + 2 * i, 3, "%02x", object->build_id[i]);
	if (id[0])
		put_clean(json, "build_id", id);
}

/* Where the values come from.  own_share against share: how much functions with short
 * visits are missing among windows of one function alone. */
static void put_evidence(struct json *json, const struct td_report *report,
			 const struct td_report_function *f)
{
	if (f->evidence != TD_EVIDENCE_NONE)
		put_clean(json, "evidence", td_print_evidence(f->evidence));
	if (!report->separated)
		return;
	if (f->identifiability >= 0)
		put_number(json, "identifiability", f->identifiability);
	put_count(json, "own_windows", f->own);
	put_count(json, "used_windows", f->told);
	if (report->own)
		put_number(json, "own_share", (double)f->own / (double)report->own);
	if (f->visit > 0)
		put_number(json, "visit_cycles", f->visit);
}

/* The function with all that it calls. */
static void put_total(struct json *json, const struct td_report *report,
		      const struct td_report_total *total)
{
	if (!report->has_paths)
		return;
	open_value(json, "total", '{');
	put_count(json, "samples", total->samples);
	put_number(json, "share", total->share.value);
	put_number(json, "share_low", total->share.low);
	put_number(json, "share_high", total->share.high);
	put_count(json, "windows", total->windows);
	put_count(json, "opened", total->opened);
	if (report->map.slots >= 0 && total->counted[0])
		put_sum(json, "slots", total->sum[0].sum);
	put_topdown(json, total->node);
	close_value(json, '}');
}

static void put_function(struct json *json, const struct td_report *report,
			 const struct td_report_function *f)
{
	int total = 0;

	open_value(json, NULL, '{');
	put_clean(json, "name", f->name);
	put_module(json, report, f);
	put_hex(json, "address", f->address);
	put_count(json, "samples", f->samples);
	put_number(json, "share", f->share.value);
	put_number(json, "share_low", f->share.low);
	put_number(json, "share_high", f->share.high);
	put_windows(json, f->windows, f->rejected);
	if (report->has_time)
		put_number(json, "cpu_time_s", f->cpu_ns / 1e9);
	if (report->map.slots >= 0 && f->counted[0])
		put_sum(json, "slots", f->sum[0].sum);
	put_evidence(json, report, f);
	put_rate(json, "faults_per_s", &f->faults);
	put_rate(json, "switches_per_s", &f->switches);
	put_counters(json, report, f->counted, f->sum);
	put_events(json, report, f);
	put_topdown(json, f->node);
	put_total(json, report, &f->total);
	td_report_answer(f, &total);
	if (total)
		put_clean(json, "answer", "total");
	close_value(json, '}');
}

/* Too wide to act on: not worth its room in a tree of thousands. */
static int is_wide(const struct td_topdown_value *value)
{
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		const struct td_estimate *e = &value[i].estimate;

		if (value[i].present && !(e->high - e->low <= 0.2))
			return 1;
	}
	return 0;
}

/* One line. */
static void put_path(struct json *json, const struct td_report *report,
		     const struct td_path_node *node)
{
	struct td_topdown_value value[TD_NODES];

	open_value(json, NULL, '{');
	json->flat = json->depth;
	if (node->parent != SIZE_MAX)
		put_count(json, "parent", node->parent);
	if (node->kind != TD_PATH_FRAME)
		put_clean(json, "kind", node->kind == TD_PATH_ROOT ? "root" : "cut");
	else if (node->row < report->functions)
		put_count(json, "function", node->row);
	else if (node->row < report->rows)
		put_clean(json, "name", report->function[node->row].name);
	put_count(json, "samples", node->samples);
	put_count(json, "total", node->total);
	if (node->opened || node->windows) {
		put_count(json, "windows", node->windows);
		put_count(json, "opened", node->opened);
	}
	td_report_path_values(report, node, value);
	if (!is_wide(value))
		put_topdown(json, value);
	close_value(json, '}');
}

/* Left out without memory: all else is said without it. */
static void put_paths(struct json *json, const struct td_report *report)
{
	struct td_paths tree;

	if (!report->has_paths)
		return;
	if (td_paths_tree(report, &tree) == 0) {
		open_value(json, "paths", '[');
		for (size_t i = 0; i < tree.nodes; i++)
			put_path(json, report, &tree.node[i]);
		close_value(json, ']');
	}
	td_paths_free(&tree);
}

void td_print_json(FILE *out, const struct td_report *report)
{
	struct json json = {.out = out, .first = 1};

	open_value(&json, NULL, '{');
	put_count(&json, "schema", 1);
	put_bool(&json, "simulated", report->simulated);
	put_run(&json, report);
	put_processes(&json, report);
	put_totals(&json, report);
	put_threads(&json, report);
	open_value(&json, "functions", '[');
	for (size_t i = 0; i < report->functions; i++)
		put_function(&json, report, &report->function[i]);
	close_value(&json, ']');
	put_paths(&json, report);
	close_value(&json, '}');
	fputc('\n', out);
}
