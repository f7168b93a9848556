// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report_adding.h"
#include "decoder/reserve.h"
#include "decoder/text.h"

struct module_key {
	const struct td_report *report;
	const struct td_file_object *object;
};

static int same_module(const void *context, size_t index)
{
	const struct module_key *key = context;
	const struct td_file_object *a = key->object,
				    *b = &key->report->module[index].object;

	return a->kind == b->kind && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
	       strcmp(a->path, b->path) == 0;
}

static int add_module(struct td_report *report, const struct td_file_object *object,
		      uint32_t *index)
{
	struct module_key key = {report, object};
	uint64_t hash = td_hash_bytes(0, object->path, strlen(object->path));
	struct td_report_module *module;
	size_t found;

	hash = td_hash_bytes(hash, object->build_id, object->build_id_size);
	found = td_hash_find(&report->by_module, hash, same_module, &key);
	if (found != SIZE_MAX) {
		*index = (uint32_t)found;
		return 0;
	}
	if (td_reserve(&report->module, report->modules, sizeof(*module)) < 0 ||
	    td_hash_add(&report->by_module, hash, report->modules) < 0)
		return -ENOMEM;
	*index = (uint32_t)report->modules;
	module = &report->module[report->modules++];
	module->object = *object;
	module->path = td_text_clean(object->path, sizeof(object->path));
	return module->path ? 0 : -ENOMEM;
}

static int find_module(struct td_report_adding *adding,
		       const struct td_file_object *object, uint32_t *index)
{
	int err = 0;

	if (!object) {
		*index = TD_NO_MODULE;
		return 0;
	}
	if (object != adding->object)
		err = add_module(adding->report, object, &adding->module);
	adding->object = object;
	*index = adding->module;
	return err;
}

struct place_key {
	const struct td_report *report;
	uint32_t module;
	uint32_t kind;
	uint64_t address;
	uint64_t region;
};

static int same_place(const void *context, size_t index)
{
	const struct place_key *key = context;
	const struct td_report_function *f = &key->report->function[index];

	return f->module == key->module && f->kind == key->kind &&
	       f->address == key->address && f->region == key->region;
}

/* The row for this place, a new one if need be; NULL without memory. */
static struct td_report_function *row_of(struct td_report *report,
					 const struct place_key *key)
{
	uint64_t words[4] = {key->module, key->kind, key->address, key->region};
	uint64_t hash = td_hash_bytes(0, words, sizeof(words));
	size_t found = td_hash_find(&report->by_place, hash, same_place, key);
	struct td_report_function *row;

	if (found != SIZE_MAX)
		return &report->function[found];
	if (td_reserve(&report->function, report->functions, sizeof(*row)) < 0 ||
	    td_hash_add(&report->by_place, hash, report->functions) < 0)
		return NULL;
	row = &report->function[report->functions];
	memset(row, 0, sizeof(*row));
	row->id = report->functions;
	row->number = (uint32_t)report->functions++;
	row->identifiability = -1;
	row->module = key->module;
	row->kind = key->kind;
	row->address = key->address;
	row->region = key->region;
	return row;
}

/* The windows of a place or node, less their own cost; returns the slots that are
 * rounded. */
static uint64_t add_sums(const struct td_report_adding *adding,
			 const struct td_file_sum *from, uint64_t windows,
			 uint64_t counted[TD_COUNTERS_MAX],
			 struct td_file_sum into[TD_COUNTERS_MAX])
{
	for (unsigned i = 0; i < adding->profile->header.counters; i++) {
		int c = adding->counter[i];

		if (c < 0)
			continue;
		struct td_file_sum sum = td_own_cost_remove(
			&adding->own_cost, i, &from[i], windows, from[0].sum);

		counted[c] += windows;
		td_sum_add(&into[c], &sum);
	}
	return td_report_is_rounded(adding) ? from[0].sum : 0;
}

/* The index of a thread that the report asks for; its places lie together. */
static uint32_t thread_of(struct td_report_adding *adding,
			  const struct td_file_thread *thread)
{
	if (thread != adding->thread) {
		size_t i = 0;

		while (adding->profile->thread[i] != thread)
			i++;
		adding->thread = thread;
		adding->thread_index = adding->index[i];
	}
	return adding->thread_index;
}

/* Puts it before the list that begins at *first. */
static int add_part(struct td_report_adding *adding, uint32_t *first,
		    const struct td_file_thread *thread, uint64_t samples,
		    uint64_t windows)
{
	struct td_report *report = adding->report;
	uint32_t of = thread_of(adding, thread);

	if (!report->query.parts || (!samples && !windows))
		return 0;
	/* a thread of many profiles has its parts together */
	for (uint32_t at = adding->folded ? *first : 0; at;
	     at = report->part[at - 1].next) {
		struct td_report_part *part = &report->part[at - 1];

		if (part->thread != of)
			continue;
		part->samples += samples;
		part->windows += windows;
		part->cpu_ns += (double)samples * adding->sample_ns;
		return 0;
	}
	if (td_reserve(&report->part, report->parts, sizeof(*report->part)) < 0)
		return -ENOMEM;
	report->part[report->parts] = (struct td_report_part){
		.thread = of,
		.next = *first,
		.samples = samples,
		.windows = windows,
		.cpu_ns = (double)samples * adding->sample_ns,
	};
	*first = (uint32_t)++report->parts;
	return 0;
}

