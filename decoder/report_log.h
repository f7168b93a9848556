/* SPDX-License-Identifier: MIT */
/*
 * The logged windows of a report's profiles, and what td_separate() makes of them:
 * part of report.c.
 *
 * Memory: some 90 bytes a window, TD_REPORT_WINDOWS_MAX windows.  Of more, a random
 * sample is kept.
 *
 * Context: normal; no globals.
 */
#ifndef TD_DECODER_REPORT_LOG_H
#define TD_DECODER_REPORT_LOG_H

#include "decoder/report.h"

#define TD_REPORT_WINDOWS_MAX 400000u

/* The row of a place, by the index it was made with; UINT32_MAX: no memory. */
typedef uint32_t td_report_row_fn(void *context, const struct td_file_object *object,
				  uint32_t kind, uint64_t address, uint64_t region);
/* 1 if the report asks for this thread's windows. */
typedef int td_report_thread_fn(void *context, uint32_t tid);

/* Takes the profile's windows, if their counters tell of top-down slots.  0 or -ENOMEM.
 */
int td_report_log_add(struct td_report *report, const struct td_profile *profile,
		      td_report_row_fn *row, td_report_thread_fn *thread, void *context);

/* A place became part of another row; both by number.  0 or -ENOMEM. */
int td_report_log_merge(struct td_report *report, uint32_t into, uint32_t from);

/* Tells the functions apart: fills their node[] and what belongs to it.  Rows are
 * final but for their order.  0 or -ENOMEM. */
int td_report_log_separate(struct td_report *report);

void td_report_log_free(struct td_report_log *log);

#endif
