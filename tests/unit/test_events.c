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

static bool has_event(const struct td_event_group *group, uint32_t event)
{
	for (uint32_t i = 0; i < group->events; i++)
		if (group->event[i] == event)
			return true;
	return false;
}

/* The group has all events of the node. */
static bool counts_node(const struct td_event_family *f,
			const struct td_event_group *group, const char *node)
{
	for (uint32_t i = 0; i < f->terms; i++)
		if (!strcmp(f->term[i].node, node) && !has_event(group, f->term[i].event))
			return false;
	return true;
}

static void check_level_1(const struct td_event_family *f, const char *node)
{
	uint32_t groups = 0;

	for (uint32_t g = 0; g < f->judgeds; g++)
		groups += !f->judged[g].nodes && counts_node(f, &f->judged[g], node);
	ck_assert_msg(groups, "%s: nobody counts %s with returns", f->name, node);
}

/* Judged groups count what the others do, but for the core's other thread, and leave
 * room for returns; level 1 is in those that are always counted. */
START_TEST(judged_groups_are_sound)
{
	uint32_t families = 0;

	for (size_t i = 0; i < td_event_family_count; i++) {
		const struct td_event_family *f = &td_event_families[i];
		uint32_t all = 0, judged = 0;

		if (!f->judgeds)
			continue;
		families++;
		ck_assert_uint_lt(f->judgeds + 1, TD_GROUPS_MAX);
		ck_assert_int_ge(td_events_find(f, "near_returns"), 0);
		for (uint32_t g = 0; g < f->groups; g++)
			for (uint32_t k = 0; k < f->group[g].events; k++)
				if (strcmp(f->group[g].name, "smt") != 0)
					all |= 1u << f->group[g].event[k];
		for (uint32_t g = 0; g < f->judgeds; g++) {
			ck_assert_uint_lt(f->judged[g].events, TD_GROUP_EVENTS);
			for (uint32_t k = 0; k < f->judged[g].events; k++)
				judged |= 1u << f->judged[g].event[k];
		}
		ck_assert_uint_eq(all, judged);
		for (uint32_t k = 0; k < f->terms; k++)
			check_level_1(f, f->term[k].node);
	}
	ck_assert_uint_ge(families, 5);
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
	/* its large cores have no table: that one is not theirs */
	ck_assert_ptr_null(td_events_of_cpu(TD_VENDOR_INTEL, 6, 0xbd));
	ck_assert_ptr_null(td_events_named("no such"));
	ck_assert_int_eq(td_events_find(td_events_named("skylake"), "no such"), -1);
	ck_assert_uint_eq(
		td_events_named("skylake")
			->event[td_events_find(td_events_named("skylake"), "stalls_mem")]
			.config,
		0x140014a3);
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
		ck_assert_msg(fabs(td_formula_value(good[i].text, value, NULL) -
				   good[i].value) < 1e-12,
			      "%s", good[i].text);
	for (size_t i = 0; i < COUNT(bad); i++)
		ck_assert_msg(isnan(td_formula_value(bad[i], value, NULL)), "%s", bad[i]);
}
END_TEST

/* As /sys/bus/event_source/devices/cpu/format has them. */
START_TEST(formats_of_terms)
{
	uint64_t config = 0;

	ck_assert(td_event_format_put("config:0-7\n", 0xc5, &config));
	ck_assert(td_event_format_put("config:8-15", 0x14, &config));
	ck_assert(td_event_format_put("config:23", 1, &config));
	ck_assert_uint_eq(config, 0x8014c5);
	config = 0;
	ck_assert(td_event_format_put("config:0-7,32-35", 0x1a0, &config));
	ck_assert_uint_eq(config, TD_EVENT(0x1a0, 0));
	ck_assert(!td_event_format_put("config:23", 2, &config));
	ck_assert(!td_event_format_put("config1:0-15", 2, &config));
	ck_assert(!td_event_format_put_in("config2", "config1:0-15", 2, &config));
	ck_assert(!td_event_format_put_in("config2", "config:0-15", 2, &config));
	ck_assert(!td_event_format_put("config:", 0, &config));
	ck_assert(!td_event_format_put("config:7-0", 0, &config));
	ck_assert(!td_event_format_put("config:0-64", 0, &config));
	ck_assert(!td_event_format_put("config:0-7,", 0, &config));
	ck_assert_uint_eq(config, TD_EVENT(0x1a0, 0));
	config = 0;
	ck_assert(td_event_format_put_in("config2", "config2:0-31\n", 300, &config));
	ck_assert_uint_eq(config, 300);
	ck_assert(
		!td_event_format_put_in("config2", "config2:0-31", 1ull << 32, &config));
}
END_TEST

