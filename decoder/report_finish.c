// SPDX-License-Identifier: MIT
/* The second half of report.h: from code places to sorted functions. */
#include "decoder/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder/options.h"
#include "decoder/order.h"
#include "decoder/report_groups.h"
#include "decoder/report_log.h"
#include "decoder/report_notes.h"
#include "decoder/symbols.h"
#include "decoder/text.h"

/* Fewer windows of a path say little by formulas over groups, which take half a
 * millisecond; there are thousands of such paths. */
#define PATH_WINDOWS 16

#define WIDE 0.1 /* half an interval that is too wide to act on */

/* A node's value once there are windows; "absent" sorts last. */
static double node_value(const struct td_report_function *f, unsigned node)
{
	return f->node[node].present ? f->node[node].estimate.value : -1;
}

static int by_place(const void *a, const void *b)
{
	const struct td_report_function *x = a, *y = b;

	return td_order(x->module, y->module)
		       ?: td_order(x->kind, y->kind) ?: td_order(x->address, y->address);
}

/*
 * Makes one row of places that readers see as one: chunks of one symbol, chunks
 * of one unnamed gap or mapping, unwind entries inside one symbol.
 */
static void unite(struct td_report_function *f, const struct td_symbols *symbols)
{
	struct td_symbol symbol;

	f->name = NULL;
	switch (f->kind) {
	case TD_PLACE_FUNCTION:
	case TD_PLACE_GAP:
		if (td_symbols_find(symbols, f->address, &symbol)) {
			f->kind = TD_PLACE_FUNCTION;
			f->address = symbol.start;
			f->name = (char *)symbol.name; /* borrowed until named */
		} else if (f->kind == TD_PLACE_GAP) {
			f->address = f->region;
		}
		break;
	case TD_PLACE_JIT:
		f->address = f->region;
		f->name = f->jit; /* likewise */
		break;
	default:
		f->address = 0;
	}
}

/* All parts of `from` become parts of `into`. */
static void join_parts(struct td_report *report, struct td_report_function *into,
		       const struct td_report_function *from)
{
	struct td_report_part *last;

	if (!from->part)
		return;
	for (last = &report->part[from->part - 1]; last->next;)
		last = &report->part[last->next - 1];
	last->next = into->part;
	into->part = from->part;
}

static int merge(struct td_report *report, struct td_report_function *into,
		 struct td_report_function *from)
{
	join_parts(report, into, from);
	into->samples += from->samples;
	into->windows += from->windows;
	into->cpu_ns += from->cpu_ns;
	into->rounded += from->rounded;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		into->rejected[i] += from->rejected[i];
	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++) {
		into->counted[i] += from->counted[i];
		td_sum_add(&into->sum[i], &from->sum[i]);
	}
	td_groups_take(&into->groups, &from->groups);
	td_latencies_add(&into->latencies, &from->latencies);
	return td_report_log_merge(report, into->number, from->number);
}

static int note_state(struct td_report *report, const struct td_symbols *symbols,
		      const struct td_report_module *module)
{
	const char *what;

	if (module->object.kind == TD_OBJECT_JIT)
		return 0;
	switch (td_symbols_state(symbols)) {
	case TD_SYMBOLS_MISSING:
		what = "cannot be read";
		break;
	case TD_SYMBOLS_CHANGED:
		what = "is not the file that ran (build-id)";
		break;
	default:
		return 0;
	}
	return td_report_note(
		report, td_text_format("%s %s: its functions are shown as addresses",
				       module->path, what));
}

/*
 * Unites, merges and names the places [first, last), all of one module.  The
 * merged rows go to *out, which is at or before first.
 */
