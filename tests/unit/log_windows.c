/* SPDX-License-Identifier: MIT */
#include "tests/unit/log_windows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const metrics_counters[] = {BUILD_TOPDOWN, "near_returns", NULL};
static const char *const clock_counters[] = {BUILD_TOPDOWN, "near_returns",
					     "instructions", NULL};
static const char *const group_counters[] = {
	"slots", "retiring", "bad_speculation", "frontend_bound", "backend_bound", "inst",
	"none",  NULL};
static const char *const all_counters[] = {
	"slots",         "retiring", "bad_speculation", "frontend_bound",
	"backend_bound", "inst",     "near_returns",    NULL};
static const char *const paired_counters[] = {
	"slots",          "retiring",      "bad_speculation",
	"frontend_bound", "backend_bound", "inst",
	"none",           "none",          NULL};
static const char *const part_counters[] = {"slots", "retired", "not_delivered",
					    "none",  "inst",    NULL};
static const char *const shared_counters[] = {"slots", "retired", "not_delivered", "none",
					      "none",  "inst",    "near_returns",  NULL};

uint64_t log_address(unsigned function)
{
	return 0x1000 * (uint64_t)(function + 1);
}

static void put_values(const struct td_separate_window *from, struct td_file_window *to)
{
	uint64_t metrics = 0;

	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		metrics |= (uint64_t)lround(255. * from->value[k] / from->slots)
			   << (8 * k);
	to->value[0] = (uint32_t)from->slots;
	to->value[1] = (uint32_t)metrics;
	to->value[2] = (uint32_t)(metrics >> 32);
	to->value[3] = LOG_BASE_RETURNS + from->calls;
}

/*
 * The same by Skylake's events on four counters: level 1 without returns, or two of its
 * nodes with them, one beside a rare event that no header names.
 */
static void put_group(const struct td_separate_window *from, unsigned group,
		      struct td_file_window *to)
{
	const float *node = from->value;
	long bad = lround(node[TD_NODE_BAD_SPECULATION]), recovery = bad / 8;
	long retired = lround(node[TD_NODE_RETIRING]);
	long value[3][4] = {
		{retired, bad, lround(node[TD_NODE_FRONTEND_BOUND]),
		 lround(node[TD_NODE_BACKEND_BOUND])},
		{retired, lround(node[TD_NODE_FRONTEND_BOUND]), recovery / 16},
		{retired + bad - 4 * recovery, retired, recovery},
	};

	to->group = (uint8_t)group;
	to->value[0] = (uint32_t)from->slots;
	for (int i = 0; i < 4; i++)
		to->value[1 + i] = (uint32_t)value[group][i];
	to->value[6] = LOG_BASE_RETURNS + from->calls;
}

static void describe_groups(struct td_file_header *header)
{
	static const struct td_file_event event[] = {
		{"inst", 0, 5, 0, 0, 0},          {"retired", 1, 1, 0, 0, 0},
		{"not_delivered", 1, 2, 0, 0, 0}, {"near_returns", 1, 6, 0, 0, 0},
		{"issued", 2, 1, 0, 0, 0},        {"retired", 2, 2, 0, 0, 0},
		{"recovery", 2, 3, 0, 0, 0},      {"near_returns", 2, 6, 0, 0, 0},
	};

	header->backend = TD_BACKEND_EVENTS;
	header->groups = 3;
	header->events = sizeof(event) / sizeof(event[0]);
	snprintf(header->family, sizeof(header->family), "skylake");
	memcpy(header->event, event, sizeof(event));
}

/* Counters are not among the events. */
static void describe_all(struct td_file_header *header)
{
	static const struct td_file_event event[] = {
		{"inst", 0, 5, 0, 0, 0},          {"retired", 1, 1, 0, 0, 0},
		{"not_delivered", 1, 2, 0, 0, 0}, {"issued", 2, 1, 0, 0, 0},
		{"retired", 2, 2, 0, 0, 0},       {"recovery", 2, 3, 0, 0, 0},
	};

	describe_groups(header);
	header->events = sizeof(event) / sizeof(event[0]);
	memcpy(header->event, event, sizeof(event));
}

