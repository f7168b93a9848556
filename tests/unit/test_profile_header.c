// SPDX-License-Identifier: MIT
/* Headers of earlier versions. */
#include "decoder/profile.h"

#include <string.h>

#include "tests/unit/build_profile.h"
#include "tests/unit/unit.h"

static const char *const counters[] = {"cpu_time", "faults", NULL};

/* As version 4 had it: names of 20 bytes, before the labels. */
START_TEST(version_4)
{
	struct td_profile profile;
	struct build build;
	char why[256];

	build_start(&build, counters);
	build_place(&build, build_thread(&build, 7, "worker"), TD_PLACE_UNKNOWN, 0, 1);
	build.header->groups = 3;
	build.header->events = 2;
	build.header->event[0] = (struct td_file_event){
		.name = "inst", .group = 1, .value = 5, .config = 0xc0};
	build.header->event[1] = (struct td_file_event){
		.name = "L1-dcache-load-misses", .group = 2, .value = 1, .config = 7};
	strcpy(build.header->labels, "rank=3");
	strcpy(build.header->small_family, "gracemont");
	build.header->burst = 2;
	build_age(&build, 4);
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
	ck_assert_uint_eq(profile.header.events, 2);
	ck_assert_str_eq(profile.header.event[0].name, "inst");
	ck_assert_uint_eq(profile.header.event[0].group, 1);
	ck_assert_uint_eq(profile.header.event[0].value, 5);
	ck_assert_str_eq(profile.header.event[1].name, "L1-dcache-load-miss");
	ck_assert_uint_eq(profile.header.event[1].group, 2);
	ck_assert_uint_eq(profile.header.event[1].config, 7);
	ck_assert_uint_eq(profile.header.event[1].config1, 0);
	ck_assert_str_eq(profile.header.labels, "rank=3");
	ck_assert_str_eq(profile.header.small_family, "gracemont");
	ck_assert_uint_eq(profile.header.burst, 2);
	ck_assert_uint_eq(profile.places, 1);
	ck_assert(!profile.damage.blocks && !profile.damage.records);
	td_profile_free(&profile);
	build_free(&build);
}
END_TEST

int main(void)
{
	return unit_main("profile_header", (const TTest *const[]){version_4, NULL});
}
