// SPDX-License-Identifier: MIT
/* Single windows of several groups of events: by place, and as CSV. */
#include "tools/annotate_collect.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/build_profile.h"
#include "tests/unit/unit.h"
#include "tools/print.h"

#define CODE 0x1000u
#define WINDOWS 10u

static struct build build;
static struct td_profile profile;

/* As many windows of the group, opened `offset` behind the function's start, of
 * 4 x 100 slots and these counts. */
static void add_windows(const struct td_file_place *place, unsigned group,
			unsigned offset, const uint32_t *count)
{
	for (unsigned i = 0; i < WINDOWS; i++) {
		struct td_file_window *window = build_logged(&build, place);

		window->group = (uint8_t)group;
		window->end[0].offset = window->end[1].offset = offset;
		window->value[0] = 400;
		memcpy(window->value + 1, count, 4 * sizeof(*count));
	}
}

/*
 * Group 0 has the nodes themselves, 1 and 2 the events that they are made of, with near
 * returns if `judged`.  Whoever takes events for nodes finds 25 % of bad speculation.
 */
static void setup(int judged)
{
	static const char *const names[] = {"slots",           "retiring",
					    "bad_speculation", "frontend_bound",
					    "backend_bound",   NULL};
	static const uint32_t nodes[] = {100, 40, 60, 200};
	static const uint32_t first[] = {200, 100, 300, 0}, second[] = {220, 200, 4, 0};
	struct td_file_place *place;
	char why[256];
	uint32_t ref;

	build_start(&build, names);
	build_skylake_level1(&build);
	if (judged) {
		build_event(&build, "near_returns", 1, 6);
		build_event(&build, "near_returns", 2, 6);
	}
	ref = build_thread(&build, 7, "main");
	place = build_place(&build, ref, TD_PLACE_FUNCTION,
			    build_object(&build, TD_OBJECT_ELF, "/bin/program"), CODE);
	add_windows(place, 0, 4, nodes);
	add_windows(place, 1, 4, first);
	add_windows(place, 2, 4, second);
	add_windows(place, 1, 8, first);
	ck_assert_int_eq(
		build_parse(&build, build_size(&build), &profile, why, sizeof(why)), 0);
}

static void teardown(void)
{
	td_profile_free(&profile);
	build_free(&build);
}

/* The value of a node at the place; -1: it is blank. */
static double value_at(const struct td_annotate *annotate, size_t place, int node)
{
	struct td_topdown_value value[TD_NODES];

	td_annotate_values(annotate, &annotate->place[place].sums, value);
	return value[node].present ? value[node].estimate.value : -1;
}

static void collect(struct td_annotate *annotate)
{
	td_annotate_start(annotate, NULL, NULL);
	ck_assert_int_eq(td_annotate_add(annotate, &profile, "test.tdp"), 0);
	td_annotate_finish(annotate);
	ck_assert_uint_eq(annotate->places, 2);
	ck_assert_uint_eq(annotate->place[0].sums.valid, 3 * WINDOWS);
	ck_assert_uint_eq(annotate->place[1].sums.valid, WINDOWS);
}

static void check_value(double value, double right)
{
	ck_assert_msg(value - right < 1e-9 && right - value < 1e-9, "%g, not %g", value,
		      right);
}

/* Level 1 of the first group, whose windows alone hold nodes. */
START_TEST(events_are_no_nodes)
{
	struct td_annotate annotate;

	setup(0);
	collect(&annotate);
	check_value(value_at(&annotate, 0, TD_NODE_RETIRING), 0.25);
	check_value(value_at(&annotate, 0, TD_NODE_BAD_SPECULATION), 0.1);
	check_value(value_at(&annotate, 0, TD_NODE_FRONTEND_BOUND), 0.15);
	check_value(value_at(&annotate, 0, TD_NODE_BACKEND_BOUND), 0.5);
	td_annotate_free(&annotate);
	teardown();
}
END_TEST

/* Where others are judged, those of the first may hold what the function calls. */
START_TEST(judged_groups_tell)
{
	struct td_annotate annotate;

	setup(1);
	collect(&annotate);
	check_value(value_at(&annotate, 0, TD_NODE_RETIRING), 0.5);
	check_value(value_at(&annotate, 0, TD_NODE_FRONTEND_BOUND), 0.25);
	check_value(value_at(&annotate, 0, TD_NODE_BAD_SPECULATION), 0.09);
	check_value(value_at(&annotate, 0, TD_NODE_BACKEND_BOUND), 0.16);
	/* and where nobody counted what bad speculation is made of, it is blank */
	check_value(value_at(&annotate, 1, TD_NODE_RETIRING), 0.5);
	check_value(value_at(&annotate, 1, TD_NODE_BAD_SPECULATION), -1);
	check_value(value_at(&annotate, 1, TD_NODE_BACKEND_BOUND), -1);
	td_annotate_free(&annotate);
	teardown();
}
END_TEST

START_TEST(sums_are_joined)
{
	struct td_topdown_value value[TD_NODES];
	struct td_annotate_sums all = {0};
	struct td_annotate annotate;

	setup(1);
	collect(&annotate);
	for (size_t i = 0; i < 2; i++)
		ck_assert_int_eq(td_annotate_join(&all, &annotate.place[i].sums), 0);
	ck_assert_uint_eq(all.valid, 4 * WINDOWS);
	ck_assert_uint_eq(all.groups->group[1].windows, 2 * WINDOWS);
	ck_assert_uint_eq(annotate.place[0].sums.groups->group[1].windows, WINDOWS);
	td_annotate_values(&annotate, &all, value);
	check_value(value[TD_NODE_RETIRING].estimate.value, 0.5);
	free(all.groups);
	td_annotate_free(&annotate);
	teardown();
}
END_TEST

static void has_row(const char *text, const char *end)
{
	ck_assert_msg(strstr(text, end) != NULL, "no row that ends in \"%s\" in:\n%s",
		      end, text);
}

START_TEST(windows_have_columns_of_events)
{
	struct td_print_windows print = {.counters = 0};
	char *text;
	size_t size;

	setup(0);
	print.out = open_memstream(&text, &size);
	ck_assert_int_eq(td_print_windows(&print, &profile), 0);
	fclose(print.out);
	has_row(text, ",\"slots\",\"retiring\",\"bad_speculation\",\"frontend_bound\","
		      "\"backend_bound\",\"group\",\"retired\",\"not_delivered\","
		      "\"issued\",\"recovery\"\n");
	has_row(text, ",4,400,100,40,60,200,0,,,,\n");
	has_row(text, ",4,400,,,,,1,200,100,,\n");
	has_row(text, ",4,400,,,,,2,200,,220,4\n");
	free(text);
	teardown();
}
END_TEST

int main(void)
{
	return unit_main("annotate",
			 (const TTest *const[]){events_are_no_nodes, judged_groups_tell,
						sums_are_joined,
						windows_have_columns_of_events, NULL});
}
