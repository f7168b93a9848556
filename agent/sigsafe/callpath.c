// SPDX-License-Identifier: MIT
#include "agent/sigsafe/callpath.h"

#include <string.h>

/* Learning a row takes a thousand instructions: a walk through unknown code is
 * cut short, and the next one comes further. */
#define LESSONS 24u

void td_callpath_reset(struct td_callpath *callpath, struct td_range stack, bool grows)
{
	memset(&callpath->memory, 0, sizeof(callpath->memory));
	callpath->memory.stack = stack;
	callpath->memory.grows = grows;
	callpath->open.depth = callpath->close.depth = 0;
	callpath->known = callpath->root = 0;
	callpath->top[false] = callpath->top[true] = 0;
	if (callpath->used)
		memset(callpath->row, 0, sizeof(callpath->row));
	callpath->used = false;
}

static inline bool was_found(const struct td_callpath *callpath, uint32_t object)
{
	/* mostly the one before it */
	if (callpath->objects && callpath->object[callpath->objects - 1] == object)
		return true;
	for (uint32_t i = 0; i < callpath->objects; i++)
		if (callpath->object[i] == object)
			return true;
	return false;
}

static void note_found(struct td_callpath *callpath, uint32_t object)
{
	if (object && callpath->objects < TD_CALLPATH_OBJECTS)
		callpath->object[callpath->objects++] = object;
}

static bool find_again(struct td_callpath *callpath, const struct td_callpath_row *known,
		       uint64_t ip)
{
	struct td_identity now = {.loaded = known->loaded};

	if (!known->loaded || !td_identity_stands(&now, ip))
		td_identity_find(ip, &now);
	else
		now.object = known->object;
	if (now.object != known->object)
		return false;
	note_found(callpath, now.object);
	return true;
}

/* A row is only as good as the object that it is of: another one may have been
 * loaded there.  One look for each object and walk. */
static inline bool still_holds(struct td_callpath *callpath,
			       const struct td_callpath_row *known, uint64_t ip)
{
	return was_found(callpath, known->object) || find_again(callpath, known, ip);
}

static inline struct td_callpath_row *slot_of(struct td_callpath *callpath, uint64_t ip)
{
	_Static_assert(TD_CALLPATH_ROWS == 1u << (64 - 54), "bits of the hash");
	return &callpath->row[ip * 0x9e3779b97f4a7c15u >> 54];
}

static const struct td_callpath_row *learn(struct td_callpath *callpath,
					   struct td_callpath_row *row, uint64_t ip,
					   const struct td_identity *where,
					   struct td_file_place *place)
{
	if (!callpath->lessons)
		return NULL;
	callpath->lessons--;
	callpath->used = true;
	if (where->kind == TD_PLACE_FUNCTION)
		td_unwind_learn(callpath->stack, ip, &row->rule);
	else
		row->rule = (struct td_rule){.kind = TD_RULE_NONE};
	row->ip = ip;
	row->object = where->object;
	row->loaded = where->loaded;
	row->place = place;
	return row;
}

static const struct td_callpath_row *
learn_caller(struct td_thread *thread, struct td_callpath_row *row, uint64_t ip)
{
	struct td_callpath *callpath = thread->callpath;
	struct td_identity where;

	row->place = NULL;
	td_identity_find(ip, &where);
	if (where.kind == TD_PLACE_UNKNOWN)
		return NULL;
	note_found(callpath, where.object);
	return learn(callpath, row, ip, &where, td_places_get(&thread->places, &where));
}

/* The rule for a caller's frame; NULL: not to be had. */
static inline const struct td_callpath_row *row_of_caller(struct td_thread *thread,
							  uint64_t ip)
{
	struct td_callpath_row *row = slot_of(thread->callpath, ip);

	if (row->ip == ip && row->place && still_holds(thread->callpath, row, ip))
		return row;
	return learn_caller(thread, row, ip);
}

/* For the innermost frame, which has just been looked up. */
static const struct td_callpath_row *row_of_leaf(struct td_thread *thread, uint64_t ip,
						 const struct td_identity *where,
						 struct td_file_place *place)
{
	struct td_callpath *callpath = thread->callpath;
	struct td_callpath_row *row = slot_of(callpath, ip);

	note_found(callpath, where->object);
	if (row->ip == ip && row->place == place && row->object == where->object)
		return row;
	row->place = NULL;
	return learn(callpath, row, ip, where, place);
}

static void begin(struct td_callpath *callpath, const ucontext_t *context,
		  struct td_registers_of_frame *at)
{
	*at = td_unwind_begin(context);
	td_memory_begin(&callpath->memory, at->sp);
	callpath->objects = 0;
	callpath->lessons = LESSONS;
}

void td_callpath_walk(struct td_thread *thread, struct td_walk *walk,
		      const ucontext_t *context, const struct td_identity *where,
		      struct td_file_place *place)
{
	struct td_callpath *callpath = thread->callpath;
	struct td_registers_of_frame at;
	const struct td_callpath_row *row;

