// SPDX-License-Identifier: MIT
/* The event tables, and their formulas against published counts. */
#include "decoder/events.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/event_names.h"
#include "decoder/formula.h"
#include "decoder/groups.h"
#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct count {
	const char *name;
	double value;
};

/* Counts a cycle; `counts` ends with a NULL name. */
struct run {
	const struct td_event_family *family;
	const struct count *count;
	double cycles;
	unsigned asked; /* names that nobody counted */
};

static double rate(void *context, const char *name, size_t length)
{
	struct run *run = context;

	if (length == 5 && !strncmp(name, "slots", length))
		return run->family->width;
	if (length == 5 && !strncmp(name, "share", length))
		return 1;
	for (const struct count *c = run->count; c->name; c++) {
		if (strlen(c->name) == length && !strncmp(name, c->name, length))
			return c->value / run->cycles;
	}
	run->asked++;
	return NAN;
}

static double percent(struct run *run, const char *node)
{
	return 100 * td_groups_node(run->family, node, rate, run);
}

/*
 * A published run of perf 6.8 on a Core i5-3337U with both threads of its cores on:
 * cycles and recovery of the core are half of what both threads' _ANY events say.
 */
START_TEST(perf_topdown_l1_of_ivy_bridge)
{
	static const struct count count[] = {
		{"issued", 7641854377.},
		{"retired", 6928824521.},
		{"not_delivered", 28164693296.},
		{"recovery", 994576232. / 2},
		{NULL, 0},
	};
	struct run run = {td_events_named("ivybridge"), count, 25404226006. / 2, 0};

	ck_assert_double_eq_tol(percent(&run, "frontend_bound"), 55.4, 0.05);
	ck_assert_double_eq_tol(percent(&run, "bad_speculation"), 5.3, 0.05);
	ck_assert_double_eq_tol(percent(&run, "retiring"), 13.6, 0.05);
	ck_assert_double_eq_tol(percent(&run, "backend_bound"), 25.6, 0.1);
	ck_assert_uint_eq(run.asked, 0);
}
END_TEST

/* The same run, another command.  perf multiplexed: the backend's parts are of
 * other counts than those that it prints. */
START_TEST(perf_topdown_l2_of_ivy_bridge)
{
	static const struct count count[] = {
		{"issued", 9051453547.},
		{"retired", 8377190585.},
		{"not_delivered", 30611525158.},
		{"recovery", 1043483329. / 2},
		{"cycles_0", 6700364585.},
		{"br_misp", 73080555.},
		{"clears", 10736770.},
		{"ms_uops", 4664908277.},
		{"stalls_mem", 11924966176.},
		{"stalls_total", 22487132522.},
		{"stores", 1372781339.},
		{"rs_empty", 9011996120.},
		{"executed_1", 5126419350.},
		{"executed_2", 2377204405.},
		{"executed_3", 1437479238.},
		{"inst", 3959711240.},
		{NULL, 0},
	};
	struct run run = {td_events_named("ivybridge"), count, 27547459701. / 2, 0};

	ck_assert_double_eq_tol(percent(&run, "fetch_latency"), 48.6, 0.1);
	ck_assert_double_eq_tol(percent(&run, "frontend_bound") -
					percent(&run, "fetch_latency"),
				6.9, 0.1);
	ck_assert_double_eq_tol(percent(&run, "branch_mispredicts"), 4.4, 0.1);
	ck_assert_double_eq_tol(percent(&run, "bad_speculation") -
					percent(&run, "branch_mispredicts"),
				0.6, 0.1);
	ck_assert_double_eq_tol(percent(&run, "heavy_operations"), 7.8, 0.1);
	ck_assert_double_eq_tol(
		percent(&run, "retiring") - percent(&run, "heavy_operations"), 7.4, 0.1);
	ck_assert_uint_eq(run.asked, 0);
}
END_TEST

/* Counts made by hand of fractions that are known: retiring 30, bad 10 (6 by
 * mispredicts), frontend 20 (12 latency), backend 40 % of 1000 cycles. */
