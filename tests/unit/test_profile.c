// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "decoder/live.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

static const char *const counters[] = {"cpu_time", "faults", NULL};
static char why[256];

/* One object, two threads, three places. */
static void build_small(struct build *build)
{
	const uint64_t window[] = {10000, 1};
	uint32_t object, thread;

	build_start(build, counters);
	object = build_object(build, TD_OBJECT_ELF, "/nonexistent/libx.so");
	thread = build_thread(build, 1234, "main");
	build_thread(build, 1235, "idle");
	for (uint64_t i = 0; i < 2; i++) {
		struct td_file_place *place = build_place(
			build, thread, TD_PLACE_FUNCTION, object, 0x1000 + 0x100 * i);

		place->samples = 10;
		build_window(build, place, window);
	}
	build_place(build, thread, TD_PLACE_OTHER, 0, 0)->samples = 1;
}

static void refused(const struct build *build, size_t length, const char *words)
{
	struct td_profile profile;

	ck_assert_int_eq(build_parse(build, length, &profile, why, sizeof(why)), -EINVAL);
	ck_assert_msg(strstr(why, words) != NULL, "%s", why);
	ck_assert_ptr_null(strchr(why, '\n'));
}

START_TEST(sound)
{
	struct td_profile profile;
	struct build build;

	build_small(&build);
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.threads, 2);
	ck_assert_uint_eq(profile.places, 3);
	ck_assert_str_eq(profile.thread[0]->name, "main");
	ck_assert_uint_eq(profile.place[1].place->address, 0x1100);
	ck_assert_str_eq(profile.place[1].object->path, "/nonexistent/libx.so");
	ck_assert_ptr_eq(profile.place[1].thread, profile.thread[0]);
	ck_assert_ptr_null(profile.place[2].object);
	ck_assert_int_eq(td_profile_counter(&profile, "faults"), 1);
	ck_assert_int_eq(td_profile_counter(&profile, "slots"), -1);
	ck_assert(!profile.damage.blocks && !profile.damage.records &&
		  !profile.damage.missing && !profile.damage.cut);
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

START_TEST(refusals)
{
	struct build build;

	build_small(&build);
	refused(&build, 0, "not a tdagent profile");
	refused(&build, 5, "truncated in the header");
	refused(&build, sizeof(struct td_file_header) - 1, "truncated in the header");
	build.header->version = TD_FILE_VERSION + 1;
	refused(&build, build_size(&build), "version 6 is newer than this tdagent");
	refused(&build, build_size(&build), "upgrade");
	build.header->version = 0;
	refused(&build, build_size(&build), "version 0");
	build.header->version = TD_FILE_VERSION;
	build.header->byte_order = 0x04030201;
	refused(&build, build_size(&build), "byte order");
	build.header->byte_order = TD_FILE_BYTE_ORDER;
	build.header->place_size -= 8;
	refused(&build, build_size(&build), "damaged header");
	build.header->place_size += 8;
	build.header->window_size -= 8;
	refused(&build, build_size(&build), "damaged header");
	build.header->window_size += 8;
	build.header->place_size = 0x80000000;
	refused(&build, build_size(&build), "damaged header");
	build.header->magic[7] = 0;
	refused(&build, build_size(&build), "not a tdagent profile");
	build_free(&build);
}
END_TEST

/* What a later version may do without a new number. */
START_TEST(longer_records)
{
	struct td_profile profile;
	struct build build;

	build_start(&build, counters);
	build.header->place_size += 64;
	build.header->thread_size += 8;
	build_place(&build, build_thread(&build, 1, "a"), TD_PLACE_UNKNOWN, 0, 1);
	build_place(&build, TD_REF(2, 0), TD_PLACE_UNKNOWN, 0, 2);
	build_thread(&build, 2, "b");
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.threads, 2);
	ck_assert_uint_eq(profile.places, 2);
	ck_assert_uint_eq(profile.place[1].place->address, 2);
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

