// SPDX-License-Identifier: MIT
/*
 * Formulas as their authors publish them (intel/perfmon, of Sandy and Ivy Bridge in
 * TMA_Metrics-full.csv; perf's -M TopdownL1 and L2, linux tools/perf/pmu-events) against
 * the tables' on the same counts: every event by its published encoding, every node by
 * the published expression, written here once more, on random counts.
 */
#include "decoder/events.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/groups.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROUNDS 500
#define CYCLES 1e6
#define CMASK(n) ((n##ull) << 24)
#define EDGE (1ull << 18)

/* A published event: its encoding, and at most so many a cycle. */
struct event {
	const char *name;
	uint64_t config;
	double most;
};

/* Counts of the events of one family; those that are needed to make sense are scaled
 * so that level 1 adds up to no more than all slots. */
struct counts {
	const struct td_event_family *family;
	const struct event *event; /* a NULL name ends */
	double value[TD_FAMILY_EVENTS_MAX];
	double inst;
	double share; /* the thread's part of its core's slots */
};

typedef double expression_fn(const struct counts *c);

struct node {
	const char *name;
	expression_fn *value;
};

/* Of the published name. */
static double n(const struct counts *c, const char *name)
{
	for (size_t i = 0; c->event[i].name; i++)
		if (!strcmp(c->event[i].name, name))
			return c->value[i];
	ck_abort_msg("no event %s", name);
	return NAN;
}

static double slots(const struct counts *c)
{
	return c->share * c->family->width * CYCLES;
}

/* The table's name to a rate, by the encoding that both have. */
static double rate(void *context, const char *name, size_t length)
{
	const struct counts *c = context;

	if (length == 5 && !strncmp(name, "slots", length))
		return c->share * c->family->width;
	if (length == 5 && !strncmp(name, "share", length))
		return c->share;
	if (length == 4 && !strncmp(name, "inst", length))
		return c->inst / CYCLES;
	for (uint32_t i = 0; i < c->family->events; i++) {
		if (strlen(c->family->event[i].name) != length ||
		    strncmp(c->family->event[i].name, name, length) != 0)
			continue;
		for (size_t k = 0; c->event[k].name; k++)
			if (c->event[k].config == c->family->event[i].config)
				return c->value[k] / CYCLES;
	}
	return NAN;
}

static double share(const struct counts *c, const char *name)
{
	return n(c, name) / slots(c);
}

static double misses(const struct counts *c)
{
	return n(c, "BR_MISP_RETIRED.ALL_BRANCHES") /
	       (n(c, "BR_MISP_RETIRED.ALL_BRANCHES") + n(c, "MACHINE_CLEARS.COUNT"));
}

/* Sandy Bridge to Cascade Lake; with hyper-threading on recovery is the thread's own, at
 * its share (doc/events.md). */
static double core_frontend(const struct counts *c)
{
	return share(c, "IDQ_UOPS_NOT_DELIVERED.CORE");
}

static double core_latency(const struct counts *c)
{
	return 4 * share(c, "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE");
}

static double core_bad(const struct counts *c)
{
	return (n(c, "UOPS_ISSUED.ANY") - n(c, "UOPS_RETIRED.RETIRE_SLOTS") +
		c->share * 4 * n(c, "INT_MISC.RECOVERY_CYCLES")) /
	       slots(c);
}

static double core_mispredicts(const struct counts *c)
{
	return misses(c) * core_bad(c);
}

static double core_retiring(const struct counts *c)
{
	return share(c, "UOPS_RETIRED.RETIRE_SLOTS");
}

static double core_backend(const struct counts *c)
{
	return 1 - (core_frontend(c) + core_bad(c) + core_retiring(c));
}

static double skylake_backend(const struct counts *c)
{
	return 1 - core_frontend(c) -
	       (n(c, "UOPS_ISSUED.ANY") + 4 * n(c, "INT_MISC.RECOVERY_CYCLES")) /
		       slots(c);
}

