/* SPDX-License-Identifier: MIT */
/*
 * Builds profiles in memory for the tests of everything that reads them.
 *
 *	struct build build;
 *	build_start(&build, counters);		then change build.header as you like
 *	object = build_object(&build, ...);
 *	thread = build_thread(&build, ...);
 *	place = build_place(&build, thread, ...);
 *	build_parse(&build, &profile);		or write build.bytes to a file,
 *	build_add(&build, report);		or both of a report
 *	build_free(&build);
 *
 * Pointers to records live as long as the build.  Ends the test on misuse.
 */
#ifndef TD_TESTS_BUILD_PROFILE_H
#define TD_TESTS_BUILD_PROFILE_H

#include "decoder/profile.h"
#include "decoder/report.h"

#define BUILD_BLOCKS 96u

struct build {
	unsigned char *bytes; /* BUILD_BLOCKS of them */
	struct td_file_header *header;
	uint32_t block[7]; /* the one being filled, of each kind */
	uint32_t used[7];  /* slots of it */
};

/* Counters that PERF_METRICS fills, for the beginning of a list. */
#define BUILD_TOPDOWN                                                                    \
	"slots", "retiring", "bad_speculation", "frontend_bound", "backend_bound",       \
		"heavy_operations", "branch_mispredicts", "fetch_latency",               \
		"memory_bound"

/* names: NULL-terminated list of counters */
void build_start(struct build *build, const char *const *names);
/* Makes the header what it was in that version, 4 or older; the rest stays. */
void build_age(struct build *build, uint32_t version);
void build_free(struct build *build);
size_t build_size(const struct build *build);

uint32_t build_object(struct build *build, uint32_t kind, const char *path);
uint32_t build_thread(struct build *build, uint32_t tid, const char *name);
void *build_record(struct build *build, uint32_t ref);
/* Of several threads, add the places of one after the other. */
struct td_file_place *build_place(struct build *build, uint32_t thread, uint32_t kind,
				  uint32_t object, uint64_t address);
/* A valid window with these counts, one for each counter. */
void build_window(struct build *build, struct td_file_place *place,
		  const uint64_t *count);

/* The thread's timeline, empty and of the least width. */
struct td_file_timeline *build_timeline(struct build *build, uint32_t thread);

/* Takes call paths from now on, and makes the thread's root; returns its ref. */
uint32_t build_root(struct build *build, uint32_t thread);
/* A node of the thread's tree, of `place` (NULL: CUT) below `parent`; its ref. */
uint32_t build_path(struct build *build, uint32_t thread, uint32_t parent,
		    const struct td_file_place *place);
/* A window of it, as build_window(). */
void build_path_window(struct build *build, uint32_t path, const uint64_t *count);

/* A record of the window log: valid, opened and closed in `place`. */
struct td_file_window *build_logged(struct build *build,
				    const struct td_file_place *place);

/* An event of the groups: value number `value` of group `group`. */
void build_event(struct build *build, const char *name, unsigned group, unsigned value);

/* Three groups of events: one counts level 1 as a whole, and then retired and not
 * delivered take turns with issued, retired and recovery. */
void build_skylake_level1(struct build *build);

/* Parses a copy; returns td_profile_parse()'s result. */
int build_parse(const struct build *build, size_t length, struct td_profile *profile,
		char *why, size_t size);

/* The same profile as one of the report's, of a run that has exited. */
void build_add(const struct build *build, struct td_report *report);

/* 1: one of its notes has these words. */
int build_has_note(const struct td_report *report, const char *words);

#endif
