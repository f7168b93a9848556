/* SPDX-License-Identifier: MIT */
/*
 * Where in one function, or in all code, the windows of the log were opened, by
 * instruction: the log is all that knows instructions.  Profiles are added up.
 *
 *	td_annotate_start(&annotate, "name", NULL);
 *	td_annotate_add(&annotate, &profile, path);	as often as there are files
 *	td_annotate_finish(&annotate);
 *	...
 *	td_annotate_free(&annotate);
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_TOOLS_ANNOTATE_COLLECT_H
#define TD_TOOLS_ANNOTATE_COLLECT_H

#include "decoder/hash.h"
#include "decoder/profile.h"
#include "decoder/symbols.h"
#include "tools/annotate_sums.h"

/* An instruction at which windows were opened. */
struct td_annotate_place {
	size_t function; /* index */
	uint64_t address;
	struct td_annotate_sums sums;
};

/* One of that name; there may be several.  Of all code: a module, from 0 to the end.
 * JIT code: a module of its own, and its addresses are all that is known (end 0). */
struct td_annotate_function {
	size_t module; /* index */
	char *name;    /* for people; NULL: all code */
	uint64_t start, end;
	uint64_t opened;
};

struct td_annotate_module {
	struct td_file_object object;
	struct td_symbols *symbols;
};

struct td_annotate {
	const char *wanted;  /* the caller's; NULL: all code */
	const char *glob;    /* of modules; NULL: all */
	const char *jitdump; /* as jit_names.h has it; NULL, or set after the start */
	uint64_t logged;     /* windows of the logs, of all functions */
	int simulated;
	int hybrid; /* as in report.h, by cores */
	enum td_core_type cores;
	uint64_t other_cores; /* samples there */
	double skid; /* the largest of the profiles', cycles; below 0: not known */
	struct td_topdown_map map;  /* which nodes were counted: 0, else -1 */
	struct td_groups_plan plan; /* of groups of events, if there are several */

	struct td_annotate_module *module;
	size_t modules;
	struct td_annotate_function *function; /* the one with most windows first */
	size_t functions;
	struct td_annotate_place *place; /* after finish: by function and address */
	size_t places;
	struct td_hash by_address;
	/* Of all code of all modules: what has no file, such as JIT code. */
	struct td_annotate_sums elsewhere;
};

void td_annotate_start(struct td_annotate *annotate, const char *wanted,
		       const char *glob);

/*
 * A function is wanted if its name, its name for people, or that without
 * arguments is `wanted`; without `wanted` all code is.  JIT code has the names that its
 * compiler wrote; `path` is the profile's.  Returns 0 or -ENOMEM.
 */
int td_annotate_add(struct td_annotate *annotate, const struct td_profile *profile,
		    const char *path);

void td_annotate_finish(struct td_annotate *annotate);
void td_annotate_free(struct td_annotate *annotate);

#endif