static double ports_memory(const struct counts *c, double retiring, double backend)
{
	double stores = n(c, "EXE_ACTIVITY.BOUND_ON_STORES");

	return (n(c, "CYCLE_ACTIVITY.STALLS_MEM_ANY") + stores) /
	       (n(c, "CYCLE_ACTIVITY.STALLS_TOTAL") +
		(n(c, "EXE_ACTIVITY.1_PORTS_UTIL") +
		 retiring * n(c, "EXE_ACTIVITY.2_PORTS_UTIL")) +
		stores) *
	       backend;
}

static double skylake_memory(const struct counts *c)
{
	return ports_memory(c, core_retiring(c), skylake_backend(c));
}

static double skylake_heavy(const struct counts *c)
{
	return (n(c, "UOPS_RETIRED.RETIRE_SLOTS") + n(c, "UOPS_RETIRED.MACRO_FUSED") -
		c->inst) /
	       slots(c);
}

static double haswell_heavy(const struct counts *c)
{
	return n(c, "UOPS_RETIRED.RETIRE_SLOTS") / n(c, "UOPS_ISSUED.ANY") *
	       n(c, "IDQ.MS_UOPS") / slots(c);
}

/* Sandy Bridge to Broadwell, by the names in OLDER_EVENTS; `own` is the thread's part of
 * the executed ones. */
static double executed_memory(const struct counts *c, double own)
{
	double stores = n(c, "RESOURCE_STALLS.SB");
	double few = n(c, c->inst / CYCLES > 1.8 ? "executed:c3" : "executed:c2");
	double empty = core_latency(c) > 0.1 ? n(c, "RS_EVENTS.EMPTY_CYCLES") : 0;

	return (fmin(CYCLES, n(c, "stalls, memory")) + stores) /
	       (fmin(CYCLES, n(c, "stalls")) + (n(c, "executed:c1") - few) * own - empty +
		stores) *
	       core_backend(c);
}

static double older_memory(const struct counts *c)
{
	return executed_memory(c, 1);
}

static double haswell_memory(const struct counts *c)
{
	return executed_memory(c, c->share);
}

/* Ice Lake and Sapphire Rapids: PERF_METRICS' fractions are the events that count the
 * same slots; the four add up to all slots. */
static double dropped(const struct counts *c)
{
	return share(c, "INT_MISC.UOP_DROPPING");
}

static double golden_frontend(const struct counts *c)
{
	return share(c, "IDQ_BUBBLES.CORE") - dropped(c);
}

static double golden_backend(const struct counts *c)
{
	return share(c, "TOPDOWN.BACKEND_BOUND_SLOTS");
}

static double golden_retiring(const struct counts *c)
{
	return share(c, "UOPS_RETIRED.SLOTS");
}

static double golden_bad(const struct counts *c)
{
	return fmax(1 - (golden_frontend(c) + golden_backend(c) + golden_retiring(c)), 0);
}

/* A clear begins with a cycle that the backend is not told of. */
static double icelake_backend(const struct counts *c)
{
	return golden_backend(c) + 5 * n(c, "INT_MISC.CLEARS_COUNT") / slots(c);
}

static double icelake_bad(const struct counts *c)
{
	return fmax(1 - (golden_frontend(c) + icelake_backend(c) + golden_retiring(c)),
		    0);
}

static double golden_mispredicts(const struct counts *c)
{
	return share(c, "TOPDOWN.BR_MISPREDICT_SLOTS");
}

static double golden_latency(const struct counts *c)
{
	return 6 * share(c, "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE") - dropped(c);
}

static double golden_heavy(const struct counts *c)
{
	return share(c, "UOPS_RETIRED.HEAVY");
}

static double golden_memory(const struct counts *c)
{
	return share(c, "TOPDOWN.MEMORY_BOUND_SLOTS");
}

static double icelake_latency(const struct counts *c)
{
	return 5 * share(c, "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE") -
	       dropped(c);
}

static double icelake_mispredicts(const struct counts *c)
{
	return misses(c) * icelake_bad(c);
}

static double icelake_memory(const struct counts *c)
{
	return ports_memory(c, golden_retiring(c), icelake_backend(c));
}

