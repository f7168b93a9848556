/* SPDX-License-Identifier: MIT */
/*
 * What the parts of clock.c share: windows by their instructions, and where the program
 * is by then.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_CLOCK_INTERNAL_H
#define TD_DECODER_CLOCK_INTERNAL_H

#include <math.h>

#include "decoder/clock.h"
#include "decoder/window_rows.h"

#define TD_CLOCK_SIDES 4 /* nodes that are solved together, at most */
#define TD_CLOCK_SETS 2
#define TD_CLOCK_CLASSES 24
#define TD_CLOCK_OWN 2. /* both ends of an own window are in the same state */

#define TD_CLOCK_MEMORY 12800. /* instructions: as good as for ever */

typedef double td_clock_square[TD_CLOCK_SIDES][TD_CLOCK_SIDES];

#define TD_CLOCK_PACE_LEAST 0.05 /* cycles an instruction */
#define TD_CLOCK_SEEN 0.05       /* of a speed that own windows' lengths show */

/* Times the variance: of squares by which memory and sways are found none counts for
 * more.  One window with an interrupt in it would decide for all. */
#define TD_CLOCK_FAR 16.

/* The node of level 1 that is what the others leave.  Where lengths are sharp, its place
 * has the cycles of a window, and of an instruction. */
#define TD_CLOCK_CYCLES 1

/* Level 1 without that node, or with the cycles; and level 2. */
struct td_clock_set {
	int sides, node[TD_CLOCK_SIDES];
};
extern const struct td_clock_set td_clock_sets[2][TD_CLOCK_SETS]; /* by `sharp` */

/* A window that holds some of the program. */
struct td_clock_window {
	uint32_t column[2];  /* where it opened and closed */
	uint32_t trigger[2]; /* columns where the two triggers came */
	uint32_t key[2];     /* of window_keys.h, where it opened and closed */
	float ticks;         /* the program's instructions */
	float asked; /* cycles: what was asked for, or its length if that is sharp */
	float beyond[TD_SEPARATE_NODES]; /* its counts less those of an edge as long */
	float reading;                   /* variance of each, by what 255ths leave */
	float weight;                    /* of an own window, td_clock_weigh() */
	float rare; /* how much more rarely such a length is asked for than the least */
	float stay[2]; /* instructions where it opened, and where it closed, expected */
	uint8_t batch;
	uint8_t alone;  /* it was in one column */
	uint8_t silent; /* nobody knows what it counted: beyond[] is 0 */
	uint8_t own;    /* alone, and not silent */
	uint8_t tells;  /* alone, and its length tells of its column's pace */
};

/* Windows of a key with about as many instructions. */
struct td_clock_bin {
	uint32_t begin, end; /* of the key's entries */
	double n, telling;   /* windows, those that are not silent; sums of weights */
	double weight, told; /* told: of them of windows that are not silent */
	double width;        /* instructions that it stands for */
	double ticks;        /* weighted means */
	double asked;
	double missed; /* squares of its windows' cycles, beyond what is expected */
	double beyond[TD_SEPARATE_NODES];
	int slow;  /* windows with so many instructions may be missing where they are slow
		    */
	int tells; /* its lengths do, of paces */
	double variance; /* of lengths with as many instructions, then */
	/* By set: what a row's mean differs by from window to window, and by where the
	 * windows of the bin end, which goes on in all bins behind it; variances. */
	td_clock_square scatter[TD_CLOCK_SETS], ends[TD_CLOCK_SETS];
};

/* Windows that open in a column, or at some of its places next to each other, or
 * backward: that close there; fewest instructions first. */
struct td_clock_key {
	uint32_t itself; /* among its columns */
	int backward;
	uint32_t columns, bins;
	uint32_t *column; /* it, and where the triggers at the other end came */
	struct td_clock_bin *bin;
	double *share; /* [bins][columns]: of an instruction there */
	double *time;  /* [bins][columns]: instructions, of a window in the mean */
	double *lean;  /* [bins][columns]: of them, of windows that begin or end there */
};

struct td_clock_entry {
	uint32_t window, other; /* the other end, among the key's columns */
};

