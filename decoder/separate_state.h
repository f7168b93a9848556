/* SPDX-License-Identifier: MIT */
/*
 * What separate.c and separate_result.c share: the state of one estimation.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_SEPARATE_STATE_H
#define TD_DECODER_SEPARATE_STATE_H

#include "decoder/clock.h"
#include "decoder/normal.h"
#include "decoder/window_common.h"
#include "decoder/window_events.h"
#include "decoder/window_late.h"

struct td_separate_state {
	const struct td_separate_input *input;
	struct td_axis first_axis; /* before the start was refined */
	struct td_axis axis;
	struct td_columns columns;
	struct td_late late;
	struct td_common common;
	double *varies;      /* [columns]: between own windows, standard deviation */
	double *twin_spread; /* [columns]: prior of its twin; 0: it has none */
	double *left_lean;   /* [columns]: the same of a lean left to instructions */
	struct td_tie *tie;  /* [columns]: of pieces */
	struct td_rows rows;
	struct td_ends ends;
	struct td_clock clock;
	struct td_events events[2]; /* forward, backward */
	struct td_lines lines;
	td_sides sways_cost; /* a window's, by which they were found without edges */
	struct td_normal normal;
	double *prior_part;                    /* [unknowns] */
	double window_cycles;                  /* the program's, in the mean */
	struct td_unknowns at;                 /* the solution */
	struct td_unknowns bounded;            /* within the bounds of fractions */
	const struct td_separate_input *given; /* as the caller has it */
	struct td_separate_trace *trace;       /* [functions] or NULL */
	struct td_separate_moves **moves;      /* likewise */
};

/* The lines of own windows without a batch: with edges around the solution that there is,
 * else by s->sways_cost.  0 or -ENOMEM. */
int td_separate_lines(const struct td_separate_state *s, const struct td_axis *axis,
		      unsigned without, struct td_lines *lines);

/*
 * Ties pieces that no own window tells of to the piece of their function that own windows
 * tell most of, as surely as both are alike by the solution that there is: s->tie.
 * prior_part: of that solution, [unknowns].  0 or -ENOMEM.
 */
int td_separate_tie(struct td_separate_state *s, const double *prior_part);

/* ends[columns]: without the batch (TD_NO_BATCH: with all). */
void td_separate_ends(const struct td_separate_state *s, unsigned without, double *ends);

/* Jackknife, intervals, evidence: fills *result.  0 or -ENOMEM. */
int td_separate_finish(struct td_separate_state *state, struct td_separate *result);

/* Adds up trace[].own.  s->trace is not NULL. */
void td_separate_add_own(const struct td_separate_state *s);

/* A node (td_node) of those that are measured. */
double td_separate_node(const double *value, int node);

/* What instructions say of a function (clock.h). */
struct td_told {
	int known;
	double ends, prior;
	td_sides value;            /* may be beyond 0..1 */
	double variance[TD_NODES]; /* without that of the bias */
	double bias[TD_NODES];     /* the jackknife's, an error: no correction */
	double change[TD_BATCHES]; /* td_separate_trace */
};

/* One for each function; told[] is zeroed.  0 or -ENOMEM. */
int td_separate_tell(const struct td_separate_state *s, struct td_told *told);

/* What lengths say of a node. */
struct td_reading {
	double bounded, free, variance;
	unsigned df;
};

/* Both, by their errors; the same part of each in all nodes, so that they add up.  visit:
 * of the function, cycles.  The part that is told. */
double td_separate_blend(const struct td_told *told, double visit, int nodes,
			 struct td_reading *reading);

/* How a function's values change without a batch, and how far its count of what is known
 * of all windows (td_separate_input.known) moves away from that: sums over the batches.
 */
struct td_beside {
	double mean, square; /* of the latter */
	td_sides means, squares;
	td_sides with, alike; /* with that, and with the count's own changes */
};

/* change: of the values without the batch; input->known is not NULL. */
void td_beside_add(struct td_beside *to, const struct td_separate_input *input,
		   size_t function, unsigned batch, const double *change);

/* Moves what goes with that count by as much as it is off: of reading[TD_NODES] those
 * that are no differences, and of moves, unless it is NULL, the same. */
void td_beside_take(const struct td_beside *beside, const struct td_separate_input *input,
		    size_t function, struct td_reading *reading,
		    struct td_separate_moves *moves);

/*
 * A fraction with its interval: from the unbounded value, which is not biased by the
 * bounds, to where a fraction can be.  A value farther beyond a bound than `half` has
 * another error than that, and is no reason for an interval of nothing.
 */
struct td_estimate td_separate_bound(double bounded, double free, double half);

#endif
