// SPDX-License-Identifier: MIT
/*
 * Totals in the text format of OpenMetrics 1.0.  The families tdagent_* are of
 * all that is reported, tdagent_process_* of single processes; they are not to be
 * added to each other.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder/text.h"
#include "tools/export.h"
#include "tools/print.h"
#include "tools/quote.h"

struct metrics {
	FILE *out;
	const struct td_export *export;
};

/* Before its samples: a family's type, unit ("" for none) and meaning. */
static void family(const struct metrics *metrics, const char *name, const char *type,
		   const char *unit, const char *help)
{
	fprintf(metrics->out, "# TYPE tdagent_%s %s\n", name, type);
	if (unit[0])
		fprintf(metrics->out, "# UNIT tdagent_%s %s\n", name, unit);
	fprintf(metrics->out, "# HELP tdagent_%s %s\n", name, help);
}

static void put_label(FILE *out, char bracket, const char *key, const char *value)
{
	fprintf(out, "%c%s=", bracket, key);
	td_quote_json(out, value); /* the same escapes, in clean text */
}

/*
 * Name and labels of a sample: of the user, those of `label` (key, value, ...,
 * NULL), and whether the value is made up.
 */
static void begin(const struct metrics *metrics, const char *name,
		  const char *const *label, int made_up)
{
	const struct td_export *export = metrics->export;
	char bracket = '{';

	fprintf(metrics->out, "tdagent_%s", name);
	for (size_t i = 0; i < export->labels; i++) {
		put_label(metrics->out, bracket, export->label[i].key,
			  export->label[i].value);
		bracket = ',';
	}
	for (; label && *label; label += 2) {
		put_label(metrics->out, bracket, label[0], label[1]);
		bracket = ',';
	}
	if (made_up && export->report->simulated) {
		put_label(metrics->out, bracket, "simulated", "true");
		bracket = ',';
	}
	fputs(bracket == ',' ? "} " : " ", metrics->out);
}

static void put_count(const struct metrics *metrics, const char *name,
		      const char *const *label, uint64_t value)
{
	begin(metrics, name, label, 0);
	fprintf(metrics->out, "%" PRIu64 "\n", value);
}

static void put_seconds(const struct metrics *metrics, const char *name,
			const char *const *label, uint64_t ns)
{
	begin(metrics, name, label, 0);
	fprintf(metrics->out, "%" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000u,
		ns % 1000000000u);
}

static void put_slots(const struct metrics *metrics, const char *name,
		      const char *const *label, uint64_t slots)
{
	if ((int64_t)slots <= 0)
		return;
	begin(metrics, name, label, 1);
	fprintf(metrics->out, "%" PRIu64 "\n", slots);
}

static void put_ratio(const struct metrics *metrics, const char *name,
		      const char *const *label, double value)
{
	begin(metrics, name, label, 1);
	fprintf(metrics->out, "%.9g\n", value);
}

/* Causes without a name, of a later version, are one. */
static void put_causes(const struct metrics *metrics, const char *name,
		       const uint64_t *count, unsigned entries,
		       const char *(*key)(unsigned cause))
{
	const char *label[] = {"cause", NULL, NULL};
	uint64_t unknown = 0;

	for (unsigned i = 0; i < entries; i++) {
		label[1] = key(i);
		if (strcmp(label[1], "unknown") == 0)
			unknown += count[i];
		else
			put_count(metrics, name, label, count[i]);
	}
	label[1] = "unknown";
	if (unknown)
		put_count(metrics, name, label, unknown);
}

static void put_run(const struct metrics *metrics)
{
	const struct td_report *report = metrics->export->report;
	const struct td_file_header *header = &td_print_first(report)->header;
	char *cpu = td_text_clean(header->cpu, sizeof(header->cpu));
	char *agent = td_text_clean(header->agent, sizeof(header->agent));
	const char *cores = report->hybrid ? "cores" : NULL; /* ends the labels */
	const char *label[] = {
		"backend", td_backend_name(header->backend),
		"trigger", td_trigger_name(header->trigger),
		"cpu",     cpu ? cpu : "",
		"agent",   agent ? agent : "",
		cores,     td_cores_name(report->cores),
		NULL,
	};

	family(metrics, "run", "info", "", "How it was measured.");
	begin(metrics, "run_info", label, 1);
	fputs("1\n", metrics->out);
	free(cpu);
	free(agent);
}