static double icelake_heavy(const struct counts *c)
{
	return n(c, "UOPS_RETIRED.SLOTS") / n(c, "UOPS_ISSUED.ANY") *
		       share(c, "IDQ.MS_UOPS") +
	       golden_retiring(c) *
		       (n(c, "UOPS_DECODED.DEC0") - n(c, "UOPS_DECODED.DEC0:c1")) /
		       n(c, "IDQ.MITE_UOPS");
}

static double lion_frontend(const struct counts *c)
{
	return share(c, "IDQ_BUBBLES.CORE");
}

static double lion_latency(const struct counts *c)
{
	return 8 * share(c, "IDQ_BUBBLES.FETCH_LATENCY");
}

static double lion_bad(const struct counts *c)
{
	return fmax(0, 1 - lion_frontend(c) - golden_backend(c) - golden_retiring(c));
}

/* Small cores.  Their bad speculation is published as an event of its own; here it is
 * what the others leave, so that level 1 adds up to 1. */
static double small_frontend(const struct counts *c)
{
	return share(c, "TOPDOWN_FE_BOUND.ALL");
}

static double small_backend(const struct counts *c)
{
	return share(c, "TOPDOWN_BE_BOUND.ALL");
}

static double small_retiring(const struct counts *c)
{
	return share(c, "TOPDOWN_RETIRING.ALL");
}

static double small_latency(const struct counts *c)
{
	return share(c, "TOPDOWN_FE_BOUND.FRONTEND_LATENCY");
}

static double small_mispredicts(const struct counts *c)
{
	return share(c, "TOPDOWN_BAD_SPECULATION.MISPREDICT");
}

/* tma_resource_bound; what is left of the backend is tma_core_bound */
static double small_resource(const struct counts *c)
{
	return small_backend(c) - share(c, "TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS");
}

/* Zen 4, 5 and 6: pipeline.json of amdzen4, amdzen5 and amdzen6. */
static double zen_frontend(const struct counts *c)
{
	return share(c, "de_no_dispatch_per_slot.no_ops_from_frontend");
}

static double zen_bad(const struct counts *c)
{
	return (n(c, "de_src_op_disp.all") - n(c, "ex_ret_ops")) / slots(c);
}

static double zen_backend(const struct counts *c)
{
	return share(c, "de_no_dispatch_per_slot.backend_stalls");
}

static double zen_retiring(const struct counts *c)
{
	return share(c, "ex_ret_ops");
}

static double zen_latency(const struct counts *c)
{
	return c->family->width * n(c, "no_ops_from_frontend,cmask") / slots(c);
}

static double zen_mispredicts(const struct counts *c)
{
	return zen_bad(c) * n(c, "ex_ret_brn_misp") /
	       (n(c, "ex_ret_brn_misp") + n(c, "resyncs"));
}

static double zen_memory(const struct counts *c)
{
	return zen_backend(c) * (n(c, "ex_no_retire.load_not_complete") /
				 n(c, "ex_no_retire.not_complete"));
}

static double zen_microcode(const struct counts *c)
{
	return zen_retiring(c) * (n(c, "ex_ret_ucode_ops") / n(c, "ex_ret_ops"));
}

/* Neoverse: sbsa.json, neoverse-v1, -v3, -n3, -n2r0p0 and -n2r0p3-v2/metrics.json. */
static double arm_frontend(const struct counts *c)
{
	return share(c, "STALL_SLOT_FRONTEND");
}

static double arm_backend(const struct counts *c)
{
	return share(c, "STALL_SLOT_BACKEND");
}

static double arm_wrong(const struct counts *c)
{
	return n(c, "BR_MIS_PRED") / CYCLES;
}

static double arm_parts(const struct counts *c, double part, double stalled)
{
	return part * (1 - stalled / (CYCLES * c->family->width));
}

static double arm_done(const struct counts *c)
{
	return n(c, "OP_RETIRED") / n(c, "OP_SPEC");
}

static double arm_retiring(const struct counts *c)
{
	return arm_parts(c, arm_done(c), n(c, "STALL_SLOT"));
}

static double arm_bad(const struct counts *c)
{
	return arm_parts(c, 1 - arm_done(c), n(c, "STALL_SLOT")) + 4 * arm_wrong(c);
}

