// SPDX-License-Identifier: MIT
#include "agent/sigsafe/paths.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/sigsafe/store.h"
#include "agent/sigsafe/sums.h"

/* Blocks of paths of all threads: half of the profile is for what ranks. */
static _Atomic uint32_t blocks_used;

struct td_file_path *td_paths_node(uint32_t ref)
{
	return td_store_record(ref, td_store.header->path_size);
}

static uint32_t append_block(struct td_paths *paths)
{
	uint32_t block;

	if (atomic_fetch_add(&blocks_used, 1) >= td_store.header->blocks_max / 2) {
		atomic_fetch_sub(&blocks_used, 1);
		return 0;
	}
	block = td_store_take_block();
	if (!block)
		return 0;
	if (paths->block)
		td_store_block(paths->block)->next = block;
	else
		paths->first_block = block;
	td_store_publish_block(block, TD_BLOCK_PATHS, paths->owner);
	return block;
}

/* The next slot; 0 if there is no room. */
static uint32_t take_slot(struct td_paths *paths)
{
	if (!paths->block || paths->slot == td_store_slots(td_store.header->path_size)) {
		uint32_t next = paths->block ? td_store_block(paths->block)->next
					     : paths->first_block;

		if (!next)
			next = append_block(paths);
		if (!next)
			return 0;
		paths->block = next;
		paths->slot = 0;
	}
	return TD_REF(paths->block, paths->slot++);
}

struct key {
	enum td_path_kind kind;
	uint32_t parent, place, group;
};

static uint64_t hash_of(const struct key *key)
{
	uint64_t h = ((uint64_t)key->parent << 32 | key->place) + key->kind +
		     ((uint64_t)key->group << 59);

	h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
	h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
	return h ^ (h >> 32);
}

static bool node_is(const struct td_file_path *node, const struct key *key)
{
	return node->parent == key->parent && node->place == key->place &&
	       node->kind == key->kind && node->group == key->group;
}

static uint32_t get(struct td_paths *paths, const struct key *key)
{
	uint64_t hash = hash_of(key);
	uint32_t *link = &paths->trie;
	struct td_file_path *node;
	uint32_t ref;

	for (; *link; hash = hash << 2 | hash >> 62) {
		node = td_paths_node(*link);
		if (node_is(node, key))
			return *link;
		link = &node->child[hash >> 62];
	}
	ref = take_slot(paths);
	if (!ref)
		return 0;
	node = td_paths_node(ref);
	node->parent = key->parent;
	node->place = key->place;
	node->group = key->group;
	/* release: the file may be read at any moment */
	__atomic_store_n(&node->kind, key->kind, __ATOMIC_RELEASE);
	*link = ref;
	return ref;
}

uint32_t td_paths_get(struct td_paths *paths, enum td_path_kind kind, uint32_t parent,
		      uint32_t place)
{
	return get(paths, &(struct key){kind, parent, place, 0});
}

uint32_t td_paths_get_of(struct td_paths *paths, uint32_t ref, uint32_t group)
{
	const struct td_file_path *node = td_paths_node(ref);

	return get(paths, &(struct key){node->kind, node->parent, node->place, group});
}

void td_paths_add_window(uint32_t ref, const uint64_t *values, uint32_t weight)
{
	struct td_file_path *node = td_paths_node(ref);
	double slots = (double)weight * (double)values[0];

	node->windows += weight;
	for (unsigned i = 0; i < td_store.header->counters; i++) {
		struct td_file_sum *sum = &node->sum[i];
		/* corrected ones can be < 0 */
		double value = (double)weight * (double)(int64_t)values[i];

		sum->sum += weight * values[i];
		sum->squares += value * value;
		sum->cross += value * slots;
	}
}

static void add_node(struct td_file_path *into, const struct td_file_path *from)
{
	into->samples += from->samples;
	into->opened += from->opened;
	into->windows += from->windows;
	td_sums_fold(into->sum, from->sum, td_store.header->counters);
}

/* What `ref` has become, or the nearest of its ancestors that found room. */
static uint32_t moved(uint32_t ref)
{
	return ref ? td_paths_node(ref)->child[0] : 0;
}

/* Parents stand before their children, so theirs is moved already.  The links of
 * the old index are no longer needed: child[0] becomes the new ref. */
static void fold_node(struct td_paths *into, struct td_file_path *from,
		      uint32_t (*place_of)(uint32_t ref))
{
	uint32_t parent = moved(from->parent);
	uint32_t place = from->place ? place_of(from->place) : 0;
	uint32_t ref = get(into, &(struct key){from->kind, parent, place, from->group});

	from->child[0] = ref ? ref : parent;
	if (from->child[0])
		add_node(td_paths_node(from->child[0]), from);
}

void td_paths_fold(struct td_paths *into, struct td_paths *from,
		   uint32_t (*place_of)(uint32_t ref))
{
	uint32_t slots =
		td_paths_used(from) ? td_store_slots(td_store.header->path_size) : 0;

	for (uint32_t b = from->first_block; b; b = td_store_block(b)->next)
		for (uint32_t slot = 0; slot < slots; slot++)
			if (td_paths_node(TD_REF(b, slot))->kind != TD_PATH_FREE)
				fold_node(into, td_paths_node(TD_REF(b, slot)), place_of);
	for (uint32_t b = from->first_block; b; b = td_store_block(b)->next)
		memset((char *)td_store_block(b) + TD_BLOCK_HEADER, 0,
		       TD_BLOCK_SIZE - TD_BLOCK_HEADER);
	from->block = from->slot = from->trie = 0;
}

void td_paths_forget(void)
{
	atomic_store(&blocks_used, 0);
}
