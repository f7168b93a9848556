// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decoder/label_list.h"
#include "decoder/names.h"
#include "tools/json.h"
#include "tools/module_rows.h"
#include "tools/print.h"

static void put_start(struct td_json *json, const struct td_file_header *header)
{
	time_t seconds = (time_t)(header->start_realtime_ns / 1000000000u);
	struct tm tm;
	char text[40];

	if (!gmtime_r(&seconds, &tm) ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return;
	td_json_clean(json, "start", text);
}

static void put_arguments(struct td_json *json, const struct td_file_header *header)
{
	const char *at = header->command, *end = at + sizeof(header->command);

	td_json_open(json, "arguments", '[');
	while (at < end && *at) {
		td_json_text(json, NULL, at, (size_t)(end - at));
		at += strnlen(at, (size_t)(end - at)) + 1;
	}
	td_json_close(json, ']');
}

static void put_labels(struct td_json *json, const char *labels)
{
	struct td_label_text label;
	const char *list = labels;
	int any = 0, next;

	while ((next = td_label_list_next(&list, &label)) != 0) {
		char key[TD_LABEL_LIST_KEY];

		if (next < 0 || td_label_list_repeats(labels, &label))
			continue;
		if (!any++)
			td_json_open(json, "labels", '{');
		snprintf(key, sizeof(key), "%.*s", (int)label.key_length, label.key);
		td_json_text(json, key, label.value, label.value_length);
	}
	if (any)
		td_json_close(json, '}');
}

static void put_program(struct td_json *json, const struct td_report_process *process)
{
	const struct td_file_header *header = &process->header;
	char *command = td_print_command(header);

	td_json_clean(json, "command", command);
	free(command);
	put_arguments(json, header);
	td_json_text(json, "program", header->exe, sizeof(header->exe));
	td_json_clean(json, "profile", process->path);
	if (process->profiles > 1)
		td_json_count(json, "profiles", process->profiles);
	if (process->mixed)
		td_json_bool(json, "mixed", 1);
	else
		put_labels(json, header->labels);
	td_json_count(json, "pid", header->pid);
	td_json_count(json, "ppid", header->ppid);
	put_start(json, header);
	td_json_number(json, "duration_s", td_print_duration(process));
	td_json_clean(json, "state", td_print_fate(process->fate));
	td_json_count(json, "threads", process->threads);
	td_json_count(json, "samples", process->samples);
	td_json_number(json, "cpu_time_s", (double)process->cpu_ns / 1e9);
}

/* A node is a plain fraction here: neither has an interval. */
static void put_own_cost(struct td_json *json, const struct td_report *report)
{
	const struct td_own_cost *cost = &report->own_cost;

	if (!cost->windows || report->map.slots < 0)
		return;
	td_json_open(json, "own_cost", '{');
	td_json_count(json, "windows", cost->windows);
	td_json_number(json, "slots", cost->mean[0]);
	for (int i = 0; i < TD_NODES; i++) {
		double part = td_report_own_part(report, i);

		if (part >= 0)
			td_json_number(json, td_topdown_tree[i].name, part);
	}
	td_json_close(json, '}');
}

/* How the functions were told apart, and what a window costs by that. */
static void put_separation(struct td_json *json, const struct td_report *report)
{
	const struct td_separate_cost *cost = &report->cost;

	if (!report->separated)
		return;
	td_json_open(json, "separation", '{');
	td_json_count(json, "windows", report->told);
	td_json_count(json, "own_windows", report->own);
	td_json_clean(json, "length",
		      cost->axis == TD_AXIS_REQUESTED ? "requested" : "measured");
	td_json_number(json, "slots_a_cycle", cost->width);
	td_json_estimate(json, "cost_cycles", &cost->cycles);
	for (int i = 0; i < TD_NODES_LEVEL1 && td_separate_knows_mix(cost); i++)
		td_json_number(json, td_topdown_tree[i].name, cost->mix[i]);
	td_json_number(json, "empty_window_cycles", cost->empty);
	td_json_number(json, "start_cycles", cost->start);
	td_json_number(json, "start_spread_cycles", cost->start_spread);
	td_json_bool(json, "by_instructions", cost->clocked);
	td_json_close(json, '}');
}

static void put_check(struct td_json *json, const struct td_check *check)
{
	if (!check->present)
		return;
	td_json_open(json, "check", '{');
	td_json_bool(json, "holds", check->holds);
	td_json_clean(json, "node", td_topdown_tree[check->node].name);
	td_json_number(json, "functions", check->functions);
	td_json_number(json, "total", check->total);
	td_json_number(json, "difference", fabs(check->functions - check->total));
	td_json_number(json, "explained", check->explained);
	td_json_number(json, "unmeasured", check->unmeasured);
	td_json_close(json, '}');
}

static void put_latency_event(struct td_json *json, const struct td_report *report)
{
	if (!report->latency_event[0])
		return;
	td_json_open(json, "retire_latency", '{');
	td_json_clean(json, "event", report->latency_event);
	td_json_count(json, "records", report->latencies.records);
	td_json_count(json, "lost", report->latencies_lost);
	td_json_close(json, '}');
}

static void put_run(struct td_json *json, const struct td_report *report)
{
	const struct td_report_process *process = td_print_first(report);
	const struct td_file_header *header = &process->header;

	td_json_open(json, "run", '{');
	put_program(json, process);
	td_json_text(json, "agent", header->agent, sizeof(header->agent));
	td_json_text(json, "cpu", header->cpu, sizeof(header->cpu));
	td_json_text(json, "kernel", header->kernel, sizeof(header->kernel));
	td_json_text(json, "host", header->host, sizeof(header->host));
	td_json_clean(json, "backend", td_backend_name(header->backend));
	td_json_text(json, "reason", header->reason, sizeof(header->reason));
	td_json_count(json, "level", header->level);
	if (report->hybrid)
		td_json_clean(json, "cores", td_cores_name(report->cores));
	td_json_clean(json, "trigger", td_trigger_name(header->trigger));
	td_json_clean(json, "windows_by", td_windows_name(header->windows));
	td_json_clean(json, "period_unit",
		      header->period_unit == TD_UNIT_NS ? "ns" : "cycles");
	td_json_count(json, "long_period", header->long_period);
	td_json_count(json, "short_period", header->short_period);
	td_json_count(json, "jitter", header->jitter_percent);
	td_json_count(json, "burst", header->burst ? header->burst : 1);
	if (header->resolution_ns)
		td_json_count(json, "resolution_ns", header->resolution_ns);
	put_own_cost(json, report);
	put_separation(json, report);
	put_check(json, &report->check);
	put_latency_event(json, report);
	td_json_open(json, "notes", '[');
	for (size_t i = 0; i < report->notes; i++)
		td_json_clean(json, NULL, report->note[i]);
	td_json_close(json, ']');
	td_json_close(json, '}');
}

/* Causes without a name, of a later version, are one. */
static void put_causes(struct td_json *json, const char *key, const uint64_t *count,
		       unsigned entries, const char *(*name)(unsigned cause))
{
	uint64_t unknown = 0;

	td_json_open(json, key, '{');
	for (unsigned i = 0; i < entries; i++) {
		if (strcmp(name(i), "unknown") == 0)
			unknown += count[i];
		else if (count[i])
			td_json_count(json, name(i), count[i]);
	}
	if (unknown)
		td_json_count(json, "unknown", unknown);
	td_json_close(json, '}');
}

static void put_windows(struct td_json *json, uint64_t valid, const uint64_t *rejected)
{
	td_json_open(json, "windows", '{');
	td_json_count(json, "valid", valid);
	put_causes(json, "rejected", rejected, TD_REJECT_MAX, td_reject_key);
	td_json_close(json, '}');
}

static void put_lost(struct td_json *json, const uint64_t *lost)
{
	put_causes(json, "lost", lost, TD_LOST_MAX, td_lost_key);
}

static void put_rate(struct td_json *json, const char *key,
		     const struct td_report_rate *rate)
{
	struct td_estimate known = rate->estimate;

	if (!rate->present)
		return;
	if (!rate->interval)
		known.low = known.high = INFINITY;
	td_json_estimate(json, key, &known);
}

/* Events by name: how often a cycle and an instruction; "inst" is IPC. */
static void put_events(struct td_json *json, const struct td_report *report,
		       const struct td_report_function *f)
{
	struct td_event_rate rate;
	int any = 0;

	for (uint32_t i = 0; i < report->plan.events; i++) {
		if (!td_groups_rate(&report->plan, i, f->sum, f->counted[0], f->groups,
				    &rate))
			continue;
		if (!any++)
			td_json_open(json, "events", '{');
		td_json_open(json, rate.name, '{');
		td_json_estimate(json, "per_cycle", &rate.per_cycle);
		if (!isnan(rate.per_instruction.value))
			td_json_estimate(json, "per_instruction", &rate.per_instruction);
		td_json_close(json, '}');
	}
	if (any)
		td_json_close(json, '}');
}

/* Cycles before the event's instruction retired. */
static void put_latencies(struct td_json *json, const struct td_latencies *latencies)
{
	struct td_estimate mean;

	if (!td_latencies_mean(latencies, &mean))
		return;
	td_json_open(json, "retire_latency", '{');
	td_json_count(json, "records", latencies->records);
	td_json_number(json, "mean", mean.value);
	td_json_number(json, "low", mean.low);
	td_json_number(json, "high", mean.high);
	td_json_close(json, '}');
}

/* Complete totals of a process or a thread, if there are any. */
static void put_complete(struct td_json *json, const struct td_report *report,
			 uint64_t slots, const struct td_topdown_value *node)
{
	if (report->map.slots < 0 || !slots)
		return;
	td_json_sum(json, "slots", slots);
	td_json_topdown(json, node);
}

/* One line; its nodes are plain fractions. */
static void put_bucket(struct td_json *json, const struct td_report *report,
		       const struct td_history *history, size_t bucket)
{
	struct td_topdown_value node[TD_NODES];
	const uint64_t *total = history->total[bucket];

	td_json_open(json, NULL, '{');
	json->flat = json->depth;
	td_json_count(json, "samples", history->samples[bucket]);
	td_topdown_totals(&report->map, total, 0, node);
	if (node[TD_NODE_RETIRING].present) {
		td_json_sum(json, "slots", total[0]);
		td_json_open(json, "topdown", '{');
		for (int i = 0; i < TD_NODES; i++) {
			if (node[i].present)
				td_json_number(json, td_topdown_tree[i].name,
					       node[i].estimate.value);
		}
		td_json_close(json, '}');
	}
	td_json_close(json, '}');
}

static void put_timeline(struct td_json *json, const struct td_report *report,
			 const struct td_report_process *process,
			 const struct td_history *history)
{
	size_t used = history ? td_history_used(history) : 0;

	if (!used)
		return;
	td_json_open(json, "timeline", '{');
	td_json_number(json, "bucket_s", (double)history->width_ns / 1e9);
	put_start(json, &process->header);
	td_json_open(json, "buckets", '[');
	for (size_t i = 0; i < used; i++)
		put_bucket(json, report, history, i);
	td_json_close(json, ']');
	td_json_close(json, '}');
}

static void put_processes(struct td_json *json, const struct td_report *report)
{
	td_json_open(json, "processes", '[');
	for (size_t i = 0; i < report->processes; i++) {
		const struct td_report_process *process = &report->process[i];
		struct td_history history;

		td_report_history(report, i, &history);
		td_json_open(json, NULL, '{');
		put_program(json, process);
		put_complete(json, report, process->total[0], process->node);
		put_timeline(json, report, process, &history);
		td_json_close(json, '}');
	}
	td_json_close(json, ']');
}

static void put_counters(struct td_json *json, const struct td_report *report,
			 const uint64_t *counted, const struct td_file_sum *sum)
{
	td_json_open(json, "counters", '{');
	for (unsigned i = 0; i < report->counters; i++) {
		if (!counted[i])
			continue;
		td_json_open(json, report->counter[i].name, '{');
		td_json_sum(json, "sum", sum[i].sum);
		td_json_number(json, "per_window",
			       td_sum_value(&sum[i]) / (double)counted[i]);
		td_json_count(json, "windows", counted[i]);
		td_json_clean(json, "unit", report->counter[i].unit);
		td_json_close(json, '}');
	}
	td_json_close(json, '}');
}

static void put_totals(struct td_json *json, const struct td_report *report)
{
	td_json_open(json, "totals", '{');
	td_json_count(json, "samples", report->samples);
	td_json_count(json, "functions", report->functions_all);
	td_json_number(json, "cpu_time_s", (double)report->cpu_ns / 1e9);
	put_windows(json, report->windows, report->rejected);
	put_lost(json, report->lost);
	if (report->map.slots >= 0)
		td_json_sum(json, "slots",
			    report->total_complete ? report->total[0]
						   : report->sum[0].sum);
	put_counters(json, report, report->counted, report->sum);
	if (td_report_has_topdown(report))
		td_json_clean(json, "coverage",
			      !report->total_complete ? "windows"
			      : report->unread        ? "partial"
						      : "complete");
	if (report->total_complete && report->unread)
		td_json_count(json, "unread_periods", report->unread);
	td_json_topdown(json, report->node);
	td_json_close(json, '}');
}

static void put_threads(struct td_json *json, const struct td_report *report)
{
	static const char *const states[] = {
		[TD_THREAD_FREE] = "free",
		[TD_THREAD_LIVE] = "live",
		[TD_THREAD_ENDED] = "ended",
		[TD_THREAD_FOLDED] = "folded",
	};

	td_json_open(json, "threads", '[');
	for (size_t i = 0; i < report->threads; i++) {
		const struct td_report_thread *thread = &report->thread[i];
		const struct td_file_thread *record = &thread->record;

		td_json_open(json, NULL, '{');
		td_json_count(json, "pid", report->process[thread->process].header.pid);
		td_json_count(json, "tid", record->tid);
		td_json_clean(json, "name", thread->name);
		td_json_clean(json, "state", states[record->state]);
		td_json_count(json, "threads", record->threads);
		td_json_count(json, "samples", record->samples);
		td_json_number(json, "cpu_time_s", (double)record->cpu_ns / 1e9);
		put_windows(json, record->windows, record->rejected);
		put_lost(json, record->lost);
		put_complete(json, report, thread->total[0], thread->node);
		put_timeline(json, report, &report->process[thread->process],
			     thread->history);
		td_json_close(json, '}');
	}
	td_json_close(json, ']');
}

static void put_build_id(struct td_json *json, const struct td_file_object *object)
{
	char id[2 * sizeof(object->build_id) + 1] = "";

	for (uint32_t i = 0; i < object->build_id_size; i++)
		snprintf(id + 2 * i, 3, "%02x", object->build_id[i]);
	if (id[0])
		td_json_clean(json, "build_id", id);
}

static void put_module(struct td_json *json, const struct td_report *report,
		       const struct td_report_function *f)
{
	td_json_clean(json, "module", td_report_module(report, f));
	if (f->module != TD_NO_MODULE)
		put_build_id(json, &report->module[f->module].object);
}

/* Left out without memory, as paths. */
static void put_modules(struct td_json *json, const struct td_report *report)
{
	size_t modules;
	struct td_module_row *row = td_module_rows(report, &modules);

	if (!row)
		return;
	td_json_open(json, "modules", '[');
	for (size_t i = 0; i < modules; i++) {
		td_json_open(json, NULL, '{');
		td_json_clean(json, "module", td_module_row_name(report, &row[i]));
		if (row[i].module != TD_NO_MODULE)
			put_build_id(json, &report->module[row[i].module].object);
		td_json_count(json, "samples", row[i].samples);
		td_json_number(json, "share",
			       (double)row[i].samples / (double)report->samples);
		td_json_count(json, "windows", row[i].windows);
		td_json_number(json, "known",
			       (double)row[i].known / (double)row[i].samples);
		td_json_topdown(json, row[i].value);
		td_json_close(json, '}');
	}
	td_json_close(json, ']');
	free(row);
}

/* Where the values come from.  own_share against share: how much functions with short
 * visits are missing among windows of one function alone. */
static void put_evidence(struct td_json *json, const struct td_report *report,
			 const struct td_report_function *f)
{
	if (f->evidence != TD_EVIDENCE_NONE)
		td_json_clean(json, "evidence", td_print_evidence(f->evidence));
	if (!report->separated)
		return;
	if (f->identifiability >= 0)
		td_json_number(json, "identifiability", f->identifiability);
	td_json_count(json, "own_windows", f->own);
	td_json_count(json, "used_windows", f->told);
	if (report->own)
		td_json_number(json, "own_share", (double)f->own / (double)report->own);
	if (f->visit > 0)
		td_json_number(json, "visit_cycles", f->visit);
}

/* The function with all that it calls. */
static void put_total(struct td_json *json, const struct td_report *report,
		      const struct td_report_total *total)
{
	if (!report->has_paths)
		return;
	td_json_open(json, "total", '{');
	td_json_count(json, "samples", total->samples);
	td_json_number(json, "share", total->share.value);
	td_json_number(json, "share_low", total->share.low);
	td_json_number(json, "share_high", total->share.high);
	td_json_count(json, "windows", total->windows);
	td_json_count(json, "opened", total->opened);
	if (report->map.slots >= 0 && total->counted[0])
		td_json_sum(json, "slots", total->sum[0].sum);
	td_json_topdown(json, total->node);
	td_json_close(json, '}');
}

static void put_function(struct td_json *json, const struct td_report *report,
			 const struct td_report_function *f)
{
	int total = 0;

	td_json_open(json, NULL, '{');
	td_json_clean(json, "name", f->name);
	put_module(json, report, f);
	td_json_hex(json, "address", f->address);
	td_json_count(json, "samples", f->samples);
	td_json_number(json, "share", f->share.value);
	td_json_number(json, "share_low", f->share.low);
	td_json_number(json, "share_high", f->share.high);
	put_windows(json, f->windows, f->rejected);
	if (report->has_time)
		td_json_number(json, "cpu_time_s", f->cpu_ns / 1e9);
	if (report->map.slots >= 0 && f->counted[0])
		td_json_sum(json, "slots", f->sum[0].sum);
	put_evidence(json, report, f);
	put_rate(json, "faults_per_s", &f->faults);
	put_rate(json, "switches_per_s", &f->switches);
	put_counters(json, report, f->counted, f->sum);
	put_events(json, report, f);
	if (td_report_has_latencies(report))
		put_latencies(json, &f->latencies);
	td_json_topdown(json, f->node);
	put_total(json, report, &f->total);
	td_report_answer(f, &total);
	if (total)
		td_json_clean(json, "answer", "total");
	td_json_close(json, '}');
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
static void put_path(struct td_json *json, const struct td_report *report,
		     const struct td_path_node *node)
{
	struct td_topdown_value value[TD_NODES];

	td_json_open(json, NULL, '{');
	json->flat = json->depth;
	if (node->parent != SIZE_MAX)
		td_json_count(json, "parent", node->parent);
	if (node->kind != TD_PATH_FRAME)
		td_json_clean(json, "kind", node->kind == TD_PATH_ROOT ? "root" : "cut");
	else if (node->row < report->functions)
		td_json_count(json, "function", node->row);
	else if (node->row < report->rows)
		td_json_clean(json, "name", report->function[node->row].name);
	td_json_count(json, "samples", node->samples);
	td_json_count(json, "total", node->total);
	if (node->opened || node->windows) {
		td_json_count(json, "windows", node->windows);
		td_json_count(json, "opened", node->opened);
	}
	td_report_path_values(report, node, value);
	if (!is_wide(value))
		td_json_topdown(json, value);
	td_json_close(json, '}');
}

/* Left out without memory: all else is said without it. */
static void put_paths(struct td_json *json, const struct td_report *report)
{
	struct td_paths tree;

	if (!report->has_paths)
		return;
	if (td_paths_tree(report, &tree) == 0) {
		td_json_open(json, "paths", '[');
		for (size_t i = 0; i < tree.nodes; i++)
			put_path(json, report, &tree.node[i]);
		td_json_close(json, ']');
	}
	td_paths_free(&tree);
}

void td_print_json_with(FILE *out, const struct td_report *report,
			td_print_json_more *more, const void *context)
{
	struct td_json json = {.out = out, .first = 1};

	td_json_open(&json, NULL, '{');
	td_json_count(&json, "schema", 1);
	td_json_bool(&json, "simulated", report->simulated);
	put_run(&json, report);
	put_processes(&json, report);
	put_totals(&json, report);
	put_threads(&json, report);
	put_modules(&json, report);
	td_json_open(&json, "functions", '[');
	for (size_t i = 0; i < report->functions; i++)
		put_function(&json, report, &report->function[i]);
	td_json_close(&json, ']');
	put_paths(&json, report);
	if (more)
		more(&json, context);
	td_json_close(&json, '}');
	fputc('\n', out);
}

void td_print_json(FILE *out, const struct td_report *report)
{
	td_print_json_with(out, report, NULL, NULL);
}
