// SPDX-License-Identifier: MIT
/*
 * Damaged profiles of all kinds: whatever their bytes say, they are refused, or a report
 * of them is printed.  What that does beyond its memory the sanitizers see.  In the
 * environment TD_MUTATIONS asks for more of them, TD_SEED for others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report.h"
#include "tests/unit/json.h"
#include "tests/unit/log_windows.h"
#include "tests/unit/printed.h"
#include "tests/unit/uniform.h"
#include "tests/unit/unit.h"

#define WINDOWS 700u
#define WINDOWS_CLOCK 1500u /* empty ones enough to say which instructions are ours */
#define MUTATIONS 8u        /* of each kind and program */
#define AT_ONCE 8u          /* damaged places at most */

static unsigned asked(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);

	return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static uint64_t below(uint64_t n)
{
	return (uint64_t)(uniform() * (double)n);
}

/* Numbers that a reader may stumble over, and any. */
static uint64_t number(void)
{
	static const uint64_t odd[] = {
		0,         1,          2,          3,          4,          7,
		8,         16,         31,         32,         255,        256,
		0xffff,    0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 1000,
		INT64_MAX, UINT64_MAX, 1ull << 63, 1ull << 52};
	uint64_t any = below(UINT32_MAX);

	return below(3) ? odd[below(sizeof(odd) / sizeof(odd[0]))] : any << below(33);
}

/* What tells a reader how to take the rest; strings, which it takes as they are, are met
 * anywhere. */
static size_t in_header(void)
{
	static const size_t field[] = {
		offsetof(struct td_file_header, version),
		offsetof(struct td_file_header, counters),
		offsetof(struct td_file_header, backend),
		offsetof(struct td_file_header, period_unit),
		offsetof(struct td_file_header, long_period),
		offsetof(struct td_file_header, short_period),
		offsetof(struct td_file_header, level),
		offsetof(struct td_file_header, window_size),
		offsetof(struct td_file_header, windows_max),
		offsetof(struct td_file_header, windows_seen),
		offsetof(struct td_file_header, slots_a_cycle),
		offsetof(struct td_file_header, raw_totals),
		offsetof(struct td_file_header, windows),
		offsetof(struct td_file_header, groups),
		offsetof(struct td_file_header, events),
		offsetof(struct td_file_header, drilled),
		offsetof(struct td_file_header, burst),
		offsetof(struct td_file_header, small_group),
		offsetof(struct td_file_header, small_width),
		offsetof(struct td_file_header, asked),
	};

	return field[below(sizeof(field) / sizeof(field[0]))];
}

/* Group and value of one of the events. */
static size_t in_events(void)
{
	return offsetof(struct td_file_header, event) +
	       below(12) * sizeof(struct td_file_event) +
	       offsetof(struct td_file_event, group) + 2 * below(2);
}

static void put(struct build *build, size_t at, size_t size)
{
	uint64_t value = number();

	if (at + size <= build_size(build))
		memcpy(build->bytes + at, &value, size);
}

/* A word of a block, of which all but one or two are windows. */
static size_t in_blocks(const struct build *build)
{
	return TD_BLOCK_SIZE + below(build_size(build) / 4 - TD_BLOCK_SIZE / 4) * 4;
}

static void damage(struct build *build)
{
	for (uint64_t n = 1 + below(AT_ONCE); n; n--) {
		uint64_t where = below(8);

		if (where == 0)
			put(build, in_header(), 4);
		else if (where == 1)
			put(build, in_events(), 2);
		else if (where == 2)
			put(build, below(build_size(build)), 1);
		else if (where == 3)
			put(build, in_blocks(build), 8);
		else
			put(build, in_blocks(build), 4);
	}
}

/* Windows that are alike in something, most of them or all: what varies not at all, or
 * is 0 in each. */
static void damage_column(struct build *build)
{
	size_t at = below(sizeof(struct td_file_window) / 4) * 4;
	uint64_t value = number(), few = 2 * below(4); /* are left as they were */

	for (size_t block = 1; block < build->header->blocks; block++) {
		struct td_file_block *head =
			(void *)(build->bytes + block * TD_BLOCK_SIZE);
		size_t records =
			(TD_BLOCK_SIZE - TD_BLOCK_HEADER) / sizeof(struct td_file_window);

		for (size_t i = 0; head->kind == TD_BLOCK_WINDOWS && i < records; i++) {
			unsigned char *record = (unsigned char *)head + TD_BLOCK_HEADER +
						i * sizeof(struct td_file_window);

			if (((struct td_file_window *)record)->state != TD_WINDOW_FREE &&
			    below(8) >= few)
				memcpy(record + at, &value, 4);
		}
	}
}

static void report(const struct build *build, size_t length)
{
	struct td_report *report;
	struct td_profile profile;
	char why[256];
	char *text;

	if (build_parse(build, length, &profile, why, sizeof(why)) != 0)
		return;
	report = td_report_new(&(struct td_report_query){.parts = 1});
	ck_assert_int_eq(td_report_add(report, &profile, "p", TD_FATE_EXITED), 0);
	td_profile_free(&profile);
	ck_assert_int_eq(td_report_finish(report), 0);
	text = printed(report, PRINTED_JSON);
	ck_assert_msg(is_json(text), "%s", text);
	free(text);
	free(printed(report, PRINTED_PAGE));
	free(printed(report, PRINTED_CSV));
	td_report_free(report);
}

static void damage_all(enum log_kind kind, struct sim_setup setup)
{
	unsigned char *sound;
	struct build build;
	struct sim sim;
	size_t size;

	setup.calls = kind == LOG_PAIRED;
	sim_run(&sim, &setup);
	log_windows(&build, &sim, kind);
	size = build_size(&build);
	sound = malloc(size);
	ck_assert_ptr_nonnull(sound);
	memcpy(sound, build.bytes, size);
	for (unsigned i = asked("TD_MUTATIONS", MUTATIONS); i; i--) {
		memcpy(build.bytes, sound, size);
		if (below(4) == 0)
			damage_column(&build);
		damage(&build);
		report(&build, below(16) ? size : below(size));
	}
	free(sound);
	build_free(&build);
	sim_free(&sim);
}

/* Programs and processors that take the estimator's different ways. */
static const struct sim_setup setups[] = {
	{.kind = SIM_AWKWARD, .shortest = 2, .most = 600},
	{.kind = SIM_AWKWARD,
	 .shortest = 2,
	 .most = 600,
	 .edge = 40,
	 .edge_spread = 1,
	 .noise = 0.5},
	{.kind = SIM_CHAIN, .shortest = 56, .most = 600, .block = 20},
};

START_TEST(every_kind)
{
	state += 2 * (uint64_t)asked("TD_SEED", 0);
	for (int kind = LOG_METRICS; kind <= LOG_CLOCK; kind++) {
		for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
			struct sim_setup setup = setups[i];

			setup.windows = kind == LOG_CLOCK ? WINDOWS_CLOCK : WINDOWS;
			setup.seed = 4;
			setup.clock = kind == LOG_CLOCK;
			damage_all((enum log_kind)kind, setup);
		}
	}
}
END_TEST

int main(void)
{
	return unit_main("mutated", (const TTest *const[]){every_kind, NULL});
}
