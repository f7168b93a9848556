/* SPDX-License-Identifier: MIT */
/*
 * A key's rows, one after another, as the normal equations take them: part of
 * normal.c.
 *
 *	td_key_begin(work, normal, key);
 *	while (td_key_next(work, normal, key, &row, &weight))
 *		...
 *	td_key_centre(), then from the last bin to the first
 *		td_key_echo(), td_key_ends() ... td_key_forget()
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_NORMAL_KEY_H
#define TD_DECODER_NORMAL_KEY_H

#include "decoder/normal.h"

struct td_key_work {
	uint32_t next_bin;
	int next_class;
	uint32_t n;
	uint32_t *unknown; /* [n] */
	uint32_t *column;  /* [n]: index into the key's columns */
	double *x;         /* [n]: a row */
	double *sum;       /* [n]: of weight * windows * x */
	double *matrix;    /* [n][n], lower triangle; NULL: not wanted */
	double shared[TD_ROW_SHARED], total;
	td_sides value;
	/* the filter's state: what the rows so far say of the error of the times */
	double *error_x; /* [n] */
	struct td_row error;
	double variance;       /* of it */
	double *gain, *weight; /* [bins] */
	/* the ends in one bin */
	double *count;     /* [n]: windows, zero outside of `touched` */
	td_sides *more;    /* [n]: counts beyond the mean, of all windows there */
	uint32_t *touched; /* [ends] */
	uint32_t ends;
};

/* 0 or -ENOMEM; free in either case. */
int td_key_init(struct td_key_work *work, const struct td_rows *rows, int matrix);
void td_key_free(struct td_key_work *work);

void td_key_begin(struct td_key_work *work, const struct td_normal *normal,
		  const struct td_key *key);

/* The next row as it is added, in work->x and *row, with its weight; 0: no more. */
int td_key_next(struct td_key_work *work, const struct td_normal *normal,
		const struct td_key *key, struct td_row *row, double *weight);

/*
 * The key's own cost, a random number of variance `between`, eliminated; and what is
 * before its shortest window, of which nobody has seen where it is.  What the sums of
 * products lose of the products of sums; 0: nothing.
 */
double td_key_centre(const struct td_normal *normal, const struct td_key *key,
		     double total);

/*
 * The times are themselves random, and a regression on what is random comes out too
 * flat: each window adds the square of its own chance to the matrix, and its own
 * counts times its chance to the right-hand side.  Both are known.  A window in bin
 * b is a step in the times from there on (half of one in b), which the filter
 * forgets; its counts are a peak in b.
 */
struct td_echo {
	double step, peak; /* sums of weight * step * step, weight * step * peak */
};

/* `after`: the sum of weight * decay^2 over later bins, for a full step. */
struct td_echo td_key_echo(const struct td_key_work *work, const struct td_bin *bin,
			   uint32_t b, double *after);

/* Where the bin's windows end, and what those counted; returns how many. */
double td_key_ends(struct td_key_work *work, const struct td_rows *rows,
		   const struct td_bin *bin, unsigned without);
void td_key_forget(struct td_key_work *work);

#endif
