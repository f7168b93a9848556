// SPDX-License-Identifier: MIT
#include "tools/annotate_collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/jit_names.h"
#include "decoder/reserve.h"
#include "decoder/text.h"

/* A profile while its windows are added. */
struct adding {
	struct td_annotate *annotate;
	const struct td_profile *profile;
	struct td_annotate_counts counts;
	/* of the object that the last window was in */
	const struct td_file_object *object;
	size_t module;             /* SIZE_MAX: not wanted */
	struct td_jit_names names; /* of a wanted function's JIT code */
};

void td_annotate_start(struct td_annotate *annotate, const char *wanted, const char *glob)
{
	memset(annotate, 0, sizeof(*annotate));
	annotate->wanted = wanted;
	annotate->glob = glob;
	annotate->skid = -1;
	annotate->map.slots = -1;
	for (int i = 0; i < TD_NODES; i++)
		annotate->map.node[i] = -1;
}

static int same_module(const struct td_file_object *a, const struct td_file_object *b)
{
	return a->kind == b->kind && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
	       strcmp(a->path, b->path) == 0;
}

static int is_asked(const struct td_annotate *annotate,
		    const struct td_file_object *object)
{
	return !annotate->glob || td_text_path_fits(object->path, annotate->glob);
}

/* 0 or -ENOMEM. */
static int add_module(struct td_annotate *annotate, const struct td_file_object *object)
{
	size_t n = annotate->modules;
	struct td_annotate_module *more =
		reallocarray(annotate->module, n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	annotate->module = more;
	more[n] = (struct td_annotate_module){*object, td_symbols_open(object)};
	if (!more[n].symbols)
		return -ENOMEM;
	annotate->modules++;
	return 0;
}

/* Opens it when it is new.  0 or -ENOMEM. */
static int find_module(struct adding *adding, const struct td_file_object *object)
{
	struct td_annotate *annotate = adding->annotate;
	size_t i;

	if (object == adding->object)
		return 0;
	adding->object = object;
	adding->module = SIZE_MAX;
	if (!object || object->kind == TD_OBJECT_JIT || !is_asked(annotate, object))
		return 0;
	for (i = 0; i < annotate->modules; i++)
		if (same_module(&annotate->module[i].object, object))
			break;
	adding->module = i;
	return i < annotate->modules ? 0 : add_module(annotate, object);
}

/* The name for people, but for its arguments: "f(int, char)". */
static int is_base_of(const char *plain, const char *wanted)
{
	size_t length = strlen(wanted);

	return strncmp(plain, wanted, length) == 0 && plain[length] == '(';
}

/* Takes the name for people if it is the wanted function; NULL otherwise. */
static char *wanted_name(const struct td_annotate *annotate, const char *name)
{
	char *plain = td_symbol_demangle(name);

	if (plain &&
	    (strcmp(name, annotate->wanted) == 0 ||
	     strcmp(plain, annotate->wanted) == 0 || is_base_of(plain, annotate->wanted)))
		return plain;
	free(plain);
	return NULL;
}

struct place_key {
	const struct td_annotate *annotate;
	size_t module;
	uint64_t address;
};

static int same_place(const void *context, size_t index)
{
	const struct place_key *key = context;
	const struct td_annotate_place *place = &key->annotate->place[index];

	return place->address == key->address &&
	       (place->function == SIZE_MAX ||
		key->annotate->function[place->function].module == key->module);
}

/* Its index; takes its name.  SIZE_MAX: no memory (*err). */
static size_t add_function(struct td_annotate *annotate,
			   const struct td_annotate_function *function, int *err)
{
	struct td_annotate_function *more =
		reallocarray(annotate->function, annotate->functions + 1, sizeof(*more));

	if (!more) {
		free(function->name);
		*err = -ENOMEM;
		return SIZE_MAX;
	}
	annotate->function = more;
	more[annotate->functions] = *function;
	return annotate->functions++;
}

/* The function's index; SIZE_MAX: not wanted, or no memory (*err). */
static size_t find_function(struct td_annotate *annotate, size_t module, uint64_t address,
			    int *err)
{
	struct td_symbol symbol = {.end = UINT64_MAX};
	char *name = NULL;

	if (annotate->wanted &&
	    !td_symbols_find(annotate->module[module].symbols, address, &symbol))
		return SIZE_MAX;
	for (size_t i = 0; i < annotate->functions; i++)
		if (annotate->function[i].module == module &&
		    annotate->function[i].start == symbol.start)
			return i;
	if (annotate->wanted)
		name = wanted_name(annotate, symbol.name);
	if (annotate->wanted && !name)
		return SIZE_MAX;
	return add_function(annotate,
			    &(struct td_annotate_function){.module = module,
							   .name = name,
							   .start = symbol.start,
							   .end = symbol.end},
			    err);
}

/*
 * The place of an instruction; `jit`: its function, SIZE_MAX to look for it.  Those of
 * other functions have a place as well, so that a name is looked at once.  NULL without
 * memory.
 */
static struct td_annotate_place *find_place(struct td_annotate *annotate, size_t module,
					    uint64_t address, size_t jit)
{
	struct place_key key = {annotate, module, address};
	uint64_t words[2] = {module, address};
	uint64_t hash = td_hash_bytes(0, words, sizeof(words));
	size_t found = td_hash_find(&annotate->by_address, hash, same_place, &key);
	size_t n = annotate->places;
	int err = 0;

	if (found != SIZE_MAX)
		return &annotate->place[found];
	if (td_reserve(&annotate->place, n, sizeof(*annotate->place)) < 0)
		return NULL;
	annotate->place[n] = (struct td_annotate_place){.address = address};
	annotate->place[n].function =
		jit == SIZE_MAX ? find_function(annotate, module, address, &err) : jit;
	if (err || td_hash_add(&annotate->by_address, hash, n) < 0)
		return NULL;
	annotate->places++;
	return &annotate->place[n];
}

/* Takes the name.  Code of one name is one function, also of several processes. */
static size_t find_jit(struct td_annotate *annotate, const struct td_file_object *object,
		       char *name, int *err)
{
	for (size_t i = 0; i < annotate->functions; i++) {
		if (annotate->function[i].end == 0 &&
		    strcmp(annotate->function[i].name, name) == 0) {
			free(name);
			return i;
		}
	}
	*err = add_module(annotate, object);
	if (*err) {
		free(name);
		return SIZE_MAX;
	}
	return add_function(annotate,
			    &(struct td_annotate_function){
				    .module = annotate->modules - 1, .name = name},
			    err);
}

static int add_jit_window(struct adding *adding, const struct td_profile_window *at)
{
	uint64_t address = at->window->end[0].address + at->window->end[0].offset;
	const char *jit = td_jit_names_find(&adding->names, address, 1);
	struct td_annotate *annotate = adding->annotate;
	char *name = jit && is_asked(annotate, at->object[0]) ? wanted_name(annotate, jit)
							      : NULL;
	struct td_annotate_place *place;
	int err = 0;
	size_t f;

	if (!name)
		return 0;
	f = find_jit(annotate, at->object[0], name, &err);
	if (err)
		return err;
	place = find_place(annotate, annotate->function[f].module, address, f);
	if (!place)
		return -ENOMEM;
	annotate->function[f].opened++;
	return td_annotate_count(&place->sums, &adding->counts, at->window);
}

static int add_window(struct adding *adding, const struct td_profile_window *at)
{
	const struct td_file_window *window = at->window;
	struct td_annotate *annotate = adding->annotate;
	struct td_annotate_place *place;

	if (!td_window_is_used(window))
		return 0;
	annotate->logged++;
	if (annotate->wanted && at->object[0] && at->object[0]->kind == TD_OBJECT_JIT)
		return add_jit_window(adding, at);
	if (find_module(adding, at->object[0]) < 0)
		return -ENOMEM;
	if (adding->module == SIZE_MAX) {
		if (annotate->wanted || annotate->glob)
			return 0;
		return td_annotate_count(&annotate->elsewhere, &adding->counts, window);
	}
	place = find_place(annotate, adding->module,
			   window->end[0].address + window->end[0].offset, SIZE_MAX);
	if (!place)
		return -ENOMEM;
	if (place->function == SIZE_MAX)
		return 0;
	annotate->function[place->function].opened++;
	return td_annotate_count(&place->sums, &adding->counts, window);
}

int td_annotate_add(struct td_annotate *annotate, const struct td_profile *profile,
		    const char *path)
{
	struct adding adding = {.annotate = annotate, .profile = profile};
	double skid = td_profile_skid(profile);
	int err = 0;

	td_annotate_counts_of(annotate, profile, &adding.counts);
	adding.module = SIZE_MAX;
	if (profile->header.small_group) {
		annotate->hybrid = 1;
		annotate->cores = profile->cores;
		annotate->other_cores += profile->elsewhere;
	}
	annotate->simulated |= profile->header.simulated != 0;
	annotate->skid = skid > annotate->skid ? skid : annotate->skid;
	if (annotate->wanted)
		err = td_jit_names_read(&adding.names, profile, path, annotate->jitdump);
	for (size_t i = 0; i < profile->windows && !err; i++)
		err = add_window(&adding, &profile->window[i]);
	td_jit_names_free(&adding.names);
	return err;
}

static int by_place(const void *a, const void *b)
{
	const struct td_annotate_place *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static size_t most_windows(const struct td_annotate *annotate)
{
	size_t most = 0;

	for (size_t i = 1; i < annotate->functions; i++)
		if (annotate->function[i].opened > annotate->function[most].opened)
			most = i;
	return most;
}

void td_annotate_finish(struct td_annotate *annotate)
{
	size_t most = most_windows(annotate), first = 0;
	struct td_annotate_function *function = annotate->function, kept;

	td_hash_free(&annotate->by_address);
	if (!annotate->functions) {
		annotate->places = 0;
		return;
	}
	kept = function[0];
	function[0] = function[most];
	function[most] = kept;
	for (size_t i = 0; i < annotate->places; i++) {
		struct td_annotate_place place = annotate->place[i];

		if (place.function == SIZE_MAX)
			continue;
		if (place.function == most || place.function == 0)
			place.function = most - place.function;
		annotate->place[first++] = place;
	}
	annotate->places = first;
	qsort(annotate->place, first, sizeof(*annotate->place), by_place);
}

void td_annotate_free(struct td_annotate *annotate)
{
	for (size_t i = 0; i < annotate->places; i++)
		free(annotate->place[i].sums.groups);
	free(annotate->elsewhere.groups);
	for (size_t i = 0; i < annotate->modules; i++)
		td_symbols_close(annotate->module[i].symbols);
	for (size_t i = 0; i < annotate->functions; i++)
		free(annotate->function[i].name);
	free(annotate->module);
	free(annotate->function);
	free(annotate->place);
	td_hash_free(&annotate->by_address);
}
