// SPDX-License-Identifier: MIT
#include "tests/unit/build_profile.h"

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void build_start(struct build *build, const char *const *names)
{
	struct td_file_header *header;

	memset(build, 0, sizeof(*build));
	build->bytes = calloc(BUILD_BLOCKS, TD_BLOCK_SIZE);
	ck_assert_ptr_nonnull(build->bytes);
	build->header = header = (void *)build->bytes;
	memcpy(header->magic, TD_FILE_MAGIC, 8);
	header->version = TD_FILE_VERSION;
	header->byte_order = TD_FILE_BYTE_ORDER;
	header->block_size = TD_BLOCK_SIZE;
	header->object_size = sizeof(struct td_file_object);
	header->thread_size = sizeof(struct td_file_thread);
	header->window_size = sizeof(struct td_file_window);
	header->windows_max = 1000;
	header->blocks = TD_HEADER_BLOCKS;
	header->blocks_max = TD_BLOCKS_MAX;
	header->state = TD_STATE_EXITED;
	header->pid = 1234;
	header->start_realtime_ns = 1700000000000000000u;
	header->start_ns = 5000000000u;
	header->end_ns = 7000000000u;
	header->backend = TD_BACKEND_CLOCK;
	header->trigger = TD_TRIGGER_TIMER;
	header->long_period = 1000000;
	header->short_period = 10000;
	strcpy(header->reason, "there is no PMU");
	strcpy(header->exe, "/bin/program");
	memcpy(header->command, "program\0-x", 11);
	for (; *names; names++) {
		strcpy(header->counter[header->counters].name, *names);
		strcpy(header->counter[header->counters++].unit, "1");
	}
	header->place_size = (uint32_t)TD_PLACE_SIZE(header->counters);
}

/* Up to version 4 a header was one block, with the events before the labels. */
void build_age(struct build *build, uint32_t version)
{
	const struct td_file_header *header = build->header;
	size_t labels = offsetof(struct td_file_header, labels);
	size_t event = offsetof(struct td_file_header, event);
	unsigned char *old = calloc(TD_HEADER_BLOCKS, TD_BLOCK_SIZE);

	ck_assert_ptr_nonnull(old);
	memcpy(old, header, labels);
	memcpy(old + 7584, header->labels, event - labels);
	for (size_t i = 0; i < header->events; i++) {
		const struct td_file_event *now = &header->event[i];
		unsigned char *then = old + 6304 + 32 * i;

		memcpy(then, now->name, 20);
		memcpy(then + 20, &now->group, 2);
		memcpy(then + 22, &now->value, 2);
		memcpy(then + 24, &now->config, 8);
	}
	memcpy(build->bytes, old, TD_HEADER_BLOCKS * TD_BLOCK_SIZE);
	build->header->version = version;
	free(old);
}

void build_free(struct build *build)
{
	free(build->bytes);
}

size_t build_size(const struct build *build)
{
	return (size_t)build->header->blocks * TD_BLOCK_SIZE;
}

static uint32_t size_of_kind(const struct build *build, uint32_t kind)
{
	return kind == TD_BLOCK_OBJECTS   ? build->header->object_size
	       : kind == TD_BLOCK_THREADS ? build->header->thread_size
	       : kind == TD_BLOCK_PLACES  ? build->header->place_size
	       : kind == TD_BLOCK_PATHS   ? build->header->path_size
	       : kind == TD_BLOCK_WINDOWS ? build->header->window_size
					  : TD_BLOCK_SIZE - TD_BLOCK_HEADER;
}

static struct td_file_block *block_at(struct build *build, uint32_t block)
{
	return (void *)(build->bytes + (size_t)block * TD_BLOCK_SIZE);
}

void *build_record(struct build *build, uint32_t ref)
{
	struct td_file_block *block = block_at(build, TD_REF_BLOCK(ref));

	return (char *)block + TD_BLOCK_HEADER +
	       (size_t)TD_REF_SLOT(ref) * size_of_kind(build, block->kind);
}

static uint32_t allocate(struct build *build, uint32_t kind, uint32_t owner)
{
	uint32_t slots = (TD_BLOCK_SIZE - TD_BLOCK_HEADER) / size_of_kind(build, kind);
	uint32_t block = build->block[kind];

	if (!block || build->used[kind] == slots ||
	    block_at(build, block)->owner != owner) {
		block = build->block[kind] = build->header->blocks++;
		ck_assert_uint_lt(block, BUILD_BLOCKS);
		block_at(build, block)->kind = kind;
		block_at(build, block)->owner = owner;
		build->used[kind] = 0;
	}
	return TD_REF(block, build->used[kind]++);
}

uint32_t build_object(struct build *build, uint32_t kind, const char *path)
{
	uint32_t ref = allocate(build, TD_BLOCK_OBJECTS, 0);
	struct td_file_object *object = build_record(build, ref);

	object->kind = kind;
	strcpy(object->path, path);
	return ref;
}

uint32_t build_thread(struct build *build, uint32_t tid, const char *name)
{
	uint32_t ref = allocate(build, TD_BLOCK_THREADS, 0);
	struct td_file_thread *thread = build_record(build, ref);

	thread->state = TD_THREAD_ENDED;
	thread->tid = tid;
	thread->threads = 1;
	strcpy(thread->name, name);
	return ref;
}

