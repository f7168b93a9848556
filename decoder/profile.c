// SPDX-License-Identifier: MIT
#include "decoder/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "decoder/live.h"
#include "decoder/profile_cores.h"
#include "decoder/profile_header.h"
#include "decoder/window_strays.h"
#include "decoder/windows.h"

#define SIZE_CAP ((size_t)TD_BLOCKS_MAX * TD_BLOCK_SIZE)

#define TERMINATE(array) ((array)[sizeof(array) - 1] = '\0')

/* The bytes under inspection; `blocks` counts a partial last one too. */
struct view {
	struct td_profile *profile;
	uint32_t *path_ref; /* of profile->path[], ascending */
	unsigned char *bytes;
	size_t length;
	uint32_t first; /* block of records */
	uint32_t blocks;
};

__attribute__((format(printf, 3, 4))) static int refuse(char *why, size_t size,
							const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return -EINVAL;
}

static const struct td_file_block *block_at(const struct view *view, uint32_t block)
{
	size_t start = (size_t)block * TD_BLOCK_SIZE;

	if (block < view->first || block >= view->blocks ||
	    view->length - start < sizeof(struct td_file_block))
		return NULL;
	return (const void *)(view->bytes + start);
}

static uint32_t record_size(const struct view *view, uint32_t kind)
{
	switch (kind) {
	case TD_BLOCK_OBJECTS:
		return view->profile->header.object_size;
	case TD_BLOCK_THREADS:
		return view->profile->header.thread_size;
	case TD_BLOCK_PLACES:
		return view->profile->header.place_size;
	case TD_BLOCK_PATHS:
		return view->profile->header.path_size;
	case TD_BLOCK_WINDOWS:
		return view->profile->header.window_size;
	default:
		return 0;
	}
}

/* The whole records that the file has of this block: fewer in a cut last block. */
static uint32_t record_count(const struct view *view, uint32_t block)
{
	const struct td_file_block *head = block_at(view, block);
	size_t have;

	if (!head || !record_size(view, head->kind))
		return 0;
	have = view->length - (size_t)block * TD_BLOCK_SIZE;
	if (have > TD_BLOCK_SIZE)
		have = TD_BLOCK_SIZE;
	return (uint32_t)((have - TD_BLOCK_HEADER) / record_size(view, head->kind));
}

static void *record_at(const struct view *view, uint32_t block, uint32_t slot)
{
	const struct td_file_block *head = block_at(view, block);
	size_t offset = (size_t)block * TD_BLOCK_SIZE + TD_BLOCK_HEADER;

	return view->bytes + offset + (size_t)slot * record_size(view, head->kind);
}

/* The record that `ref` names if it lies in a block of this kind, else NULL. */
static void *record_of(const struct view *view, uint32_t ref, uint32_t kind)
{
	const struct td_file_block *head = block_at(view, TD_REF_BLOCK(ref));

	if (!head || head->kind != kind ||
	    TD_REF_SLOT(ref) >= record_count(view, TD_REF_BLOCK(ref)))
		return NULL;
	return record_at(view, TD_REF_BLOCK(ref), TD_REF_SLOT(ref));
}

/* A bad record becomes a free one in our copy: nobody meets it again. */
static void check_object(struct view *view, struct td_file_object *object)
{
	if (object->kind == TD_OBJECT_FREE || object->kind == TD_OBJECT_CLAIMED) {
		object->kind = TD_OBJECT_FREE;
		return;
	}
	if (object->kind <= TD_OBJECT_JIT &&
	    object->build_id_size <= sizeof(object->build_id) &&
	    memchr(object->path, '\0', sizeof(object->path)))
		return;
	object->kind = TD_OBJECT_FREE;
	view->profile->damage.records++;
}

static void check_thread(struct view *view, struct td_file_thread *thread)
{
	struct td_profile *profile = view->profile;

	if (thread->state == TD_THREAD_FREE)
		return;
	if (thread->state > TD_THREAD_FOLDED) {
		thread->state = TD_THREAD_FREE;
		profile->damage.records++;
		return;
	}
	TERMINATE(thread->name);
	td_windows_correct_total(profile, thread->total);
	profile->thread[profile->threads++] = thread;
}

