/* SPDX-License-Identifier: MIT */
/*
 * Windows of programs that do not exist: visits to functions with declared
 * behaviour, one after another, and a profiler that cuts windows of random
 * length out of them, with its own instructions, the edges of a pipeline and
 * 8-bit fractions in each.  The truth is what was declared.  All random numbers
 * come from the seed.
 *
 * Context: tests only.
 */
#ifndef TD_TESTS_SIM_WINDOWS_H
#define TD_TESTS_SIM_WINDOWS_H

#include "decoder/separate.h"

#define SIM_BEFORE 18. /* cycles of the profiler from arming to the program */

enum sim_kind {
	SIM_AWKWARD, /* alternating pair, recursion, chain of tiny ones, phases, long ones
		      */
	SIM_TREE,    /* a random call tree: visits of 10 to 3,000 cycles */
	SIM_LONG,    /* visits of 2,000 to 60,000 cycles */
	SIM_CYCLE, /* four that take turns, visits of 27 to 103 cycles, for two thirds of
		      the time; three of 3,000 */
	SIM_WAYS,  /* function 1 takes a short way through its code, and every fifth time
		      a long one that behaves differently */
	SIM_EXACT, /* visits always as long as before: of blocks, if interrupts come there
		    */
	SIM_DEEP,  /* function 2 calls itself nine times and returns as often, 18 and 14
		      cycles each; two pairs, 80 to 150 */
	SIM_TABLE, /* function 5 calls any of the other five, all of 30 cycles a visit */
	SIM_CHAIN, /* a loop of 1 or 2 cycles a visit that calls four, of 27, 40, 30 and
		      8, for two thirds of the time; three of 3,000.  Each stands where it
		      would in memory, and blocks are of one length in all */
};

struct sim_setup {
	enum sim_kind kind;
	uint64_t seed;         /* of the windows */
	uint64_t program;      /* seed of the program's shape */
	unsigned functions;    /* SIM_TREE only */
	size_t windows;        /* empty ones not counted */
	double shortest, most; /* requested lengths, cycles */
	double edge;           /* cycles of each return to user mode */
	double edge_spread;    /* part of it, 0..1, uniform */
	double block;  /* interrupts come at the end of a block of up to so many cycles,
			  each function's are as long; in SIM_CHAIN one that was due when
			  the program went on comes behind its first block */
	double noise;  /* part of the functions that have two mixes with random dwell */
	double slower; /* not 0: all functions have two mixes instead, 40 % to either side
			  of their first; one is so much faster, the other slower (0..1)
			*/
	double dwell;  /* mean cycles of them, at the mean speed */
	int loops;     /* SIM_CHAIN: the four are loops of one block, whose head is their
			* entry
			*/
	/* the kernel cuts the windows: one edge, before the program, and lengths below
	 * the most, its half and its quarter, each as often; no empty ones */
	int by_kernel;
	int sharp; /* the length asked for begins behind the edges before the program;
		    * shortest: 25 */
	int clock; /* instructions are counted, 0.6 to 0.8 cycles each in odd
		      functions and 1.2 to 1.6 in even ones; sim.clock */
	int no_returns;        /* no counter is free for near returns */
	int calls;             /* near calls are counted, too */
	int unknown_requested; /* the windows do not say what was asked for */
	int exact;             /* nothing rounds counts */
};

struct sim {
	struct td_separate_window *window;
	size_t windows; /* empty ones included */
	unsigned functions;
	int by_kernel;
	double (*truth)[TD_SEPARATE_NODES]; /* fractions of the function's slots */
	double *cycles; /* in each function, windows and between them */
	double *pace;   /* cycles an instruction, mean */
	float *clock;   /* [windows]: the program's instructions; NULL: nobody counts */
	double *visits;
};

void sim_run(struct sim *sim, const struct sim_setup *setup);
void sim_free(struct sim *sim);

/* All of it, for td_separate(): near returns counted, and eight nodes. */
struct td_separate_input sim_input(const struct sim *sim);

#endif