/* 1000 cycles of known fractions: retiring 30, bad 10, frontend 20, backend 40 %. */
START_TEST(other_families)
{
	static const struct count icelake[] = {
		{"retired", 1500},  {"backend", 2000},     {"not_delivered", 1100},
		{"dropping", 100},  {"cycles_0", 140},     {"br_misp", 3},
		{"clears", 1},      {"issued", 2000},      {"ms_uops", 100},
		{"dec0", 60},       {"dec0_cycles", 30},   {"mite_uops", 900},
		{"stalls_mem", 90}, {"stalls_total", 150}, {"stores", 10},
		{"ports_1", 20},    {"ports_2", 100},      {NULL, 0}};
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
		{"zen4", zen4, 12, 9, 30, 3},
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
	ck_assert_str_eq(family_of_arm(0x410fd083), "none"); /* Cortex-A72 */
	ck_assert_str_eq(family_of_arm(0x480fd0c1), "none");
	ck_assert_uint_eq(td_events_named("neoverse-n1")->formulas, 0);
}
END_TEST

/* No text can make the parser run away. */
START_TEST(formulas_of_any_depth)
{
	char text[4096];

	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_double_nan(td_formula_value(text, value, NULL));
	memset(text, '-', sizeof(text) - 1);
	ck_assert_double_nan(td_formula_value(text, value, NULL));
}
END_TEST

/* `n` equal windows of 4000 slots with so many events. */
static void windows(struct td_file_sum *sum, double x, uint64_t n)
{
	*sum = (struct td_file_sum){(uint64_t)(int64_t)(x * (double)n), x * x * (double)n,
				    x * 4000 * (double)n};
}

static struct td_groups_plan plan;
static struct td_groups groups;
static struct td_file_sum first[TD_COUNTERS_MAX];
static struct td_topdown_value node[TD_NODES];
static uint16_t values_of_group_4;

/* Skylake with the counts above, a window being 1000 cycles. */
static void setup(void)
{
	static const struct {
		const char *name;
		uint16_t group, value;
		double count;
	} event[] = {
		{"inst", 0, 5, 1240},        {"cycles_0", 1, 1, 120},
		{"br_misp", 1, 2, 6},        {"clears", 1, 3, 4},
		{"inst", 1, 5, 1240},        {"stalls_mem", 2, 1, 200},
		{"stalls_total", 2, 2, 240}, {"stores", 2, 3, 50},
		{"ports_1", 2, 4, 60},       {"ports_2", 3, 1, 100},
		{"retired", 3, 2, 1200},     {"fused", 3, 3, 200},
	};
	static const double level1[] = {4000, 1200, 400, 800, 1600, 1240};

	memset(&plan, 0, sizeof(plan));
	memset(&groups, 0, sizeof(groups));
	memset(node, 0, sizeof(node));
	plan.family = td_events_named("skylake");
	plan.groups = 4;
	plan.width = 4;
	plan.alone = (struct td_estimate){1, 1, 1};
	values_of_group_4 = 0;
	for (size_t i = 0; i < TD_COUNTERS_MAX; i++)
		plan.first[i] = i < COUNT(level1) ? (int)i : -1;
	for (size_t i = 0; i < COUNT(level1); i++)
		windows(&first[i], level1[i], 100);
	for (int g = 1; g < 4; g++) {
		groups.group[g].windows = 100;
		windows(&groups.group[g].sum[0], 4000, 100);
	}
	for (size_t i = 0; i < COUNT(event); i++) {
		struct td_file_event *to = &plan.event[plan.events++];

		snprintf(to->name, sizeof(to->name), "%s", event[i].name);
		to->group = event[i].group;
		to->value = event[i].value;
		if (event[i].group)
			windows(&groups.group[event[i].group].sum[event[i].value],
				event[i].count, 100);
	}
}

static void level1(void)
{
	static const struct td_topdown_map map = {
		.slots = 0, .node = {1, 2, 3, 4, -1, -1, -1, -1, -1, -1, -1, -1}};

	td_topdown_values(&map, first, 100, 0, node);
}

static void assert_node(int n, double expected)
{
	ck_assert(node[n].present);
	ck_assert_double_eq_tol(100 * node[n].estimate.value, expected, 1e-6);
	ck_assert_double_le(node[n].estimate.low, node[n].estimate.value);
	ck_assert_double_ge(node[n].estimate.high, node[n].estimate.value);
}