/* The small profile with a log of four windows, two of them usable. */
static void build_log(struct build *build)
{
	const struct td_file_place *place;

	build_small(build);
	place = build_record(build, TD_REF(4, 0));
	build_logged(build, place)->requested = 300;
	build_logged(build, place)->state = TD_WINDOW_BUSY;
	build_logged(build, place)->state = TD_WINDOW_EMPTY;
	build_logged(build, place)->state = TD_WINDOW_FREE;
}

START_TEST(window_log)
{
	struct td_profile profile;
	uint64_t value[TD_COUNTERS_MAX];
	struct build build;

	build_log(&build);
	((struct td_file_window *)build_record(&build, TD_REF(5, 0)))->value[1] = 7;
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.windows, 2);
	ck_assert_uint_eq(profile.header.windows_seen, 4);
	ck_assert_uint_eq(profile.window[0].window->requested, 300);
	ck_assert_ptr_eq(profile.window[0].object[1], profile.place[0].object);
	ck_assert_int_eq(profile.window[1].window->state, TD_WINDOW_EMPTY);
	ck_assert_uint_eq(
		td_profile_window_values(&profile, profile.window[0].window, value), 2);
	ck_assert_uint_eq(value[0], 0);
	ck_assert_uint_eq(value[1], 7);
	ck_assert(!profile.damage.blocks && !profile.damage.records);
	td_profile_free(&profile);
	/* the same bytes as a profile of version 1: no log, no damage */
	build_age(&build, 1);
	build.header->window_size = 12345;
	build.header->blocks = 5;
	ck_assert_int_eq(
		build_parse(&build, 5 * TD_BLOCK_SIZE, &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.windows, 0);
	ck_assert_uint_eq(profile.places, 3);
	ck_assert_uint_eq(profile.header.windows_seen, 0);
	ck_assert(!profile.damage.blocks && !profile.damage.records);
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

/* Raw totals become slots, corrected, once; the reader behind sees no difference. */
START_TEST(raw_totals)
{
	static const char *const names[] = {"slots",
					    "retiring",
					    "bad_speculation",
					    "frontend_bound",
					    "backend_bound",
					    "uop_dropping",
					    NULL};
	static const uint64_t raw[] = {1020000, 255000, 255000, 255000, 251015, 1000};
	static const uint64_t slots[] = {1020000, 256000, 0, 255000};
	struct td_file_timeline *timeline;
	struct td_file_thread *thread;
	struct td_profile profile;
	struct build build;
	uint32_t ref;

	build_start(&build, names);
	build.header->backend = TD_BACKEND_METRICS;
	build.header->level = 1;
	build.header->raw_totals = 1;
	ref = build_thread(&build, 1, "a");
	thread = build_record(&build, ref);
	timeline = build_timeline(&build, ref);
	memcpy(thread->total, raw, sizeof(raw));
	timeline->value[7 * 5] = 3;
	memcpy(&timeline->value[7 * 5 + 1], raw, sizeof(raw));
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.header.raw_totals, 0);
	ck_assert_uint_eq(profile.timeline[0].timeline->value[7 * 5], 3);
	for (int i = 0; i < 6; i++) {
		const uint64_t *bucket = &profile.timeline[0].timeline->value[7 * 5 + 1];

		ck_assert_uint_eq(bucket[i], profile.thread[0]->total[i]);
		ck_assert_uint_eq(profile.timeline[0].timeline->value[7 * 6 + 1 + i], 0);
	}
	ck_assert_uint_eq(profile.thread[0]->total[0], slots[0]);
	ck_assert_uint_eq(profile.thread[0]->total[1], slots[1]);
	ck_assert_uint_eq(profile.thread[0]->total[3], slots[3]);
	ck_assert_uint_eq(profile.thread[0]->total[5], 1000);
	ck_assert_uint_eq(profile.thread[0]->total[1] + profile.thread[0]->total[2] +
				  profile.thread[0]->total[3] +
				  profile.thread[0]->total[4],
			  1020000);
	td_profile_free(&profile);
	/* the same numbers as slots stay what they are */
	build.header->raw_totals = 0;
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.thread[0]->total[1], 255000);
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

