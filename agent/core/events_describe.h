/* SPDX-License-Identifier: MIT */
/*
 * What of a family's events this machine counts, and how the profile's header says
 * so: part of events.c.
 *
 * Context: normal; no globals.
 */
#ifndef TD_CORE_EVENTS_DESCRIBE_H
#define TD_CORE_EVENTS_DESCRIBE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/core/event_names.h"
#include "agent/sigsafe/groups.h"
#include "decoder/events.h"
#include "decoder/format.h"

/* A member of a group, as it is opened. */
struct td_events_member {
	char name[TD_EVENT_NAME];
	uint32_t type;
	uint64_t config;
	uint64_t config1;
};

/* Who counts near returns, and near calls. */
enum td_events_judged {
	JUDGED_NOT,   /* nobody: there are no counters left */
	JUDGED_PARTS, /* nobody; level 1 only, of whose nodes each group counts some */
	JUDGED_APART, /* the family's judged groups: returns, and calls where there is
			 room */
	JUDGED_ALL,   /* all groups, both */
};

/* What td_events_detect() found. */
struct td_events_found {
	const struct td_event_family *family;
	uint32_t pmu; /* type of the cores' own PMU on a hybrid, else 0 */
	bool both;    /* of small cores: counted beside the large ones */
	struct td_events_member member[TD_GROUPS_MAX][TD_GROUP_MEMBERS];
	char why[96]; /* there is no top-down; "": there is */
	enum td_events_judged judged;
	bool shared;       /* the core has two threads that are on */
	bool raw;          /* of small cores: like the large ones they have no nodes */
	bool beside;       /* cut for the vernier, beside its two cycle counters */
	bool by_read;      /* user mode may not read counters */
	uint32_t counters; /* general-purpose ones in a group */
	uint32_t dropped;  /* groups of the family that this machine does not count */
	uint32_t tables;   /* groups of the family's; behind them: */
	uint32_t no_room;  /* of the last ones in ask[], that no group is left for */
	bool looked_up;    /* the user's events: */
	char source[16];   /* whose names they are */
	uint32_t asked;
	struct td_event_name ask[TD_EVENT_NAMES_MAX];
	int refused[TD_EVENT_NAMES_MAX]; /* -errno: not counted, and why */
	uint32_t cut; /* bits of ask[]: not in one group with the one before */
	uint32_t first[TD_GROUPS_MAX]; /* in ask[], of each group of theirs */
};

/* Level 1, in the order of td_groups_shapes->factor. */
extern const char *const td_events_nodes[TD_GROUP_NODES];

/* How the family's first group makes level 1: factors, and which node is the rest, the
 * one that has no terms. */
void td_events_set_factors(const struct td_event_family *family,
			   struct td_groups_shape *shape);

/* Fills in counters, events, groups and level; td_groups_shapes is found's. */
void td_events_write(const struct td_events_found *found, struct td_file_header *header);

/* Who counts what, and who reads it, for people. */
void td_events_say(const struct td_events_found *found,
		   const struct td_groups_shape *shape, char *text, size_t size);

/* Adds the groups of small cores behind those. */
void td_events_write_small(const struct td_events_found *found,
			   struct td_file_header *header);

/* Of an event that was not opened: there is none such here. */
static inline bool td_events_is_absent(int error)
{
	return error == -ENOENT || error == -EOPNOTSUPP;
}

/* Why the family's events are not counted, a clause. */
void td_events_explain(const struct td_events_found *found, int error, char *why,
		       size_t size);

#endif
