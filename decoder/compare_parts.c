// SPDX-License-Identifier: MIT
#include "decoder/compare_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/order.h"
#include "decoder/text.h"

/*
 * The standard error behind a 95 % interval.  At a bound (0 or 1) one side of
 * the interval is cut off: the other one tells.  Rounding is anything up to its
 * bound, and independent of the windows.
 */
static double error_of(const struct td_topdown_value *value)
{
	const struct td_estimate *e = &value->estimate;
	double half = fmax(e->value - e->low, e->high - e->value) - value->rounding;

	return hypot(fmax(half, 0) / td_student_t95(value->df ? value->df : 1),
		     value->rounding / sqrt(3));
}

static const char *module_name(const struct td_parts_source *source, const char *path)
{
	const char *base = td_text_base(path), *const *rename = source->renamed;
	size_t length = strlen(base);

	for (; rename && *rename; rename++) {
		if (strncmp(*rename, base, length) == 0 && (*rename)[length] == '=')
			return *rename + length + 1;
	}
	return base;
}

static int same_id(const struct td_file_object *a, const struct td_file_object *b)
{
	return a->build_id_size && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/* The address in a name without a symbol means the same place on both sides. */
static int same_build(const struct td_file_object *object, const char *module,
		      const struct td_parts_source *other)
{
	for (size_t i = 0; i < other->report->modules; i++) {
		const struct td_report_module *theirs = &other->report->module[i];

		if (strcmp(module_name(other, theirs->path), module) == 0 &&
		    !same_id(object, &theirs->object))
			return 0;
	}
	return 1;
}

static int is_nameless(const struct td_report *report, const struct td_report_function *f)
{
	const char *base = td_text_base(td_report_module(report, f));
	size_t length = strlen(base);

	return f->kind == TD_PLACE_GAP ||
	       (f->kind == TD_PLACE_FUNCTION && strncmp(f->name, base, length) == 0 &&
		strncmp(f->name + length, "+0x", 3) == 0);
}

static char *name_of(const struct td_parts_source *source,
		     const struct td_report_function *f, const char *module,
		     const struct td_parts_source *other)
{
	const struct td_report *report = source->report;

	/* addresses of another run mean nothing */
	if (f->kind == TD_PLACE_JIT && f->address)
		return strdup("[jit code]");
	if (f->module != TD_NO_MODULE && is_nameless(report, f) &&
	    !same_build(&report->module[f->module].object, module, other))
		return strdup("[code without names]");
	return strdup(f->name);
}

static void measure(struct td_measured *measured, const struct td_topdown_value *value,
		    double weight)
{
	if (!value->present || weight <= 0)
		return;
	measured->present = 1;
	measured->value = value->estimate.value;
	measured->error = error_of(value);
	measured->df = value->df ? value->df : INFINITY;
	measured->weight = weight;
}

/* By regression over the log of windows, or by the function's own. */
static uint64_t windows_of(const struct td_report *report,
			   const struct td_report_function *f)
{
	if (report->map.slots < 0 || f->evidence == TD_EVIDENCE_CALLERS)
		return 0;
	return report->separated && f->told ? f->told : f->counted[0];
}

/* Records are a sample of the events. */
static void measure_latency(struct td_measured *measured,
			    const struct td_latencies *latencies)
{
	struct td_estimate mean;

	if (latencies->records < 2 || !td_latencies_mean(latencies, &mean))
		return;
	measured->present = 1;
	measured->value = mean.value;
	measured->df = (double)latencies->records - 1;
	measured->error =
		(mean.high - mean.value) / td_student_t95(latencies->records - 1);
	measured->weight = (double)latencies->records;
}

static int fill(struct td_part *part, const struct td_parts_source *source,
		const struct td_report_function *f, const struct td_parts_source *other)
{
	const struct td_report *report = source->report;
	const char *module = module_name(source, td_report_module(report, f));

	memset(part, 0, sizeof(*part));
	part->module = strdup(module);
	part->name = name_of(source, f, module, other);
	part->samples = part->self = f->samples;
	part->windows = windows_of(report, f);
	part->cost = f->cpu_ns;
	for (int i = 0; i < TD_NODES && part->windows; i++)
		measure(&part->node[i], &f->node[i], (double)part->windows);
	if (td_report_has_latencies(report))
		measure_latency(&part->latency, &f->latencies);
	return part->module && part->name ? 0 : -ENOMEM;
}

/* What is called in parts of one name may be counted in several of them. */
static int has_total(const struct td_parts_source *source,
		     const struct td_report_function *f,
		     const struct td_parts_source *other)
{
	return source->report->has_paths && other->report->has_paths &&
	       f->kind == TD_PLACE_FUNCTION && f->total.samples;
}

static int fill_total(struct td_part *part, const struct td_parts_source *source,
		      const struct td_report_function *f, const struct td_part *self)
{
	const struct td_report *report = source->report;
	const struct td_report_total *total = &f->total;

	*part = (struct td_part){
		.module = strdup(self->module),
		.name = strdup(self->name),
		.inclusive = 1,
		.samples = total->samples,
		.self = f->samples,
		.windows = report->map.slots >= 0 ? total->counted[0] : 0,
		.cost = report->sampled_ns * (double)total->samples /
			(double)report->samples,
	};
	for (int i = 0; i < TD_NODES && part->windows; i++)
		measure(&part->node[i], &total->node[i], (double)part->windows);
	return part->module && part->name ? 0 : -ENOMEM;
}

static void release(struct td_part *part)
{
	free(part->name);
	free(part->module);
}

/*
 * The mean of two independent values, each as heavy as its windows.  How many of the
 * `samples` are of which is chance as well.
 */
static void fold_measured(struct td_measured *into, const struct td_measured *from,
			  double samples)
{
	double weight = into->weight + from->weight, a, b, apart;

	if (!from->present)
		return;
	if (!into->present) {
		*into = *from;
		return;
	}
	a = into->weight / weight;
	b = from->weight / weight;
	apart = (into->value - from->value) * sqrt(a * b / fmax(1, samples));
	into->value = a * into->value + b * from->value;
	into->error = hypot(hypot(a * into->error, b * from->error), apart);
	into->df = fmin(into->df, from->df);
	into->weight = weight;
}

static void fold(struct td_part *into, struct td_part *from)
{
	into->samples += from->samples;
	into->self += from->self;
	into->windows += from->windows;
	into->cost += from->cost;
	for (int i = 0; i < TD_NODES; i++)
		fold_measured(&into->node[i], &from->node[i], (double)into->samples);
	fold_measured(&into->latency, &from->latency,
		      into->latency.weight + from->latency.weight);
	release(from);
}

int td_part_order(const struct td_part *a, const struct td_part *b)
{
	return strcmp(a->module, b->module)
		       ?: strcmp(a->name, b->name)
		       ?: td_order(a->inclusive, b->inclusive);
}

static int compare(const void *a, const void *b)
{
	return td_part_order(a, b);
}

static void fold_all(struct td_parts *parts)
{
	size_t out = 0;

	if (!parts->parts)
		return;
	qsort(parts->part, parts->parts, sizeof(*parts->part), compare);
	for (size_t i = 1; i < parts->parts; i++) {
		if (td_part_order(&parts->part[out], &parts->part[i]) == 0)
			fold(&parts->part[out], &parts->part[i]);
		else
			parts->part[++out] = parts->part[i];
	}
	parts->parts = out + 1;
}

static void add_up(struct td_part *total, const struct td_report *report)
{
	double slots = report->total_complete ? (double)report->total[0]
					      : td_sum_value(&report->sum[0]);

	*total = (struct td_part){
		.name = (char *)"",
		.module = (char *)"",
		.samples = report->samples,
		.windows = report->map.slots >= 0 ? report->counted[0] : 0,
		.cost = report->sampled_ns,
	};
	for (int i = 0; i < TD_NODES; i++)
		measure(&total->node[i], &report->node[i], slots);
	if (td_report_has_latencies(report))
		measure_latency(&total->latency, &report->latencies);
}

int td_parts_of(struct td_parts *parts, const struct td_parts_source *source,
		const struct td_parts_source *other)
{
	const struct td_report *report = source->report;
	int err = 0;

	memset(parts, 0, sizeof(*parts));
	parts->part = calloc(2 * report->functions + 1, sizeof(*parts->part));
	if (!parts->part)
		return -ENOMEM;
	for (size_t i = 0; i < report->functions && !err; i++) {
		const struct td_report_function *f = &report->function[i];
		struct td_part *part = &parts->part[parts->parts++];

		err = fill(part, source, f, other);
		if (!err && has_total(source, f, other))
			err = fill_total(&parts->part[parts->parts++], source, f, part);
	}
	if (err) {
		td_parts_free(parts);
		return err;
	}
	fold_all(parts);
	add_up(&parts->total, report);
	return 0;
}

void td_parts_free(struct td_parts *parts)
{
	for (size_t i = 0; i < parts->parts; i++)
		release(&parts->part[i]);
	free(parts->part);
	parts->part = NULL;
}

const struct td_part *td_parts_find(const struct td_parts *parts,
				    const struct td_part *key)
{
	return bsearch(key, parts->part, parts->parts, sizeof(*key), compare);
}