static void put_totals(const struct metrics *metrics)
{
	const struct td_report *report = metrics->export->report;

	family(metrics, "processes", "gauge", "", "Processes that are added up.");
	put_count(metrics, "processes", NULL, report->profiles);
	family(metrics, "threads", "gauge", "", "Threads that were measured.");
	put_count(metrics, "threads", NULL, report->threads_all);
	family(metrics, "cpu_seconds", "counter", "seconds", "CPU time of the threads.");
	put_seconds(metrics, "cpu_seconds_total", NULL, report->cpu_ns);
	family(metrics, "samples", "counter", "", "Samples taken.");
	put_count(metrics, "samples_total", NULL, report->samples);
	family(metrics, "lost_samples", "counter", "",
	       "Samples that are missing, by cause.");
	put_causes(metrics, "lost_samples_total", report->lost, TD_LOST_MAX, td_lost_key);
	family(metrics, "windows", "counter", "", "Valid windows.");
	put_count(metrics, "windows_total", NULL, report->windows);
	family(metrics, "rejected_windows", "counter", "",
	       "Windows that did not count, by cause.");
	put_causes(metrics, "rejected_windows_total", report->rejected, TD_REJECT_MAX,
		   td_reject_key);
}

enum part { VALUE, LOW, HIGH };

static void put_nodes(const struct metrics *metrics, const char *name,
		      const struct td_topdown_value *node, enum part part)
{
	char level[4];

	for (int i = 0; i < TD_NODES; i++) {
		const struct td_estimate *estimate = &node[i].estimate;
		const char *label[] = {"node", td_topdown_tree[i].name, "level", level,
				       NULL};

		snprintf(level, sizeof(level), "%d", i < TD_NODES_LEVEL1 ? 1 : 2);
		if (node[i].present)
			put_ratio(metrics, name, label,
				  part == VALUE ? estimate->value
				  : part == LOW ? estimate->low
						: estimate->high);
	}
}

static void put_topdown(const struct metrics *metrics)
{
	const struct td_report *report = metrics->export->report;
	const struct td_topdown_value *node = report->node;

	if (!td_report_has_topdown(report))
		return;
	family(metrics, "slots", "counter", "",
	       "Pipeline slots of all periods that were counted.");
	if (report->total_complete)
		put_slots(metrics, "slots_total", NULL, report->total[report->map.slots]);
	family(metrics, "topdown_ratio", "gauge", "ratio",
	       "Top-down nodes, of all slots; level 2 nodes are parts of level 1 nodes.");
	put_nodes(metrics, "topdown_ratio", node, VALUE);
	family(metrics, "topdown_low_ratio", "gauge", "ratio",
	       "Lower ends of the 95 % intervals of tdagent_topdown_ratio.");
	put_nodes(metrics, "topdown_low_ratio", node, LOW);
	family(metrics, "topdown_high_ratio", "gauge", "ratio",
	       "Upper ends of the 95 % intervals of tdagent_topdown_ratio.");
	put_nodes(metrics, "topdown_high_ratio", node, HIGH);
	if (!report->check.present)
		return;
	family(metrics, "check_holds", "gauge", "",
	       "1 if the functions add up to the totals, else 0.");
	put_ratio(metrics, "check_holds", NULL, report->check.holds);
}

/* Their mean is the rate of the one by that of the other. */
static void put_latencies(const struct metrics *metrics)
{
	const struct td_report *report = metrics->export->report;
	const char *label[] = {"event", report->latency_event, NULL};

	if (!td_report_has_latencies(report))
		return;
	family(metrics, "retire_latency_cycles", "summary", "cycles",
	       "Cycles before the event's instruction retired, of each record.");
	begin(metrics, "retire_latency_cycles_sum", label, 1);
	fprintf(metrics->out, "%" PRIu64 "\n", report->latencies.sum.sum);
	begin(metrics, "retire_latency_cycles_count", label, 1);
	fprintf(metrics->out, "%" PRIu64 "\n", report->latencies.records);
}

/* Labels of one process. */
struct process_labels {
	char pid[12];
	char *program;
	char *host;
	const char *label[7];
};