static double v1_frontend(const struct counts *c)
{
	return arm_frontend(c) - 4 * arm_wrong(c);
}

static double v2_frontend(const struct counts *c)
{
	return arm_frontend(c) - arm_wrong(c);
}

static double v2_backend(const struct counts *c)
{
	return arm_backend(c) - 3 * arm_wrong(c);
}

/* V3 and N3 count what V1 and V2 take 4 cycles a mispredict for */
static double arm_flush(const struct counts *c)
{
	return n(c, "STALL_FRONTEND_FLUSH") / CYCLES;
}

static double v3_frontend(const struct counts *c)
{
	return arm_frontend(c) - arm_flush(c);
}

static double v3_bad(const struct counts *c)
{
	return arm_parts(c, 1 - arm_done(c), n(c, "STALL_SLOT")) + arm_flush(c);
}

/* the erratum: a slot too many each cycle */
static double r0p2_frontend(const struct counts *c)
{
	return (n(c, "STALL_SLOT_FRONTEND") - CYCLES) / slots(c) - arm_wrong(c);
}

static double r0p2_retiring(const struct counts *c)
{
	return arm_parts(c, arm_done(c), n(c, "STALL_SLOT") - CYCLES);
}

static double r0p2_bad(const struct counts *c)
{
	return arm_parts(c, 1 - arm_done(c), n(c, "STALL_SLOT") - CYCLES) +
	       4 * arm_wrong(c);
}

/* `most` is chosen so that level 1 stays within all slots. */
#define CORE_EVENTS                                                                      \
	{"UOPS_ISSUED.ANY", TD_EVENT(0x0e, 1), 2},                                       \
		{"UOPS_RETIRED.RETIRE_SLOTS", TD_EVENT(0xc2, 2), 1.5},                   \
		{"IDQ_UOPS_NOT_DELIVERED.CORE", TD_EVENT(0x9c, 1), 1},                   \
		{"IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE",                      \
		 TD_EVENT(0x9c, 1) | CMASK(4), 0.25},                                    \
		{"BR_MISP_RETIRED.ALL_BRANCHES", TD_EVENT(0xc5, 0), 0.02},               \
		{"BR_INST_RETIRED.NEAR_RETURN", TD_EVENT(0xc4, 8), 0.1},                 \
		{"BR_INST_RETIRED.NEAR_CALL", TD_EVENT(0xc4, 2), 0.1},                   \
		{"CPU_CLK_THREAD_UNHALTED.ONE_THREAD_ACTIVE", TD_EVENT(0x3c, 2), 0.01},  \
		{"CPU_CLK_THREAD_UNHALTED.REF_XCLK", TD_EVENT(0x3c, 1), 0.03},           \
	{                                                                                \
		"MACHINE_CLEARS.COUNT", TD_EVENT(0xc3, 1) | CMASK(1) | EDGE, 0.01        \
	}

static const struct event skylake_events[] = {
	CORE_EVENTS,
	{"INT_MISC.RECOVERY_CYCLES", TD_EVENT(0x0d, 1), 0.1},
	{"UOPS_RETIRED.MACRO_FUSED", TD_EVENT(0xc2, 4), 0.3},
	{"CYCLE_ACTIVITY.STALLS_MEM_ANY", TD_EVENT(0xa3, 0x14) | CMASK(20), 0.5},
	{"CYCLE_ACTIVITY.STALLS_TOTAL", TD_EVENT(0xa3, 4) | CMASK(4), 0.6},
	{"EXE_ACTIVITY.BOUND_ON_STORES", TD_EVENT(0xa6, 0x40), 0.1},
	{"EXE_ACTIVITY.1_PORTS_UTIL", TD_EVENT(0xa6, 2), 0.2},
	{"EXE_ACTIVITY.2_PORTS_UTIL", TD_EVENT(0xa6, 4), 0.2},
	{NULL, 0, 0}};

