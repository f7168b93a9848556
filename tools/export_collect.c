// SPDX-License-Identifier: MIT
/* From the report's functions to samples of threads with their stacks. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/hash.h"
#include "decoder/order.h"
#include "decoder/reserve.h"
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

/* What a thread has of one stack; `node` SIZE_MAX: only the function is known. */
struct stack {
	uint32_t function; /* the leaf, an index of the report's */
	uint32_t thread;
	size_t node; /* of the report's paths */
	uint64_t samples;
	uint64_t windows;
	double cpu_ns;
};

static int by_function(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	return td_order(x->function, y->function)
		       ?: td_order(x->thread, y->thread) ?: td_order(x->node, y->node);
}

static size_t list_parts(const struct td_report *report, uint32_t function, size_t node,
			 uint32_t part, struct stack *stack)
{
	size_t count = 0;

	for (; part; part = report->part[part - 1].next) {
		const struct td_report_part *of = &report->part[part - 1];

		stack[count++] = (struct stack){function,    of->thread,  node,
						of->samples, of->windows, of->cpu_ns};
	}
	return count;
}

/* All functions' parts and all paths' parts, those of one stack and thread joined;
 * paths of a function stand before what is of it in all.  Returns their number. */
static size_t list_stacks(const struct td_report *report, struct stack *stack)
{
	size_t count = 0, kept = 0;

	for (uint32_t i = 0; i < report->functions; i++)
		count += list_parts(report, i, SIZE_MAX, report->function[i].part,
				    stack + count);
	for (size_t i = 0; i < report->paths.nodes; i++) {
		size_t leaf = td_paths_function(&report->paths, i);

		if (leaf < report->functions)
			count += list_parts(report, (uint32_t)leaf, i,
					    report->paths.node[i].part, stack + count);
	}
	if (count)
		qsort(stack, count, sizeof(*stack), by_function);
	for (size_t i = 0; i < count; i++) {
		if (kept && by_function(&stack[kept - 1], &stack[i]) == 0) {
			stack[kept - 1].samples += stack[i].samples;
			stack[kept - 1].windows += stack[i].windows;
			stack[kept - 1].cpu_ns += stack[i].cpu_ns;
		} else {
			stack[kept++] = stack[i];
		}
	}
	return kept;
}

/* The function, and its callers as far as they are known. */
static int add_frames(struct td_export *export, struct td_export_sample *sample,
		      const struct stack *stack)
{
	const struct td_paths *paths = &export->report->paths;
	size_t node = stack->node;

	sample->frame = (uint32_t) export->frames;
	sample->frames = 0;
	do {
		size_t frame = node == SIZE_MAX ? stack->function
						: td_paths_function(paths, node);

		if (td_reserve(&export->frame, export->frames, sizeof(*export->frame)) <
		    0)
			return -ENOMEM;
		if (frame == SIZE_MAX)
			break; /* a root, or where callers are not known */
		export->used[frame] = 1;
		export->frame[export->frames++] = (uint32_t)frame;
		sample->frames++;
		node = node == SIZE_MAX ? SIZE_MAX : paths->node[node].parent;
	} while (node != SIZE_MAX);
	return 0;
}

/*
 * The windows are those of the function in this thread: they are shared out by the
 * samples, so that what its stacks have adds up.  `before`: samples of its stacks
 * up to this one, `all`: the function's.
 */
static uint64_t windows_of(const struct stack *all, uint64_t before, uint64_t samples)
{
	double each = all->samples ? (double)all->windows / (double)all->samples : 0;

	return (uint64_t)llround((double)(before + samples) * each) -
	       (uint64_t)llround((double)before * each);
}

static int add_sample(struct td_export *export, const struct stack *stack)
{
	struct td_export_sample *sample = &export->sample[export->samples];

	if (!stack->samples && !stack->windows)
		return 0;
	*sample = (struct td_export_sample){
		.thread = stack->thread,
		.samples = stack->samples,
		.windows = stack->windows,
		.cpu_ns = stack->cpu_ns,
		.slots = (double)stack->samples *
			 slots_a_sample(export->report, stack->thread),
	};
	export->samples++;
	return add_frames(export, sample, stack);
}

/*
 * The stacks of one function in one thread, the last of which is what the function
 * has in all.  Samples without a path keep the function alone.
 */
static int add_function(struct td_export *export, struct stack *stack, size_t count)
{
	struct stack *all = &stack[count - 1];
	uint64_t before = 0;
	int err = 0;

	for (size_t i = 0; i + 1 < count && !err; i++) {
		uint64_t left = all->samples - before;

		if (stack[i].samples > left) /* a profile may say anything */
			stack[i].samples = left;
		stack[i].windows = windows_of(all, before, stack[i].samples);
		stack[i].cpu_ns = all->samples ? all->cpu_ns * (double)stack[i].samples /
							 (double)all->samples
					       : 0;
		before += stack[i].samples;
		err = add_sample(export, &stack[i]);
	}
	if (err)
		return err;
	if (count > 1 && before) {
		uint64_t left = all->samples - before;

		all->windows = windows_of(all, before, left);
		all->cpu_ns = all->cpu_ns * (double)left / (double)all->samples;
		all->samples = left;
	}
	return add_sample(export, all);
}

static int add_stacks(struct td_export *export)
{
	struct stack *stack = calloc(export->report->parts + 1, sizeof(*stack));
	size_t count, first = 0;
	int err = stack ? 0 : -ENOMEM;

	count = stack ? list_stacks(export->report, stack) : 0;
	for (size_t i = 0; i < count && !err; i++) {
		const struct stack *next = &stack[i + 1];

		if (i + 1 < count && next->function == stack[i].function &&
		    next->thread == stack[i].thread)
			continue;
		/* paths of nothing: a damaged profile */
		if (stack[i].node == SIZE_MAX)
			err = add_function(export, stack + first, i + 1 - first);
		first = i + 1;
	}
	free(stack);
	return err;
}

/* Roots together, as they are drawn; below them the report's order. */
static int by_root(const void *a, const void *b, void *context)
{
	const struct td_export_sample *x = a, *y = b;
	const uint32_t *root = context;

	return td_order(root[x->thread], root[y->thread]) ?: td_order(x->frame, y->frame);
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
	export->used = calloc(report->rows + 1, 1);
	export->root = calloc(report->threads + 1, sizeof(*export->root));
	if (!export->sample || !export->used || !export->root ||
	    collect_roots(export) < 0 || add_stacks(export) < 0) {
		td_export_free(export);
		return -ENOMEM;
	}
	collect_types(export);
	if (export->samples)
		qsort_r(export->sample, export->samples, sizeof(*export->sample), by_root,
			export->root);
	return 0;
}

void td_export_free(struct td_export *export)
{
	free(export->sample);
	free(export->frame);
	free(export->used);
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
