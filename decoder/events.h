/* SPDX-License-Identifier: MIT */
/*
 * What the event tables (data/events) say of a CPU family: its top-down events,
 * how they are grouped on its counters, and the formulas of the nodes.
 *
 * Context: any; constant tables and pure functions.
 */
#ifndef TD_DECODER_EVENTS_H
#define TD_DECODER_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/format.h"
#include "decoder/topdown.h"

#define TD_FAMILY_EVENTS_MAX 32u
#define TD_FAMILY_GROUPS_MAX 7u
#define TD_FAMILY_JUDGED_MAX 6u
#define TD_FAMILY_CPUS_MAX 16u
#define TD_FAMILY_TERMS_MAX 12u
#define TD_FAMILY_FORMULAS_MAX 12u
#define TD_GROUP_EVENTS 4u     /* on counters that are not only for one event */
#define TD_GROUP_EVENTS_MAX 5u /* the same of level 1's group */

/* perf_event_attr.config of a raw event; `number` has up to 12 bits (AMD). */
#define TD_EVENT(number, umask)                                                          \
	(((number)&0xffull) | ((number)&0xf00ull) << 24 | (uint64_t)(umask) << 8)

/* Instead: perf_event_attr.config of PERF_TYPE_HARDWARE, or-ed. */
#define TD_EVENT_GENERIC (1ull << 63)

/* ATOM: the small cores of a hybrid Intel processor, which has the model of both. */
enum td_vendor {
	TD_VENDOR_NONE,
	TD_VENDOR_INTEL,
	TD_VENDOR_AMD,
	TD_VENDOR_ARM,
	TD_VENDOR_ATOM,
};

struct td_event_cpu {
	enum td_vendor vendor;
	uint32_t family; /* ARM: implementer */
	uint32_t first;  /* models; ARM: part, variant and revision, 0xPPPVR */
	uint32_t last;
};

struct td_event {
	const char *name;
	uint64_t config;
	int counter; /* the only one it counts on, -1: any */
};

/* Slots of a level 1 node are the sum of its terms. */
struct td_event_term {
	const char *node;
	int factor;
	uint32_t event; /* index */
};

struct td_event_formula {
	const char *node;
	const char *text; /* formula.h */
};

/* Bits of the level 1 nodes that a group divides further, in the order of td_node. */
#define TD_NODE_BIT(node) TD_NODE_BIT_##node
enum {
	TD_NODE_BIT_retiring = 1,
	TD_NODE_BIT_bad_speculation = 2,
	TD_NODE_BIT_frontend_bound = 4,
	TD_NODE_BIT_backend_bound = 8,
};

struct td_event_group {
	const char *name;
	uint32_t events;
	uint8_t event[TD_GROUP_EVENTS_MAX]; /* indexes */
	uint32_t nodes;                     /* TD_NODE_BIT, or-ed; 0: no drill-down */
};

struct td_event_family {
	const char *name;
	const char *source;
	uint32_t width;         /* slots a cycle */
	int resource;           /* memory_bound is any full resource: not memory alone */
	uint8_t over[TD_NODES]; /* thresholds of its own: td_topdown_threshold() */
	uint32_t cpus, events, terms, formulas, groups, judgeds, parts;
	struct td_event_cpu cpu[TD_FAMILY_CPUS_MAX];
	struct td_event event[TD_FAMILY_EVENTS_MAX];
	struct td_event_term term[TD_FAMILY_TERMS_MAX];
	struct td_event_formula formula[TD_FAMILY_FORMULAS_MAX];
	struct td_event_group group[TD_FAMILY_GROUPS_MAX];
	/* The same events in groups that leave one of TD_GROUP_EVENTS counters for near
	 * returns, or two for near calls as well; those without nodes are for level 1. */
	struct td_event_group judged[TD_FAMILY_JUDGED_MAX];
	/* The same for the vernier, which has three counters and counts no returns; 0
	 * parts: the judged groups do. */
	struct td_event_group part[TD_FAMILY_JUDGED_MAX];
};

extern const struct td_event_family td_event_families[];
extern const size_t td_event_family_count;

/* The first family for this CPU, or NULL. */
const struct td_event_family *td_events_of_cpu(enum td_vendor vendor, uint32_t family,
					       uint32_t model);

/* The family of that name, or NULL. */
const struct td_event_family *td_events_named(const char *name);

/* The family's event of that name, -1: it has none. */
int td_events_find(const struct td_event_family *family, const char *name);

/*
 * perf_event_attr.config of "near_returns" or "near_calls" on Intel's large cores: they
 * say who left a function.  What no table names is newer, and has them as Panther Lake
 * and Nova Lake, whose 0x02c4 is no call but a conditional branch taken forwards.
 */
uint64_t td_events_leaving(uint32_t family, uint32_t model, const char *name);

/* The vendor, family and model of the CPU that this runs on; TD_VENDOR_NONE where it
 * cannot be told. */
enum td_vendor td_events_this_cpu(uint32_t *family, uint32_t *model);

/* The same of an Arm processor that has this MIDR_EL1. */
enum td_vendor td_events_arm_cpu(uint64_t midr, uint32_t *family, uint32_t *model);

#endif