START_TEST(skid_of_interrupts)
{
	static const char *const names[] = {"slots",           "retiring",
					    "bad_speculation", "frontend_bound",
					    "backend_bound",   NULL};
	struct td_file_thread *thread;
	struct td_file_place *place;
	struct td_profile profile;
	struct build build;
	uint32_t ref;

	build_start(&build, names);
	build.header->backend = TD_BACKEND_METRICS;
	build.header->period_unit = TD_UNIT_CYCLES;
	build.header->slots_a_cycle = 5;
	ref = build_thread(&build, 1, "a");
	thread = build_record(&build, ref);
	place = build_place(&build, ref, TD_PLACE_UNKNOWN, 0, 64);
	for (uint32_t i = 0; i < 9; i++) {
		struct td_file_window *w = build_logged(&build, place);

		w->requested = 100 * i;
		w->value[0] = 5 * (100 * i + 40 + 10 * i); /* 0 to 80 cycles late */
	}
	build_logged(&build, place)->state = TD_WINDOW_EMPTY;
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_double_lt(td_profile_skid(&profile), 0); /* own cost not known */
	td_profile_free(&profile);
	thread->empties = 2;
	thread->empty[0] = 2 * 5 * 40;
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_double_eq(td_profile_skid(&profile), 40);
	profile.header.backend = TD_BACKEND_CLOCK;
	ck_assert_double_lt(td_profile_skid(&profile), 0);
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

static void damaged_log(size_t offset, uint8_t byte)
{
	struct td_profile profile;
	struct build build;

	build_log(&build);
	((uint8_t *)build_record(&build, TD_REF(5, 0)))[offset] = byte;
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.windows, 1);
	ck_assert_uint_eq(profile.places, 3);
	ck_assert_uint_eq(profile.damage.records, 1);
	td_profile_free(&profile);
	build_free(&build);
}

START_TEST(damaged_windows)
{
	damaged_log(offsetof(struct td_file_window, state), 5);
	damaged_log(offsetof(struct td_file_window, state) + 3, 0x80);
	damaged_log(offsetof(struct td_file_window, kind), 99);
	damaged_log(offsetof(struct td_file_window, kind) + 1, TD_PLACE_FREE);
	damaged_log(offsetof(struct td_file_window, kind) + 1, TD_PLACE_JIT);
	damaged_log(offsetof(struct td_file_window, reject), TD_REJECT_MAX + 1);
	damaged_log(offsetof(struct td_file_window, end[0].object), 7);
	damaged_log(offsetof(struct td_file_window, end[1].object) + 3, 0xff);
}
END_TEST

