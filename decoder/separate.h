/* SPDX-License-Identifier: MIT */
/*
 * Tells functions apart: the fractions of each function from windows that may
 * hold several of them, by regression over all windows.  doc/estimates.md has
 * the mathematics, why it is unbiased, and its limits.
 *
 * A window of requested length q, opened in g, holds what measuring costs and
 * q minus a constant of the program; how long it is in f during that time is
 * seen from where windows opened in g close.  Windows that close in f are used
 * in the same way, backwards in time.  No return in between and the same
 * function at both ends: all of it was in that one.
 *
 * Context: any; no globals.  Memory: some 150 bytes a window.
 */
#ifndef TD_DECODER_SEPARATE_H
#define TD_DECODER_SEPARATE_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/topdown.h"

/* The nodes that are measured: level 1, then one child of each. */
#define TD_SEPARATE_NODES 8

/* What is supposed of how a fraction differs between functions; standard deviation. */
#define TD_FRACTION_SPREAD 0.2

/* Which td_node such a one is. */
static inline int td_separate_node_of(unsigned value)
{
	return (int)(value < TD_NODES_LEVEL1 ? value : 2 * value - TD_NODES_LEVEL1);
}

struct td_separate_window {
	uint32_t open, close; /* functions; below td_separate_input.functions */
	uint32_t open_offset, close_offset; /* where in them */
	float requested; /* length asked for, cycles; not above 0: not known */
	float slots;
	/* slots of retiring, bad_speculation, frontend_bound, backend_bound,
	 * heavy_operations, branch_mispredicts, fetch_latency, memory_bound */
	float value[TD_SEPARATE_NODES];
	uint8_t calls;  /* how often the program returned or called in it; 255: or more */
	uint8_t unsure; /* nobody counted that in this one */
	uint8_t empty;  /* for calibration: nothing of the program in it */
	uint8_t silent; /* it tells where the program is when, but not value[] */
	uint8_t counts; /* separate_parts.h: parts that value[] has, bits */
	uint8_t sharp;  /* the length asked for begins where it opened */
};

struct td_separate_input {
	const struct td_separate_window *window; /* in order of time, as far as known */
	size_t windows;
	const uint8_t *batch; /* td_separate()'s own (window_batches.h) */
	/* [windows]: a count of the program's that silent ones have as well, without what
	 * measuring adds; NAN: unknown.  NULL: there is none. */
	const float *common;
	/* [windows]: the program's instructions, without ours, where they are a clock
	 * that edges do not touch; NAN: unknown.  NULL: nobody counted them. */
	const float *clock;
	size_t functions;
	unsigned nodes; /* 4: level 1 only, or 8 */
	/* td_separate_window.calls is known, but where it is unsure: returns alone (1),
	 * or calls as well */
	int returns;
#define TD_RETURNS_AND_CALLS 2
	int chosen; /* where a window opened had a say in whether it is silent */
	int rates;  /* value[] are counts of any events: no parts of slots, no bounds */
	/* of rates [functions]: common[] by all windows (separate_parts.h), where
	 * value[known_at] is known_by times the same of those that are not silent.  NULL:
	 * nobody knows. */
	const struct td_separate_trace *known;
	unsigned known_at;
	double known_by;
	int by_kernel; /* it cut the windows: nothing of ours is in them */
	int shared; /* the core has another thread, and where that comes and goes our own
		       code takes more time or less, without any edge */
	/* Slots of ours that windows may differ by for all that is known; standard
	 * deviation. */
	double own_doubt;
	int exact;     /* value[] was counted; otherwise it is in 255ths of slots */
	double width;  /* slots a cycle; 0: to be found out */
	unsigned left; /* 1 + the node of level 1 that is what the others leave of the
			  slots; 0: none, or not known */
	/* 1 + a node of level 1 of which td_separate.trace is wanted; 0: of none */
	unsigned traced;
	/* what the traced node counts is clock[]: where it is known to the cycle when
	 * windows were due, cycles that an instruction takes tell of it as well */
	int paced;
	/* Of windows that are alike because they were measured together: at most so
	 * many; 0 as 1.  They follow each other in window[], unless that is shuffled. */
	unsigned together;
	int shuffled;
};

