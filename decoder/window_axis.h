/* SPDX-License-Identifier: MIT */
/*
 * How much of the program a window holds, by its length: part of separate.c.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_WINDOW_AXIS_H
#define TD_DECODER_WINDOW_AXIS_H

#include "decoder/separate.h"

struct td_axis {
	enum td_separate_axis kind;
	double width;        /* slots a cycle */
	double whole;        /* variance that counts have for being whole, cycles squared,
				mean of level 1; 0: they are 255ths of slots */
	double edgeless;     /* the same of counts from which edges were taken off */
	double own;          /* cycles taken off the measured length; MEASURED only */
	double empty;        /* mean length of empty windows, cycles; 0: none */
	double empty_spread; /* its standard deviation */
	double beyond;       /* mean of measured - requested length, cycles */
	double spread;       /* its standard deviation */
	int blocks;     /* interrupts come where a block of instructions ends, and where
			   a window's trigger was due is known */
	double soonest; /* of measured - requested length, less `beyond`; cycles */
	double lacks;   /* what is so far below `beyond` has lost cycles; 0: nothing */
	int follows;    /* the cost is the same in each window: what a window took beyond
			   what was asked for is the program's */
	int sharp;      /* there are edges, but none between where the length asked for
			   begins and the program: when a window was due is known to the
			   cycle, and what it took beyond that is not */
	int opening;    /* the kernel cut the windows: measured length is the length, and
			   the one asked for is when it was due to end */
	double late;    /* of such windows: cycles from then to their end, mean */
	int alike;      /* of such windows: those of a function and a length are all the
			   same, but for how they are read; their length says it all */
	int edges;      /* of such windows: they have some, at their beginning alone */
	double first;   /* requested length from which on `beyond` is the same */
	double ended;   /* from which on where they end tells where the program is; counts
			   may ask for more */
	double start;   /* cycles from arming to the program's first, mean */
	double start_spread; /* standard deviation, 0 if it `follows`,
				or is `sharp` */
	double start_error;  /* how much `start` may be off */
	int lines_alone; /* own windows say another start than empty ones, whose word is
			    not taken then */
	double cost[TD_SEPARATE_NODES]; /* cycles where windows begin, as own windows say
					 */
	double cost_error;              /* of each of them; 0: not known */
	/* variance of the cost from function to function, cycles squared: of each node,
	 * and the most of all */
	double differs[TD_SEPARATE_NODES], between;
	double mix[TD_SEPARATE_NODES]; /* fractions of what a window takes beyond others
					*/
};

/* A window's length, and a value that all windows share on average but short ones, which
 * have more. */
struct td_axis_point {
	float requested, beyond;
};

/* From which length on they have no more than long ones, as far as chance lets see; 0:
 * all do.  Sorts the points by length. */
double td_axis_first(struct td_axis_point *point, size_t n);

/* Of empty windows' values, without the outermost on both sides: the first one may be
 * unlike all others.  Sorts them. */
double td_axis_inner_variance(float *value, size_t n);

/* 0 or -ENOMEM.  kind is TD_AXIS_NONE if there are too few windows. */
int td_axis_find(const struct td_separate_input *input, struct td_axis *axis);

/* Returns to user mode cost something, before the program or behind it. */
static inline int td_axis_has_edges(const struct td_axis *axis)
{
	return axis->start_spread > 0 || axis->sharp;
}

/* The window's length on this axis, cycles, not below 0. */
double td_axis_length(const struct td_axis *axis,
		      const struct td_separate_window *window);

/*
 * Where on it the window's trigger was due: that is random, and knows nothing of the
 * program, as where a block ends does.  The length, where it is not known.
 */
double td_axis_due(const struct td_axis *axis, const struct td_separate_window *window);

/* 1 if the window holds the program's cycles and the full cost. */
int td_axis_counts(const struct td_axis *axis, const struct td_separate_window *window);

/* 1 if the window holds the program's cycles, whatever is the matter with its counts. */
int td_axis_ended(const struct td_axis *axis, const struct td_separate_window *window);

/* Below this length there is nothing of the program, or nobody knows. */
double td_axis_lowest(const struct td_axis *axis);

/* Below this length a window ends before the program has started, but for a cycle or
 * so on average.  At least td_axis_lowest(). */
double td_axis_still(const struct td_axis *axis);

/* Of a length, the cycles before the program starts, on average. */
double td_axis_lost(const struct td_axis *axis, double length);

/* The least variance of the counts of a window with so many cycles, own ones
 * included: what reading them leaves.  Cycles squared, mean of level 1. */
double td_axis_least(const struct td_axis *axis, double length);

/* The same of counts from which what goes with td_axis_beyond() was taken off. */
double td_axis_edgeless(const struct td_axis *axis, double length);

/* What the window took beyond what was asked for, less the mean of all; cycles. */
double td_axis_beyond(const struct td_axis *axis,
		      const struct td_separate_window *window);

#endif
