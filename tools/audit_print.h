/* SPDX-License-Identifier: MIT */
/*
 * Prints what an audit has found.  Errors of writing are left in the stream.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_AUDIT_PRINT_H
#define TD_TOOLS_AUDIT_PRINT_H

#include <stdio.h>

#include "tools/audit_trace.h"

struct td_audit_report {
	char **argv;
	pid_t pid;
	int status; /* wait status of the program */
	const struct td_audit_settings *settings;
	const struct td_audit_result *result;
	size_t top; /* functions, 0: all */
};

/* Return 0 or -ENOMEM. */
int td_audit_print_text(FILE *out, const struct td_audit_report *report);
int td_audit_print_json(FILE *out, const struct td_audit_report *report);

/* A function's name for people and its module; for both printers. */
struct td_audit_row {
	uint32_t function;
	uint64_t moments;
	char *name;
	char *module; /* "" for none */
};

/* The rows to print, most moments first; free with td_audit_rows_free().  NULL
 * without memory. */
struct td_audit_row *td_audit_rows(const struct td_audit_report *report, size_t *count);
void td_audit_rows_free(struct td_audit_row *rows, size_t count);

/* "slept", ... and what it means. */
extern const char *const td_audit_loss_key[TD_AUDIT_LOSSES];
extern const char *const td_audit_loss_text[TD_AUDIT_LOSSES];

#endif