/*
 * "stalls, memory" is CYCLE_ACTIVITY.STALLS_LDM_PENDING; of Sandy Bridge
 * STALLS_L1D_PENDING, of Broadwell STALLS_MEM_ANY.  "stalls" is CYCLES_NO_EXECUTE; of
 * Sandy Bridge CYCLES_NO_DISPATCH, of Broadwell STALLS_TOTAL.  "executed" is
 * UOPS_EXECUTED.THREAD (CYCLES_GE_1_UOP_EXEC and so on); of Sandy Bridge
 * UOPS_DISPATCHED.THREAD, of Haswell UOPS_EXECUTED.CORE.
 */
#define OLDER_EVENTS(umask)                                                              \
	{                                                                                \
		CORE_EVENTS,                                                             \
			{"INT_MISC.RECOVERY_CYCLES", TD_EVENT(0x0d, 3) | CMASK(1), 0.1}, \
			{"IDQ.MS_UOPS", TD_EVENT(0x79, 0x30), 0.2},                      \
			{"stalls, memory", TD_EVENT(0xa3, 6) | CMASK(6), 0.5},           \
			{"stalls", TD_EVENT(0xa3, 4) | CMASK(4), 0.6},                   \
			{"RESOURCE_STALLS.SB", TD_EVENT(0xa2, 8), 0.1},                  \
			{"RS_EVENTS.EMPTY_CYCLES", TD_EVENT(0x5e, 1), 0.2},              \
			{"executed:c1", TD_EVENT(0xb1, umask) | CMASK(1), 0.8},          \
			{"executed:c2", TD_EVENT(0xb1, umask) | CMASK(2), 0.2},          \
			{"executed:c3", TD_EVENT(0xb1, umask) | CMASK(3), 0.1},          \
		{                                                                        \
			NULL, 0, 0                                                       \
		}                                                                        \
	}
static const struct event older_events[] = OLDER_EVENTS(1);
static const struct event haswell_events[] = OLDER_EVENTS(2);

static const struct event icelake_events[] = {
	{"UOPS_RETIRED.SLOTS", TD_EVENT(0xc2, 2), 2},
	{"TOPDOWN.BACKEND_BOUND_SLOTS", TD_EVENT(0xa4, 2), 1.5},
	{"IDQ_BUBBLES.CORE", TD_EVENT(0x9c, 1), 1},
	{"INT_MISC.UOP_DROPPING", TD_EVENT(0x0d, 0x10), 0.1},
	{"INT_MISC.CLEARS_COUNT", TD_EVENT(0x0d, 1) | CMASK(1) | EDGE, 0.05},
	{"IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE", TD_EVENT(0x9c, 1) | CMASK(5),
	 0.2},
	{"BR_MISP_RETIRED.ALL_BRANCHES", TD_EVENT(0xc5, 0), 0.02},
	{"MACHINE_CLEARS.COUNT", TD_EVENT(0xc3, 1) | CMASK(1) | EDGE, 0.01},
	{"UOPS_ISSUED.ANY", TD_EVENT(0x0e, 1), 2},
	{"IDQ.MS_UOPS", TD_EVENT(0x79, 0x30), 0.2},
	{"IDQ.MITE_UOPS", TD_EVENT(0x79, 4), 1},
	{"UOPS_DECODED.DEC0", TD_EVENT(0x56, 1), 0.3},
	{"UOPS_DECODED.DEC0:c1", TD_EVENT(0x56, 1) | CMASK(1), 0.2},
	{"CYCLE_ACTIVITY.STALLS_MEM_ANY", TD_EVENT(0xa3, 0x14) | CMASK(20), 0.5},
	{"CYCLE_ACTIVITY.STALLS_TOTAL", TD_EVENT(0xa3, 4) | CMASK(4), 0.6},
	{"EXE_ACTIVITY.BOUND_ON_STORES", TD_EVENT(0xa6, 0x40) | CMASK(2), 0.1},
	{"EXE_ACTIVITY.1_PORTS_UTIL", TD_EVENT(0xa6, 2), 0.2},
	{"EXE_ACTIVITY.2_PORTS_UTIL", TD_EVENT(0xa6, 4), 0.2},
	{NULL, 0, 0}};