/* Windows of another group than the first. */
static int add_group(struct td_report_adding *adding, struct td_report_function *row,
		     const struct td_file_place *place)
{
	if (!adding->groups)
		return 0;
	if (!row->groups)
		row->groups = calloc(1, sizeof(*row->groups));
	if (!row->groups)
		return -ENOMEM;
	td_groups_add(row->groups, place->group, place->sum,
		      adding->profile->header.counters, place->windows,
		      &adding->group_cost[place->group]);
	return 0;
}

/* Of another event than the report's they go together with nothing. */
static void add_latencies(struct td_report_adding *adding, struct td_report_function *row,
			  const struct td_file_place *place)
{
	const struct td_latencies more = {place->windows, place->sum[0]};

	if (!adding->latencies)
		return;
	td_latencies_add(&row->latencies, &more);
	td_latencies_add(&adding->report->latencies, &more);
}

/*
 * The row of a place.  JIT code that the compiler has named is one row for each name,
 * wherever it was and in whatever process.  NULL without memory.
 */
static struct td_report_function *row_at(struct td_report_adding *adding,
					 struct place_key *key)
{
	const char *name =
		key->kind == TD_PLACE_JIT
			? td_jit_names_find(&adding->names, key->address, TD_PLACE_CHUNK)
			: NULL;
	struct td_report_function *row;

	if (name)
		key->address = key->region = td_hash_bytes(0, name, strlen(name));
	row = row_of(adding->report, key);
	if (row && name && !row->jit) {
		row->jit = strdup(name);
		if (!row->jit)
			return NULL;
	}
	return row;
}

static int add_place(struct td_report_adding *adding, const struct td_profile_place *at)
{
	const struct td_file_place *place = at->place;
	struct place_key key = {.report = adding->report,
				.kind = place->kind,
				.address = place->address,
				.region = place->region};
	struct td_report_function *row;

	adding->row[at - adding->profile->place] = SIZE_MAX;
	if (!td_report_wants(adding->report, at->thread))
		return 0;
	if (find_module(adding, at->object, &key.module) < 0)
		return -ENOMEM;
	row = row_at(adding, &key);
	if (!row)
		return -ENOMEM;
	adding->row[at - adding->profile->place] = row->id;
	if (place->group == TD_GROUP_LATENCY) {
		add_latencies(adding, row, place);
		return 0;
	}
	row->samples += place->samples;
	row->windows += place->windows;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		row->rejected[i] += place->rejected[i];
	row->cpu_ns += (double)place->samples * adding->sample_ns;
	if (!place->group)
		row->rounded += add_sums(adding, place->sum, place->windows, row->counted,
					 row->sum);
	else if (add_group(adding, row, place) < 0)
		return -ENOMEM;
	adding->report->samples += place->samples;
	adding->report->process[adding->process].samples += place->samples;
	return add_part(adding, &row->part, at->thread, place->samples, place->windows);
}

int td_report_add_places(struct td_report_adding *adding)
{
	int err = 0;

	for (size_t i = 0; i < adding->profile->places && !err; i++)
		err = add_place(adding, &adding->profile->place[i]);
	return err;
}

/* `node`: where the nodes before this one have gone, by their index. */
static int add_path(struct td_report_adding *adding, size_t index, size_t *node)
{
	const struct td_profile *profile = adding->profile;
	const struct td_profile_path *at = &profile->path[index];
	struct td_paths *paths = &adding->report->paths;
	size_t parent = at->parent == SIZE_MAX ? SIZE_MAX : node[at->parent];
	size_t row = at->place == SIZE_MAX ? SIZE_MAX : adding->row[at->place];
	struct td_path_sums *sums;

	if (!td_report_wants(adding->report, at->thread))
		return 0;
	node[index] = td_paths_node(paths, parent, at->path->kind, row);
	if (node[index] == SIZE_MAX)
		return -ENOMEM;
	paths->node[node[index]].samples += at->path->samples;
	paths->node[node[index]].opened += at->path->opened;
	paths->node[node[index]].windows += at->path->windows;
	if (add_part(adding, &paths->node[node[index]].part, at->thread,
		     at->path->samples, 0) < 0)
		return -ENOMEM;
	if (!at->path->windows)
		return 0;
	sums = td_paths_sums(&paths->node[node[index]]);
	if (!sums)
		return -ENOMEM;
	if (at->path->group)
		return adding->groups
			       ? td_path_groups_add(
					 &sums->groups, at->path->group, at->path->sum,
					 profile->header.counters, at->path->windows,
					 &adding->group_cost[at->path->group])
			       : 0;
	sums->rounded += add_sums(adding, at->path->sum, at->path->windows, sums->counted,
				  sums->sum);
	return 0;
}

int td_report_add_paths(struct td_report_adding *adding)
{
	const struct td_profile *profile = adding->profile;
	struct td_report *report = adding->report;
	size_t *node = calloc(profile->paths + 1, sizeof(*node));
	int err = node ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile->paths && !err; i++)
		err = add_path(adding, i, node);
	free(node);
	report->has_paths |= profile->header.path_size != 0;
	if (!err && !profile->header.path_size && profile->places)
		report->without_paths++;
	return err;
}

uint32_t td_report_row_number(void *context, const struct td_file_object *object,
			      uint32_t kind, uint64_t address, uint64_t region)
{
	struct td_report_adding *adding = context;
	struct place_key key = {.report = adding->report,
				.kind = kind,
				.address = address,
				.region = region};
	struct td_report_function *row;

	if (find_module(adding, object, &key.module) < 0)
		return UINT32_MAX;
	row = row_at(adding, &key);
	return row ? row->number : UINT32_MAX;
}
