/* SPDX-License-Identifier: MIT */
/*
 * From the names of events, as TDAGENT_EVENTS has them, to what perf_event_open wants:
 * the agent and the tools take the same ones.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_EVENT_LOOKUP_H
#define TD_DECODER_EVENT_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/events.h"
#include "decoder/format.h"

#define TD_EVENT_NAMES_MAX 16u /* in one list */
#define TD_EVENT_TEXT 256u     /* bytes that a name may have before it is looked up */

/* As td_proc_read(): at most `size` - 1 bytes of a file and a NUL; their number, or
 * -errno. */
typedef long td_event_read(const char *path, char *text, size_t size);

/* Whose names: of a PMU in /sys, and of the tables of this vendor's processor. */
struct td_event_source {
	const char *pmu; /* "cpu"; "cpu_core", "cpu_atom"; "armv8_pmuv3_0" and its like */
	enum td_vendor vendor;
	const char *devices; /* the directory of PMUs, NULL: that of /sys */
	td_event_read *read; /* NULL: by open() and read() */
};

struct td_event_name {
	char name[TD_EVENT_NAME]; /* as asked for, or what it is to be called */
	uint32_t type;            /* perf_event_attr's */
	uint64_t config;
	uint64_t config1;
};

/*
 * The sources of this machine: one, or for a hybrid processor those of its large and of
 * its small cores.  The first PMU's name goes to `pmu`: the CPU's, which on Arm is the
 * one of several with a file `cpus`; of more than one the first by its name.  "cpu" where
 * there is none.  Returns how many sources there are.
 */
size_t td_event_sources(const char *devices, char *pmu, size_t size,
			struct td_event_source source[TD_CORE_TYPES]);

/*
 * Copies the next name of a list with commas or blanks between them, but those inside of
 * slashes, and goes on behind it.  Returns its length, 0 at the end; what is too long for
 * `text` (TD_EVENT_TEXT bytes) is cut, and no name.
 */
size_t td_event_list_next(const char **rest, char *text);

/*
 * Finds one name.  It may be
 *   rHEX, rHEX:HEX         config, or config and config1, of a raw event
 *   NAME=rHEX[:HEX]        the same with a name
 *   PMU/TERM,TERM=VALUE/   as perf takes it; PMU is the CPU's, or "cpu"; name=NAME names
 * it NAME                   of the kernel's own, of the PMU in /sys, or of the event
 * table and all but NAME=rHEX may end in :u (/u), for that is what is counted.
 *
 * Returns 0, or with one line in `why` that names it and does not end in a full stop:
 *   -ENOENT   nobody knows it
 *   -EINVAL   it is malformed, or its name is too long or taken
 *   -ENOTSUP  it cannot be counted anywhere as it is asked for
 *   -ENODEV   it is one of another machine
 */
int td_event_lookup(const struct td_event_source *source, const char *text,
		    struct td_event_name *event, char *why, size_t size);

/* Splits NAME=rHEX[:HEX] and rHEX[:HEX]: where the raw event begins in `text`, NULL: it
 * ends in none. */
const char *td_event_raw(const char *text);

#endif