static const struct event sapphire_events[] = {
	{"UOPS_RETIRED.SLOTS", TD_EVENT(0xc2, 2), 2.5},
	{"TOPDOWN.BACKEND_BOUND_SLOTS", TD_EVENT(0xa4, 2), 2},
	{"IDQ_BUBBLES.CORE", TD_EVENT(0x9c, 1), 1},
	{"IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE", TD_EVENT(0x9c, 1) | CMASK(6), 0.15},
	{"INT_MISC.UOP_DROPPING", TD_EVENT(0xad, 0x10), 0.1},
	{"TOPDOWN.BR_MISPREDICT_SLOTS", TD_EVENT(0xa4, 8), 0.3},
	{"TOPDOWN.MEMORY_BOUND_SLOTS", TD_EVENT(0xa4, 0x10), 1},
	{"UOPS_RETIRED.HEAVY", TD_EVENT(0xc2, 1), 1},
	{NULL, 0, 0}};

/* Lion and Cougar Cove: the formulas are PERF_METRICS's, whose fields these count. */
static const struct event lioncove_events[] = {
	{"UOPS_RETIRED.SLOTS", TD_EVENT(0xc2, 2), 3},
	{"TOPDOWN.BACKEND_BOUND_SLOTS", TD_EVENT(0xa4, 2), 3},
	{"IDQ_BUBBLES.CORE", TD_EVENT(0x9c, 1), 1.5},
	{"IDQ_BUBBLES.FETCH_LATENCY", TD_EVENT(0x9c, 4), 0.1},
	{"TOPDOWN.BR_MISPREDICT_SLOTS", TD_EVENT(0xa4, 8), 0.3},
	{"TOPDOWN.MEMORY_BOUND_SLOTS", TD_EVENT(0xa4, 0x10), 1},
	{"UOPS_RETIRED.HEAVY", TD_EVENT(0xc2, 1), 1},
	{NULL, 0, 0}};

#define SMALL_EVENTS(retiring, frontend, backend)                                        \
	{                                                                                \
		{"TOPDOWN_RETIRING.ALL", retiring, 2},                                   \
			{"TOPDOWN_FE_BOUND.ALL", frontend, 1.4},                         \
			{"TOPDOWN_BE_BOUND.ALL", backend, 1.4},                          \
			{"TOPDOWN_FE_BOUND.FRONTEND_LATENCY", TD_EVENT(0x71, 0x72), 1},  \
			{"TOPDOWN_BAD_SPECULATION.MISPREDICT", TD_EVENT(0x73, 4), 0.2},  \
			{"TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS", TD_EVENT(0x74, 1), 0.5}, \
		{                                                                        \
			NULL, 0, 0                                                       \
		}                                                                        \
	}
static const struct event gracemont_events[] =
	SMALL_EVENTS(TD_EVENT(0xc2, 0), TD_EVENT(0x71, 0), TD_EVENT(0x74, 0));
static const struct event crestmont_events[] =
	SMALL_EVENTS(TD_EVENT(0x72, 0), TD_EVENT(0x71, 0), TD_EVENT(0x74, 0));
static const struct event skymont_events[] =
	SMALL_EVENTS(TD_EVENT(0xc2, 2), TD_EVENT(0x9c, 1), TD_EVENT(0xa4, 2));

#define ZEN_EVENTS(cmask, resyncs)                                                       \
	{                                                                                \
		{"ex_ret_ops", TD_EVENT(0xc1, 0), 2},                                    \
			{"de_src_op_disp.all", TD_EVENT(0xaa, 7), 3},                    \
			{"de_no_dispatch_per_slot.no_ops_from_frontend",                 \
			 TD_EVENT(0x1a0, 1), 1},                                         \
			{"de_no_dispatch_per_slot.backend_stalls",                       \
			 TD_EVENT(0x1a0, 0x1e), 1.5},                                    \
			{"no_ops_from_frontend,cmask", TD_EVENT(0x1a0, 1) | cmask, 0.1}, \
			{"ex_ret_brn_misp", TD_EVENT(0xc3, 0), 0.02},                    \
			{"resyncs", resyncs, 0.01},                                      \
			{"ex_no_retire.load_not_complete", TD_EVENT(0xd6, 0xa2), 0.3},   \
			{"ex_no_retire.not_complete", TD_EVENT(0xd6, 2), 0.6},           \
			{"ex_ret_ucode_ops", TD_EVENT(0x1c2, 0), 0.2},                   \
		{                                                                        \
			NULL, 0, 0                                                       \
		}                                                                        \
	}