/* How a column differs from window to window: own windows along the direction in which
 * they do most. */
struct td_clock_state {
	double n;      /* own windows; 0: nothing is known */
	double stays;  /* part of the windows that open in it, which are own */
	double varies; /* standard deviation, cycles an instruction */
	double axis[TD_SEPARATE_NODES]; /* of length 1 */
	double mean[TD_SEPARATE_NODES]; /* cycles an instruction beyond an edge */
	double speed;  /* how slow it is there: standard deviation of the logarithm of
			  cycles an instruction, signed */
	double unsure; /* variance of that */
	double offset; /* what the cost may put them off, cycles an instruction */
	/* by set: how surely own windows say what it counts (1 / variance) */
	td_clock_square own[TD_CLOCK_SETS];
};

/* By how much own windows of a column take more or less than their instructions and
 * states say, which is by how late they end: windows, as far as they tell, and squares.
 */
struct td_clock_jitter {
	double n, square;
};

/* Means of empty windows, cycles. */
struct td_clock_empty {
	int known;
	double n, length, value[TD_SEPARATE_NODES];
};
#define TD_CLOCK_COUNTS 256

struct td_clock_data {
	const struct td_separate_input *input;
	struct td_clock_window *window;
	struct td_clock_entry *entry; /* [2 * windows], by key */
	size_t windows;
	struct td_clock_key *key;
	size_t keys, most_keys; /* of windows enough, and of any number */
	uint32_t columns;
	double first; /* instructions, from which on the program has begun */
	double least; /* cycles that were asked for; of fewer windows are missing */
	double most;
	double fall[TD_CLOCK_CLASSES];  /* by length, up to `most`: for each cycle more so
					   many parts fewer are asked for */
	const struct td_clock_set *set; /* [TD_CLOCK_SETS] */
	int sharp;      /* the program starts in all windows after as many cycles */
	int paced;      /* `sharp`, and paces are all that is found */
	double reading; /* variance of a count by reading it, where it is exact */
	double start;   /* of them before the program's first */
	double scatter; /* their variance, about */
	struct td_clock_jitter *jitter; /* [columns] */
	double differ;                  /* variance of `speed` between columns */
	double memory; /* instructions, in which a state is forgotten to a part of e */
	double *pace;  /* [columns]: cycles an instruction */
	double *pace_error;  /* [2 columns + 1]: variances of their parts, and the start's
			      */
	const double *doubt; /* [columns]: td_columns.late_doubt, or NULL */
	double *late; /* [columns]: cycles that windows are longer by which end there, in
			 `asked` and `beyond` already; 0 where doubt is NULL */
	double (*slope)[TD_SEPARATE_NODES]; /* [columns]: cycles an instruction beyond an
					       edge */
	struct td_clock_state *state;       /* [columns] */
	double mix[TD_SEPARATE_NODES];      /* of edges */
	/* [TD_CLOCK_COUNTS], by td_separate_window.counts: what reads other events costs
	 * otherwise */
	struct td_clock_empty *empty;
	double *cells; /* what the keys point into */
	uint32_t *numbers;
	struct td_clock_bin *bins;
	struct {
		struct td_clock_key *key;
		struct td_clock_bin *bins;
		double *cells;
	} whole; /* keys as they were at td_clock_keep() */
};

/* clock.c: frees what all parts have placed. */
void td_clock_data_free(struct td_clock_data *d);

/* clock_windows.c: windows without their edges.  1, 0: they do not tell, or -ENOMEM. */
int td_clock_take(struct td_clock_data *d, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_ends *ends);

/* clock_keys.c: sorts them into keys and bins, and fills these.  0 or -ENOMEM. */
int td_clock_sort(struct td_clock_data *d);
void td_clock_fill(struct td_clock_data *d, unsigned without);

/* Keys as they are now, which other fills do not change.  Once.  0 or -ENOMEM. */
int td_clock_keep(struct td_clock_data *d);

/* clock_states.c: how the windows' functions differ, and for how long, from what is known
 * of that so far; by all windows once keys are `filled`.  0 or -ENOMEM. */
int td_clock_states(struct td_clock_data *d, int filled);