/* What the registers held becomes what the sums would have of it. */
START_TEST(window_of_registers)
{
	static const char *const names[] = {
		"slots",          "retiring",      "bad_speculation",
		"frontend_bound", "backend_bound", "near_returns",
		"uop_dropping",   "clears_count",  NULL};
	struct td_file_window window = {.value = {255000, 0x3f404040u, 0, 3, 1000, 10}};
	uint64_t value[TD_COUNTERS_MAX];
	double exact[TD_COUNTERS_MAX];
	struct td_profile profile;
	struct build build;

	build_start(&build, names);
	build.header->backend = TD_BACKEND_METRICS;
	build.header->level = 1;
	build.header->slots_a_cycle = 5;
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(td_profile_window_values(&profile, &window, value), 8);
	ck_assert_uint_eq(value[0], 255000);
	ck_assert_uint_eq(value[1], 64000);
	ck_assert_uint_eq(value[3], 64000 - 1000);
	ck_assert_uint_eq(value[4], 63000 + 50);
	ck_assert_uint_eq(value[2], 255000 - 64000 - 63000 - 63050);
	ck_assert_uint_eq(value[5], 3);
	ck_assert_uint_eq(value[7], 10);
	ck_assert_uint_eq(td_profile_window_unrounded(&profile, &window, exact), 8);
	for (int i = 0; i < 8; i++)
		ck_assert_double_eq(exact[i], (double)value[i]);
	window.value[0] = 30;
	window.value[4] = 2;
	td_profile_window_unrounded(&profile, &window, exact);
	ck_assert_double_eq_tol(exact[1], 30 * 64 / 255., 1e-9);
	ck_assert_double_eq_tol(exact[3], 30 * 64 / 255. - 2, 1e-9);
	ck_assert_double_eq_tol(exact[4], 30 * 63 / 255. + 50, 1e-9);
	ck_assert_double_eq_tol(exact[1] + exact[2] + exact[3] + exact[4], 30, 1e-9);
	window.value[1] = 0; /* was not counting */
	ck_assert_uint_eq(td_profile_window_values(&profile, &window, value), 0);
	ck_assert_uint_eq(td_profile_window_unrounded(&profile, &window, exact), 0);
	profile.header.level = 2; /* and says that it has nodes that it has not */
	window.value[1] = 0x3f404040u;
	ck_assert_uint_eq(td_profile_window_values(&profile, &window, value), 0);
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

/* Spoils the small profile in one way; says what is left of places and damage. */
static void damaged(void (*spoil)(struct build *build, struct td_file_place *place),
		    size_t places, uint32_t blocks, uint32_t records)
{
	struct td_profile profile;
	struct build build;

	build_small(&build);
	spoil(&build, build_record(&build, TD_REF(4, 0)));
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.places, places);
	ck_assert_uint_eq(profile.damage.blocks, blocks);
	ck_assert_uint_eq(profile.damage.records, records);
	td_profile_free(&profile);
	build_free(&build);
}

static void spoil_nan(struct build *build, struct td_file_place *place)
{
	(void)build;
	place->sum[0].squares = NAN;
}

static void spoil_infinite(struct build *build, struct td_file_place *place)
{
	(void)build;
	place->sum[1].cross = INFINITY;
}

static void spoil_negative(struct build *build, struct td_file_place *place)
{
	(void)build;
	place->sum[1].squares = -1;
}

static void spoil_kind(struct build *build, struct td_file_place *place)
{
	(void)build;
	place->kind = 99;
}

static void spoil_reference(struct build *build, struct td_file_place *place)
{
	(void)build;
	place->object = TD_REF(2, 8);
}

static void spoil_reference_kind(struct build *build, struct td_file_place *place)
{
	(void)build;
	place->object = TD_REF(3, 0);
}

static void spoil_path(struct build *build, struct td_file_place *place)
{
	struct td_file_object *object = build_record(build, place->object);

	memset(object->path, 'x', sizeof(object->path));
}

static void spoil_build_id(struct build *build, struct td_file_place *place)
{
	struct td_file_object *object = build_record(build, place->object);

	object->build_id_size = 33;
}

static struct td_file_block *places_block(struct build *build)
{
	return (void *)(build->bytes + 4 * TD_BLOCK_SIZE);
}

static void spoil_block(struct build *build, struct td_file_place *place)
{
	(void)place;
	places_block(build)->kind = 7;
}

/* paths, in a file whose header says that there are none */
static void spoil_block_of_paths(struct build *build, struct td_file_place *place)
{
	(void)place;
	places_block(build)->kind = 6;
}

static void spoil_owner(struct build *build, struct td_file_place *place)
{
	(void)place;
	places_block(build)->owner = TD_REF(8, 0);
}

static void spoil_chain(struct build *build, struct td_file_place *place)
{
	(void)place;
	places_block(build)->next = 3; /* a circle */
}

/* A folded thread's record is free; its places are being moved. */
static void free_owner(struct build *build, struct td_file_place *place)
{
	(void)place;
	memset(build_record(build, TD_REF(3, 0)), 0, sizeof(struct td_file_thread));
}