static int sums_possible(const struct td_file_sum *sum, uint32_t counters)
{
	for (uint32_t i = 0; i < counters; i++, sum++) {
		if (!isfinite(sum->squares) || !isfinite(sum->cross) || sum->squares < 0)
			return 0;
	}
	return 1;
}

static int kind_fits_object(uint32_t kind, const struct td_file_object *object)
{
	switch (kind) {
	case TD_PLACE_FUNCTION:
	case TD_PLACE_GAP:
		return object && object->kind != TD_OBJECT_JIT;
	case TD_PLACE_JIT:
		return object && object->kind == TD_OBJECT_JIT;
	default:
		return kind <= TD_PLACE_OTHER;
	}
}

static const struct td_file_object *object_of(const struct view *view, uint32_t ref)
{
	const struct td_file_object *object = record_of(view, ref, TD_BLOCK_OBJECTS);

	return object && object->kind != TD_OBJECT_FREE ? object : NULL;
}

static void check_place(struct view *view, const struct td_file_place *place,
			const struct td_file_thread *thread)
{
	struct td_profile *profile = view->profile;
	const struct td_file_object *object = object_of(view, place->object);

	if (place->kind == TD_PLACE_FREE)
		return;
	if (!kind_fits_object(place->kind, object) || place->group > TD_GROUP_LATENCY ||
	    !sums_possible(place->sum, profile->header.counters)) {
		profile->damage.records++;
		return;
	}
	profile->place[profile->places++] =
		(struct td_profile_place){place, thread, object};
}

static void check_window(struct view *view, const struct td_file_window *window)
{
	struct td_profile *profile = view->profile;
	struct td_profile_window *checked = &profile->window[profile->windows];

	if (window->state == TD_WINDOW_FREE || window->state == TD_WINDOW_BUSY)
		return;
	*checked = (struct td_profile_window){.window = window};
	for (unsigned i = 0; i < 2; i++) {
		checked->object[i] = object_of(view, window->end[i].object);
		if (window->state > TD_WINDOW_EXACT || window->reject > TD_REJECT_MAX ||
		    window->group >= TD_GROUPS_MAX || window->kind[i] == TD_PLACE_FREE ||
		    !kind_fits_object(window->kind[i], checked->object[i])) {
			profile->damage.records++;
			return;
		}
	}
	profile->windows++;
}

static void check_tables(struct view *view)
{
	for (uint32_t block = view->first; block < view->blocks; block++) {
		const struct td_file_block *head = block_at(view, block);
		uint32_t records = record_count(view, block);

		if (head &&
		    (head->kind > TD_BLOCK_PATHS ||
		     (head->kind == TD_BLOCK_PATHS && !view->profile->header.path_size)))
			view->profile->damage.blocks++;
		for (uint32_t slot = 0; slot < records; slot++) {
			if (head->kind == TD_BLOCK_OBJECTS)
				check_object(view, record_at(view, block, slot));
			else if (head->kind == TD_BLOCK_THREADS)
				check_thread(view, record_at(view, block, slot));
		}
	}
}

static int timeline_possible(const struct td_file_timeline *timeline)
{
	uint64_t ratio = timeline->width_ns / TD_TIMELINE_WIDTH_NS;

	return timeline->buckets == TD_TIMELINE_BUCKETS &&
	       timeline->width_ns % TD_TIMELINE_WIDTH_NS == 0 && ratio != 0 &&
	       (ratio & (ratio - 1)) == 0;
}

static void add_timeline(struct td_profile *profile, struct td_file_timeline *timeline,
			 const struct td_file_thread *thread)
{
	uint32_t counters = profile->header.counters;

	for (uint32_t i = 0; i < TD_TIMELINE_BUCKETS; i++)
		td_windows_correct_total(profile,
					 &timeline->value[i * (1 + counters) + 1]);
	profile->timeline[profile->timelines++] =
		(struct td_profile_timeline){timeline, thread};
}