/*
 * clock_speeds.c: the speeds of columns that vary, by all windows; states of own windows
 * are known, and keys are filled.  0 or -ENOMEM.
 */
int td_clock_speeds(struct td_clock_data *d);

/* Finds `memory`.  States of a program are of one, all columns together: where the
 * parabola through the best of some and its neighbours is lowest; `try_it` says how
 * badly own windows go with the present one, minus twice the logarithm of the
 * likelihood. */
typedef double td_clock_try(struct td_clock_data *d, void *with);
void td_clock_find_memory(struct td_clock_data *d, td_clock_try *try_it, void *with);

/* clock_sways.c: the same by lengths alone, where these are known to a cycle. */
int td_clock_sways(struct td_clock_data *d);
int td_clock_sways_memory(struct td_clock_data *d);

/* clock_shrink.c: of speeds as they were found what they are, by what all of them have in
 * common; and `differ`. */
void td_clock_shrink(struct td_clock_data *d);

/* The variance of ln pace in the windows' states. */
static inline double td_clock_sway(const struct td_clock_state *state)
{
	return state->speed * state->speed + state->unsure;
}

/* The variance of what a column's own windows were asked for, but for their states: at
 * least what is usual. */
static inline double td_clock_jitter_of(const struct td_clock_data *d, uint32_t column)
{
	const double usual = 10; /* windows' worth */
	const struct td_clock_jitter *jitter = &d->jitter[column];

	return fmax(d->scatter,
		    (usual * d->scatter + jitter->square) / (usual + jitter->n));
}

/* As an end of a window meets its column, in slow states more often: so many of `ticks`
 * instructions from there on are as it is there. */
static inline double td_clock_lean(const struct td_clock_data *d, double ticks)
{
	return -d->memory * expm1(-ticks / d->memory);
}

/* How much more often both ends of a window are in one state of the column than each is,
 * if so many of its instructions are between them.  In slow states that is less than
 * twice as often as one end is. */
static inline double td_clock_both(const struct td_clock_data *d,
				   const struct td_clock_state *state, double ticks)
{
	return 1 + td_clock_sway(state) * exp(-ticks / d->memory);
}

/* What an own window leans, by both its ends. */
static inline double td_clock_own_lean(const struct td_clock_data *d,
				       const struct td_clock_state *state, double ticks)
{
	return TD_CLOCK_OWN * td_clock_lean(d, ticks) / td_clock_both(d, state, ticks);
}

/* How much so many instructions of a column differ, of what one does: variances. */
static inline double td_clock_spread(const struct td_clock_data *d, double ticks)
{
	return 2 * d->memory * (ticks - td_clock_lean(d, ticks));
}

/* Whether own windows of a column with as many instructions are there in all its states:
 * long ones may be missing where they are slow.  And whether what they were asked for
 * tells how long they take: the program has begun, and short ones are there, too. */
int td_clock_complete(const struct td_clock_data *d, const struct td_clock_window *w);
int td_clock_asked(const struct td_clock_data *d, const struct td_clock_window *w);

/* How much more rarely a length is asked for than the least.  Of windows with as many
 * instructions the slow ones were asked for more cycles, and those are rarer. */
double td_clock_rarity(const struct td_clock_data *d, double asked);

/* What an own window weighs: as much less as it is slow, and more as its length is rare
 * beside others with as many instructions. */
double td_clock_own_weight(const struct td_clock_data *d,
			   const struct td_clock_window *w);

/* clock_fit.c: unknowns and their equations, to be solved step by step. */
struct td_clock_fit {
	size_t n;
	double *matrix; /* [n][n]; factored by td_clock_factor() */
	double *pull;   /* [n] */
	double *ridge;  /* [n]: of the prior */
	double *at;     /* [n] */
	double *spare;  /* [3 n + 4] */
	int adding;     /* to the matrix as well */
};
int td_clock_fit_room(struct td_clock_fit *fit, size_t n);
void td_clock_fit_free(struct td_clock_fit *fit);
/* An equation x of `n` unknowns at[], y what is missing. */
void td_clock_fit_add(struct td_clock_fit *fit, const uint32_t *at, const double *x,
		      uint32_t n, double y, double weight);