START_TEST(damage_is_left_out)
{
	damaged(spoil_nan, 2, 0, 1);
	damaged(spoil_infinite, 2, 0, 1);
	damaged(spoil_negative, 2, 0, 1);
	damaged(spoil_kind, 2, 0, 1);
	damaged(spoil_reference, 2, 0, 1);
	damaged(spoil_reference_kind, 2, 0, 1);
	damaged(spoil_path, 1, 0, 3);
	damaged(spoil_build_id, 1, 0, 3);
	damaged(spoil_block, 0, 1, 0);
	damaged(spoil_block_of_paths, 0, 1, 0);
	damaged(spoil_owner, 0, 1, 0);
	damaged(spoil_chain, 3, 0, 0);
	damaged(free_owner, 0, 0, 0);
}
END_TEST

/* A corrected counter may be below zero, and its products too. */
static void go_below_zero(struct build *build, struct td_file_place *place)
{
	(void)build;
	place->sum[1].sum = (uint64_t)-5;
	place->sum[1].cross = -50000;
}

START_TEST(sums_below_zero)
{
	damaged(go_below_zero, 3, 0, 0);
}
END_TEST

/* Parses the small profile with a timeline of its first thread, changed. */
static void timeline(uint64_t width_ns, uint32_t buckets, uint32_t busy, uint32_t named,
		     size_t usable)
{
	struct td_file_timeline *timeline;
	struct td_file_thread *thread;
	struct td_profile profile;
	struct build build;

	build_small(&build);
	timeline = build_timeline(&build, TD_REF(3, 0));
	thread = build_record(&build, TD_REF(3, 0));
	ck_assert_uint_eq(thread->timeline, 5);
	timeline->width_ns = width_ns;
	timeline->buckets = buckets;
	timeline->busy = busy;
	thread->timeline = named;
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.timelines, usable);
	ck_assert_uint_eq(profile.damage.busy, busy != 0);
	ck_assert_uint_eq(profile.damage.records, !usable && !busy && named);
	ck_assert_uint_eq(profile.places, 3);
	if (usable) {
		ck_assert_ptr_eq(profile.timeline[0].thread, profile.thread[0]);
		ck_assert_uint_eq(profile.timeline[0].timeline->width_ns, width_ns);
	}
	td_profile_free(&profile);
	build_free(&build);
}

START_TEST(timelines)
{
	const uint64_t width = TD_TIMELINE_WIDTH_NS;

	timeline(width, 48, 0, 5, 1);
	timeline(width << 30, 48, 0, 5, 1);
	timeline(0, 48, 0, 5, 0);
	timeline(3 * width, 48, 0, 5, 0);
	timeline(width + 1, 48, 0, 5, 0);
	timeline(UINT64_MAX, 48, 0, 5, 0);
	timeline(width, 47, 0, 5, 0);
	timeline(width, 1u << 31, 0, 5, 0);
	timeline(width, 48, 1, 5, 0);
	timeline(width, 48, 0, 4, 0); /* another block is this thread's */
	timeline(width, 48, 0, 0, 0); /* not yet its own */
}
END_TEST

/* The file ends in the last bucket, or behind it: the rest of the block is unused. */
START_TEST(timeline_cut)
{
	size_t used = TD_BLOCK_HEADER + sizeof(struct td_file_timeline) + 48 * 3 * 8;

	for (size_t less = 0; less < 2; less++) {
		struct td_profile profile;
		struct build build;

		build_small(&build);
		build_timeline(&build, TD_REF(3, 0));
		ck_assert_int_eq(build_parse(&build, 5 * TD_BLOCK_SIZE + used - less,
					     &profile, why, sizeof(why)),
				 0);
		ck_assert_uint_eq(profile.timelines, 1 - less);
		td_profile_free(&profile);
		build_free(&build);
	}
}
END_TEST