static void describe_parts(struct td_file_header *header)
{
	static const struct td_file_event event[] = {
		{"retired", 0, 1, 0, 0, 0},  {"not_delivered", 0, 2, 0, 0, 0},
		{"issued", 1, 1, 0, 0, 0},   {"retired", 1, 2, 0, 0, 0},
		{"recovery", 1, 3, 0, 0, 0},
	};

	describe_groups(header);
	header->windows = TD_WINDOWS_VERNIER;
	header->groups = 2;
	header->events = sizeof(event) / sizeof(event[0]);
	memcpy(header->event, event, sizeof(event));
}

static void describe_paired(struct td_file_header *header, int ticking)
{
	static const struct td_file_event event[] = {
		{"inst", 0, 5, 0, 0, 0},         {"issued", 1, 1, 0, 0, 0},
		{"retired", 1, 2, 0, 0, 0},      {"near_returns", 1, 6, 0, 0, 0},
		{"near_calls", 1, 7, 0, 0, 0},   {"not_delivered", 2, 1, 0, 0, 0},
		{"recovery", 2, 2, 0, 0, 0},     {"near_returns", 2, 6, 0, 0, 0},
		{"near_calls", 2, 7, 0, 0, 0},   {"stores", 3, 1, 0, 0, 0},
		{"near_returns", 3, 6, 0, 0, 0}, {"inst", 1, 5, 0, 0, 0},
		{"inst", 2, 5, 0, 0, 0},
	};

	describe_groups(header);
	header->groups = 4;
	header->events = sizeof(event) / sizeof(event[0]) - (ticking ? 0 : 2);
	memcpy(header->event, event, header->events * sizeof(event[0]));
}

/* The program's events behind returns and calls, half of each; the last group has no
 * calls. */
static void put_paired(const struct td_separate_window *from, unsigned group,
		       struct td_file_window *to)
{
	uint32_t value[TD_NODES_LEVEL1] = {0};

	put_group(from, 2, to);
	memcpy(value, to->value + 1, sizeof(value)); /* issued, retired, recovery */
	put_group(from, 1, to);
	value[3] = to->value[2]; /* not delivered */
	put_group(from, 0, to);
	to->group = (uint8_t)group;
	if (!group) {
		to->value[6] = 0;
		return;
	}
	memset(to->value + 1, 0, sizeof(value));
	if (group < 3) {
		to->value[1] = group == 1 ? value[0] : value[3];
		to->value[2] = group == 1 ? value[1] : value[2];
		to->value[7] = LOG_BASE_CALLS + (from->calls + 1u) / 2;
	} else {
		to->value[1] = value[2];
	}
	to->value[6] = LOG_BASE_RETURNS + from->calls / 2u;
}

static void describe_shared(struct td_file_header *header)
{
	static const struct td_file_event event[] = {
		{"near_returns", 0, 6, 0, 0, 0},  {"retired", 0, 1, 0, 0, 0},
		{"not_delivered", 0, 2, 0, 0, 0}, {"near_returns", 1, 6, 0, 0, 0},
		{"issued", 1, 1, 0, 0, 0},        {"retired", 1, 2, 0, 0, 0},
		{"recovery", 1, 3, 0, 0, 0},      {"near_returns", 2, 6, 0, 0, 0},
		{"one_thread", 2, 1, 0, 0, 0},    {"ref_clock", 2, 2, 0, 0, 0},
	};

	describe_groups(header);
	header->events = sizeof(event) / sizeof(event[0]);
	memcpy(header->event, event, sizeof(event));
}

/* The second and third of the groups, and one that says that half of the time is shared,
 * but none of that of empty windows. */