START_TEST(skylake_returns_what_counts_were_made_of)
{
	static const struct count count[] = {
		{"issued", 1200 + 200}, {"retired", 1200},     {"recovery", 50},
		{"not_delivered", 800}, {"cycles_0", 120},     {"br_misp", 6},
		{"clears", 4},          {"fused", 200},        {"inst", 1240},
		{"stalls_mem", 200},    {"stalls_total", 240}, {"stores", 50},
		{"ports_1", 60},        {"ports_2", 100},      {NULL, 0},
	};
	struct run run = {td_events_named("skylake"), count, 1000, 0};

	ck_assert_double_eq_tol(percent(&run, "retiring"), 30, 1e-9);
	ck_assert_double_eq_tol(percent(&run, "bad_speculation"), 10, 1e-9);
	ck_assert_double_eq_tol(percent(&run, "frontend_bound"), 20, 1e-9);
	ck_assert_double_eq_tol(percent(&run, "backend_bound"), 40, 1e-9);
	ck_assert_double_eq_tol(percent(&run, "fetch_latency"), 12, 1e-9);
	ck_assert_double_eq_tol(percent(&run, "branch_mispredicts"), 6, 1e-9);
	ck_assert_double_eq_tol(percent(&run, "heavy_operations"), 4, 1e-9);
	/* 250 of 240 + 60 + 0.3 * 100 + 50 */
	ck_assert_double_eq_tol(percent(&run, "memory_bound"), 40 * 250. / 380, 1e-9);
	ck_assert_uint_eq(run.asked, 0);
}
END_TEST

/* Above 1.8 instructions a cycle and below 10 % fetch latency other terms count. */
START_TEST(ivy_bridge_thresholds)
{
	struct count count[] = {
		{"issued", 2000},      {"retired", 2000},   {"recovery", 0},
		{"not_delivered", 40}, {"cycles_0", 10},    {"stalls_mem", 100},
		{"stalls_total", 200}, {"stores", 20},      {"rs_empty", 150},
		{"executed_1", 800},   {"executed_2", 700}, {"executed_3", 600},
		{"inst", 1900},        {NULL, 0},
	};
	struct run run = {td_events_named("ivybridge"), count, 1000, 0};
	double backend = percent(&run, "backend_bound");

	ck_assert_double_eq_tol(percent(&run, "memory_bound"),
				backend * 120 / (200 + 800 - 600 + 20), 1e-9);
	count[12].value = 1700;
	ck_assert_double_eq_tol(percent(&run, "memory_bound"),
				backend * 120 / (200 + 800 - 700 + 20), 1e-9);
	count[3].value = 600;
	count[4].value = 120;
	backend = percent(&run, "backend_bound");
	ck_assert_double_eq_tol(percent(&run, "memory_bound"),
				backend * 120 / (200 + 800 - 700 - 150 + 20), 1e-9);
}
END_TEST

static double one(void *context, const char *name, size_t length)
{
	const struct td_event_family *family = context;

	for (uint32_t i = 0; i < family->events; i++) {
		if (strlen(family->event[i].name) == length &&
		    !strncmp(name, family->event[i].name, length))
			return 0.25 + i;
	}
	return (length == 4 && !strncmp(name, "inst", 4)) ||
			       (length == 5 && !strncmp(name, "slots", 5)) ||
			       (length == 5 && !strncmp(name, "share", 5))
		       ? 4
		       : NAN;
}

/* Each formula can be read and knows all its names; each group fits. */
START_TEST(tables_are_sound)
{
	ck_assert_uint_ge(td_event_family_count, 5);
	for (size_t i = 0; i < td_event_family_count; i++) {
		const struct td_event_family *f = &td_event_families[i];

		ck_assert_ptr_eq(td_events_named(f->name), f);
		ck_assert(f->cpus >= 1 || !f->formulas);
		ck_assert_uint_le(f->events, TD_FAMILY_EVENTS_MAX);
		ck_assert_uint_le(f->groups, TD_FAMILY_GROUPS_MAX);
		ck_assert_uint_lt(strlen(f->name),
				  sizeof(((struct td_file_header *)0)->family));
		for (uint32_t k = 0; k < f->formulas; k++) {
			ck_assert_int_ge(td_topdown_node(f->formula[k].node), 0);
			ck_assert_msg(isfinite(td_groups_node(f, f->formula[k].node, one,
							      (void *)(uintptr_t)f)),
				      "%s: %s", f->name, f->formula[k].text);
		}
		for (uint32_t k = 0; k < f->events; k++)
			ck_assert_uint_lt(strlen(f->event[k].name),
					  sizeof(((struct td_file_event *)0)->name));
		for (uint32_t k = 0; k < f->cpus; k++)
			ck_assert_ptr_eq(td_events_of_cpu(f->cpu[k].vendor,
							  f->cpu[k].family,
							  f->cpu[k].first),
					 f);
	}
}
END_TEST

