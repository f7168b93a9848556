// SPDX-License-Identifier: MIT
/* A profile of a hybrid processor is read as that of its large or of its small cores. */
#include "decoder/profile_cores.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/build_profile.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#define CODE 0x1000u

static struct build build;
static struct td_profile profile;
static struct scratch scratch;

/* A record of thread 7 with `samples` in one function, its groups 0 and 1, two logged
 * windows of group 0 in the header, and a path. */
static void add_part(enum td_core_type cores, uint32_t object, uint64_t samples,
		     unsigned first_group)
{
	static const uint64_t count[] = {100, 40};
	uint32_t ref = build_thread(&build, 7, "main");
	struct td_file_thread *thread = build_record(&build, ref);
	uint32_t root = build_root(&build, ref);

	thread->cores = cores;
	thread->samples = samples;
	for (unsigned group = 0; group < 2; group++) {
		struct td_file_place *place =
			build_place(&build, ref, TD_PLACE_FUNCTION, object, CODE);

		place->group = group;
		place->samples = group ? 0 : samples;
		build_window(&build, place, count);
		build_logged(&build, place)->group = (uint8_t)(first_group + group);
		if (!group)
			build_path(&build, ref, root, place);
	}
}

/* Three groups of the large cores, the last of which no window had, and two of the
 * small ones. */
static void setup(void)
{
	static const char *const names[] = {"slots", "retiring", NULL};
	uint32_t object;

	build_start(&build, names);
	build.header->backend = TD_BACKEND_EVENTS;
	build.header->groups = 5;
	build.header->small_group = 3;
	build.header->slots_a_cycle = 6;
	build.header->small_width = 5;
	strcpy(build.header->family, "sapphirerapids");
	strcpy(build.header->small_family, "gracemont");
	build_event(&build, "cycles_0", 1, 0);
	build_event(&build, "dropping", 2, 0);
	build_event(&build, "core_slots", 4, 0);
	build_event(&build, "latency", TD_GROUP_LATENCY, 0);
	build.header->asked = 1u << 1 | 1u << 2;
	object = build_object(&build, TD_OBJECT_ELF, "/bin/program");
	add_part(TD_CORES_LARGE, object, 30, 0);
	add_part(TD_CORES_SMALL, object, 20, 3);
	scratch_file(&scratch);
}

static void teardown(void)
{
	td_profile_free(&profile);
	build_free(&build);
	scratch_remove(&scratch);
}

static void read_cores(int cores)
{
	FILE *file = fopen(scratch.path, "we");
	char why[256];

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(build.bytes, 1, build_size(&build), file),
			  build_size(&build));
	fclose(file);
	ck_assert_int_eq(
		td_profile_read_cores(&profile, cores, scratch.path, why, sizeof(why)),
		0);
}

static void check_part(enum td_core_type cores, uint64_t samples, uint64_t elsewhere)
{
	ck_assert_uint_eq(profile.cores, cores);
	ck_assert_uint_eq(profile.elsewhere, elsewhere);
	ck_assert_uint_eq(profile.threads, 1);
	ck_assert_uint_eq(profile.thread[0]->samples, samples);
	ck_assert_uint_eq(profile.places, 2);
	ck_assert_uint_eq(profile.windows, 2);
	ck_assert_uint_eq(profile.paths, 2);
	ck_assert_uint_eq(profile.path[1].parent, 0);
	ck_assert_uint_eq(profile.path[1].place, 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_ptr_eq(profile.place[i].thread, profile.thread[0]);
		ck_assert_uint_eq(profile.place[i].place->group, i);
		ck_assert_uint_eq(profile.window[i].window->group, i);
	}
	ck_assert_uint_eq(profile.place[0].place->samples, samples);
}

START_TEST(large_cores)
{
	setup();
	read_cores(TD_CORES_LARGE);
	check_part(TD_CORES_LARGE, 30, 20);
	ck_assert_uint_eq(profile.header.groups, 3);
	ck_assert_uint_eq(profile.header.slots_a_cycle, 6);
	ck_assert_str_eq(profile.header.family, "sapphirerapids");
	ck_assert_uint_eq(profile.header.events, 3);
	ck_assert_str_eq(profile.header.event[1].name, "dropping");
	ck_assert_uint_eq(profile.header.event[2].group, TD_GROUP_LATENCY);
	ck_assert_uint_eq(profile.header.asked, 1u << 1);
	teardown();
}
END_TEST

START_TEST(small_cores)
{
	setup();
	read_cores(TD_CORES_SMALL);
	check_part(TD_CORES_SMALL, 20, 30);
	ck_assert_uint_eq(profile.header.groups, 2);
	ck_assert_uint_eq(profile.header.slots_a_cycle, 5);
	ck_assert_str_eq(profile.header.family, "gracemont");
	ck_assert_str_eq(profile.header.event[0].name, "core_slots");
	ck_assert_uint_eq(profile.header.event[0].group, 1);
	ck_assert_uint_eq(profile.header.asked, 1u << 0);
	teardown();
}
END_TEST

/* Where counters are events they are of other names on either type. */
START_TEST(counters_are_the_cores_own)
{
	setup();
	strcpy(build.header->counter[1].name, "retired");
	build_event(&build, "retired", 0, 1);
	read_cores(TD_CORES_LARGE);
	ck_assert_str_eq(profile.header.counter[1].name, "retired");
	td_profile_free(&profile);
	build_event(&build, "frontend", 3, 1);
	read_cores(TD_CORES_SMALL);
	ck_assert_str_eq(profile.header.counter[1].name, "frontend");
	teardown();
}
END_TEST

START_TEST(large_unless_nothing_was_there)
{
	struct td_file_thread *large;

	setup();
	large = build_record(&build, TD_REF(build.block[TD_BLOCK_THREADS], 0));
	read_cores(TD_CORES_ANY);
	check_part(TD_CORES_LARGE, 30, 20);
	td_profile_free(&profile);
	large->samples = 0;
	read_cores(TD_CORES_ANY);
	check_part(TD_CORES_SMALL, 20, 0);
	teardown();
}
END_TEST

/* Not of a hybrid: nothing is left out, whatever the records seem to say. */
START_TEST(others_are_whole)
{
	setup();
	build.header->small_group = 0;
	read_cores(TD_CORES_SMALL);
	ck_assert_uint_eq(profile.threads, 2);
	ck_assert_uint_eq(profile.places, 4);
	ck_assert_uint_eq(profile.windows, 4);
	ck_assert_uint_eq(profile.header.groups, 5);
	ck_assert_uint_eq(profile.cores, TD_CORES_LARGE);
	teardown();
}
END_TEST

/* Written before there were cores: shorter records. */
START_TEST(old_records_have_no_cores)
{
	setup();
	build.header->small_group = 9; /* and no such group */
	read_cores(TD_CORES_SMALL);
	ck_assert_uint_eq(profile.header.small_group, 0);
	ck_assert_uint_eq(profile.threads, 2);
	td_profile_free(&profile);
	build.header->small_group = 3;
	build.header->thread_size -= 8;
	read_cores(TD_CORES_SMALL);
	ck_assert_uint_eq(profile.header.small_group, 0);
	teardown();
}
END_TEST

int main(void)
{
	return unit_main("profile_cores",
			 (const TTest *const[]){
				 large_cores, small_cores, counters_are_the_cores_own,
				 large_unless_nothing_was_there, others_are_whole,
				 old_records_have_no_cores, NULL});
}
