/* SPDX-License-Identifier: MIT */
/*
 * A function's windows by source lines and by instructions, or those of all code by
 * source lines: what the printers of `tdagent annotate` and of `tdagent report
 * --by=line` show.  Context: normal; no globals.
 */
#ifndef TD_TOOLS_ANNOTATE_LINES_H
#define TD_TOOLS_ANNOTATE_LINES_H

#include <stdio.h>

#include "tools/annotate_collect.h"
#include "tools/annotate_source.h"
#include "tools/print.h"

/* A source line at which windows were opened. */
struct td_annotate_line {
	const char *file; /* NULL: no line is known */
	int line;
	size_t module;           /* index, of its first instruction; SIZE_MAX: no file */
	struct td_source source; /* of its first instruction with windows */
	struct td_annotate_sums sums;
	uint64_t of_file; /* windows opened in the lines of this file */
};

struct td_annotate_instruction {
	struct td_source_instruction code; /* text "" without a disassembler */
	struct td_source source;
	struct td_annotate_sums sums; /* opened 0: none */
};

struct td_annotated {
	const struct td_annotate *annotate;
	const struct td_annotate_function *function; /* the first one; NULL: all code */
	struct td_annotate_sums all;
	/* By file, the one with most windows first; of all code by windows. */
	struct td_annotate_line *line;
	size_t lines;
	/* All of the function's, or those with windows where it cannot be taken apart. */
	struct td_annotate_instruction *instruction;
	size_t instructions;
	int disassembled;
};

/* Of a finished td_annotate with a function.  0 or -ENOMEM; free it after 0. */
int td_annotated_make(struct td_annotated *annotated, const struct td_annotate *annotate);

/*
 * Of a finished td_annotate of all code: lines alone.  Where none is known, the module
 * is one.  0 or -ENOMEM; free it after 0.
 */
int td_annotated_make_all(struct td_annotated *annotated,
			  const struct td_annotate *annotate);
void td_annotated_free(struct td_annotated *annotated);

/* How many of all code's lines, from the first on, the query's top and min_share leave.
 */
size_t td_annotated_shown(const struct td_annotated *annotated,
			  const struct td_report_query *query);

/* `all`: cold instructions, too. */
void td_annotate_print_text(FILE *out, const struct td_annotated *annotated,
			    const struct td_print_style *style, int all);
/* Of td_annotated_make_all(): the lines that the query's top and min_share leave. */
void td_annotate_print_lines(FILE *out, const struct td_annotated *annotated,
			     const struct td_report_query *query,
			     const struct td_print_style *style);
/* The same lines as "lines" of the report's JSON, and as CSV; doc/formats.md. */
void td_annotate_json_lines(struct td_json *json, const struct td_annotated *annotated,
			    const struct td_report_query *query);
void td_annotate_csv_lines(FILE *out, const struct td_annotated *annotated,
			   const struct td_report_query *query);
/* doc/formats.md has the contract. */
void td_annotate_print_json(FILE *out, const struct td_annotated *annotated);

#endif