	begin(callpath, context, &at);
	walk->complete = false;
	walk->frame[0] = (struct td_frame){0, place};
	walk->depth = 1;
	row = row_of_leaf(thread, at.ip, where, place);
	while (row) {
		if (row->rule.kind == TD_RULE_LAST) {
			walk->complete = true;
			return;
		}
		if (!td_unwind_quickly(&callpath->memory, &row->rule, &at) &&
		    td_unwind_step(&callpath->memory, &row->rule, &at,
				   walk->depth == 1 ? context : NULL) == TD_STEP_BROKEN)
			return;
		walk->frame[walk->depth - 1].cfa = at.sp;
		if (walk->depth == TD_CALLPATH_DEPTH)
			return;
		row = row_of_caller(thread, at.ip);
		if (row)
			walk->frame[walk->depth++] = (struct td_frame){0, row->place};
	}
}

static inline const struct td_frame *outermost(const struct td_walk *walk, uint32_t i)
{
	return &walk->frame[walk->depth - 1 - i];
}

static inline bool same_frame(const struct td_frame *a, const struct td_frame *b)
{
	return a->cfa == b->cfa && a->place == b->place;
}

/* Where two walks whose outermost frames are not the same begin to overlap: callers
 * are at higher addresses. */
static uint32_t skip_above(const struct td_walk *walk, uint64_t cfa)
{
	uint32_t i = 0;

	while (i < walk->depth && outermost(walk, i)->cfa > cfa)
		i++;
	return i;
}

uint32_t td_callpath_common(const struct td_walk *open, const struct td_walk *close)
{
	uint32_t i = 0, j = 0, start;

	if (!open->depth || !close->depth)
		return 0;
	if (!open->complete || !close->complete) {
		i = skip_above(open, outermost(close, 0)->cfa);
		j = skip_above(close, outermost(open, 0)->cfa);
	}
	for (start = i; i < open->depth && j < close->depth; i++, j++)
		if (!same_frame(outermost(open, i), outermost(close, j)))
			break;
	return i == start ? 0 : i;
}

/* The top node for this kind of path; 0 without room. */
static uint32_t root_of(struct td_thread *thread, bool complete)
{
	struct td_paths *paths = &thread->places.paths;
	uint32_t *top = thread->callpath->top;

	if (!top[true])
		top[true] = td_paths_get(paths, TD_PATH_ROOT, 0, 0);
	if (!top[complete] && top[true])
		top[complete] = td_paths_get(paths, TD_PATH_CUT, top[true], 0);
	return top[complete];
}

/* Finds the path's nodes: known_node[] for as many frames as there is room for. */
static void enter(struct td_thread *thread, const struct td_walk *walk)
{
	struct td_callpath *callpath = thread->callpath;
	struct td_paths *paths = &thread->places.paths;
	uint32_t size = td_store.header->place_size, i = 0;
	uint32_t root = root_of(thread, walk->complete), node = root;

	if (root == callpath->root)
		while (i < callpath->known && i < walk->depth &&
		       callpath->known_place[i] == outermost(walk, i)->place)
			node = callpath->known_node[i++];
	callpath->root = root;
	for (; i < walk->depth && node; i++) {
		struct td_file_place *place = outermost(walk, i)->place;

		node = td_paths_get(paths, TD_PATH_FRAME, node,
				    td_store_ref(place, size));
		if (!node)
			break;
		callpath->known_place[i] = place;
		callpath->known_node[i] = node;
	}
	callpath->known = i;
	if (i < walk->depth)
		thread->places.record->lost[TD_LOST_FULL]++;
}

/* The node of the path's first `frames` frames, or the last one that found room. */
static uint32_t node_of(const struct td_callpath *callpath, uint32_t frames)
{
	if (frames > callpath->known)
		frames = callpath->known;
	return frames ? callpath->known_node[frames - 1] : callpath->root;
}

void td_callpath_reopen(struct td_thread *thread, const struct td_identity *where,
			struct td_file_place *place)
{
	struct td_callpath *callpath = thread->callpath;

	td_callpath_walk(thread, &callpath->open, thread->interrupted, where, place);
	enter(thread, &callpath->open);
}

void td_callpath_open(struct td_thread *thread, const struct td_identity *where,
		      struct td_file_place *place)
{
	struct td_callpath *callpath = thread->callpath;
	uint32_t node;

	td_callpath_reopen(thread, where, place);
	node = node_of(callpath, callpath->open.depth);
	if (node)
		td_paths_node(node)->samples++;
}

void td_callpath_close(struct td_thread *thread, const struct td_identity *where,
		       const uint64_t *values, uint32_t group, uint32_t weight)
{
	struct td_callpath *callpath = thread->callpath;
	struct td_file_place *place = callpath->open.frame[0].place;
	uint32_t common, node;

	if (place->address != where->address || place->object != where->object ||
	    place->kind != where->kind)
		place = td_places_get(&thread->places, where);
	td_callpath_walk(thread, &callpath->close, thread->interrupted, where, place);
	common = td_callpath_common(&callpath->open, &callpath->close);
	node = common ? node_of(callpath, common) : root_of(thread, true);
	if (node && group)
		node = td_paths_get_of(&thread->places.paths, node, group);
	if (!node)
		return;
	td_paths_add_window(node, values, weight);
	node = node_of(callpath, callpath->open.depth);
	if (node)
		td_paths_node(node)->opened += weight;
}
