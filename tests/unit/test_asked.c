// SPDX-License-Identifier: MIT
/* Events of TDAGENT_EVENTS in a report, beside top-down. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/printed.h"
#include "tests/unit/unit.h"

static struct td_report *report;
static struct build build;

/* Ten windows of the group, of 990 and 1010 cycles in turn, with so many a window. */
static void add_windows(uint32_t thread, uint32_t object, unsigned group,
			const uint64_t count[5])
{
	struct td_file_place *place =
		build_place(&build, thread, TD_PLACE_FUNCTION, object, 0x1000);

	place->group = group;
	place->samples = group ? 0 : 100;
	for (int i = 0; i < 10; i++) {
		uint64_t slots = i % 2 ? 4040 : 3960;

		build_window(&build, place,
			     (const uint64_t[]){slots, count[0], count[1], count[2],
						count[3], count[4]});
	}
}

/* Group 1 is what was asked for: an event of the table, one that judges windows, and one
 * that was in half of them alone.  With or without instructions. */
static void setup(const char *inst)
{
	static const char *const counters[] = {"slots",
					       "retiring",
					       "bad_speculation",
					       "frontend_bound",
					       "backend_bound",
					       "instructions",
					       NULL};
	uint32_t object, thread;

	build_start(&build, counters);
	build.header->backend = TD_BACKEND_EVENTS;
	build.header->groups = 2;
	build.header->slots_a_cycle = 4;
	build.header->level = 1;
	strcpy(build.header->family, "skylake");
	build_event(&build, "inst", 0, 5);
	build_event(&build, "br_misp", 1, 1);
	build_event(&build, "near_returns", 1, 2);
	build_event(&build, "cpu/event=0xc8,umask=1/", 1, 3);
	build_event(&build, inst, 1, 5);
	build.header->asked = 7 << 1;
	object = build_object(&build, TD_OBJECT_ELF, "/nonexistent/libx.so");
	thread = build_thread(&build, 10, "main");
	add_windows(thread, object, 0, (const uint64_t[]){1200, 400, 800, 1600, 1240});
	add_windows(thread, object, 1, (const uint64_t[]){6, 12, 0, 0, 1200});
	report = td_report_new(&(struct td_report_query){0});
	build_add(&build, report);
	ck_assert_int_eq(td_report_finish(report), 0);
}

static void teardown(void)
{
	td_report_free(report);
	build_free(&build);
}

/* 60 in 12000 instructions; the windows' lengths differ by a hundredth. */
START_TEST(shown_by_their_names)
{
	setup("inst");
	ck_assert(report->function[0].node[TD_NODE_RETIRING].present);
	printed_has(report, PRINTED_TEXT, "br_misp 5±0.038/1000 insns");
	printed_has(report, PRINTED_TEXT, "near_returns 10±0.075/1000 insns");
	/* the 95 % bound of none, 3, in as many instructions */
	printed_has(report, PRINTED_TEXT, "cpu/event=0xc8,umask=1/ 0±0.25/1000 insns");
	printed_has(report, PRINTED_JSON, "\"near_returns\": {");
	printed_has(report, PRINTED_CSV, ",\"near_returns_per_cycle_value\",");
	printed_has(report, PRINTED_CSV, ",\"cpu/event=0xc8,umask=1/_per_cycle_low\",");
	teardown();
}
END_TEST

/* Nobody knows how many instructions the windows had. */
START_TEST(shown_by_cycles)
{
	char *text;

	setup("none");
	printed_has(report, PRINTED_TEXT, "br_misp 6±0.045/1000 cycles");
	text = printed(report, PRINTED_TEXT);
	ck_assert_ptr_null(strstr(text, "nan"));
	free(text);
	teardown();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {shown_by_their_names, shown_by_cycles, NULL};

	return unit_main("asked", tests);
}