static int name_rows(struct td_report *report, size_t first, size_t last, size_t *out,
		     const struct td_symbols *symbols)
{
	struct td_report_function *row = report->function;
	const char *module = td_text_base(td_report_module(report, &row[first]));
	size_t start = *out;
	int err = 0;

	for (size_t i = first; i < last; i++)
		unite(&row[i], symbols);
	qsort(row + first, last - first, sizeof(*row), by_place);
	for (size_t i = first; i < last; i++) {
		if (*out > start && by_place(&row[*out - 1], &row[i]) == 0) {
			err |= merge(report, &row[*out - 1], &row[i]);
			td_paths_merge(&report->paths, row[*out - 1].id, row[i].id);
		} else {
			struct td_groups *groups = row[i].groups;

			row[i].groups = NULL; /* each has one owner */
			row[*out] = row[i];
			row[(*out)++].groups = groups;
		}
	}
	for (size_t i = start; i < *out; i++) {
		row[i].name = row[i].name ? td_symbol_demangle(row[i].name)
					  : td_symbol_unnamed(row[i].kind, module,
							      row[i].address);
		if (!row[i].name) {
			/* no borrowed name may reach td_report_free() */
			while (++i < *out)
				row[i].name = NULL;
			return -ENOMEM;
		}
		if (row[i].jit)
			row[i].address = 0; /* it had many */
		free(row[i].jit);
		row[i].jit = NULL;
	}
	return err ? -ENOMEM : 0;
}

static int name_module(struct td_report *report, size_t first, size_t last, size_t *out)
{
	static const struct td_file_object none;
	uint32_t index = report->function[first].module;
	struct td_symbols *symbols = td_symbols_open(
		index == TD_NO_MODULE ? &none : &report->module[index].object);
	int err = 0;

	if (!symbols)
		return -ENOMEM;
	if (index != TD_NO_MODULE)
		err = note_state(report, symbols, &report->module[index]);
	if (!err)
		err = name_rows(report, first, last, out, symbols);
	td_symbols_close(symbols);
	return err;
}

static int name_all(struct td_report *report)
{
	size_t first = 0, out = 0, last;
	int err = 0;

	/* nothing was sampled: then do not sort a NULL */
	if (report->functions == 0)
		return 0;
	qsort(report->function, report->functions, sizeof(*report->function), by_place);
	while (first < report->functions && !err) {
		for (last = first; last < report->functions; last++) {
			if (report->function[last].module !=
			    report->function[first].module)
				break;
		}
		err = name_module(report, first, last, &out);
		first = last;
	}
	report->functions = out;
	return err;
}

static void map_topdown(struct td_report *report)
{
	int slots = td_report_counter(report, "slots");

	/* the cross sums are with the first counter */
	report->map.slots = slots == 0 ? 0 : -1;
	report->map.over = report->plan.family ? report->plan.family->over : NULL;
	for (int i = 0; i < TD_NODES; i++)
		report->map.node[i] = td_report_counter(report, td_topdown_tree[i].name);
}

/* Events for each second of CPU time; the interval needs windows of CPU time. */
static void rate(const struct td_report *report, const struct td_report_function *f,
		 const char *name, struct td_report_rate *rate)
{
	int x = td_report_counter(report, name);
	int d = td_report_counter(report, "cpu_time");

	memset(rate, 0, sizeof(*rate));
	if (x < 0 || d < 0 || f->counted[x] == 0 || td_sum_value(&f->sum[d]) <= 0)
		return;
	rate->present = 1;
	rate->interval = d == 0;
	rate->estimate = td_estimate_rate(&f->sum[x], &f->sum[d], f->counted[x], 1e9);
}

static void totals_of(const struct td_report *report,
		      const struct td_report_process *process, const uint64_t *total,
		      struct td_topdown_value *node)
{
	int rounded = process->header.backend == TD_BACKEND_METRICS;

	td_topdown_totals(&report->map, total, rounded ? total[0] : 0, node);
}

static void complete(struct td_report *report)
{
	for (size_t i = 0; i < report->processes; i++) {
		struct td_report_process *process = &report->process[i];

		totals_of(report, process, process->total, process->node);
	}
	for (size_t i = 0; i < report->threads; i++) {
		struct td_report_thread *thread = &report->thread[i];

		totals_of(report, &report->process[thread->process], thread->total,
			  thread->node);
	}
}

/* What is left of the tree, by formulas over all groups. */
static void estimate_groups(struct td_report *report)
{
	for (size_t i = 0; i < report->functions && report->plan.groups; i++) {
		struct td_report_function *f = &report->function[i];

		td_groups_values(&report->plan, f->sum, f->counted[0], f->groups,
				 f->node);
		if (f->evidence == TD_EVIDENCE_NONE && f->node[0].present)
			f->evidence = TD_EVIDENCE_OWN;
	}
}