START_TEST(cpus_are_found)
{
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_INTEL, 6, 0x55)->name, "skylake");
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_INTEL, 6, 0x3e)->name, "ivybridge");
	ck_assert_ptr_null(td_events_of_cpu(TD_VENDOR_AMD, 6, 0x55));
	ck_assert_ptr_null(td_events_of_cpu(TD_VENDOR_NONE, 0, 0));
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_INTEL, 6, 0x97)->name,
			 "sapphirerapids");
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_ATOM, 6, 0x97)->name, "gracemont");
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_ATOM, 6, 0xaa)->name, "crestmont");
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_ATOM, 6, 0xbd)->name, "skymont");
	/* one model, two tables */
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_INTEL, 6, 0xbd)->name, "lioncove");
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_INTEL, 6, 0xaa)->name,
			 "sapphirerapids");
	/* Panther Lake's large cores, and no table of its small ones */
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_INTEL, 6, 0xcc)->name, "cougarcove");
	ck_assert_ptr_null(td_events_of_cpu(TD_VENDOR_ATOM, 6, 0xcc));
	/* Arrow Lake's name, Meteor Lake's cores */
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_INTEL, 6, 0xb5)->name,
			 "sapphirerapids");
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_INTEL, 6, 0xd7)->name,
			 "sapphirerapids");
	/* as Linux tells them apart (arch/x86/kernel/cpu/amd.c) */
	ck_assert_ptr_null(td_events_of_cpu(TD_VENDOR_AMD, 0x19, 0x21));
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_AMD, 0x19, 0x61)->name, "zen4");
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_AMD, 0x1a, 0x24)->name, "zen5");
	ck_assert_ptr_null(td_events_of_cpu(TD_VENDOR_AMD, 0x1a, 0x30));
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_AMD, 0x1a, 0x44)->name, "zen5");
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_AMD, 0x1a, 0x50)->name, "zen6");
	ck_assert_str_eq(td_events_of_cpu(TD_VENDOR_AMD, 0x1a, 0xa0)->name, "zen6");
	ck_assert_ptr_null(td_events_named("no such"));
	ck_assert_int_eq(td_events_find(td_events_named("skylake"), "no such"), -1);
	ck_assert_uint_eq(
		td_events_named("skylake")
			->event[td_events_find(td_events_named("skylake"), "stalls_mem")]
			.config,
		0x140014a3);
}
END_TEST

/* BR_INST_RETIRED.NEAR_RETURN and .NEAR_CALL of intel/perfmon: beside PERF_METRICS they
 * say which windows left their function. */
START_TEST(who_left_a_function)
{
	static const struct {
		uint32_t family, model;
		uint64_t near_calls;
	} cpu[] = {
		{6, 0x7e, 0x02c4},  /* Ice Lake */
		{6, 0x8f, 0x02c4},  /* Sapphire Rapids */
		{6, 0xbd, 0x02c4},  /* Lunar Lake */
		{6, 0xcc, 0x30c4},  /* Panther Lake */
		{18, 0x01, 0x30c4}, /* Nova Lake */
	};

	for (size_t i = 0; i < COUNT(cpu); i++) {
		ck_assert_uint_eq(
			td_events_leaving(cpu[i].family, cpu[i].model, "near_returns"),
			0x08c4);
		ck_assert_uint_eq(
			td_events_leaving(cpu[i].family, cpu[i].model, "near_calls"),
			cpu[i].near_calls);
	}
}
END_TEST

static double value(void *context, const char *name, size_t length)
{
	(void)context;
	return length == 1 && *name == 'x' ? 3 : NAN;
}

