/* SPDX-License-Identifier: MIT */
/*
 * How td_report_add() takes a profile: what its parts know of each other.
 *
 *	report.c		the report's life, counters and groups of events
 *	report_processes.c	the process, its threads, their totals and timelines
 *	report_places.c		modules, code places, call paths, windows' ends
 *
 * All return 0 or -ENOMEM unless said otherwise.  Context: normal.
 */
#ifndef TD_DECODER_REPORT_ADDING_H
#define TD_DECODER_REPORT_ADDING_H

#include "decoder/jit_names.h"
#include "decoder/report.h"

/* What adding one profile needs to know at each place. */
struct td_report_adding {
	struct td_report *report;
	const struct td_profile *profile;
	uint32_t process;
	int counter[TD_COUNTERS_MAX]; /* the report's index of the profile's counters, or
					 -1 */
	uint32_t *index;              /* of the profile's threads: the report's */
	int folded;                   /* its process is one with others */
	int shown;                    /* its process shows this profile */
	struct td_jit_names names;    /* of JIT code */
	struct td_own_cost own_cost;
	double sample_ns;                    /* CPU time that one sample stands for */
	const struct td_file_object *object; /* the last one looked up */
	uint32_t module;                     /* its index */
	const struct td_file_thread *thread; /* likewise, of the places' threads */
	uint32_t thread_index;
	struct td_own_cost group_cost[TD_GROUPS_MAX];
	int latencies; /* are of the report's event */
	int groups;    /* those behind the first can be added to the report's */
	size_t *row;   /* of the profile's places: row ids; SIZE_MAX: not wanted */
};

/* 1 if the report asks for this thread: "12" is thread 12 and every thread of that
 * name. */
int td_report_wants(const struct td_report *report, const struct td_file_thread *thread);

/* 1 if the profile's nodes are of the register, 255ths of its slots. */
int td_report_is_rounded(const struct td_report_adding *adding);

/* The profile's process; sets adding->process. */
int td_report_add_process(struct td_report_adding *adding, const char *path,
			  enum td_fate fate);

/* The profile's threads; fills adding->index. */
int td_report_add_threads(struct td_report_adding *adding);

/* Its places; fills adding->row. */
int td_report_add_places(struct td_report_adding *adding);

/* Its call paths, behind its places. */
int td_report_add_paths(struct td_report_adding *adding);

/* A td_report_row_fn whose context is the td_report_adding: the row of a window's
 * end; perhaps no sample was ever taken there. */
uint32_t td_report_row_number(void *context, const struct td_file_object *object,
			      uint32_t kind, uint64_t address, uint64_t region);

#endif
