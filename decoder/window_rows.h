/* SPDX-License-Identifier: MIT */
/*
 * Windows as rows of a linear regression: part of separate.c.
 *
 * Windows that open in g (and once more those that close in g) are a key, or some
 * (window_keys.h).  A
 * key's windows are sorted by length and cut into bins of some ten windows; a
 * bin gives two rows, one of all its windows and one of those that g has for itself.
 * A row says how many cycles its windows are expected to be in each function, and
 * what they counted.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_ROWS_H
#define TD_DECODER_WINDOW_ROWS_H

#include "decoder/window_columns.h"
#include "decoder/window_ends.h"
#include "decoder/window_keys.h"

#define TD_ROW_SHARED 2 /* unknowns of all rows: the window's cost, the edges' mix */
#define TD_NO_BATCH 255u

/* A window at one of its keys. */
struct td_row_window {
	float length;
	float due;  /* of it, to where its trigger was due; what sorts a key's windows */
	float late; /* the rest */
	float value[TD_SEPARATE_NODES]; /* cycles, as if it had taken no more beyond what
					   was asked for than others */
	/* The function at the other end, where it is known when its trigger came
	 * (window_ends.h); an index into the key's columns. */
	uint32_t other;
	uint8_t batch;
	uint8_t own;     /* the key's function has it for itself */
	uint8_t counted; /* its counts are known, and it is long enough to use them */
};

enum td_row_class { TD_ROW_OWN, TD_ROW_ALL, TD_ROW_CLASSES };

struct td_row {
	double n;      /* windows */
	double cycles; /* of the program, in all of them */
	double shared[TD_ROW_SHARED];
	double value[TD_SEPARATE_NODES];
	double scatter;  /* squares about a line over the length, mean of level 1 */
	double variance; /* of one window, cycles squared; the estimator's */
};

struct td_bin {
	uint32_t begin, end; /* windows */
	float left, right;   /* lengths, to where triggers were due */
	double ends;         /* windows that say where time is, counted or not */
	float hazard;        /* how fast own windows become fewer, each cycle */
	double late;         /* of its windows, in the function at the other end: mean */
	double lean; /* window_stays.h: of an own window, for each of its cycles */
	struct td_row row[TD_ROW_CLASSES];
};

struct td_key {
	uint32_t function; /* column */
	uint32_t itself;   /* where it is among its columns */
	int backward;      /* windows that close in it */
	int twice;         /* its windows are in other keys' rows as well */
	uint32_t still;    /* the first of its windows before bin[0]: the program stood
			      still in them */
	double unseen;     /* cycles of the program in its shortest window */
	double differ;     /* variance of fractions between where its windows end */
	uint32_t columns;  /* it, and where its windows end */
	uint32_t bins;
	uint32_t *column; /* ascending */
	struct td_bin *bin;
	double *time; /* [bins][columns]: cycles of the row of all; own windows are in
			 `itself` all the time */
	double *lean; /* [bins][columns]: window_stays.h, cycles of one window of all */
};

struct td_rows {
	struct td_axis axis;
	unsigned nodes;
	uint32_t columns;
	size_t windows;               /* in each direction */
	struct td_row_window *window; /* [2 * windows], by key */
	struct td_key *key;           /* opened in, then closed in; by column */
	size_t keys;
	const struct td_rows *more; /* of another kind, or NULL */
	/* what the pointers of the keys point into */
	uint32_t *column;
	struct td_bin *bin;
	double *time, *lean;
};

/* From the input's windows that are not empty.  0 or -ENOMEM; free in either case. */
int td_rows_build(struct td_rows *rows, const struct td_separate_input *input,
		  const struct td_axis *axis, const struct td_columns *columns,
		  const struct td_ends *ends);

/* Fills all rows, without the windows of a batch (TD_NO_BATCH: with all).
 * Their variances stay as they are.  0 or -ENOMEM. */
int td_rows_fill(struct td_rows *rows, unsigned without);

/* One time for each bin and column of each key; how many, and zeroed room for them and
 * their leans, to which the keys then point.  0 or -ENOMEM. */
size_t td_rows_cells(const struct td_rows *rows);
int td_rows_place_times(struct td_rows *rows);

void td_rows_free(struct td_rows *rows);

#endif