START_TEST(formulas)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{"1 + 2 * x", 7},        {"(1 + 2) * x", 9},      {"x / 2 - 1", 0.5},
		{"8 / 2 / 2", 2},        {"-x + 5", 2},           {"min(x, 2.5)", 2.5},
		{"max(x, 2.5)", 3},      {"when(x, 2, 1, y)", 1}, {"10 - 2 - 3", 5},
		{"when(2, x, y, x)", 3}, {" 0.125 ", 0.125},      {"2*-x", -6},
	};
	static const char *const bad[] = {
		"",       "1 +",        "y",          "x x",  "x / 0",
		"min(x)", "what(x, 1)", "(x",         "1..2", "when(y, 1, 2, 3)",
		"x)",     "min(x, y)",  "1 / (x - 3)"};

	for (size_t i = 0; i < COUNT(good); i++)
		ck_assert_msg(fabs(td_formula_value(good[i].text, value, NULL, NULL) -
				   good[i].value) < 1e-12,
			      "%s", good[i].text);
	for (size_t i = 0; i < COUNT(bad); i++)
		ck_assert_msg(isnan(td_formula_value(bad[i], value, NULL, NULL)), "%s",
			      bad[i]);
}
END_TEST

/* A quarter, of what is compared as `context` has it. */
static double quarter(void *context, const char *left, size_t length, double by)
{
	ck_assert_uint_eq(length, strlen(context));
	ck_assert_int_eq(strncmp(left, context, length), 0);
	return by == 1 ? 0.25 : by > 0;
}

START_TEST(chances_in_formulas)
{
	char left[] = "max(x, 2)";

	ck_assert_double_eq_tol(
		td_formula_value("when(max(x, 2), 2, 8, 4)", value, quarter, left), 5,
		1e-12);
	ck_assert_double_eq_tol(
		td_formula_value("when(max(x, 2), 1, 8, 4)", value, quarter, left), 8,
		1e-12);
	/* one branch alone has a value, and is taken, as it seems */
	ck_assert_double_eq_tol(
		td_formula_value("when(max(x, 2), 2, 8, y)", value, quarter, left), 8,
		1e-12);
	ck_assert_double_nan(
		td_formula_value("when(max(x, 2), 2, y, 8)", value, quarter, left));
}
END_TEST

/* As /sys/bus/event_source/devices/cpu/format has them. */
START_TEST(formats_of_terms)
{
	uint64_t config = 0;

	ck_assert(td_event_format_put("config", "config:0-7\n", 0xc5, &config));
	ck_assert(td_event_format_put("config", "config:8-15", 0x14, &config));
	ck_assert(td_event_format_put("config", "config:23", 1, &config));
	ck_assert_uint_eq(config, 0x8014c5);
	config = 0;
	ck_assert(td_event_format_put("config", "config:0-7,32-35", 0x1a0, &config));
	ck_assert_uint_eq(config, TD_EVENT(0x1a0, 0));
	ck_assert(!td_event_format_put("config", "config:23", 2, &config));
	ck_assert(!td_event_format_put("config", "config1:0-15", 2, &config));
	ck_assert(!td_event_format_put("config2", "config1:0-15", 2, &config));
	ck_assert(!td_event_format_put("config2", "config:0-15", 2, &config));
	ck_assert(!td_event_format_put("config", "config:", 0, &config));
	ck_assert(!td_event_format_put("config", "config:7-0", 0, &config));
	ck_assert(!td_event_format_put("config", "config:0-64", 0, &config));
	ck_assert(!td_event_format_put("config", "config:0-7,", 0, &config));
	ck_assert_uint_eq(config, TD_EVENT(0x1a0, 0));
	config = 0;
	ck_assert(td_event_format_put("config2", "config2:0-31\n", 300, &config));
	ck_assert_uint_eq(config, 300);
	ck_assert(!td_event_format_put("config2", "config2:0-31", 1ull << 32, &config));
}
END_TEST

/* Eight slots a cycle. */
static const struct count zen5[] = {{"retired", 2400},
				    {"dispatched", 3200},
				    {"frontend", 1600},
				    {"backend", 3200},
				    {"no_dispatch", 120},
				    {"mispredicts", 9},
				    {"resyncs", 1},
				    {"load_stalls", 60},
				    {"all_stalls", 80},
				    {"microcode", 240},
				    {NULL, 0}};

