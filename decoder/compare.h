/* SPDX-License-Identifier: MIT */
/*
 * What changed between two sets of runs of a program: for each function its
 * share, its CPU time and its top-down fractions, with call paths also with all that
 * it calls, each with the interval of the difference and a verdict.  All differences are
 * tested together: the probability that equal programs give any verdict but "no evidence"
 * is at most TD_COMPARE_ERROR.  doc/estimates.md, "Comparison", has the mathematics and
 * what it assumes.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_COMPARE_H
#define TD_DECODER_COMPARE_H

#include "decoder/report.h"

#define TD_COMPARE_ERROR 0.05

/* Fewer samples than this to be expected on a side: a share is not tested. */
#define TD_COMPARE_SAMPLES 5

struct td_compare_query {
	double threshold;     /* 0..1: smaller differences are none */
	double noise;         /* 0..1: see td_compare.noise */
	uint64_t min_windows; /* on both sides, for a fraction to be tested; at least 2 */
	const char *const *renamed; /* modules of A: OLD=NEW, NULL at the end; or NULL */
};

/*
 * One side: finished reports without a query, `all` of all its profiles, run[]
 * of each run's.  With one run run[0] is `all`.
 */
struct td_compare_side {
	const struct td_report *all;
	const struct td_report *const *run;
	size_t runs; /* at least 1 */
};

enum td_verdict {
	TD_VERDICT_NONE,    /* no evidence */
	TD_VERDICT_CHANGED, /* a difference that is neither good nor bad by itself */
	TD_VERDICT_BETTER,  /* less time, more retiring, less bound */
	TD_VERDICT_WORSE,
	TD_VERDICT_APPEARED, /* no sample on side A */
	TD_VERDICT_VANISHED, /* no sample on side B */
	TD_VERDICTS,
};

/* "no evidence", "changed", ... */
const char *td_verdict_name(enum td_verdict verdict);

/* A quantity on both sides. */
struct td_change {
	int present; /* known on both sides; otherwise the rest means nothing */
	int tested;  /* 0: shown only, and the verdict is "no evidence" */
	double before, after;
	double low, high; /* 95 % interval of after - before, taken by itself */
	double p;         /* two-sided, by itself; 1 if not tested */
	double adjusted;  /* for all tests of the comparison */
	enum td_verdict verdict;
};

struct td_compare_row {
	char *name;
	char *module;  /* base name, that of B if renamed; "" for none */
	int inclusive; /* the function with all that it calls */
	uint64_t samples[2];
	uint64_t self[2];       /* of these in the function itself */
	uint64_t windows[2];    /* that tell of its fractions */
	struct td_change share; /* of all samples */
	struct td_change cost;  /* of a run, in td_compare.unit */
	struct td_change node[TD_NODES];
	uint64_t records[2];      /* of retire latencies */
	struct td_change latency; /* their mean, cycles */
	enum td_verdict verdict;
	double impact; /* of what was found, 0..1 of the whole run */
	/* The same function's inclusive row; NULL: not known, or it calls nobody. */
	const struct td_compare_row *total;
};

struct td_compare {
	struct td_compare_query query;
	int simulated;
	int has_cost;
	unsigned unit;                     /* enum td_unit of costs, if has_cost */
	char latency_event[TD_EVENT_NAME]; /* as of a report; "": not the same on both
					      sides */
	size_t runs[2];
	int alternating; /* more than two runs, and those of A and B took turns */
	/*
	 * How much a share s is taken to differ from run to run of the same program
	 * for other reasons than sampling, as a standard deviation: noise times
	 * sqrt(s * (1 - s)).  What the query says, or more if two single runs show
	 * more.  0 for runs that took turns: they tell themselves.
	 */
	double noise;
	int noise_measured;          /* it is more than the query says */
	struct td_compare_row total; /* strings ""; share is not present */
	struct td_compare_row *row;  /* by impact, then by share; inclusive ones last */
	size_t rows;                 /* without the inclusive ones */
	size_t inclusive;            /* of these */
	size_t tests;
	size_t found[TD_VERDICTS];           /* rows of each verdict */
	size_t found_inclusive[TD_VERDICTS]; /* of the inclusive ones */
	char **note;
	size_t notes;
};

/*
 * Compares.  0, -ENOMEM, or -EINVAL where a comparison makes no sense, with *why
 * one line to be freed.  The reports are not referred to afterwards.
 */
int td_compare_new(const struct td_compare_side side[2],
		   const struct td_compare_query *query, struct td_compare **compare,
		   char **why);

void td_compare_free(struct td_compare *compare);

#endif