START_TEST(groups_give_level_2)
{
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_FETCH_LATENCY, 12);
	assert_node(TD_NODE_FETCH_BANDWIDTH, 8);
	assert_node(TD_NODE_BRANCH_MISPREDICTS, 6);
	assert_node(TD_NODE_MACHINE_CLEARS, 4);
	assert_node(TD_NODE_HEAVY_OPERATIONS, 4);
	assert_node(TD_NODE_LIGHT_OPERATIONS, 26);
	assert_node(TD_NODE_MEMORY_BOUND, 40 * 250. / 380);
	ck_assert(node[TD_NODE_MEMORY_BOUND].flagged);
	ck_assert_uint_eq(node[TD_NODE_MEMORY_BOUND].df, 99);
	/* equal windows: hardly any interval */
	ck_assert_double_lt(node[TD_NODE_MEMORY_BOUND].estimate.high -
				    node[TD_NODE_MEMORY_BOUND].estimate.low,
			    1e-3);
}
END_TEST

/* A group without windows: its nodes are blank, the others stay. */
START_TEST(groups_that_are_missing)
{
	groups.group[2].windows = 0;
	memset(groups.group[2].sum, 0, sizeof(groups.group[2].sum));
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	ck_assert(!node[TD_NODE_MEMORY_BOUND].present);
	ck_assert(!node[TD_NODE_CORE_BOUND].present);
	assert_node(TD_NODE_FETCH_LATENCY, 12);
	assert_node(TD_NODE_BACKEND_BOUND, 40);
	memset(node, 0, sizeof(node));
	level1();
	td_groups_values(&plan, first, 100, NULL, node);
	ck_assert(!node[TD_NODE_FETCH_LATENCY].present);
}
END_TEST

/* A scatter of the counts shows in the interval: +- 50 % of the mispredicts. */
START_TEST(groups_know_their_scatter)
{
	double half;

	groups.group[1].sum[2].squares *= 1.25;
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	half = (node[TD_NODE_BRANCH_MISPREDICTS].estimate.high -
		node[TD_NODE_BRANCH_MISPREDICTS].estimate.low) /
	       2;
	/* 2 sigma of a mean of 100: 10 % of 6 in 10 * br / (br + 4) */
	ck_assert_double_gt(half, 0.0020);
	ck_assert_double_lt(half, 0.0030);
}
END_TEST

/* Half an event of own cost that may be wrong, a window; but nothing is below zero. */
START_TEST(groups_know_their_own_cost)
{
	struct td_groups window = {0};
	const struct td_own_cost cost = {.windows = 50, .unsure = {[2] = 0.29}};
	const struct td_topdown_value *br = &node[TD_NODE_BRANCH_MISPREDICTS];
	double half;

	for (int i = 0; i < 100; i++)
		td_groups_add(&window, 1, groups.group[1].sum, 3, 1, &cost);
	memcpy(groups.group[1].unsure, window.group[1].unsure,
	       sizeof(window.group[1].unsure));
	ck_assert_double_eq_tol(groups.group[1].unsure[2], 29, 1e-9);
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	/* 6 +- 0.57 mispredicts and 4 clears */
	half = (br->estimate.high - br->estimate.low) / 2;
	ck_assert_double_eq_tol(100 * half, 10 * (6 / 10. - 5.43 / 9.43), 0.03);
	groups.group[1].unsure[2] = 2900;
	level1();
	memset(&node[TD_NODES_LEVEL1], 0, (TD_NODES - TD_NODES_LEVEL1) * sizeof(node[0]));
	td_groups_values(&plan, first, 100, &groups, node);
	ck_assert_double_le(br->estimate.high, 0.12 + 1e-9);
}
END_TEST

static void add_to_group_4(const char *name, double count)
{
	struct td_file_event *to = &plan.event[plan.events++];

	snprintf(to->name, sizeof(to->name), "%s", name);
	to->group = 4;
	to->value = ++values_of_group_4;
	windows(&groups.group[4].sum[to->value], count, 100);
}

/* Half of the time the other thread of the core runs as well: three quarters of the
 * slots are ours, and of a cycle of recovery no more than that is lost to us. */
static void assert_three_quarters(double known)
{
	struct td_estimate alone = {.value = NAN};

	/* level 1 in several groups: its events are raw */
	groups.group[4].windows = 100;
	windows(&groups.group[4].sum[0], 4000, 100);
	add_to_group_4("not_delivered", 800);
	add_to_group_4("issued", 1400);
	add_to_group_4("recovery", 50);
	td_groups_alone(&plan, first, 100, &groups, &alone);
	ck_assert(isnan(known) || fabs(alone.value - known) < 1e-9);
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_RETIRING, 30 / 0.75);
	assert_node(TD_NODE_BAD_SPECULATION, (1400 - 1200 + 3 * 50) / 30.);
}