static const struct event zen4_events[] = ZEN_EVENTS(CMASK(6), TD_EVENT(0x96, 0));
static const struct event zen5_events[] = ZEN_EVENTS(CMASK(8), TD_EVENT(0x9f, 1));
static const struct event zen6_events[] = ZEN_EVENTS(CMASK(8), TD_EVENT(0x9f, 1));

static const struct event arm_events[] = {{"STALL_SLOT", TD_EVENT(0x3f, 0), 3},
					  {"STALL_SLOT_FRONTEND", TD_EVENT(0x3e, 0), 1.5},
					  {"STALL_SLOT_BACKEND", TD_EVENT(0x3d, 0), 2},
					  {"OP_RETIRED", TD_EVENT(0x3a, 0), 2},
					  {"OP_SPEC", TD_EVENT(0x3b, 0), 3},
					  {"BR_MIS_PRED", TD_EVENT(0x10, 0), 0.02},
					  {"STALL_FRONTEND_FLUSH", 0x8162, 0.1},
					  {NULL, 0, 0}};

#define NODES_MAX 9

static const struct published {
	const char *family;
	const struct event *event;
	double share;                /* the thread's part of its core's slots */
	struct node node[NODES_MAX]; /* all that the table has a formula for */
} published[] = {
#define NODES(frontend, latency, bad, mispredicts, backend, memory, retiring, heavy)     \
	{                                                                                \
		{"frontend_bound", frontend}, {"fetch_latency", latency},                \
			{"bad_speculation", bad}, {"branch_mispredicts", mispredicts},   \
			{"backend_bound", backend}, {"memory_bound", memory},            \
			{"retiring", retiring},                                          \
		{                                                                        \
			"heavy_operations", heavy                                        \
		}                                                                        \
	}
#define OLDER(name, as, share)                                                           \
	{                                                                                \
#name, as##_events, share,                                               \
			NODES(core_frontend, core_latency, core_bad, core_mispredicts,   \
			      core_backend, as##_memory, core_retiring, haswell_heavy)   \
	}
	/* with 0.5 the other thread always runs: half of what is the core's */
	OLDER(sandybridge, older, 1),
	OLDER(sandybridge, older, 0.5),
	OLDER(ivybridge, older, 1),
	OLDER(ivybridge, older, 0.5),
	OLDER(haswell, haswell, 1),
	OLDER(haswell, haswell, 0.5),
	OLDER(broadwell, older, 1),
	OLDER(broadwell, older, 0.5),
	{"skylake", skylake_events, 1,
	 NODES(core_frontend, core_latency, core_bad, core_mispredicts, skylake_backend,
	       skylake_memory, core_retiring, skylake_heavy)},
	{"icelake", icelake_events, 1,
	 NODES(golden_frontend, icelake_latency, icelake_bad, icelake_mispredicts,
	       icelake_backend, icelake_memory, golden_retiring, icelake_heavy)},
	{"sapphirerapids", sapphire_events, 1,
	 NODES(golden_frontend, golden_latency, golden_bad, golden_mispredicts,
	       golden_backend, golden_memory, golden_retiring, golden_heavy)},
#define LION(name)                                                                       \
	{                                                                                \
#name, lioncove_events, 1,                                               \
			NODES(lion_frontend, lion_latency, lion_bad, golden_mispredicts, \
			      golden_backend, golden_memory, golden_retiring,            \
			      golden_heavy)                                              \
	}
	LION(lioncove),
	LION(cougarcove),
#define SMALL(name)                                                                      \
	{                                                                                \
#name, name##_events, 1,                                                 \
		{                                                                        \
			{"frontend_bound", small_frontend},                              \
				{"fetch_latency", small_latency},                        \
				{"branch_mispredicts", small_mispredicts},               \
				{"backend_bound", small_backend},                        \
				{"memory_bound", small_resource},                        \
			{                                                                \
				"retiring", small_retiring                               \
			}                                                                \
		}                                                                        \
	}
	SMALL(gracemont),
	SMALL(crestmont),
	SMALL(skymont),
#define ZEN(name, share)                                                                 \
	{                                                                                \
#name, name##_events, share,                                             \
			NODES(zen_frontend, zen_latency, zen_bad, zen_mispredicts,       \
			      zen_backend, zen_memory, zen_retiring, zen_microcode)      \
	}
	/* 0.3: smt_contention had the other slots, which fall out of what is published */
	ZEN(zen4, 1),
	ZEN(zen4, 0.3),
	ZEN(zen5, 1),
	ZEN(zen5, 0.3),
	ZEN(zen6, 1),
	ZEN(zen6, 0.3),
#define ARM(name, frontend, bad, backend, retiring)                                      \
	{                                                                                \
		name, arm_events, 1,                                                     \
		{                                                                        \
			{"frontend_bound", frontend}, {"bad_speculation", bad},          \
				{"backend_bound", backend},                              \
			{                                                                \
				"retiring", retiring                                     \
			}                                                                \
		}                                                                        \
	}
	ARM("neoverse-v1", v1_frontend, arm_bad, arm_backend, arm_retiring),
	ARM("neoverse-v2", v2_frontend, arm_bad, v2_backend, arm_retiring),
	ARM("neoverse-v3", v3_frontend, v3_bad, arm_backend, arm_retiring),
	ARM("neoverse-n3", v3_frontend, v3_bad, arm_backend, arm_retiring),
	ARM("neoverse-n2", v2_frontend, arm_bad, v2_backend, arm_retiring),
	ARM("neoverse-n2-r0p2", r0p2_frontend, r0p2_bad, v2_backend, r0p2_retiring),
};

/* Down to a tenth of the most: no count is 0, and thresholds are passed both ways. */
static double drawn(double most)
{
	return most * CYCLES * (0.1 + 0.9 * rand() / RAND_MAX);
}

START_TEST(published_formulas_agree)
{
	const struct published *p = &published[_i];
	struct counts c = {.family = td_events_named(p->family),
			   .event = p->event,
			   .share = p->share};

	ck_assert_ptr_nonnull(c.family);
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; c.event[i].name; i++)
			c.value[i] = drawn(c.event[i].most);
		c.inst = drawn(2.5);
		for (size_t i = 0; i < NODES_MAX && p->node[i].name; i++) {
			double ours = td_groups_node(c.family, p->node[i].name, rate, &c);
			double theirs = p->node[i].value(&c);

			ck_assert_msg(fabs(ours - theirs) < 1e-12, "%s %s: %g, not %g",
				      p->family, p->node[i].name, ours, theirs);
		}
	}
}
END_TEST