struct td_file_place *build_place(struct build *build, uint32_t thread, uint32_t kind,
				  uint32_t object, uint64_t address)
{
	struct td_file_place *place =
		build_record(build, allocate(build, TD_BLOCK_PLACES, thread));

	place->kind = kind;
	place->object = object;
	place->address = place->region = address;
	place->size = TD_PLACE_CHUNK;
	return place;
}

static void add_sums(const struct build *build, struct td_file_sum *sum,
		     const uint64_t *count)
{
	for (uint32_t i = 0; i < build->header->counters; i++) {
		sum[i].sum += count[i];
		sum[i].squares += (double)count[i] * (double)count[i];
		sum[i].cross += (double)count[i] * (double)count[0];
	}
}

void build_window(struct build *build, struct td_file_place *place, const uint64_t *count)
{
	place->windows++;
	add_sums(build, place->sum, count);
}

static uint32_t ref_of_place(const struct build *build, const struct td_file_place *place)
{
	size_t offset = (size_t)((const unsigned char *)place - build->bytes);

	return TD_REF(offset / TD_BLOCK_SIZE, (offset % TD_BLOCK_SIZE - TD_BLOCK_HEADER) /
						      build->header->place_size);
}

uint32_t build_root(struct build *build, uint32_t thread)
{
	struct td_file_path *root;
	uint32_t ref;

	build->header->path_size = (uint32_t)TD_PATH_SIZE(build->header->counters);
	ref = allocate(build, TD_BLOCK_PATHS, thread);
	root = build_record(build, ref);
	root->kind = TD_PATH_ROOT;
	return ref;
}

uint32_t build_path(struct build *build, uint32_t thread, uint32_t parent,
		    const struct td_file_place *place)
{
	uint32_t ref = allocate(build, TD_BLOCK_PATHS, thread);
	struct td_file_path *path = build_record(build, ref);

	path->kind = place ? TD_PATH_FRAME : TD_PATH_CUT;
	path->parent = parent;
	path->place = place ? ref_of_place(build, place) : 0;
	return ref;
}

void build_path_window(struct build *build, uint32_t path, const uint64_t *count)
{
	struct td_file_path *node = build_record(build, path);

	node->opened++;
	node->windows++;
	add_sums(build, node->sum, count);
}

struct td_file_timeline *build_timeline(struct build *build, uint32_t thread)
{
	uint32_t ref = allocate(build, TD_BLOCK_TIMELINE, thread);
	struct td_file_timeline *timeline = build_record(build, ref);

	((struct td_file_thread *)build_record(build, thread))->timeline =
		TD_REF_BLOCK(ref);
	timeline->width_ns = TD_TIMELINE_WIDTH_NS;
	timeline->buckets = TD_TIMELINE_BUCKETS;
	return timeline;
}

struct td_file_window *build_logged(struct build *build,
				    const struct td_file_place *place)
{
	struct td_file_window *window =
		build_record(build, allocate(build, TD_BLOCK_WINDOWS, 0));

	window->state = TD_WINDOW_USED;
	window->reject = TD_REJECT_MAX;
	for (unsigned i = 0; i < 2; i++) {
		window->kind[i] = (uint8_t)place->kind;
		window->end[i].address = place->address;
		window->end[i].object = place->object;
	}
	build->header->windows_seen++;
	return window;
}

void build_event(struct build *build, const char *name, unsigned group, unsigned value)
{
	struct td_file_event *event = &build->header->event[build->header->events++];

	snprintf(event->name, sizeof(event->name), "%s", name);
	event->group = (uint16_t)group;
	event->value = (uint16_t)value;
}

void build_skylake_level1(struct build *build)
{
	build->header->backend = TD_BACKEND_EVENTS;
	build->header->groups = 3;
	build->header->slots_a_cycle = 4;
	strcpy(build->header->family, "skylake");
	build_event(build, "retired", 1, 1);
	build_event(build, "not_delivered", 1, 2);
	build_event(build, "issued", 2, 1);
	build_event(build, "retired", 2, 2);
	build_event(build, "recovery", 2, 3);
}

int build_parse(const struct build *build, size_t length, struct td_profile *profile,
		char *why, size_t size)
{
	unsigned char *copy = malloc(length + 1); /* exact, so that ASan sees overruns */
	int err;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, build->bytes, length);
	copy = realloc(copy, length ? length : 1);
	err = td_profile_parse(profile, copy, length, why, size);
	if (err)
		free(copy);
	return err;
}

void build_add(const struct build *build, struct td_report *report)
{
	struct td_profile profile;
	char why[256];

	ck_assert_int_eq(
		build_parse(build, build_size(build), &profile, why, sizeof(why)), 0);
	ck_assert_int_eq(td_report_add(report, &profile, "x.tdp", TD_FATE_EXITED), 0);
	td_profile_free(&profile);
}

int build_has_note(const struct td_report *report, const char *words)
{
	for (size_t i = 0; i < report->notes; i++)
		if (strstr(report->note[i], words))
			return 1;
	return 0;
}