static void put_shared(const struct td_separate_window *from, unsigned group,
		       struct td_file_window *to)
{
	put_group(from, group < 2 ? 1 + group : 0, to);
	to->group = (uint8_t)group;
	if (group == 2) {
		to->value[1] = (uint32_t)(from->slots / (from->empty ? 6 : 12));
		to->value[2] = (uint32_t)(from->slots / 6);
		to->value[3] = to->value[4] = 0;
	}
}

/* The second and third of the groups, without returns. */
static void put_part(const struct td_separate_window *from, unsigned part,
		     struct td_file_window *to)
{
	put_group(from, 1 + part, to);
	to->group = (uint8_t)part;
	to->value[4] = to->value[6] = 0;
}

void log_windows(struct build *build, const struct sim *sim, enum log_kind kind)
{
	static const char *const *const names[] = {
		metrics_counters, group_counters,  all_counters,     part_counters,
		shared_counters,  paired_counters, metrics_counters, clock_counters,
		paired_counters,  clock_counters};
	uint32_t object, thread;
	struct td_file_place **place =
		calloc(sim->functions, sizeof(struct td_file_place *));

	build_start(build, names[kind]);
	build->header->backend = TD_BACKEND_METRICS;
	build->header->level = 2;
	build->header->period_unit = TD_UNIT_CYCLES;
	build->header->long_period = 1000000;
	build->header->short_period = 300;
	build->header->slots_a_cycle = 6;
	build->header->windows_max = 190000;
	if (kind == LOG_JUDGED)
		describe_groups(build->header);
	if (kind == LOG_ALL)
		describe_all(build->header);
	if (kind == LOG_PARTS)
		describe_parts(build->header);
	if (kind == LOG_SHARED)
		describe_shared(build->header);
	if (kind == LOG_PAIRED || kind == LOG_TICKING)
		describe_paired(build->header, kind == LOG_TICKING);
	object = build_object(build, TD_OBJECT_ELF, "/nowhere/program");
	thread = build_thread(build, 42, "main");
	for (unsigned f = 0; f < sim->functions; f++)
		place[f] = build_place(build, thread, TD_PLACE_FUNCTION, object,
				       log_address(f));
	for (size_t i = 0; i < sim->windows; i++) {
		const struct td_separate_window *from = &sim->window[i];
		struct td_file_window *to = build_logged(build, place[from->open]);

		to->thread = 42;
		to->requested = (uint32_t)from->requested
				<< (kind == LOG_HALVES && i % 2);
		to->end[0].offset = from->open_offset;
		to->end[1].offset = from->close_offset;
		to->end[1].address = log_address(from->close);
		if (kind == LOG_JUDGED || kind == LOG_ALL)
			put_group(from, i % 3, to);
		else if (kind == LOG_PARTS)
			put_part(from, i % 2, to);
		else if (kind == LOG_SHARED)
			put_shared(from, i % 3, to);
		else if (kind == LOG_PAIRED || kind == LOG_TICKING)
			put_paired(from, LOG_PAIRED_GROUP(i), to);
		else
			put_values(from, to);
		if (kind == LOG_CLOCK || kind == LOG_UNSURE)
			to->value[4] = LOG_BASE_TICKS + (uint32_t)sim->clock[i] +
				       (kind == LOG_UNSURE && i % 3 == 0);
		if (kind == LOG_TICKING)
			to->value[5] =
				LOG_BASE_TICKS + to->group + (uint32_t)sim->clock[i];
		if (from->empty)
			to->state = TD_WINDOW_EMPTY;
		else if (from->sharp)
			to->state = TD_WINDOW_EXACT;
		if (from->empty)
			continue;
		place[from->open]->samples++;
		if (from->open != from->close)
			to->reject = TD_REJECT_FUNCTION;
		else if (from->calls && kind != LOG_PARTS)
			to->reject = TD_REJECT_NESTED;
	}
	free(place);
}