static int estimate(struct td_report *report)
{
	int err;

	for (size_t i = 0; i < report->functions; i++) {
		struct td_report_function *f = &report->function[i];

		report->sampled_ns += f->cpu_ns;
		if (report->samples)
			f->share = td_estimate_share(f->samples, report->samples);
		if (f->groups)
			f->groups->share = f->share.low;
		rate(report, f, "faults", &f->faults);
		rate(report, f, "switches", &f->switches);
		td_topdown_values(&report->map, f->sum, f->counted[0], f->rounded,
				  f->node);
		f->evidence = f->node[0].present ? TD_EVIDENCE_OWN : TD_EVIDENCE_NONE;
		report->rounded += f->rounded;
		for (unsigned c = 0; c < TD_COUNTERS_MAX; c++) {
			report->counted[c] += f->counted[c];
			td_sum_add(&report->sum[c], &f->sum[c]);
		}
	}
	err = td_report_groups_share(report);
	if (!err)
		err = td_report_log_separate(report);
	estimate_groups(report);
	complete(report);
	report->total_complete = report->map.slots >= 0 && report->total[0] != 0;
	if (report->total_complete)
		td_topdown_totals(&report->map, report->total, report->total_rounded,
				  report->node);
	else
		td_topdown_values(&report->map, report->sum, report->counted[0],
				  report->rounded, report->node);
	td_report_groups_totals(report);
	td_check_report(report, &report->check);
	return err ? err : td_report_notes_finish(report);
}

/*
 * A window that left the function and came back counts like one that stayed, and
 * holds something of what ran in between: of its time no larger a part than that of
 * the windows that were outside when they ended.  That moves a node by that part of
 * the difference of the two, which is rarely above one half.  doc/call-paths.md.
 */
static double left_part(uint64_t opened, uint64_t windows)
{
	if (opened <= windows)
		return 0;
	return (double)(opened - windows) / (double)opened / 2;
}

static void widen(struct td_topdown_value value[TD_NODES], double by)
{
	for (int node = 0; node < TD_NODES; node++)
		if (value[node].present)
			td_estimate_widen(&value[node].estimate, by);
}

static void estimate_totals(struct td_report *report)
{
	for (size_t i = 0; i < report->functions && report->has_paths; i++) {
		struct td_report_total *total = &report->function[i].total;

		if (report->samples && total->samples <= report->samples)
			total->share = td_estimate_share(total->samples, report->samples);
		td_topdown_values(&report->map, total->sum, total->counted[0],
				  total->rounded, total->node);
		td_path_groups_values(&report->plan, total->sum, total->counted[0],
				      total->groups, total->node);
		widen(total->node, left_part(total->opened, total->windows));
	}
}

void td_report_path_values(const struct td_report *report,
			   const struct td_path_node *node,
			   struct td_topdown_value value[TD_NODES])
{
	const struct td_path_sums *sums = node->sums;

	memset(value, 0, TD_NODES * sizeof(*value));
	if (!sums)
		return;
	td_topdown_values(&report->map, sums->sum, sums->counted[0], sums->rounded,
			  value);
	if (node->windows >= PATH_WINDOWS)
		td_path_groups_values(&report->plan, sums->sum, sums->counted[0],
				      sums->groups, value);
	widen(value, left_part(node->opened, node->windows));
}

static double width(const struct td_topdown_value *node)
{
	double widest = 0;

	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		double w = node[i].estimate.high - node[i].estimate.low;

		widest = w > widest ? w : widest;
	}
	return widest;
}

const struct td_topdown_value *td_report_answer(const struct td_report_function *f,
						int *total)
{
	const struct td_topdown_value *own = f->node, *all = f->total.node;

	*total = all[TD_NODE_RETIRING].present &&
		 (!own[TD_NODE_RETIRING].present ||
		  (f->evidence == TD_EVIDENCE_CALLERS && width(all) < width(own)));
	return *total ? all : own;
}

