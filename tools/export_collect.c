// SPDX-License-Identifier: MIT
/* From the report's functions to samples of threads with their stacks. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/hash.h"
#include "tools/export.h"

static void add_type(struct td_export *export, unsigned kind, const char *name,
		     const char *unit)
{
	struct td_export_type *type = &export->type[export->types++];
	int made_up = kind >= TD_EXPORT_SLOTS && export->report->simulated;

	type->kind = kind;
	type->unit = unit;
	snprintf(type->name, sizeof(type->name), "%s%s", made_up ? "SIMULATED_" : "",
		 name);
}

static int has_slots(const struct td_report *report)
{
	return report->map.slots >= 0 && (int64_t)report->total[report->map.slots] > 0;
}

static int measured(const struct td_report *report, unsigned node)
{
	for (size_t i = 0; i < report->functions; i++) {
		if (report->function[i].node[node].present)
			return 1;
	}
	return 0;
}

static void collect_types(struct td_export *export)
{
	const struct td_report *report = export->report;

	add_type(export, TD_EXPORT_SAMPLES, "samples", "count");
	if (report->has_time)
		add_type(export, TD_EXPORT_CPU, "cpu", "nanoseconds");
	if (report->windows)
		add_type(export, TD_EXPORT_WINDOWS, "windows", "count");
	if (!has_slots(report))
		return;
	add_type(export, TD_EXPORT_SLOTS, "slots", "slots");
	add_type(export, TD_EXPORT_UNMEASURED, "unmeasured", "slots");
	for (unsigned i = 0; i < TD_NODES; i++) {
		if (measured(report, i))
			add_type(export, TD_EXPORT_NODE + i, td_topdown_tree[i].name,
				 "slots");
	}
}

/* What a sample of the thread's process stands for; 0: not known. */
static double slots_a_sample(const struct td_report *report, uint32_t thread)
{
	const struct td_report_process *process =
		&report->process[report->thread[thread].process];
	double slots;

	if (!has_slots(report) || !process->samples)
		return 0;
	slots = (double)(int64_t)process->total[report->map.slots];
	return slots > 0 ? slots / (double)process->samples : 0;
}

/* The only place where a stack comes from: one frame as yet. */
static void add_stack(struct td_export *export, struct td_export_sample *sample,
		      uint32_t function)
{
	sample->frame = (uint32_t) export->frames;
	sample->frames = 1;
	export->frame[export->frames++] = function;
}

static int by_thread(const void *a, const void *b)
{
	const struct td_export_sample *x = a, *y = b;

	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Of the parts of one function, a sample for each thread. */
static void add_function(struct td_export *export, uint32_t function)
{
	const struct td_report *report = export->report;
	struct td_export_sample *sample = export->sample + export->samples;
	size_t count = 0, kept = 0;

	for (uint32_t at = report->function[function].part; at;
	     at = report->part[at - 1].next) {
		const struct td_report_part *part = &report->part[at - 1];

		sample[count++] = (struct td_export_sample){
			.thread = part->thread,
			.samples = part->samples,
			.windows = part->windows,
			.cpu_ns = part->cpu_ns,
			.slots = (double)part->samples *
				 slots_a_sample(report, part->thread),
		};
	}
	if (count)
		qsort(sample, count, sizeof(*sample), by_thread);
	for (size_t i = 0; i < count; i++) {
		if (kept && sample[kept - 1].thread == sample[i].thread) {
			sample[kept - 1].samples += sample[i].samples;
			sample[kept - 1].windows += sample[i].windows;
			sample[kept - 1].cpu_ns += sample[i].cpu_ns;
			sample[kept - 1].slots += sample[i].slots;
			continue;
		}
		sample[kept] = sample[i];
		add_stack(export, &sample[kept++], function);
	}
	export->samples += kept;
}

/* Roots together, as they are drawn; below them the report's order. */
static int by_root(const void *a, const void *b, void *context)
{
	const struct td_export_sample *x = a, *y = b;
	const uint32_t *root = context;

	if (root[x->thread] != root[y->thread])
		return root[x->thread] < root[y->thread] ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

struct name_key {
	const struct td_report *report;
	const char *name;
};

static int same_name(const void *context, size_t index)
{
	const struct name_key *key = context;

	return strcmp(key->report->thread[index].name, key->name) == 0;
}

static int collect_roots(struct td_export *export)
{
	const struct td_report *report = export->report;
	struct td_hash names = {0};
	int err = 0;

	for (size_t i = 0; i < report->threads && !err; i++) {
		struct name_key key = {report, report->thread[i].name};
		uint64_t hash = td_hash_bytes(0, key.name, strlen(key.name));
		size_t found = td_hash_find(&names, hash, same_name, &key);

		if (found == SIZE_MAX) {
			found = i;
			err = td_hash_add(&names, hash, i);
		}
		export->root[i] = (uint32_t)found;
	}
	td_hash_free(&names);
	return err;
}

int td_export_collect(struct td_export *export, const struct td_report *report)
{
	memset(export, 0, sizeof(*export));
	export->report = report;
	export->sample = calloc(report->parts + 1, sizeof(*export->sample));
	export->frame = calloc(report->parts + 1, sizeof(*export->frame));
	export->root = calloc(report->threads + 1, sizeof(*export->root));
	if (!export->sample || !export->frame || !export->root ||
	    collect_roots(export) < 0) {
		td_export_free(export);
		return -ENOMEM;
	}
	collect_types(export);
	for (size_t i = 0; i < report->functions; i++)
		add_function(export, (uint32_t)i);
	if (export->samples)
		qsort_r(export->sample, export->samples, sizeof(*export->sample), by_root,
			export->root);
	return 0;
}

void td_export_free(struct td_export *export)
{
	free(export->sample);
	free(export->frame);
	free(export->root);
	memset(export, 0, sizeof(*export));
}

static double node_slots(const struct td_topdown_value *node, unsigned kind, double slots)
{
	int known = node[TD_NODE_RETIRING].present;

	if (kind == TD_EXPORT_UNMEASURED)
		return known ? 0 : slots;
	node += kind - TD_EXPORT_NODE;
	return node->present ? slots * node->estimate.value : 0;
}

int64_t td_export_value(const struct td_export *export, const struct td_export_type *type,
			const struct td_export_sample *sample)
{
	uint32_t leaf = export->frame[sample->frame];

	switch (type->kind) {
	case TD_EXPORT_SAMPLES:
		return (int64_t)sample->samples;
	case TD_EXPORT_CPU:
		return llround(sample->cpu_ns);
	case TD_EXPORT_WINDOWS:
		return (int64_t)sample->windows;
	case TD_EXPORT_SLOTS:
		return llround(sample->slots);
	default:
		return llround(node_slots(export->report->function[leaf].node, type->kind,
					  sample->slots));
	}
}

const struct td_export_type *td_export_find(const struct td_export *export,
					    const char *name)
{
	static const char made_up[] = "SIMULATED_";
	size_t prefix = sizeof(made_up) - 1;

	for (unsigned i = 0; i < export->types; i++) {
		const char *own = export->type[i].name;

		if (strcmp(own, name) == 0 || (strncmp(own, made_up, prefix) == 0 &&
					       strcmp(own + prefix, name) == 0))
			return &export->type[i];
	}
	return NULL;
}