static const struct event *published_as(const struct published *p, uint64_t config)
{
	for (size_t i = 0; p->event[i].name; i++)
		if (p->event[i].config == config)
			return &p->event[i];
	return NULL;
}

/* Also what no formula has: returns, calls, the other thread.  Of the families whose list
 * here has them. */
START_TEST(every_event_is_published)
{
	const struct published *p = &published[_i];
	const struct td_event_family *family = td_events_named(p->family);

	if (strcmp(p->event[0].name, "UOPS_ISSUED.ANY") != 0)
		return;
	for (uint32_t i = 0; i < family->events; i++) {
		const struct event *event = published_as(p, family->event[i].config);
		bool alone = event && !strcmp(event->name, "stalls, memory") &&
			     !strcmp(p->family, "sandybridge");

		ck_assert_msg(event != NULL, "%s %s: no such event", p->family,
			      family->event[i].name);
		ck_assert_int_eq(family->event[i].counter, alone ? 2 : -1);
	}
	for (size_t i = 0; p->event[i].name; i++) {
		uint32_t k = 0;

		while (k < family->events &&
		       family->event[k].config != p->event[i].config)
			k++;
		ck_assert_msg(k < family->events, "%s: the table has no %s", p->family,
			      p->event[i].name);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("published");
	TCase *tests = tcase_create("formulas");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tests, published_formulas_agree, 0, (int)COUNT(published));
	tcase_add_loop_test(tests, every_event_is_published, 0, (int)COUNT(published));
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