/* 1000 cycles of known fractions: retiring 30, bad 10, frontend 20, backend 40 %. */
START_TEST(other_families)
{
	static const struct count icelake[] = {
		{"retired", 1500},  {"backend", 1980},     {"not_delivered", 1100},
		{"dropping", 100},  {"cycles_0", 140},     {"br_misp", 3},
		{"clears", 1},      {"issued", 2000},      {"ms_uops", 100},
		{"dec0", 60},       {"dec0_cycles", 30},   {"mite_uops", 900},
		{"stalls_mem", 90}, {"stalls_total", 150}, {"stores", 10},
		{"ports_1", 20},    {"ports_2", 100},      {"clears_count", 4},
		{NULL, 0}};
	static const struct count gracemont[] = {{"retired", 1500},
						 {"frontend", 1000},
						 {"backend", 2000},
						 {"fetch_latency_slots", 400},
						 {"core_slots", 500},
						 {"br_misp_slots", 450},
						 {NULL, 0}};
	static const struct count skymont[] = {{"retired", 2400},
					       {"frontend", 1600},
					       {"backend", 3200},
					       {"fetch_latency_slots", 640},
					       {"core_slots", 800},
					       {"br_misp_slots", 720},
					       {NULL, 0}};
	static const struct count lioncove[] = {
		{"retired", 2400},      {"not_delivered", 1600},
		{"backend", 3200},      {"latency_cycles", 120},
		{"br_misp_slots", 720}, {"memory", 2000},
		{"heavy", 400},         {NULL, 0}};
	static const struct count zen4[] = {{"retired", 1800},
					    {"dispatched", 2400},
					    {"frontend", 1200},
					    {"backend", 2400},
					    {"no_dispatch", 120},
					    {"mispredicts", 9},
					    {"resyncs", 1},
					    {"load_stalls", 60},
					    {"all_stalls", 80},
					    {"microcode", 180},
					    {NULL, 0}};
	static const struct {
		const char *family;
		const struct count *count;
		double fetch_latency, branch_mispredicts, memory_bound, heavy_operations;
	} run[] = {
		{"icelake", icelake, 12, 7.5, 40 * 100. / (150 + 20 + 30 + 10),
		 30 * 0.05 + 30 * 30. / 900},
		{"gracemont", gracemont, 8, 9, 30, NAN},
		{"skymont", skymont, 8, 9, 30, NAN},
		{"lioncove", lioncove, 12, 9, 25, 5},
		{"cougarcove", lioncove, 12, 9, 25, 5},
		{"zen4", zen4, 12, 9, 30, 3},
		{"zen5", zen5, 12, 9, 30, 3},
		{"zen6", zen5, 12, 9, 30, 3},
	};

	for (size_t i = 0; i < COUNT(run); i++) {
		struct run r = {td_events_named(run[i].family), run[i].count, 1000, 0};

		ck_assert_double_eq_tol(percent(&r, "retiring"), 30, 1e-9);
		ck_assert_double_eq_tol(percent(&r, "bad_speculation"), 10, 1e-9);
		ck_assert_double_eq_tol(percent(&r, "frontend_bound"), 20, 1e-9);
		ck_assert_double_eq_tol(percent(&r, "backend_bound"), 40, 1e-9);
		ck_assert_double_eq_tol(percent(&r, "fetch_latency"),
					run[i].fetch_latency, 1e-9);
		ck_assert_double_eq_tol(percent(&r, "branch_mispredicts"),
					run[i].branch_mispredicts, 1e-9);
		ck_assert_double_eq_tol(percent(&r, "memory_bound"), run[i].memory_bound,
					1e-9);
		if (!isnan(run[i].heavy_operations))
			ck_assert_double_eq_tol(percent(&r, "heavy_operations"),
						run[i].heavy_operations, 1e-9);
		ck_assert_uint_eq(r.asked, 0);
	}
}
END_TEST