START_TEST(groups_on_a_shared_core)
{
	add_to_group_4("one_thread", 20);
	add_to_group_4("ref_clock", 40);
	assert_three_quarters(0.5);
}
END_TEST

START_TEST(groups_that_count_their_slots)
{
	add_to_group_4("own_slots", 3000);
	assert_three_quarters(0.5);
}
END_TEST

/* A function without windows of that group has as much of its core as the run. */
START_TEST(groups_that_share_as_the_run_does)
{
	plan.alone = (struct td_estimate){0.5, 0.5, 0.5};
	assert_three_quarters(NAN);
}
END_TEST

static void assert_rate(int i, double per_cycle, double per_instruction)
{
	struct td_event_rate rate;

	ck_assert(td_groups_rate(&plan, (uint32_t)i, first, 100, &groups, &rate));
	ck_assert_double_eq_tol(rate.per_cycle.value, per_cycle, 1e-9);
	ck_assert_double_eq_tol(rate.per_instruction.value, per_instruction, 1e-9);
}

/* Group 2 has no instructions of its own; the second "inst" is the first one again. */
START_TEST(rates_of_events)
{
	struct td_event_rate rate;

	assert_rate(0, 1.24, 1);
	assert_rate(1, 0.12, 120. / 1240);
	ck_assert(td_groups_rate(&plan, 1, first, 100, &groups, &rate));
	ck_assert(!rate.asked);
	ck_assert(!td_groups_rate(&plan, 4, first, 100, &groups, &rate));
	ck_assert(td_groups_rate(&plan, 5, first, 100, &groups, &rate));
	ck_assert_double_nan(rate.per_instruction.value);
	snprintf(plan.event[2].name, sizeof(plan.event[2].name), "branch-misses");
	ck_assert(td_groups_rate(&plan, 2, first, 100, &groups, &rate));
	ck_assert(rate.asked);
	ck_assert(!td_groups_rate(&plan, 2, first, 100, NULL, &rate));
}
END_TEST

/* Of a function that is long the sums of its windows are taken, but where windows hold
 * edges, or it is short: then what was told apart. */
START_TEST(rates_told_apart)
{
	groups.rate[1] = (struct td_groups_rate){.known = 1, .df = 50, .value = 0.2};
	groups.rate[4] = (struct td_groups_rate){.known = 1, .df = 50, .value = 2};
	assert_rate(1, 0.2, 0.1);
	groups.rate[1].own = 1;
	assert_rate(1, 0.12, 120. / 1240);
	groups.rate[1].edges = 1;
	assert_rate(1, 0.2, 0.1);
	level1();
	td_groups_values(&plan, first, 100, &groups, node);
	assert_node(TD_NODE_FETCH_LATENCY, 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("events");
	TCase *tests = tcase_create("tables and formulas");
	TCase *sums = tcase_create("groups");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tests, perf_topdown_l1_of_ivy_bridge);
	tcase_add_test(tests, perf_topdown_l2_of_ivy_bridge);
	tcase_add_test(tests, skylake_returns_what_counts_were_made_of);
	tcase_add_test(tests, ivy_bridge_thresholds);
	tcase_add_test(tests, tables_are_sound);
	tcase_add_test(tests, judged_groups_are_sound);
	tcase_add_test(tests, cpus_are_found);
	tcase_add_test(tests, formats_of_terms);
	tcase_add_test(tests, other_families);
	tcase_add_test(tests, arm_families);
	tcase_add_test(tests, arm_cpus_are_found);
	tcase_add_test(tests, formulas);
	tcase_add_test(tests, formulas_of_any_depth);
	tcase_add_checked_fixture(sums, setup, NULL);
	tcase_add_test(sums, groups_give_level_2);
	tcase_add_test(sums, groups_that_are_missing);
	tcase_add_test(sums, groups_know_their_scatter);
	tcase_add_test(sums, groups_on_a_shared_core);
	tcase_add_test(sums, groups_that_count_their_slots);
	tcase_add_test(sums, groups_that_share_as_the_run_does);
	tcase_add_test(sums, rates_of_events);
	tcase_add_test(sums, rates_told_apart);
	tcase_add_test(sums, groups_know_their_own_cost);
	suite_add_tcase(suite, tests);
	suite_add_tcase(suite, sums);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