int td_report_is_vague(const struct td_report *report,
		       const struct td_report_function *function, int node)
{
	int total;
	const struct td_topdown_value *answer = td_report_answer(function, &total);
	uint64_t windows = total               ? function->total.windows
			   : report->separated ? function->told
					       : function->windows;
	const struct td_estimate *e = &answer[node].estimate;

	return answer[node].present &&
	       (windows < report->query.min_windows || e->high - e->low > 2 * WIDE ||
		(!total && function->evidence == TD_EVIDENCE_CALLERS));
}

static int note_paths(struct td_report *report)
{
	uint64_t cut = td_paths_cut(&report->paths);
	int err = 0;

	if (!report->has_paths)
		return 0;
	if (report->without_paths)
		err = td_report_note(
			report,
			td_text_format(
				"totals lack %zu of %zu processes, which took no call "
				"paths",
				report->without_paths, report->profiles));
	if (!err && cut && report->samples)
		err = td_report_note(
			report,
			td_text_format(
				"the outermost callers of %llu of %llu samples are "
				"not known: totals lack them",
				(unsigned long long)cut,
				(unsigned long long)report->samples));
	return err;
}

/* Beyond the most that a report keeps. */
static int note_folded(struct td_report *report)
{
	size_t left = report->notes_left;
	int err = 0;

	if (!left && !report->folded)
		return 0;
	while (report->notes > TD_REPORT_NOTES_MAX - 2) {
		free(report->note[--report->notes]);
		left++;
	}
	if (report->folded)
		err = td_report_note(
			report,
			td_text_format(
				"%zu profiles are shown as %zu process%s: those of one "
				"program, host and labels are one together, their "
				"threads one for each name%s",
				report->profiles, report->processes,
				report->processes == 1 ? "" : "es",
				report->process[report->processes - 1].mixed
					? "; the last one is of all others"
					: ""));
	if (!err && left)
		err = td_report_note(
			report, td_text_format("more notes are left out: %zu", left));
	return err;
}

static int has_anything(const struct td_report_function *f)
{
	return f->samples || f->windows || f->total.samples || f->total.windows ||
	       f->latencies.records;
}

static int asked(const struct td_report *report, const struct td_report_function *f)
{
	const char *glob = report->query.module;

	if (!has_anything(f))
		return 0;
	if (f->share.value < report->query.min_share &&
	    f->total.share.value < report->query.min_share)
		return 0;
	return !glob || td_text_path_fits(td_report_module(report, f), glob);
}

static int by_sort(const void *a, const void *b, void *context)
{
	const struct td_report_function *x = a, *y = b;
	unsigned sort = *(unsigned *)context;
	int order = 0;

	if (sort == TD_SORT_NAME)
		order = strcmp(x->name, y->name);
	else if (sort == TD_SORT_CPU_TIME)
		order = td_order(y->cpu_ns, x->cpu_ns);
	else if (sort == TD_SORT_WINDOWS)
		order = td_order(y->windows, x->windows);
	else if (sort == TD_SORT_TOTAL)
		order = td_order(y->total.samples, x->total.samples);
	else if (sort >= TD_SORT_NODE)
		order = td_order(node_value(y, sort - TD_SORT_NODE),
				 node_value(x, sort - TD_SORT_NODE));
	if (!order)
		order = td_order(y->samples, x->samples);
	if (!order)
		order = strcmp(x->name, y->name);
	/* equal names: the same order on every run */
	return order ? order : by_place(x, y);
}

static void swap_rows(struct td_report_function *a, struct td_report_function *b)
{
	struct td_report_function kept = *a;

	*a = *b;
	*b = kept;
}

/* The others stay behind them: they are somebody's callers. */
static void select_rows(struct td_report *report)
{
	struct td_report_function *row = report->function;
	size_t kept = 0;

	report->functions_all = 0;
	report->rows = report->functions;
	for (size_t i = 0; i < report->rows; i++) {
		report->functions_all += (size_t)has_anything(&row[i]);
		if (asked(report, &row[i]))
			swap_rows(&row[i], &row[kept++]);
	}
	if (kept)
		qsort_r(row, kept, sizeof(*row), by_sort, &report->query.sort);
	report->functions =
		report->query.top && kept > report->query.top ? report->query.top : kept;
}