/* Reads all that the profile points to, so that a sanitizer sees overruns. */
static uint64_t touch(const struct td_profile *profile)
{
	uint64_t sum = 0;

	ck_assert_uint_le(profile->header.counters, TD_COUNTERS_MAX);
	ck_assert_uint_le(profile->header.notes, TD_NOTES_MAX);
	for (size_t i = 0; i < profile->threads; i++)
		sum += profile->thread[i]->total[15] + strlen(profile->thread[i]->name);
	for (size_t i = 0; i < profile->places; i++) {
		const struct td_profile_place *at = &profile->place[i];

		ck_assert_ptr_nonnull(at->thread);
		for (uint32_t c = 0; c < profile->header.counters; c++)
			sum += at->place->sum[c].sum;
		if (at->object)
			sum += strlen(at->object->path);
	}
	for (size_t i = 0; i < profile->timelines; i++)
		sum += profile->timeline[i]
			       .timeline->value[47 * (1 + profile->header.counters)];
	return sum;
}

START_TEST(every_truncation)
{
	struct td_profile profile;
	struct build build;
	size_t before = 0;

	build_small(&build);
	for (size_t length = 0; length <= build_size(&build); length++) {
		int err = build_parse(&build, length, &profile, why, sizeof(why));

		ck_assert_int_eq(err,
				 length < sizeof(struct td_file_header) ? -EINVAL : 0);
		if (err)
			continue;
		touch(&profile);
		ck_assert_uint_ge(profile.places, before);
		ck_assert_int_eq(profile.damage.cut, length % TD_BLOCK_SIZE != 0);
		before = profile.places;
		td_profile_free(&profile);
	}
	ck_assert_uint_eq(before, 3);
	build_free(&build);
}
END_TEST

/* All bits of each byte, or one. */
static void flip_every_byte(int one)
{
	struct td_profile profile;
	struct build build;
	uint64_t sum = 0;

	build_small(&build);
	build_timeline(&build, TD_REF(3, 0));
	for (size_t i = 0; i < build_size(&build); i++) {
		unsigned char flip = one ? (unsigned char)(1u << (i + i / 8) % 8) : 0xff;

		build.bytes[i] ^= flip;
		/* never more than the blocks can hold */
		if (build_parse(&build, 6 * TD_BLOCK_SIZE, &profile, why, sizeof(why)) ==
		    0) {
			sum += touch(&profile);
			ck_assert_uint_le(profile.places, 4 * 72);
			td_profile_free(&profile);
		}
		build.bytes[i] ^= flip;
	}
	ck_assert_uint_ne(sum, 0);
	build_free(&build);
}

START_TEST(every_byte_flipped)
{
	flip_every_byte(0);
	flip_every_byte(1);
}
END_TEST

static void write_file(const char *path, const struct build *build, int compress)
{
	gzFile file = gzopen(path, compress ? "wb" : "wbT");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_gt(gzwrite(file, build->bytes, (unsigned)build_size(build)), 0);
	ck_assert_int_eq(gzclose(file), Z_OK);
}

START_TEST(files)
{
	struct scratch scratch;
	const char *path = scratch.path;
	struct td_profile profile;
	struct build build;
	struct stat st;

	scratch_file(&scratch);
	build_small(&build);
	ck_assert_int_eq(td_profile_probe(path), 0);
	ck_assert_int_eq(td_profile_read(&profile, path, why, sizeof(why)), -EINVAL);
	for (int compress = 0; compress < 2; compress++) {
		write_file(path, &build, compress);
		ck_assert_int_eq(td_profile_probe(path), 1);
		ck_assert_int_eq(td_profile_read(&profile, path, why, sizeof(why)), 0);
		ck_assert_uint_eq(profile.places, 3);
		ck_assert_int_eq(profile.damage.cut, 0);
		td_profile_free(&profile);
	}
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size - 1), 0);
	ck_assert_int_eq(td_profile_read(&profile, path, why, sizeof(why)), 0);
	ck_assert_int_eq(profile.damage.cut, 1);
	td_profile_free(&profile);
	unlink(path);
	ck_assert_int_eq(td_profile_read(&profile, path, why, sizeof(why)), -ENOENT);
	ck_assert_int_eq(td_profile_read(&profile, ".", why, sizeof(why)), -EISDIR);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(td_profile_read(&profile, path, why, sizeof(why)), -EINVAL);
	unlink(path);
	build_free(&build);
}
END_TEST