/* Where a function's values come from. */
enum td_evidence {
	TD_EVIDENCE_NONE,      /* no window tells anything */
	TD_EVIDENCE_OWN,       /* mostly windows that it has for itself */
	TD_EVIDENCE_SEPARATED, /* told apart from its neighbours by regression */
	TD_EVIDENCE_CALLERS,   /* too short: known only together with its callers */
};

struct td_separate_function {
	enum td_evidence evidence;
	double identifiability; /* 0: the run's mean, 1: this function's windows alone */
	uint64_t own;           /* windows that it has for itself */
	uint64_t windows;       /* that open or close in it */
	double visit;           /* cycles from entry to exit, mean; 0: not known */
	struct td_topdown_value node[TD_NODES]; /* flagged is not filled */
};

/* How the length of what a window holds of the program is known. */
enum td_separate_axis {
	TD_AXIS_NONE,      /* too few windows for anything */
	TD_AXIS_REQUESTED, /* what was asked for, less where the program starts */
	TD_AXIS_MEASURED,  /* its slots, less the own cost */
};

/* What being measured costs: what each window holds beside the program. */
struct td_separate_cost {
	enum td_separate_axis axis;
	double width;                /* slots a cycle; 1 where it cannot be told */
	struct td_estimate cycles;   /* of each window; slots where width is 1 */
	double mix[TD_NODES_LEVEL1]; /* parts of it, add up to 1; of rates all 0 */
	double empty;                /* cycles by empty windows, 0: there are none */
	double start;                /* cycles from arming to the program's first */
	double start_spread;         /* standard deviation of it from window to window */
	double spread;  /* of what a window takes beyond what was asked for */
	double between; /* scatter of the cost between functions, cycles */
	/* Of rates on a shared core: what our own cycles differ by from window to window,
	 * standard deviation, as a part of the program's. */
	double swayed;
	int clocked; /* of the rest instructions told (td_separate_input.clock) */
	int follows; /* it is known to the cycle when windows were due, no edges */
};

/* 0: events were told apart, which are no parts of anything. */
static inline int td_separate_knows_mix(const struct td_separate_cost *cost)
{
	for (int i = 0; i < TD_NODES_LEVEL1; i++)
		if (cost->mix[i] != 0)
			return 1;
	return 0;
}

#define TD_BATCHES 32 /* of windows, without each of which all is known anew */

/* Sums over the windows that a function has for itself: its cycles in them, what they
 * counted of the traced node and td_separate_input.common, both as cycles. */
struct td_separate_own {
	double n, cycles, count, common;
	double with_cycles[3]; /* cycles times cycles, times count, times common */
	double count_count, count_common, common_common;
	double read; /* variance of a window's count by reading it */
	int pieces;  /* it behaves differently in different places */
	double cost; /* what is not known of the own cost, cycles */
};

/* How the traced node of a function is known. */
struct td_separate_trace {
	double value;    /* may be beyond 0..1 */
	double variance; /* 0: it is not */
	unsigned df;
	double change[TD_BATCHES]; /* of the value without a batch */
	struct td_separate_own own;
};

#define TD_MOVES_FEWEST 4 /* ends of windows in a function */

/* How a function's rates move without a batch, and by a standard deviation of what no
 * batch shows of td_separate_input.known; and the variance of each that neither shows:
 * what is made of several is as sure as they go together. */
struct td_separate_moves {
	float change[TD_SEPARATE_NODES][TD_BATCHES];
	double beside[TD_SEPARATE_NODES];
	double unseen[TD_SEPARATE_NODES];
};

struct td_separate {
	struct td_separate_function *function; /* [functions] */
	/* [functions], if input->rates; those of fewer than TD_MOVES_FEWEST are NULL */
	struct td_separate_moves **moves;
	struct td_separate_trace *trace; /* [functions], if it is wanted */
	size_t functions;
	uint64_t windows; /* used; without the empty ones */
	uint64_t own;     /* of them of one function alone */
	struct td_separate_cost cost;
};

/*
 * 0 or -ENOMEM.  Too few windows are no error: then all functions have
 * TD_EVIDENCE_NONE.  Free with td_separate_free() after success.
 */
int td_separate(const struct td_separate_input *input, struct td_separate *result);

void td_separate_free(struct td_separate *result);

#endif