/* A second timeline of a thread is none: whoever adds up would count it twice. */
static void check_timeline(struct view *view, uint32_t block,
			   const struct td_file_thread *thread)
{
	struct td_profile *profile = view->profile;
	struct td_file_timeline *timeline =
		(void *)(view->bytes + (size_t)block * TD_BLOCK_SIZE + TD_BLOCK_HEADER);
	size_t size = sizeof(*timeline) + (size_t)TD_TIMELINE_BUCKETS *
						  (1 + profile->header.counters) *
						  sizeof(timeline->value[0]);

	if (view->length - (size_t)block * TD_BLOCK_SIZE < TD_BLOCK_HEADER + size)
		return; /* cut, which is counted already */
	if (!thread->timeline)
		return; /* not published yet */
	if (timeline->busy)
		profile->damage.busy++;
	else if (thread->timeline == block && timeline_possible(timeline))
		add_timeline(profile, timeline, thread);
	else
		profile->damage.records++;
}

/* After check_tables(): needs every thread and object. */
static void check_owned(struct view *view)
{
	for (uint32_t block = view->first; block < view->blocks; block++) {
		const struct td_file_block *head = block_at(view, block);
		const struct td_file_thread *thread;
		uint32_t records = record_count(view, block);

		if (!head ||
		    (head->kind != TD_BLOCK_PLACES && head->kind != TD_BLOCK_TIMELINE))
			continue;
		thread = record_of(view, head->owner, TD_BLOCK_THREADS);
		if (!thread) {
			view->profile->damage.blocks++;
			continue;
		}
		if (thread->state == TD_THREAD_FREE)
			continue;
		if (head->kind == TD_BLOCK_TIMELINE)
			check_timeline(view, block, thread);
		for (uint32_t slot = 0; slot < records; slot++)
			check_place(view, record_at(view, block, slot), thread);
	}
}

/* The node's index in path[], SIZE_MAX if it is not there. */
static size_t path_of(const struct view *view, uint32_t ref)
{
	size_t low = 0, high = view->profile->paths;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (view->path_ref[middle] < ref)
			low = middle + 1;
		else
			high = middle;
	}
	return low < view->profile->paths && view->path_ref[low] == ref ? low : SIZE_MAX;
}