/* Was the event too rare, or the ring too small? */
static int note_no_record(struct td_report *report)
{
	if (report->latencies_lost)
		return td_report_note(
			report,
			td_text_format("no retire latencies: none of %llu records of %s "
				       "had room; a larger period makes fewer "
				       "(TDAGENT_LATENCY=EVENT@PERIOD)",
				       (unsigned long long)report->latencies_lost,
				       report->latency_event));
	return td_report_note(
		report,
		td_text_format("no retire latencies: no thread had as many of %s as its "
			       "period; TDAGENT_LATENCY=EVENT@PERIOD takes a smaller one "
			       "(%u unless given, %u at least)",
			       report->latency_event, TD_LATENCY_PERIOD,
			       TD_LATENCY_PERIOD_LEAST));
}

/* Zeros are no latencies: PEBS tells them from Granite Rapids on, Linux from 6.3. */
static int note_latencies(struct td_report *report)
{
	if (!report->latency_event[0] || td_report_has_latencies(report))
		return 0;
	if (!report->latencies.records)
		return note_no_record(report);
	return td_report_note(
		report,
		td_text_format("no retire latencies: this processor or kernel does "
			       "not tell them (each of %llu records of %s has 0)",
			       (unsigned long long)report->latencies.records,
			       report->latency_event));
}

static int note_cores(struct td_report *report)
{
	const char *others = td_cores_name(!report->cores);

	if (!report->elsewhere)
		return 0;
	return td_report_note(
		report,
		td_text_format("this is what ran on the processor's %s cores; %llu "
			       "samples are of its %s ones: --cores=%s",
			       td_cores_name(report->cores),
			       (unsigned long long)report->elsewhere, others, others));
}

int td_report_is_resource(const struct td_report *report)
{
	return report->plan.family && report->plan.family->resource;
}

/* Tables and formulas call it memory_bound where nobody can tell it from the rest. */
static int note_resource(struct td_report *report)
{
	if (!td_report_is_resource(report) || !report->node[TD_NODE_MEMORY_BOUND].present)
		return 0;
	return td_report_note(
		report, td_text_format("Memory is Resource_Bound on these cores: a full "
				       "scheduler, register file or reorder buffer, of "
				       "loads and stores or not, and instructions that "
				       "serialize"));
}

int td_report_finish(struct td_report *report)
{
	int err;

	td_hash_free(&report->by_place);
	err = td_paths_prepare(&report->paths, report->functions);
	if (!err)
		err = name_all(report);
	if (!err)
		err = td_paths_totals(report);
	if (!err)
		err = note_paths(report);
	if (!err)
		err = note_cores(report);
	if (!err)
		err = note_folded(report);
	if (!err)
		err = note_latencies(report);
	if (err)
		return err;
	map_topdown(report);
	err = estimate(report);
	if (!err)
		err = note_resource(report);
	estimate_totals(report);
	select_rows(report);
	return err ? err : td_paths_place(report);
}

double td_report_own_part(const struct td_report *report, int node)
{
	const double *mean = report->own_cost.mean;
	double part;

	if (report->map.slots < 0 || report->map.node[node] < 0 || mean[0] <= 0)
		return -1;
	part = mean[report->map.node[node]] / mean[0];
	return part < 0 ? 0 : part > 1 ? 1 : part;
}

int td_report_has_latencies(const struct td_report *report)
{
	return report->latencies.sum.sum != 0;
}

int td_report_has_topdown(const struct td_report *report)
{
	for (int i = 0; i < TD_NODES; i++) {
		if (report->map.slots >= 0 && report->map.node[i] >= 0)
			return 1;
	}
	/* by formulas over several groups */
	return report->plan.family && report->plan.family->formulas;
}

int td_report_sort(const char *name)
{
	static const char *const keys[] = {"samples", "cpu_time", "windows", "name",
					   "total"};
	int node = td_topdown_node(name);

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(name, keys[i]) == 0)
			return (int)i;
	}
	return node < 0 ? -1 : TD_SORT_NODE + node;
}