/* A gzip file of zeros behind a header grows a thousandfold. */
START_TEST(size_cap)
{
	struct scratch scratch;
	const char *path = scratch.path;
	static const char zeros[1 << 20];
	struct td_profile profile;
	struct build build;
	gzFile file;

	scratch_file(&scratch);
	build_small(&build);
	file = gzopen(path, "wb1");
	gzwrite(file, build.bytes, (unsigned)build_size(&build));
	for (int i = 0; i < 65; i++)
		gzwrite(file, zeros, sizeof(zeros));
	gzclose(file);
	ck_assert_int_eq(td_profile_read(&profile, path, why, sizeof(why)), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "larger than a profile can be"));
	unlink(path);
	build_free(&build);
}
END_TEST

START_TEST(promised_blocks)
{
	struct td_profile profile;
	struct build build;

	build_small(&build);
	build.header->blocks = 10;
	ck_assert_int_eq(
		build_parse(&build, 5 * TD_BLOCK_SIZE, &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.damage.missing, 5);
	ck_assert_uint_eq(profile.places, 3);
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

static int read_copy(void *copy, size_t offset, void *bytes, size_t size)
{
	if (!copy)
		return -EIO;
	memcpy(bytes, (unsigned char *)copy + offset, size);
	return 0;
}

/* The same record in a copy of all. */
static struct td_file_thread *record_of(unsigned char *copy, const struct build *build,
					const struct td_file_thread *record)
{
	return (void *)(copy + ((const unsigned char *)record - build->bytes));
}

/* While it was read, the second thread's record became another thread's. */
START_TEST(folded_meanwhile)
{
	struct td_file_thread *record[3];
	unsigned char *copy;
	struct build build;
	size_t size;

	build_start(&build, counters);
	for (uint32_t i = 0; i < 3; i++) {
		record[i] = build_record(&build, build_thread(&build, 10 + i, "worker"));
		record[i]->start_ns = 100 + i;
		record[i]->state = TD_THREAD_ENDED;
	}
	size = build_size(&build);
	copy = malloc(size);
	memcpy(copy, build.bytes, size);

	record[1]->tid = 99;
	record[2]->state = TD_THREAD_FOLDED;
	record[2]->start_ns = 1;
	((struct td_file_header *)(void *)copy)->state = TD_STATE_EXITED;
	td_live_settle(copy, size, read_copy, build.bytes);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(record_of(copy, &build, record[i])->state,
				  TD_THREAD_ENDED);
	((struct td_file_header *)(void *)copy)->state = TD_STATE_RUNNING;
	td_live_settle(copy, size, read_copy, NULL);
	ck_assert_uint_eq(record_of(copy, &build, record[1])->state, TD_THREAD_ENDED);
	record_of(copy, &build, record[2])->state = TD_THREAD_FOLDED;
	td_live_settle(copy, size, read_copy, build.bytes);
	ck_assert_uint_eq(record_of(copy, &build, record[0])->state, TD_THREAD_ENDED);
	ck_assert_uint_eq(record_of(copy, &build, record[1])->state, TD_THREAD_FREE);
	ck_assert_uint_eq(record_of(copy, &build, record[2])->state, TD_THREAD_FOLDED);
	for (size_t cut = 0; cut < size; cut += 1000)
		td_live_settle(copy, cut, read_copy, build.bytes);
	free(copy);
	build_free(&build);
}
END_TEST

int main(void)
{
	return unit_main(
		"profile",
		(const TTest *const[]){sound, refusals, longer_records,
				       damage_is_left_out, sums_below_zero, timelines,
				       timeline_cut, every_truncation, every_byte_flipped,
				       files, size_cap, promised_blocks, window_log,

				       damaged_windows, raw_totals, skid_of_interrupts,
				       window_of_registers, folded_meanwhile, NULL});
}
