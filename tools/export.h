/* SPDX-License-Identifier: MIT */
/*
 * A finished report (decoder/report.h, made with query.parts) as other tools
 * read it.  Errors of writing are left in the stream for the caller (ferror).
 *
 * What other tools add up must be additive, so ratios do not do.  A sample type
 * is one additive number:
 *
 *	samples		samples taken in the function
 *	cpu		CPU time that they stand for, ns; where periods are times
 *	windows		valid windows: how much stands behind the values
 *	slots		the samples' part of all slots of their process: its complete
 *			totals times samples / all samples of the process
 *	unmeasured	slots of functions without a top-down value of their own
 *	retiring, ...	slots times the function's fraction of that node in the whole
 *			report; fractions of threads are not known one by one
 *
 * Types that the report cannot know are absent.  Slots that are made up are
 * called SIMULATED_slots, SIMULATED_retiring and so on.
 *
 * Context: normal; no globals.
 */
#ifndef TD_TOOLS_EXPORT_H
#define TD_TOOLS_EXPORT_H

#include <stdio.h>

#include "decoder/report.h"

enum td_export_kind {
	TD_EXPORT_SAMPLES,
	TD_EXPORT_CPU,
	TD_EXPORT_WINDOWS,
	TD_EXPORT_SLOTS,
	TD_EXPORT_UNMEASURED,
	TD_EXPORT_NODE, /* + enum td_node */
};

struct td_export_type {
	unsigned kind; /* enum td_export_kind */
	char name[48];
	const char *unit; /* "count", "nanoseconds" or "slots" */
};
#define TD_EXPORT_TYPES_MAX (TD_EXPORT_NODE + TD_NODES)

/*
 * Samples of one thread with one stack: as far as the profile has call paths, else
 * the function alone.  A function's windows are shared out over its stacks by
 * their samples.
 */
struct td_export_sample {
	uint32_t thread; /* index in the report */
	uint32_t frame;  /* its first frame in struct td_export; leaf first */
	uint32_t frames; /* at least 1 */
	uint64_t samples;
	uint64_t windows;
	double cpu_ns;
	double slots; /* 0: not known */
};

struct td_export_label {
	const char *key;
	const char *value;
};

struct td_export {
	const struct td_report *report;
	const struct td_export_label *label; /* the user's; the caller's memory */
	size_t labels;
	struct td_export_type type[TD_EXPORT_TYPES_MAX];
	unsigned types;
	struct td_export_sample *sample;
	size_t samples;
	uint32_t *frame; /* indexes of report->function, all rows of it */
	size_t frames;
	unsigned char *used; /* of each row: 1 if it is in frame[] */
	uint32_t *root;      /* of each thread: the first thread of the same name */
};

/* Fills `export` from a finished report.  Returns 0 or -ENOMEM; free it after 0. */
int td_export_collect(struct td_export *export, const struct td_report *report);
void td_export_free(struct td_export *export);

/* The sample's value of that type, rounded; 0 where it is not known. */
int64_t td_export_value(const struct td_export *export, const struct td_export_type *type,
			const struct td_export_sample *sample);

/* The type of that name, with or without SIMULATED_; NULL for none. */
const struct td_export_type *td_export_find(const struct td_export *export,
					    const char *name);

/* The printers return 0 or -ENOMEM. */

/* gzip'd protobuf, as pprof reads it. */
int td_export_pprof(FILE *out, const struct td_export *export);
/* speedscope's own JSON: one profile of each type. */
int td_export_speedscope(FILE *out, const struct td_export *export);
/* One line a stack: root;...;leaf VALUE */
int td_export_folded(FILE *out, const struct td_export *export,
		     const struct td_export_type *type);
/* Totals of the run in the text format of OpenMetrics 1.0. */
int td_export_openmetrics(FILE *out, const struct td_export *export);

#endif