/* Places are in the order of the file: their addresses ascend. */
static size_t place_of(const struct view *view, uint32_t ref)
{
	const struct td_profile *profile = view->profile;
	const struct td_file_place *place = record_of(view, ref, TD_BLOCK_PLACES);
	size_t low = 0, high = place ? profile->places : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (profile->place[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	return place && low < profile->places && profile->place[low].place == place
		       ? low
		       : SIZE_MAX;
}

static int path_possible(const struct td_profile *profile,
			 const struct td_profile_path *node)
{
	const struct td_file_path *path = node->path;

	if (!sums_possible(path->sum, profile->header.counters) ||
	    path->group >= TD_GROUPS_MAX)
		return 0;
	if (path->kind == TD_PATH_ROOT)
		return !path->parent && !path->place;
	if (node->parent == SIZE_MAX ||
	    profile->path[node->parent].thread != node->thread)
		return 0;
	if (path->kind == TD_PATH_CUT)
		return !path->place &&
		       profile->path[node->parent].path->kind == TD_PATH_ROOT;
	return path->kind == TD_PATH_FRAME && node->place != SIZE_MAX &&
	       profile->place[node->place].thread == node->thread;
}

/* Blocks are checked in order, so a parent is there already, or is none. */
static void check_path(struct view *view, uint32_t block, uint32_t slot,
		       const struct td_file_thread *thread)
{
	struct td_profile *profile = view->profile;
	const struct td_file_path *path = record_at(view, block, slot);
	struct td_profile_path node = {path, thread, path_of(view, path->parent),
				       place_of(view, path->place)};

	if (path->kind == TD_PATH_FREE)
		return;
	if (!path_possible(profile, &node)) {
		profile->damage.records++;
		return;
	}
	view->path_ref[profile->paths] = TD_REF(block, slot);
	profile->path[profile->paths++] = node;
}

/* After check_owned(): needs every place. */
static void check_paths(struct view *view)
{
	for (uint32_t block = view->first; block < view->blocks; block++) {
		const struct td_file_block *head = block_at(view, block);
		const struct td_file_thread *thread;
		uint32_t records = record_count(view, block);

		if (!head || head->kind != TD_BLOCK_PATHS)
			continue;
		thread = record_of(view, head->owner, TD_BLOCK_THREADS);
		if (!thread)
			view->profile->damage.blocks++;
		if (!thread || thread->state == TD_THREAD_FREE)
			continue;
		for (uint32_t slot = 0; slot < records; slot++)
			check_path(view, block, slot, thread);
	}
}

/* After check_tables(), likewise. */
static void check_log(struct view *view)
{
	for (uint32_t block = view->first; block < view->blocks; block++) {
		const struct td_file_block *head = block_at(view, block);
		uint32_t records = record_count(view, block);

		if (!head || head->kind != TD_BLOCK_WINDOWS)
			continue;
		for (uint32_t slot = 0; slot < records; slot++)
			check_window(view, record_at(view, block, slot));
	}
}

static uint32_t count_records(const struct view *view, uint32_t kind)
{
	uint32_t records = 0;

	for (uint32_t block = view->first; block < view->blocks; block++) {
		const struct td_file_block *head = block_at(view, block);

		if (head && head->kind == kind)
			records +=
				kind == TD_BLOCK_TIMELINE ? 1 : record_count(view, block);
	}
	return records;
}

static int index_records(struct view *view)
{
	struct td_profile *profile = view->profile;

	profile->thread = calloc(count_records(view, TD_BLOCK_THREADS) + 1ul,
				 sizeof(*profile->thread));
	profile->place = calloc(count_records(view, TD_BLOCK_PLACES) + 1ul,
				sizeof(*profile->place));
	profile->timeline = calloc(count_records(view, TD_BLOCK_TIMELINE) + 1ul,
				   sizeof(*profile->timeline));
	profile->window = calloc(count_records(view, TD_BLOCK_WINDOWS) + 1ul,
				 sizeof(*profile->window));
	profile->path =
		calloc(count_records(view, TD_BLOCK_PATHS) + 1ul, sizeof(*profile->path));
	view->path_ref = calloc(count_records(view, TD_BLOCK_PATHS) + 1ul,
				sizeof(*view->path_ref));
	if (!profile->thread || !profile->place || !profile->timeline ||
	    !profile->window || !profile->path || !view->path_ref)
		return -ENOMEM;
	check_tables(view);
	check_owned(view);
	check_paths(view);
	check_log(view);
	return 0;
}

/* How far to look, and what the file lacks of what its header promises. */
static uint32_t count_blocks(struct td_profile *profile, size_t length)
{
	uint32_t present = (uint32_t)((length + TD_BLOCK_SIZE - 1) / TD_BLOCK_SIZE);
	uint32_t promised = profile->header.blocks;

	/* A full store goes on counting the blocks it did not get. */
	if (promised > TD_BLOCKS_MAX)
		promised = TD_BLOCKS_MAX;
	if (length % TD_BLOCK_SIZE != 0)
		profile->damage.cut = 1;
	if (promised > present)
		profile->damage.missing = promised - present;
	return promised && promised < present ? promised : present;
}

static int parse(struct td_profile *profile, int cores, unsigned char *bytes,
		 size_t length, char *why, size_t size)
{
	struct view view = {.profile = profile, .bytes = bytes, .length = length};
	int err;

	memset(profile, 0, sizeof(*profile));
	if (length > SIZE_CAP)
		return refuse(why, size, "larger than a profile can be (%zu MiB)",
			      SIZE_CAP >> 20);
	err = td_profile_header(&profile->header, &view.first, bytes, length, why, size);
	if (err)
		return err;
	view.blocks = count_blocks(profile, length);
	err = index_records(&view);
	free(view.path_ref);
	if (!err)
		err = td_profile_keep_cores(profile, cores);
	if (!err)
		err = td_window_strays(profile);
	if (err) {
		snprintf(why, size, "%s", strerror(-err));
		td_profile_free(profile);
		return err;
	}
	profile->header.raw_totals = 0;
	profile->bytes = bytes;
	return 0;
}

int td_profile_parse(struct td_profile *profile, unsigned char *bytes, size_t length,
		     char *why, size_t size)
{
	return parse(profile, TD_CORES_ANY, bytes, length, why, size);
}

void td_profile_free(struct td_profile *profile)
{
	free(profile->bytes);
	free(profile->thread);
	free(profile->place);
	free(profile->timeline);
	free(profile->window);
	free(profile->path);
	memset(profile, 0, sizeof(*profile));
}

/*
 * Opens a regular file for zlib.  O_NONBLOCK: a FIFO must be refused, not
 * waited for.
 */
static int open_file(gzFile *file, const char *path)
{
	int standard = strcmp(path, "-") == 0;
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			  : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int err = -ENOMEM;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0) {
		err = -errno;
		goto out_close;
	}
	if (!S_ISREG(st.st_mode) && !(standard && S_ISFIFO(st.st_mode))) {
		err = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
		goto out_close;
	}
	*file = gzdopen(fd, "rb");
	if (*file)
		return 0;
out_close:
	close(fd);
	return err;
}

/* Reads up to SIZE_CAP + 1 bytes; sets *cut where the compressed data break off. */
static int read_all(gzFile file, unsigned char **bytes, size_t *length, uint32_t *cut)
{
	size_t room = 0;

	*bytes = NULL;
	*length = 0;
	while (*length <= SIZE_CAP) {
		unsigned char *more;
		int got, error;

		if (*length == room) {
			room = room ? 2 * room : 16 * TD_BLOCK_SIZE;
			if (room > SIZE_CAP + 1)
				room = SIZE_CAP + 1;
			more = realloc(*bytes, room);
			if (!more)
				goto out_free;
			*bytes = more;
		}
		got = gzread(file, *bytes + *length, (unsigned)(room - *length));
		/* a missing end shows in gzerror() only, from zlib 1.3.2 on once */
		gzerror(file, &error);
		*cut |= got < 0 || error == Z_BUF_ERROR;
		if (got <= 0)
			return 0;
		*length += (size_t)got;
	}
	return 0;
out_free:
	free(*bytes);
	return -ENOMEM;
}

/* Only a plain file is written by a running program. */
static int read_again(void *file, size_t offset, void *bytes, size_t size)
{
	if (!gzdirect(file) || gzseek(file, (z_off_t)offset, SEEK_SET) < 0 ||
	    gzread(file, bytes, (unsigned)size) != (int)size)
		return -EIO;
	return 0;
}

int td_profile_read_cores(struct td_profile *profile, int cores, const char *path,
			  char *why, size_t size)
{
	unsigned char *bytes;
	uint32_t cut = 0;
	size_t length;
	gzFile file;
	int err;

	err = open_file(&file, path);
	if (err == -EINVAL)
		return refuse(why, size, "not a regular file");
	if (!err) {
		err = read_all(file, &bytes, &length, &cut);
		if (!err)
			td_live_settle(bytes, length, read_again, file);
		gzclose(file);
	}
	if (err) {
		snprintf(why, size, "%s", strerror(-err));
		return err;
	}
	err = parse(profile, cores, bytes, length, why, size);
	if (err)
		free(bytes);
	else
		profile->damage.cut |= cut;
	return err;
}

int td_profile_read(struct td_profile *profile, const char *path, char *why, size_t size)
{
	return td_profile_read_cores(profile, TD_CORES_ANY, path, why, size);
}

int td_profile_probe(const char *path)
{
	char magic[8];
	gzFile file;
	int got;

	if (open_file(&file, path) != 0)
		return 0;
	got = gzread(file, magic, sizeof(magic));
	gzclose(file);
	return got == (int)sizeof(magic) && memcmp(magic, TD_FILE_MAGIC, 8) == 0;
}

int td_profile_counter(const struct td_profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->header.counters; i++) {
		if (strcmp(profile->header.counter[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

int td_profile_counts_lengths(const struct td_profile *profile)
{
	return td_profile_counter(profile, "slots") == 0 ||
	       td_profile_counter(profile, "cycles") == 0;
}
