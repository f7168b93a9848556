/* SPDX-License-Identifier: MIT */
/*
 * Prints a finished report (decoder/report.h).  Errors of writing are left in
 * the stream for the caller (ferror).
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_PRINT_H
#define TD_TOOLS_PRINT_H

#include <stdio.h>

#include "decoder/report.h"

struct td_print_style {
	size_t width; /* columns of the page; 0: as wide as it needs */
	int colour;   /* ECMA-48 sequences allowed */
};

void td_print_text(FILE *out, const struct td_report *report,
		   const struct td_print_style *style);
/* doc/formats.md has the contract. */
void td_print_json(FILE *out, const struct td_report *report);
/* RFC 4180 with plain newlines: one header line, one line for each function. */
void td_print_csv(FILE *out, const struct td_report *report);

/* What all printers share. */

/* The process that started first: the one that the report is named after. */
const struct td_report_process *td_print_first(const struct td_report *report);
/* "exited", "killed", ... */
const char *td_print_fate(enum td_fate fate);
/* Seconds from start to end or to the last sample. */
double td_print_duration(const struct td_report_process *process);
/* The arguments with blanks between them, clean; free it; NULL without memory. */
char *td_print_command(const struct td_file_header *header);
uint64_t td_print_sum(const uint64_t *count, size_t entries);

#endif
