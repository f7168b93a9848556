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

#include "decoder/profile.h"
#include "decoder/report.h"
#include "tools/json.h"

struct td_print_style {
	size_t width; /* columns of the page; 0: as wide as it needs */
	int colour;   /* ECMA-48 sequences allowed */
	int level;    /* text: deepest level of nodes in the table; 0 is 1 */
	int timeline; /* text: the processes' timelines as well */
	int tree;     /* text: each function's nodes as a tree with thresholds */
	int callers;  /* text: who calls each function */
	enum td_print_by {
		TD_PRINT_BY_FUNCTION,
		TD_PRINT_BY_MODULE,
		TD_PRINT_BY_THREAD,
		TD_PRINT_BY_LINE, /* its rows are another's: see below */
	} by;                     /* what a row is */
};

void td_print_text(FILE *out, const struct td_report *report,
		   const struct td_print_style *style);
/* What td_print_text() has before and behind the rows, for who has rows of its own. */
void td_print_text_begin(FILE *out, const struct td_report *report,
			 const struct td_print_style *style);
void td_print_text_end(FILE *out, const struct td_report *report,
		       const struct td_print_style *style);
/* doc/formats.md has the contract. */
void td_print_json(FILE *out, const struct td_report *report);
/* The same; `more` adds what belongs to the report besides, at its end. */
typedef void td_print_json_more(struct td_json *json, const void *context);
void td_print_json_with(FILE *out, const struct td_report *report,
			td_print_json_more *more, const void *context);
/* One page with that JSON in it, which needs nothing else.  0 or -ENOMEM. */
int td_print_html(FILE *out, const struct td_report *report);
/* RFC 4180 with plain newlines: one header line, one line for each function, or for
 * each thread or module. */
void td_print_csv(FILE *out, const struct td_report *report);
void td_print_csv_threads(FILE *out, const struct td_report *report);
void td_print_csv_modules(FILE *out, const struct td_report *report);

/*
 * The window log as CSV, a line for each window in the order of the file;
 * doc/formats.md has the columns.  Zeroed but for `out` before the first profile,
 * whose counters become the columns.  Returns 0 or -ENOMEM.
 */
struct td_print_windows {
	FILE *out;
	enum td_core_type cores; /* of a hybrid: what was printed, and the samples */
	uint64_t elsewhere;      /* on its other cores */
	uint32_t counters;
	struct td_file_counter counter[TD_COUNTERS_MAX];
	int groups; /* 1: of events; each window has one of them */
	uint32_t events;
	char event[TD_EVENTS_MAX][sizeof(((struct td_file_event *)0)->name)];
};

int td_print_windows(struct td_print_windows *print, const struct td_profile *profile);

/* What all printers share. */

/* The stream's: a terminal's width, otherwise that of COLUMNS; colours on a terminal
 * that has them, unless NO_COLOR says no.  All else is 0. */
struct td_print_style td_print_style_of(FILE *out);

/*
 * One line of text, cleaned, folded at blanks to the page's width; with a label
 * (10 columns at most, "" for none) the folded lines stand below each other
 * behind it.  An empty text prints nothing.
 */
__attribute__((format(printf, 4, 5))) void
td_print_line(FILE *out, const struct td_print_style *style, const char *label,
	      const char *format, ...);

/* The process that started first: the one that the report is named after. */
const struct td_report_process *td_print_first(const struct td_report *report);
/* "exited", "killed", ... */
const char *td_print_fate(enum td_fate fate);
/* Seconds from start to end or to the last sample. */
double td_print_duration(const struct td_report_process *process);
/* The arguments with blanks between them, clean; free it; NULL without memory. */
char *td_print_command(const struct td_file_header *header);
/* "own", "separated", "callers"; "" for none. */
const char *td_print_evidence(enum td_evidence evidence);
/* Behind a node's value: "" or a mark that td_print_legend() explains. */
const char *td_print_mark(const struct td_topdown_value value[TD_NODES], int node);
/* Explains those of the marks that are in `marks`, such as "*<?". */
void td_print_legend(FILE *out, const struct td_print_style *style, const char *marks);
/* Notes in `marks` (TD_PRINT_MARKS bytes, "" at first) which marks the cell has. */
#define TD_PRINT_MARKS 8
void td_print_seen(char *marks, const char *cell);
/* The node's colour for td_print_coloured(), NULL for none. */
const char *td_print_colour(const struct td_topdown_value value[TD_NODES], int node);
/* The text, in that colour where the style has colours. */
void td_print_coloured(FILE *out, const struct td_print_style *style, const char *colour,
		       const char *text);
uint64_t td_print_sum(const uint64_t *count, size_t entries);

#endif