/* The same of Arm's: 5 mispredicts in 1000 cycles take 4 cycles each. */
START_TEST(arm_families)
{
	static const struct {
		const char *family;
		struct count count[7];
	} run[] = {
		{"neoverse-v1",
		 {{"stall_slot", 4960},
		  {"stall_slot_frontend", 1760},
		  {"stall_slot_backend", 3200},
		  {"op_retired", 2400},
		  {"op_spec", 3040},
		  {"br_mis_pred", 5}}},
		{"neoverse-v2",
		 {{"stall_slot", 4960},
		  {"stall_slot_frontend", 1640},
		  {"stall_slot_backend", 3320},
		  {"op_retired", 2400},
		  {"op_spec", 3040},
		  {"br_mis_pred", 5}}},
		{"neoverse-n2",
		 {{"stall_slot", 3100},
		  {"stall_slot_frontend", 1025},
		  {"stall_slot_backend", 2075},
		  {"op_retired", 1500},
		  {"op_spec", 1900},
		  {"br_mis_pred", 5}}},
		{"neoverse-v3", /* 20 cycles of flushes */
		 {{"stall_slot", 6200},
		  {"stall_slot_frontend", 2200},
		  {"stall_slot_backend", 4000},
		  {"op_retired", 2400},
		  {"op_spec", 3040},
		  {"stall_frontend_flush", 20}}},
		{"neoverse-n3",
		 {{"stall_slot", 3100},
		  {"stall_slot_frontend", 1100},
		  {"stall_slot_backend", 2000},
		  {"op_retired", 1500},
		  {"op_spec", 1900},
		  {"stall_frontend_flush", 20}}},
		{"neoverse-n2-r0p2", /* 1000 stalled slots too many */
		 {{"stall_slot", 4100},
		  {"stall_slot_frontend", 2025},
		  {"stall_slot_backend", 2075},
		  {"op_retired", 1500},
		  {"op_spec", 1900},
		  {"br_mis_pred", 5}}},
	};

	for (size_t i = 0; i < COUNT(run); i++) {
		struct run r = {td_events_named(run[i].family), run[i].count, 1000, 0};

		ck_assert_double_eq_tol(percent(&r, "retiring"), 30, 1e-9);
		ck_assert_double_eq_tol(percent(&r, "bad_speculation"), 10, 1e-9);
		ck_assert_double_eq_tol(percent(&r, "frontend_bound"), 20, 1e-9);
		ck_assert_double_eq_tol(percent(&r, "backend_bound"), 40, 1e-9);
		ck_assert_uint_eq(r.asked, 0);
	}
}
END_TEST

static const char *family_of_arm(uint64_t midr)
{
	uint32_t implementer, part;
	enum td_vendor vendor = td_events_arm_cpu(midr, &implementer, &part);
	const struct td_event_family *family =
		td_events_of_cpu(vendor, implementer, part);

	return family ? family->name : "none";
}

/* Implementer, variant, architecture, part, revision. */
START_TEST(arm_cpus_are_found)
{
	ck_assert_str_eq(family_of_arm(0x413fd0c1), "neoverse-n1"); /* r3p1 */
	ck_assert_str_eq(family_of_arm(0x411fd401), "neoverse-v1"); /* r1p1 */
	ck_assert_str_eq(family_of_arm(0x410fd4f1), "neoverse-v2");
	ck_assert_str_eq(family_of_arm(0x410fd490), "neoverse-n2-r0p2");
	ck_assert_str_eq(family_of_arm(0x410fd493), "neoverse-n2");
	ck_assert_str_eq(family_of_arm(0x411fd490), "neoverse-n2");
	ck_assert_str_eq(family_of_arm(0x6d0fd490), "neoverse-n2-r0p2"); /* Cobalt 100 */
	ck_assert_str_eq(family_of_arm(0x6d0fd493), "neoverse-n2");
	ck_assert_str_eq(family_of_arm(0x410fd083), "none"); /* Cortex-A72 */
	ck_assert_str_eq(family_of_arm(0x480fd0c1), "none");
	ck_assert_str_eq(family_of_arm(0x410fd841), "neoverse-v3");
	ck_assert_str_eq(family_of_arm(0x410fd830), "neoverse-v3"); /* V3AE */
	ck_assert_str_eq(family_of_arm(0x410fd8e0), "neoverse-n3");
	ck_assert_uint_eq(td_events_named("neoverse-n1")->formulas, 0);
}
END_TEST

/* No text can make the parser run away. */
START_TEST(formulas_of_any_depth)
{
	char text[4096];

	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_double_nan(td_formula_value(text, value, NULL, NULL));
	memset(text, '-', sizeof(text) - 1);
	ck_assert_double_nan(td_formula_value(text, value, NULL, NULL));
}
END_TEST

int main(void)
{
	return unit_main("events",
			 (const TTest *const[]){
				 perf_topdown_l1_of_ivy_bridge,
				 perf_topdown_l2_of_ivy_bridge,
				 skylake_returns_what_counts_were_made_of,
				 ivy_bridge_thresholds, tables_are_sound, cpus_are_found,
				 who_left_a_function, formats_of_terms, other_families,
				 arm_families, arm_cpus_are_found, formulas,
				 chances_in_formulas, formulas_of_any_depth, NULL});
}
