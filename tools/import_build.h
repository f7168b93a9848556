/* SPDX-License-Identifier: MIT */
/*
 * Builds a profile (decoder/format.h) of samples that somebody else took, by the
 * rule of the same function: what was counted from one sample of a thread to its
 * next is a window of a function if both are in that function.
 *
 *	import = td_import_new();
 *	td_import_counter(import, "slots", "slots");	as many as there are
 *	td_import_map(), td_import_sample() ...
 *	td_import_finish(import, &bytes, &size);
 *	td_import_free(import);
 *
 * Functions return 0 or a negative errno: -ENOMEM, or -EFBIG for more than a profile
 * can hold.  Context: normal.
 */
#ifndef TD_TOOLS_IMPORT_BUILD_H
#define TD_TOOLS_IMPORT_BUILD_H

#include <stddef.h>

#include "decoder/format.h"

struct td_import;

struct td_import_sample {
	const char *thread; /* its name */
	int32_t pid;
	int32_t tid;
	int32_t cpu; /* -1: not known */
	uint64_t time_ns;
	uint64_t ip;
	int has_symbol;
	uint64_t offset;                 /* of ip in its function */
	uint64_t count[TD_COUNTERS_MAX]; /* since the last sample of the thread */
};

struct td_import *td_import_new(void);
void td_import_free(struct td_import *import);

/* What the profile says of the run; finish() fills in what the samples say. */
struct td_file_header *td_import_header(struct td_import *import);

/* The first one is what the others are related to.  The index, or -EFBIG. */
int td_import_counter(struct td_import *import, const char *name, const char *unit);

/*
 * Samples come whenever this counter has counted `period`.  A window in which it
 * counted half as much again spans samples that were not taken: it is late.
 */
void td_import_period(struct td_import *import, int counter, uint64_t period);

/* Executable memory of a process, as mapped from a file; what was there is gone. */
int td_import_map(struct td_import *import, int32_t pid, uint64_t start, uint64_t length,
		  uint64_t file_offset, const char *path);

/* The process has lost its mappings; or has those of `parent` as they are now. */
int td_import_exec(struct td_import *import, int32_t pid);
int td_import_fork(struct td_import *import, int32_t pid, int32_t parent);

/* Of the file that was mapped; ignored for a path that never was. */
void td_import_build_id(struct td_import *import, const char *path,
			const unsigned char *id, size_t size);

int td_import_sample(struct td_import *import, const struct td_import_sample *sample);

/* Samples are missing here: no window goes across. */
void td_import_gap(struct td_import *import);

/* Adds a note if there is room for it. */
__attribute__((format(printf, 2, 3))) void td_import_note(struct td_import *import,
							  const char *format, ...);

/* The file, from malloc(): the caller's. */
int td_import_finish(struct td_import *import, unsigned char **bytes, size_t *size);

#endif