/* square[n][n], of which the lower triangle is there, of `n` unknowns at[]. */
void td_clock_fit_add_square(struct td_clock_fit *fit, const uint32_t *at,
			     const double *square, uint32_t n);
void td_clock_factor(struct td_clock_fit *fit);
/* pull becomes the step. */
void td_clock_step(struct td_clock_fit *fit);
/* The same, chance[n][n] in the matrix taken off: the first terms of a series.  The
 * matrix of `twice` has chance twice, in what it was made of and added to it, so the
 * series is hardly more than twice the step, and nothing where all is chance. */
void td_clock_step_beyond(struct td_clock_fit *twice, const double *chance);
/* Of unknowns step[n]: what both of these leave unseen, each no more than it is; chance
 * is in the matrix of `once` once. */
void td_clock_step_lost(struct td_clock_fit *once, struct td_clock_fit *twice,
			const double *chance, double *step);
/* The prior alone in the matrix, and nothing in pull. */
void td_clock_fit_clear(struct td_clock_fit *fit);

/* Of the unknowns of paces: how late interrupts are in the column, behind the start. */
static inline uint32_t td_clock_late_at(const struct td_clock_data *d, uint32_t column)
{
	return d->columns + 1 + column;
}

/* clock_pace.c: the paces, the start, and where there is `doubt` how late interrupts are
 * in each column; at[] is a part of each pace, and cycles. */
void td_clock_pace(const struct td_clock_data *d, struct td_clock_fit *fit,
		   unsigned without);
/* Which bins may lack their slowest windows, and which bins and own windows tell of
 * paces: by the paces so far. */
void td_clock_choose(struct td_clock_data *d);

/* clock_rows.c: a set's slopes; of each column the set's sides, and how it leans. */
int td_clock_weigh(struct td_clock_data *d);
int td_clock_rows(const struct td_clock_data *d, int which, struct td_clock_fit *fit,
		  unsigned without);
/* Of keys as filled, what differs from those that were kept: its squares, and products
 * with what is missing at fit->at, added to chance. */
int td_clock_chance(const struct td_clock_data *d, int which,
		    const struct td_clock_fit *fit, struct td_clock_fit *chance);

/* clock_slopes.c: all sets' slopes. */
struct td_clock_slopes {
	int sets;
	struct td_clock_fit fit[TD_CLOCK_SETS];    /* at[]: with chance in the matrix */
	struct td_clock_fit chance[TD_CLOCK_SETS]; /* matrix and pull: what it adds */
	struct td_clock_fit twice[TD_CLOCK_SETS];  /* the fit's, and that once more */
	double *pull[TD_CLOCK_SETS]; /* [TD_BATCHES][n]: without each of them */
};
/* 0 or -ENOMEM; td_clock_slopes_free() in either case. */
int td_clock_slopes_init(struct td_clock_slopes *slopes, const struct td_clock_data *d);
void td_clock_slopes_free(struct td_clock_slopes *slopes);
/* By all windows, with which keys are filled; and keeps these. */
int td_clock_slopes_find(struct td_clock_slopes *slopes, struct td_clock_data *d);
/* Once for each batch without which keys are filled and pace[columns] were found, then
 * for what chance adds. */
int td_clock_slopes_without(struct td_clock_slopes *slopes, const struct td_clock_data *d,
			    unsigned batch, const double *pace);
void td_clock_slopes_chance(struct td_clock_slopes *slopes);
/* Behind that: slope[columns], without the batch or with all (TD_NO_BATCH). */
void td_clock_slopes_take(struct td_clock_slopes *slopes, const struct td_clock_data *d,
			  unsigned batch, double (*slope)[TD_SEPARATE_NODES]);
/* Slopes as fractions, in place as well. */
void td_clock_fractions(const struct td_clock_data *d, const double *pace,
			const double (*slope)[TD_SEPARATE_NODES],
			double (*value)[TD_SEPARATE_NODES]);
/* What no batch shows, and the prior's part; of d->slope.  0 or -ENOMEM. */
int td_clock_slopes_errors(struct td_clock_slopes *slopes, const struct td_clock_data *d,
			   struct td_clock *clock);

#endif