/* A process that stands for several has no one id; of all others, nothing in common. */
static void open_labels(struct process_labels *labels,
			const struct td_report_process *process)
{
	const struct td_file_header *header = &process->header;
	size_t n = 0;

	snprintf(labels->pid, sizeof(labels->pid), "%u", header->pid);
	labels->program = td_text_clean(header->exe, sizeof(header->exe));
	labels->host = td_text_clean(header->host, sizeof(header->host));
	if (!process->mixed) {
		labels->label[n++] = "host";
		labels->label[n++] = labels->host ? labels->host : "";
	}
	if (process->profiles == 1) {
		labels->label[n++] = "pid";
		labels->label[n++] = labels->pid;
	}
	if (!process->mixed) {
		labels->label[n++] = "program";
		labels->label[n++] = labels->program ? labels->program : "";
	}
	labels->label[n] = NULL;
}

static void close_labels(struct process_labels *labels)
{
	free(labels->program);
	free(labels->host);
}

/* 1 if both have the same labels: a program that went on as itself (exec), or one that
 * has its id again. */
static int is_same(const struct td_report_process *a, const struct td_report_process *b)
{
	const struct td_file_header *x = &a->header, *y = &b->header;

	return !a->mixed && !b->mixed && (a->profiles == 1) == (b->profiles == 1) &&
	       (a->profiles > 1 || x->pid == y->pid) && strcmp(x->exe, y->exe) == 0 &&
	       strcmp(x->host, y->host) == 0;
}

enum process_value { PROCESS_CPU, PROCESS_SAMPLES, PROCESS_SLOTS, PROCESS_START };

static uint64_t value_of(const struct td_report *report,
			 const struct td_report_process *process,
			 enum process_value which)
{
	switch (which) {
	case PROCESS_CPU:
		return process->cpu_ns;
	case PROCESS_SAMPLES:
		return process->samples;
	case PROCESS_SLOTS:
		return process->total[report->map.slots];
	case PROCESS_START:
		break;
	}
	return process->header.start_realtime_ns;
}

/* Of all that are the same as process `first`; 0: it is the same as one before it. */
static int add_same(const struct td_report *report, size_t first,
		    enum process_value which, uint64_t *value)
{
	const struct td_report_process *process = report->process;

	for (size_t i = 0; i < first; i++)
		if (is_same(&process[i], &process[first]))
			return 0;
	*value = value_of(report, &process[first], which);
	for (size_t i = first + 1; i < report->processes; i++) {
		uint64_t more = value_of(report, &process[i], which);

		if (!is_same(&process[i], &process[first]))
			continue;
		if (which != PROCESS_START)
			*value += more;
		else if (more < *value)
			*value = more;
	}
	return 1;
}

/* No two samples of a family may have the same labels. */
static void put_processes(const struct metrics *metrics, const char *name,
			  enum process_value which)
{
	const struct td_report *report = metrics->export->report;

	for (size_t i = 0; i < report->processes; i++) {
		struct process_labels labels;
		uint64_t value;

		if (!add_same(report, i, which, &value))
			continue;
		open_labels(&labels, &report->process[i]);
		if (which == PROCESS_CPU || which == PROCESS_START)
			put_seconds(metrics, name, labels.label, value);
		else if (which == PROCESS_SAMPLES)
			put_count(metrics, name, labels.label, value);
		else
			put_slots(metrics, name, labels.label, value);
		close_labels(&labels);
	}
}

int td_export_openmetrics(FILE *out, const struct td_export *export)
{
	struct metrics metrics = {out, export};

	put_run(&metrics);
	put_totals(&metrics);
	put_topdown(&metrics);
	put_latencies(&metrics);
	family(&metrics, "process_start_time_seconds", "gauge", "seconds",
	       "When the process began to be measured, since 1970.");
	put_processes(&metrics, "process_start_time_seconds", PROCESS_START);
	family(&metrics, "process_cpu_seconds", "counter", "seconds",
	       "CPU time of one process.");
	put_processes(&metrics, "process_cpu_seconds_total", PROCESS_CPU);
	family(&metrics, "process_samples", "counter", "", "Samples of one process.");
	put_processes(&metrics, "process_samples_total", PROCESS_SAMPLES);
	if (export->report->map.slots >= 0) {
		family(&metrics, "process_slots", "counter", "",
		       "Pipeline slots of one process.");
		put_processes(&metrics, "process_slots_total", PROCESS_SLOTS);
	}
	fputs("# EOF\n", out);
	return 0;
}
