/* SPDX-License-Identifier: MIT */
/*
 * What compare.c, compare_error.c and compare_verdict.c share.  Context: normal;
 * no globals, no output.
 */
#ifndef TD_DECODER_COMPARE_INTERNAL_H
#define TD_DECODER_COMPARE_INTERNAL_H

#include "decoder/compare.h"
#include "decoder/compare_parts.h"

enum td_quantity {
	TD_SHARE,
	TD_COST,
	TD_NODE, /* + enum td_node */
	TD_LATENCY = TD_NODE + TD_NODES,
	TD_QUANTITIES,
};

/* What is known of a difference's error. */
struct td_error {
	double variance; /* of the difference, by sampling */
	double df;       /* of that */
	/* What runs of one side differ by: */
	double between;    /* variance of the difference; 0 and df 0: not known */
	double between_df; /* degrees of freedom of that */
};

struct td_comparing {
	struct td_compare *compare;
	struct td_parts all[2];
	struct td_parts *run[2]; /* as many as runs, where there are several */
	size_t runs[2];
	struct td_error *error; /* QUANTITIES for each row, then for the total */
};

struct td_change *td_compare_change(struct td_compare_row *row, int quantity);

/* Row i; the total comes after the last one. */
struct td_compare_row *td_compare_row(struct td_compare *compare, size_t i);

/* With all that it calls, which is nothing. */
int td_compare_is_leaf(const struct td_compare_row *row);

/* A quantity of one part (NULL: not on that side), with what it is a mean over. */
struct td_measured td_compare_value(const struct td_parts *parts,
				    const struct td_part *part, int quantity);

/* The share of both sides together; the total's is 1. */
double td_compare_pooled(const struct td_compare *compare,
			 const struct td_compare_row *row);

/* compare_error.c: makes and fills c->error.  0 or -ENOMEM. */
int td_compare_errors(struct td_comparing *c);

/* compare_verdict.c: tests, corrects and judges all rows.  0 or -ENOMEM. */
int td_compare_verdicts(struct td_comparing *c);

#endif
