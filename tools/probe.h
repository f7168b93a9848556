/* SPDX-License-Identifier: MIT */
/*
 * What the facts mean: which backend `auto` takes, why, and what stands in
 * the way.  Pure functions of the facts but for the printing.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_PROBE_H
#define TD_TOOLS_PROBE_H

#include <stdbool.h>
#include <stdio.h>

#include "decoder/format.h"
#include "tools/facts.h"

struct td_choice {
	enum td_backend backend; /* TD_BACKEND_NONE: nothing can be measured */
	enum td_trigger trigger;
	bool windows; /* else samples only */
	int level;    /* of top-down; 0 none */
	const char *reason;
};

struct td_obstacle {
	char what[TD_FACT_TEXT + 64];
	char change[256]; /* what would change it; often a command */
};
#define TD_OBSTACLES_MAX 12

/* The agent's own choice where it could be asked; else what it would be by the facts.
 * `reason` lives as long as the facts. */
struct td_choice td_probe_choose(const struct td_facts *facts);

/* Fills `obstacles` (TD_OBSTACLES_MAX), the gravest first; returns how many. */
size_t td_probe_obstacles(const struct td_facts *facts, struct td_obstacle *obstacles);

/* What an attempt gave, in words: `error` is 0 or an errno. */
const char *td_probe_outcome(int error);

void td_probe_text(FILE *stream, const struct td_facts *facts);
void td_probe_json(FILE *stream, const struct td_facts *facts);

#endif
