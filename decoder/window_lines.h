/* SPDX-License-Identifier: MIT */
/*
 * In which direction own windows count: part of separate.c.
 *
 * Where edges are large and random, nobody knows for how long a single window was in
 * the program.  But what it counted, less what it would have counted had all of it
 * been edges, is that time times how its function differs from the edges: own
 * windows of any length lie on one line, and the edge is nothing but a place on it.
 * So of a function's fractions only how far along the line they are is left to be told
 * from times.  doc/estimates.md, "Lines".  Without edges functions have other lines:
 * window_sways.h.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_LINES_H
#define TD_DECODER_WINDOW_LINES_H

#include "decoder/window_columns.h"

/* Fractions of a column are on the line through the edges' mix, as surely as the weights
 * say (1 / variance): to the side in which its windows differ most, and in each other
 * direction across the line.  0: no line is seen. */
struct td_line {
	double varies; /* of a fraction from window to window, standard deviation; where
			  there is a line */
	double weight, weight_side;
	double through[TD_SEPARATE_NODES]; /* a point of the line */
	double along[TD_SEPARATE_NODES];   /* of length 1 */
	double side[TD_SEPARATE_NODES];    /* across it, of length 1 or 0: none */
};

struct td_lines {
	struct td_line *line; /* [columns]; NULL: none, there is nothing to be gained */
};

/* What is known already, for td_lines_find(). */
struct td_lines_known {
	const double *cost; /* of each window, its mean edges included; cycles */
	const double (*fraction)[TD_SEPARATE_NODES]; /* [columns]: about */
};

/*
 * From all own windows but those of a batch (TD_NO_BATCH: from all).  None without
 * edges.  lines->line is NULL or of an earlier call.  0 or -ENOMEM.
 */
int td_lines_find(struct td_lines *lines, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_lines_known *known, unsigned without);

void td_lines_free(struct td_lines *lines);

/* The parts of x that are across the line, times their weights. */
void td_line_across(const struct td_line *line, const double *x, double *across);

/* What the line pulls a column's fractions `at` by: the gradient. */
void td_line_pull(const struct td_line *line, const double *at, double *pull);

#endif
